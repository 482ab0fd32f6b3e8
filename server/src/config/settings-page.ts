/** Makes docs/settings.md, .env.example and the product's part of ops/package/sample.env from the declarations. */
import { GROUPS, SETTINGS } from './declared.ts'
import type { Declared } from './declared-kinds.ts'

const defaultShown = ({ shown, otherwise }: Declared): string => {
  if (shown !== undefined) return shown
  return typeof otherwise === 'boolean' ? (otherwise ? 'on' : 'off') : String(otherwise ?? 'none')
}

/** The form of a value. */
function kindShown(declared: Declared): string {
  if (declared.kind === 'integer') return `${declared.min} to ${declared.max}`
  if (declared.kind === 'choice') return declared.of.map((one) => `\`${one}\``).join(', ')
  const words = {
    flag: 'on or off',
    text: 'text',
    mail: 'a mail address',
    url: 'an http(s) address',
    postgres: 'an address of PostgreSQL',
    rupees: 'rupees, 0 to 100000',
    hosts: 'hosts',
    list: 'a list',
    json: 'JSON',
    pem: 'PEM',
    pairs: 'pairs',
    share: '0 to 1',
    folder: 'a folder',
  } as const
  return words[declared.kind]
}

const row = ([name, declared]: readonly [string, Declared]): string =>
  `| \`${name}\`${declared.needed === true ? ' ●' : ''}${declared.secret === true ? ' ⚿' : ''} | ${kindShown(declared)} | ${defaultShown(declared)} | ${declared.says} |`

/** docs/settings.md. */
export function settingsPage(): string {
  const groups = Object.entries(GROUPS).map(
    ([title, group]) =>
      `## ${title}\n\n| Setting | Value | Default | Meaning |\n|---|---|---|---|\n${Object.entries(group).map(row).join('\n')}\n`,
  )
  return `# Settings

This page is made from \`server/src/config/declared.ts\` by \`npx roz settings list --page\`; a test compares them.

- Settings are environment variables, read once at the start. A blank value counts as not set.
- A file \`.env\` in the folder of the start, or else beside the program, is read too: \`.env.example\` is its sample. The environment wins.
- ● is required with \`NODE_ENV=production\`. There no setting has a default that is safe on a laptop only: the start fails with one message that lists every missing or weak setting. \`npx roz settings check\` says the same without a start.
- ⚿ is a secret. Its value may be in a file instead, which \`NAME_FILE\` names, such as \`SECRET_KEY_FILE=/run/secrets/key\`.

${groups.join('\n')}`
}

/** Words for a file of settings, which has no Markdown. */
const plain = (text: string): string => text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)').replaceAll(/[`*]/g, '')

/** .env.example: every setting, commented out. */
export function envExample(): string {
  const lines = Object.entries(GROUPS).flatMap(([title, group]) => [
    '',
    `# ${title}`,
    ...(Object.entries(group) as [string, Declared][])
      .filter(([name]) => name !== 'ENV_FILE')
      .flatMap(([name, declared]) => [
        `# ${plain(declared.says)} Default: ${plain(defaultShown(declared))}.${declared.needed === true ? ' Required in production.' : ''}`,
        `#${name}=${declared.otherwise === undefined || declared.shown !== undefined ? '' : quoted(defaultShown(declared))}`,
      ]),
  ])
  return `# A sample of the settings. Copy it to .env and remove the # before a setting. docs/settings.md explains each of them.\n${lines.join('\n')}\n`
}

const quoted = (text: string): string => (/^[\w.:/@+-]*$/.test(text) ? text : `"${text}"`)

/** Settings that compose.yml sets itself, or takes from its own variables. */
const OF_COMPOSE = new Set(['PUBLIC_URL', 'DATABASE_URL', 'MAIL_URL', 'MAIL_FROM', 'TRUST_PROXY', 'PAYMENTS', 'BEACON'])
const LEGAL = ['LEGAL_ENTITY', 'GRIEVANCE_OFFICER', 'TERMS_VERSION'] as const
export const SAMPLE_BEGIN = '# The settings that production needs, from docs/settings.md:'

/** The last part of ops/package/sample.env. */
export function composeSample(): string {
  const needed = SETTINGS.filter(([name, { needed }]) => needed === true && !OF_COMPOSE.has(name))
  return [
    SAMPLE_BEGIN,
    ...needed.map(([name]) => `${name}=`),
    '# Without all three of these, Roz serves but takes and pays no money (docs/operator-guide.md).',
    ...LEGAL.map((name) => `${name}=`),
    '',
  ].join('\n')
}
