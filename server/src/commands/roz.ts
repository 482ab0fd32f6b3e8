/**
 * `roz <noun> <verb>`: the operator's commands, in one table.
 * - From the table come the dispatch, `--help`, docs/roz.md, and the refusal of an unknown word with the words that exist.
 * - A command ends with its exit code and starts no server. 0: done, and all is well; 1: a person must look; 2: it could not run.
 */
import type { Readable } from 'node:stream'
import { auditSettings, ConfigError, type Environment, readConfig } from '../config/config.ts'
import { composeSample, envExample, settingsPage } from '../config/settings-page.ts'
import { afterRestoreNow } from './after-restore.ts'
import { archiveNow } from './archive.ts'
import { auditNow } from './audit.ts'
import { noteBackupNow } from './backup-note.ts'
import { clockNow } from './clock.ts'
import { heldBooksNow } from './held-books.ts'
import { parkedNow } from './parked.ts'
import { reencryptNow } from './reencrypt.ts'
import { resetTotpNow } from './reset-totp.ts'
import { rotateLogKey } from './rotate-log-key.ts'
import { rotatePushKey } from './rotate-push-key.ts'
import { statusNow } from './status.ts'
import { ticketKeyNow } from './ticket-key.ts'

type Asked = {
  readonly env: Environment
  readonly words: readonly string[]
  readonly say: (line: string) => void
  readonly input: Readable
}
type Command = {
  /** The words after it, as the help shows them. None: it takes no word. */
  readonly takes?: string
  readonly says: string
  readonly run: (asked: Asked) => Promise<number>
}
type Noun = Command | { readonly says: string; readonly verbs: Readonly<Record<string, Command>> }

const at = ({ env, say }: Asked) => ({ ...auditSettings(env), say })
/** For the commands that need the secret key. */
const keyed = (asked: Asked) => ({
  ...at(asked),
  secretKey: asked.env.SECRET_KEY?.trim() || undefined,
  secretKeyOld: asked.env.SECRET_KEY_OLD?.trim() || undefined,
  words: asked.words,
  input: asked.input,
})
const usage = (asked: Asked, name: string): Promise<number> => {
  for (const line of helpOf(name)) asked.say(line)
  return Promise.resolve(2)
}

