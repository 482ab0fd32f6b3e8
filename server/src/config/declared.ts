/**
 * Every setting of the server, declared once. From here come the reading and its checks (settings.ts), docs/settings.md, .env.example
 * and the settings of ops/package/sample.env (settings-page.ts; settings-page.test.ts compares them).
 */
import { cashfreeSettings } from '../adapters/cashfree/declared.ts'
import type { Declared, Group } from './declared-kinds.ts'
import { money } from './declared-money.ts'

const server = {
  NODE_ENV: {
    kind: 'choice',
    of: ['production', 'development', 'test'],
    otherwise: 'development',
    says: '`production` requires every setting that is marked as required, and disables the demo, the sandbox, the mail catcher and the dev controls.',
  },
  PORT: { kind: 'integer', min: 1, max: 65_535, otherwise: 8080, says: 'The port that the server listens on.' },
  HOST: {
    kind: 'text',
    otherwise: '127.0.0.1',
    says: 'The address that the server listens on. Outside production, one that other machines can reach is refused, because they could set the clock and read the mails; there the server answers only under names of this machine, `HOST` and the host of `PUBLIC_URL`.',
  },
  PUBLIC_URL: {
    kind: 'url',
    needed: true,
    shown: 'the host of the request',
    says: 'The origin in links and return addresses: scheme and host alone; https in production.',
  },
  TRUST_PROXY: {
    kind: 'text',
    needed: true,
    shown: 'none',
    says: 'The number of proxies in front of the server, from 1 to 5, or a list of their addresses and networks, or `none`. It determines the client’s address.',
  },
  DATA_DIR: { kind: 'folder', otherwise: '.data', says: 'The folder of the local database, uploads and keys.' },
  WEB_DIR: { kind: 'folder', shown: 'built by npm start', says: 'The folder of the built web app.' },
  ENV_FILE: {
    kind: 'text',
    otherwise: '.env',
    says: 'A file of settings, in the folder of the start or else in the folder of the program. The environment wins over it. `none` reads no file.',
  },
  DRAIN_SECONDS: {
    kind: 'integer',
    min: 0,
    max: 5,
    shown: '0; production: 3',
    says: 'How long a stop goes on answering requests on open connections. The port refuses new connections at once.',
  },
  LOG_LEVEL: {
    kind: 'choice',
    of: ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    shown: 'warn; production: info',
    says: 'How much is logged, as JSON lines without personal data.',
  },
  METRICS_TOKEN: {
    kind: 'text',
    needed: true,
    secret: true,
    shown: 'none: open',
    says: 'The bearer token of `/metrics`; production requires at least 16 characters.',
  },
  ALLOW_INSECURE: {
    kind: 'list',
    shown: 'none',
    says: 'Safety checks to disable, comma-separated: `mail` (production sends mail without TLS), `database` (production reaches a database on another host without TLS), `host` (outside production, other machines may reach the server), `traces` (production sends traces to another host without TLS).',
  },
  DEMO: {
    kind: 'flag',
    shown: 'on with the local database',
    says: 'A demo community with 30 days of rounds; off: no member, no story. Production never has it.',
  },
} as const satisfies Group

const database = {
  DATABASE_URL: {
    kind: 'postgres',
    needed: true,
    secret: true,
    shown: 'a local PostgreSQL 18 in DATA_DIR',
    says: 'An existing PostgreSQL 18 with `fsync` and `synchronous_commit` on. Production requires `sslmode=verify-full` to another host (see `ALLOW_INSECURE`). Several hosts are separated by commas, as in `postgres://user:password@one:5432,two:5432/roz`: the one that accepts writes is found, also after a failover.',
  },
  MIGRATE_DATABASE_URL: {
    kind: 'postgres',
    secret: true,
    shown: 'DATABASE_URL',
    says: 'The owner’s role, for migrations. The role of `DATABASE_URL` then needs only to read and write rows.',
  },
  PG_NAMED: { kind: 'flag', otherwise: true, says: 'Named prepared statements; off for a PgBouncer older than 1.21.' },
  DATABASE_CONNECTIONS: {
    kind: 'integer',
    min: 8,
    max: 500,
    otherwise: 15,
    says: 'The maximum number of database connections of one process. If the database allows fewer, the server does not start. Behind a pooler, the pooler’s limits count.',
  },
} as const satisfies Group

const keys = {
  SECRET_KEY: {
    kind: 'text',
    needed: true,
    secret: true,
    shown: 'made, kept in DATA_DIR',
    says: 'The key of encryption at rest; production requires at least 32 random bytes, such as those of `openssl rand -hex 32`. [How to replace it](runbooks/keys.md).',
  },
  SECRET_KEY_OLD: {
    kind: 'text',
    secret: true,
    says: 'The former `SECRET_KEY`, while the server encrypts every value again, and seven days more. The log and `roz keys reencrypt` print when it can be removed. A start without a needed key fails.',
  },
} as const satisfies Group

