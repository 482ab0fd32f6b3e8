/**
 * The program: serves, or runs one command of an operator.
 * - Only this file reads the environment.
 * - A start that fails ends with one message in plain words.
 */
import { afterRestoreNow } from './commands/after-restore.ts'
import { archiveNow } from './commands/archive.ts'
import { auditNow } from './commands/audit.ts'
import { noteBackupNow } from './commands/backup-note.ts'
import { clockNow } from './commands/clock.ts'
import { auditSettings, ConfigError, readConfig, type Config } from './config/config.ts'
import { heldBooksNow } from './commands/held-books.ts'
import { createLog } from './http/logger.ts'
import { EmbeddedPostgresError } from './db/embedded/error.ts'
import { parkedNow } from './commands/parked.ts'
import { resealNow } from './commands/reseal.ts'
import { resetTotpNow } from './commands/reset-totp.ts'
import { rotateLogKey } from './commands/rotate-log-key.ts'
import { rotatePushKey } from './commands/rotate-push-key.ts'
import { statusNow } from './commands/status.ts'
import { ticketKeyNow } from './commands/ticket-key.ts'
import { StartError } from './start-error.ts'
import { startServer, type Running } from './start.ts'

function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const [word, ...words] = process.argv.slice(2)
const target = () => ({ ...auditSettings(process.env), say: tell })
/** For the commands that need the secret key. */
const keyed = () => ({
  ...target(),
  secretKey: process.env.SECRET_KEY,
  secretKeyOld: process.env.SECRET_KEY_OLD,
  words,
  input: process.stdin,
})

/** The operator's commands: each does its work and ends with its exit code, and starts no server. README.md says what each does. */
const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  'after-restore': () => afterRestoreNow(target(), words),
  archive: () => archiveNow(process.env, words, tell),
  audit: () => auditNow(target()),
  'backup-note': () => noteBackupNow(process.env, words, tell),
  books: () => heldBooksNow({ ...target(), words }),
  clock: () => clockNow(target(), words),
  parked: () => parkedNow(target(), words.join(' ')),
  reseal: () => resealNow(keyed()),
  'reset-totp': () => resetTotpNow(target(), words.join(' ')),
  'rotate-log-key': () => rotateLogKey(keyed()),
  'rotate-push-key': () => rotatePushKey(keyed()),
  status: () => statusNow(process.env, tell),
  'ticket-key': () => ticketKeyNow(keyed()),
}
if (word !== undefined) {
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  if (command === undefined) {
    process.stderr.write(
      `There is no command “${word}”. Commands: ${Object.keys(COMMANDS).join(', ')}. Without a word, the server starts.\n`,
    )
    process.exit(2)
  }
  process.exit(await command())
}

const config = configOrExit()
const log = createLog({ level: config.logLevel })
/** A stop that hangs ends the process after this time. */
const SHUTDOWN_MS = 8000

let running: Running | undefined
let stopping = false

/** Stops once, however many signals arrive. */
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  setTimeout(() => process.exit(code === 0 ? 1 : code), SHUTDOWN_MS).unref()
  try {
    await running?.stop()
  } catch (error) {
    log.error({ err: error }, 'stopping failed')
    process.exit(1)
  }
  process.exit(code)
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
/** Stops when the launcher of `npm start` has died for any reason: nothing else would stop this process. */
const launcher = Number(process.env.ROZ_LAUNCHER ?? 0)
const begunAtMs = Number(process.env.ROZ_LAUNCHED_AT_MS ?? performance.timeOrigin)
if (launcher > 0) setInterval(() => process.ppid === launcher || void stop(0), 500).unref()
process.on('unhandledRejection', (error) => {
  log.fatal({ err: error }, 'unhandled rejection of a promise')
  void stop(1)
})

try {
  running = await startServer(config, { log, say: tell, begunAtMs })
  if (stopping) await running.stop()
} catch (error) {
  if (error instanceof StartError || error instanceof EmbeddedPostgresError) process.stderr.write(`${error.message}\n`)
  else log.fatal({ err: error }, 'Roz could not start')
  process.exit(1)
}