const NOUNS: Readonly<Record<string, Noun>> = {
  serve: {
    says: 'Starts the server and runs until it is stopped. The program does the same without a word.',
    run: () => Promise.reject(new Error('main.ts serves')),
  },
  status: {
    says: 'Lists what waits, since when, and its runbook: overdue questions to the gateway, late draws, parked work, alarms. It only reads. 1: something needs a person.',
    run: ({ env, say }) => statusNow(env, say),
  },
  audit: {
    says: 'Checks every money invariant of the database. It only reads. 1: an invariant is broken.',
    run: (asked) => auditNow(at(asked)),
  },
  books: {
    says: 'The day whose books are held (docs/runbooks/books-held.md).',
    verbs: {
      list: { says: 'Names the day and the reason.', run: (asked) => heldBooksNow({ ...at(asked), words: [] }) },
      retry: { says: 'Makes the books again, once the reason is gone.', run: (asked) => heldBooksNow({ ...at(asked), words: ['retry'] }) },
      cover: { says: 'Makes them with the platform’s own money.', run: (asked) => heldBooksNow({ ...at(asked), words: ['cover'] }) },
    },
  },
  work: {
    says: 'Parked work: items and jobs that failed repeatedly (docs/runbooks/parked-work.md).',
    verbs: {
      list: { says: 'Lists it, oldest first. 1: something is parked.', run: (asked) => parkedNow(at(asked), '') },
      retry: {
        takes: 'WORK ITEM',
        says: 'Tries one item at once: the first words of its line, such as order 1f2e….',
        run: (asked) => (asked.words.length === 0 ? usage(asked, 'work') : parkedNow(at(asked), asked.words.join(' '))),
      },
    },
  },
  keys: {
    says: 'Keys (docs/runbooks/keys.md). All of these also run beside the server.',
    verbs: {
      'rotate-log': {
        says: 'Replaces the key of the log of days, at most once a day. Publish the new key wherever the old one is published.',
        run: (asked) => rotateLogKey(keyed(asked)),
      },
      'rotate-push': {
        says: 'Replaces the VAPID key for push services. A device subscribes under it when its app is next opened.',
        run: (asked) => rotatePushKey(keyed(asked)),
      },
      reencrypt: {
        says: 'After a change of SECRET_KEY: encrypts every old value again at once, and says when the old key can be removed.',
        run: (asked) => reencryptNow(keyed(asked)),
      },
      ticket: {
        takes: 'MEMBER [put DAY | new [despite-receipts]]',
        says: 'Lists which ticket keys of a member can be read, or mends a damaged one (docs/runbooks/parked-work.md). put reads the value from standard input.',
        run: (asked) => ticketKeyNow(keyed(asked)),
      },
    },
  },
  staff: {
    says: 'Accounts of the team.',
    verbs: {
      'reset-totp': {
        takes: 'MAIL-ADDRESS',
        says: 'Removes the authenticator app and the passkeys of a staff account, for the last owner whose phone or key is lost. Other owners do it in the portal.',
        run: (asked) => (asked.words.length === 1 ? resetTotpNow(at(asked), asked.words.join(' ')) : usage(asked, 'staff')),
      },
    },
  },
  restore: {
    says: 'A restored database (docs/runbooks/restore.md).',
    verbs: {
      finish: {
        takes: '[--checkpoint FILE|ADDRESS] [--orders FILE] [--transfers FILE]',
        says: 'Asks the gateway for payments and payouts that are newer than the backup, books them, and compares the log with a checkpoint that others have seen. No server starts on the database before this has ended with 0.',
        run: (asked) => afterRestoreNow(at(asked), asked.words),
      },
    },
  },
  backup: {
    says: 'Backups (docs/runbooks/backup.md).',
    verbs: {
      note: {
        takes: 'PROGRAM',
        says: 'Notes that a program, such as pgbackrest, has taken a backup now, for the alert on a missing one.',
        run: ({ env, words, say }) => noteBackupNow(env, words, say),
      },
    },
  },
  archive: {
    says: 'Old months of entries in files (docs/runbooks/archive.md). All of these also run beside the server.',
    verbs: {
      list: {
        says: 'Names the archived months, their files, and whether they are there.',
        run: (asked) => archiveNow(asked.env, ['--list'], asked.say),
      },
      move: {
        takes: '--before MONTH --to FOLDER [--from FOLDER]',
        says: 'Moves the months before that one, such as 2025-11, into files. The folder is outside DATA_DIR.',
        run: (asked) => (asked.words.includes('--before') ? archiveNow(asked.env, asked.words, asked.say) : usage(asked, 'archive')),
      },
      load: {
        takes: 'MONTH [--from FOLDER]',
        says: 'Loads one month into the database again.',
        run: (asked) => archiveNow(asked.env, ['--restore', ...asked.words], asked.say),
      },
    },
  },
  clock: {
    says: 'The clock of the database (docs/runbooks/clock.md).',
    verbs: {
      show: {
        says: 'Shows the clocks of the database, of this machine and of the product. 1: the first is doubted.',
        run: (asked) => clockNow(at(asked), []),
      },
      accept: { says: 'Confirms the database’s clock after a real jump.', run: (asked) => clockNow(at(asked), ['accept']) },
    },
  },
  settings: {
    says: 'The settings (docs/settings.md).',
    verbs: {
      check: {
        says: 'Says what a start would say about them, without a start. It shows no value. 1: a start would refuse them.',
        run: checkSettings,
      },
      list: {
        takes: '[--page | --env | --compose]',
        says: 'Prints the page of all settings: as docs/settings.md, as .env.example, or as the settings of ops/package/sample.env.',
        run: listSettings,
      },
    },
  },
}

/** The words before there was one command, and what they are called now. */
const FORMER: Readonly<Record<string, string>> = {
  'after-restore': 'restore finish',
  'backup-note': 'backup note',
  parked: 'work list',
  reseal: 'keys reencrypt',
  'reset-totp': 'staff reset-totp',
  'rotate-log-key': 'keys rotate-log',
  'rotate-push-key': 'keys rotate-push',
  'ticket-key': 'keys ticket',
}