const people = {
  ADMIN_EMAIL: {
    kind: 'mail',
    needed: true,
    otherwise: 'admin@roz.local',
    says: 'The administrator that the start creates as an owner if missing; owners invite everybody else. A start does not undo what another owner decides about this account.',
  },
  ADMIN_PASSWORD: {
    kind: 'text',
    needed: true,
    secret: true,
    shown: 'made and printed',
    says: 'The password of that account. Production requires at least 12 characters, and an authenticator app at the first login.',
  },
  GOOGLE_CLIENT_ID: { kind: 'text', says: 'Sign-in with Google. Without it the button is hidden.' },
  GOOGLE_JWKS_URL: { kind: 'url', otherwise: 'https://www.googleapis.com/oauth2/v3/certs', says: 'The keys of Google’s sign-in.' },
  MIN_AGE: { kind: 'integer', min: 13, max: 99, otherwise: 13, says: 'The minimum age that the registration states.' },
} as const satisfies Group

const mail = {
  MAIL_URL: {
    kind: 'text',
    needed: true,
    secret: true,
    shown: 'a catcher, shown at /dev/mail',
    says: '`smtp://user:password@host:587` or `smtps://…`. Production sends only over TLS: `smtp://` then requires STARTTLS (see `ALLOW_INSECURE`). The mail server must sign `List-Unsubscribe` and `List-Unsubscribe-Post` by DKIM, or mail programs ignore the weekly mail’s one-click link (RFC 8058).',
  },
  MAIL_FROM: { kind: 'mail', needed: true, otherwise: 'no-reply@roz.local', says: 'The sender of every mail.' },
  PUSH_HOSTS: {
    kind: 'hosts',
    shown: 'none',
    says: 'Push services allowed beside those of Chrome, Firefox, Safari and Edge, as `host` or `host:port`, comma-separated.',
  },
} as const satisfies Group

const gateway = {
  PAYMENTS: {
    kind: 'choice',
    of: ['sandbox', 'cashfree', 'bank-transfer'],
    otherwise: 'sandbox',
    needed: true,
    says: 'How money is added: by a payment gateway, or by a bank transfer that finance confirms ([decision 54](decisions/0054-a-second-way-to-pay.md)). Production refuses the sandbox. With `bank-transfer` the settings of the gateway below are not read, AutoPay is off, and withdrawals are paid by hand.',
  },
  TRANSFER_HOLDER: {
    kind: 'text',
    says: 'The holder of our bank account. With PAYMENTS=bank-transfer members see these five; only the UPI ID may be missing.',
  },
  TRANSFER_ACCOUNT: { kind: 'text', says: 'Its account number, 9 to 18 digits.' },
  TRANSFER_IFSC: { kind: 'text', says: 'Its IFSC.' },
  TRANSFER_BANK: { kind: 'text', says: 'The name of its bank.' },
  TRANSFER_UPI: { kind: 'text', says: 'Its UPI ID.' },
  SANDBOX_PORT: { kind: 'integer', min: 1, max: 65_535, shown: 'PORT + 1', says: 'The port of the gateway sandbox.' },
  ...cashfreeSettings,
} as const satisfies Group

const legal = {
  LEGAL_ENTITY: { kind: 'text', says: 'The operator’s legal name.' },
  GRIEVANCE_OFFICER: { kind: 'text', says: 'The grievance officer.' },
  TERMS_VERSION: {
    kind: 'text',
    otherwise: '2025-08-09',
    says: 'The date of the terms in force, kept with each account. Production moves no money before it is named.',
  },
} as const satisfies Group

const beacon = {
  BEACON: {
    kind: 'choice',
    of: ['local', 'drand'],
    otherwise: 'local',
    needed: true,
    says: 'The source of the draw’s randomness: `drand`, a public beacon, or `local`, a demonstration that is labelled as one. Production refuses `local`.',
  },
  BEACON_RELAYS: {
    kind: 'list',
    shown: 'drand’s four',
    says: 'Addresses of drand relays, asked in turn. No relay is trusted: the server checks the signatures.',
  },
  BEACON_CHAIN: {
    kind: 'json',
    shown: 'quicknet',
    says: 'Another drand network for tests, as the JSON of its `/info`. Production uses only quicknet.',
  },
  WITNESS_KEYS: {
    kind: 'list',
    shown: 'none',
    says: 'The verifier keys of external witnesses of the log. Without witnesses every draw is weak.',
  },
  WITNESS_QUORUM: {
    kind: 'integer',
    min: 1,
    max: 100,
    otherwise: 2,
    says: 'How many cosignatures make a day *sealed*: more than half of the witnesses.',
  },
} as const satisfies Group