async function checkSettings({ env, say }: Asked): Promise<number> {
  try {
    const { production, demo, databaseUrl, payments } = readConfig(env)
    say(
      `The settings are complete: ${production ? 'production' : 'not production'}, ${databaseUrl === undefined ? 'the local database' : 'the database of DATABASE_URL'}, payments by ${payments}${demo ? ', with the demo' : ''}.`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    say(error.message)
    return 1
  }
}

async function listSettings(asked: Asked): Promise<number> {
  const [form = '--page', ...rest] = asked.words
  const make = { '--page': settingsPage, '--env': envExample, '--compose': composeSample }[form]
  if (make === undefined || rest.length > 0) return usage(asked, 'settings')
  asked.say(make().trimEnd())
  return 0
}

const lineOf = (words: string, { takes, says }: Command): string[] => [
  `  roz ${words}${takes === undefined ? '' : ` ${takes}`}`,
  `      ${says}`,
]

function helpOf(name: string): string[] {
  const noun = NOUNS[name]
  if (noun === undefined) return []
  if (!('verbs' in noun)) return lineOf(name, noun)
  return [noun.says, ...Object.entries(noun.verbs).flatMap(([verb, command]) => lineOf(`${name} ${verb}`, command))]
}

/** The words of every command: `status`, `books list`. */
export const COMMANDS: readonly string[] = Object.entries(NOUNS).flatMap(([name, noun]) =>
  'verbs' in noun ? Object.keys(noun.verbs).map((verb) => `${name} ${verb}`) : [name],
)

const WORDS = Object.entries(NOUNS).map(([name, noun]) => ('verbs' in noun ? `${name} ${Object.keys(noun.verbs).join('|')}` : name))

function help(): string[] {
  return [
    'roz: the commands of an operator. In a checkout: npx roz …',
    '',
    ...Object.keys(NOUNS).flatMap((name) => [...helpOf(name), '']),
    'Exit codes: 0 done, and all is well; 1 a person must look; 2 it could not run. Settings: docs/settings.md.',
  ]
}

/** docs/roz.md. */
export function commandsPage(): string {
  const rows = Object.entries(NOUNS).flatMap(([name, noun]) => {
    const commands =
      'verbs' in noun ? Object.entries(noun.verbs).map(([verb, command]) => [`${name} ${verb}`, command] as const) : [[name, noun] as const]
    return commands.map(
      ([words, { takes, says }]) =>
        `| \`roz ${words}${takes === undefined ? '' : ` ${takes.replaceAll('|', '\\|')}`}\` | ${says.replace(/\(docs\/([\w/.-]+)\)/g, '([$1]($1))')} |`,
    )
  })
  return `# The command roz

This page is made from \`server/src/commands/roz.ts\` by \`npx roz --page\`; a test compares them. \`roz --help\` and \`roz <noun> --help\` say the same.

- In a checkout: \`npx roz status\`. On an installed server and in a container: [how](runbooks/README.md#on-an-installed-server).
- The database is that of \`DATABASE_URL\`, else the local one under \`DATA_DIR\` ([settings](settings.md)).
- Exit code 0: done, and all is well; 1: a person must look; 2: it could not run.

| Command | What it does |
|---|---|
${rows.join('\n')}
`
}

const HELP = ['--help', '-h', 'help']

/** Runs a command; undefined: the server shall start. */
export async function roz(asked: Asked): Promise<number | undefined> {
  const { words, say } = asked
  const [name, ...rest] = words
  if (name === undefined || (name === 'serve' && rest.length === 0)) return undefined
  if (HELP.includes(name) || name === '--page') {
    for (const line of name === '--page' ? [commandsPage().trimEnd()] : help()) say(line)
    return 0
  }
  const noun = Object.hasOwn(NOUNS, name) ? NOUNS[name] : undefined
  if (noun === undefined) {
    const now = Object.hasOwn(FORMER, name) ? FORMER[name] : undefined
    say(
      `There is no command “${name}”.${now === undefined ? '' : ` It is now: roz ${now}.`} Commands: ${WORDS.join(' · ')}. roz --help says what each does.`,
    )
    return 2
  }
  if (rest.some((word) => HELP.includes(word))) {
    for (const line of helpOf(name)) say(line)
    return 0
  }
  if (!('verbs' in noun)) return runOne(asked, name, noun, rest)
  const [verb, ...others] = rest
  const command = verb !== undefined && Object.hasOwn(noun.verbs, verb) ? noun.verbs[verb] : undefined
  if (command !== undefined) return runOne(asked, name, command, others)
  say(verb === undefined ? `“roz ${name}” needs a second word:` : `“roz ${name}” has no “${verb}”:`)
  return usage(asked, name)
}

async function runOne(asked: Asked, name: string, command: Command, words: readonly string[]): Promise<number> {
  if (command.takes === undefined && words.length > 0) {
    asked.say(`It takes no further word, not “${words.join(' ')}”:`)
    return usage(asked, name)
  }
  try {
    return await command.run({ ...asked, words })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    asked.say(error.message)
    return 2
  }
}