const files = {
  STORAGE_URL: {
    kind: 'text',
    shown: 'DATA_DIR/uploads',
    says: 'Where uploads are stored: `s3://bucket/prefix?endpoint=https://…&region=…`, an S3-compatible store that is addressed by path, or by host with `&style=host`. Without `endpoint` it is Amazon’s, without `region` us-east-1. The keys may read, write, delete and list below the prefix; the bucket stays private.',
  },
  AWS_ACCESS_KEY_ID: { kind: 'text', says: 'The key of `STORAGE_URL`; required with it.' },
  AWS_SECRET_ACCESS_KEY: { kind: 'text', secret: true, says: 'The secret of that key; required with `STORAGE_URL`.' },
  AWS_SESSION_TOKEN: { kind: 'text', secret: true, says: 'The token of temporary keys.' },
} as const satisfies Group

const site = {
  BRAND_NAME: { kind: 'text', otherwise: 'Roz', says: 'The name on every page and mail, the same in every language.' },
  SUPPORT_EMAIL: { kind: 'mail', needed: true, otherwise: 'support@roz.example', says: 'The address on the contact page and in mails.' },
  SECURITY_EMAIL: { kind: 'mail', says: 'The contact for weaknesses. Only with it is there a `/.well-known/security.txt`.' },
  SUPPORT_PHONE: { kind: 'text', needed: true, otherwise: '+91 98765 43210', says: 'The phone number on the contact page.' },
  OFFICE_ADDRESS: {
    kind: 'text',
    needed: true,
    otherwise: '12 Sample Street, Pune 411001, India',
    says: 'The postal address on the contact page.',
  },
  SITE_PEOPLE: {
    kind: 'text',
    otherwise: '14,000',
    says: 'A figure of the marketing text, until an editor changes it in the portal.',
  },
  SITE_CONTRIBUTORS: { kind: 'text', otherwise: '10,000+', says: 'The other figure of the marketing text, likewise.' },
  HOW_IT_WORKS_VIDEO: {
    kind: 'text',
    shown: 'a free film; production: none',
    says: 'The explanatory YouTube video on the home page, until an editor changes it in the portal.',
  },
  PICTURE_HOSTS: {
    kind: 'hosts',
    shown: 'none',
    says: 'Additional hosts for the pictures of stories, as `host` or `host:port`, comma-separated. All others are refused. Each host sees the network address of a story’s reader.',
  },
} as const satisfies Group

const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    kind: 'url',
    shown: 'none: no traces',
    says: 'The address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, for [traces](traces.md) by OTLP. Production requires https to another host (see `ALLOW_INSECURE`).',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    kind: 'pairs',
    secret: true,
    says: 'Headers for the collector, as `name=value,name=value`, such as its key.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { kind: 'choice', of: ['http/json'], otherwise: 'http/json', says: 'There is no other protocol.' },
  OTEL_TRACES_SAMPLER: {
    kind: 'choice',
    of: ['parentbased_always_on', 'parentbased_traceidratio', 'parentbased_always_off', 'always_on', 'traceidratio', 'always_off'],
    otherwise: 'parentbased_always_on',
    says: 'Which traces are recorded.',
  },
  OTEL_TRACES_SAMPLER_ARG: { kind: 'share', otherwise: '1', says: 'The share of `traceidratio`, from 0 to 1.' },
  OTEL_SERVICE_NAME: { kind: 'text', otherwise: 'roz', says: 'How the collector names this server.' },
  OTEL_RESOURCE_ATTRIBUTES: { kind: 'pairs', says: 'Further attributes, as `name=value,name=value`.' },
} as const satisfies Group

export const GROUPS = {
  'The server': server,
  'The database': database,
  Keys: keys,
  'Accounts and sign-in': people,
  'Mail and notifications': mail,
  'The payment gateway': gateway,
  'The rules of money': money,
  'The operator': legal,
  'The draw': beacon,
  Uploads: files,
  'What the site shows': site,
  Traces: traces,
} as const satisfies Readonly<Record<string, Group>>

const DECLARED = {
  ...server,
  ...database,
  ...keys,
  ...people,
  ...mail,
  ...gateway,
  ...money,
  ...legal,
  ...beacon,
  ...files,
  ...site,
  ...traces,
}
export type SettingName = keyof typeof DECLARED
type OfKind<K> = { [N in SettingName]: (typeof DECLARED)[N] extends { readonly kind: K } ? N : never }[SettingName]
export type IntegerName = OfKind<'integer'>
export type FlagName = OfKind<'flag'>
export type ChoiceName = OfKind<'choice'>
export type ChoicesOf<N extends ChoiceName> = (typeof DECLARED)[N]['of'][number]
type WithDefault = { [N in SettingName]: (typeof DECLARED)[N] extends { readonly otherwise: string } ? N : never }[SettingName]

/** The default that does not depend on another setting. */
export const defaultOf = (name: WithDefault): string => DECLARED[name].otherwise
export const declaredAs = (name: SettingName): Declared => DECLARED[name]
export const SETTINGS = Object.entries(DECLARED) as unknown as readonly (readonly [SettingName, Declared])[]
/** In the order of the complaints. */
export const NEEDED = SETTINGS.filter(([name, { needed }]) => needed === true && name !== 'PAYMENTS' && name !== 'BEACON').map(
  ([name]) => name,
)
