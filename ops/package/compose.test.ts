/** Tests that compose.yml is complete: every name in it exists, and the product starts in production with its settings. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../server/src/config/config.ts'
import { LOCALE } from '../../server/src/db/embedded/embedded.ts'
import { PRODUCTION } from '../../server/src/testing/production.ts'
import { text } from '../tidy/source.ts'
import { IMAGE } from './testing/dockerfile.ts'

type Service = {
  readonly image: string
  readonly build?: { readonly dockerfile_inline: string }
  readonly command?: readonly string[]
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly privileged?: boolean
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly environment?: Readonly<Record<string, string | number>>
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[]
  readonly healthcheck?: { readonly test: readonly string[] }
}
type Named = Readonly<Record<string, object>>
type Compose = { readonly services: Readonly<Record<string, Service>>; readonly volumes: Named; readonly networks: Named }

const read = (name: string): string => readFileSync(path.join(import.meta.dirname, name), 'utf8')
const source = read('compose.yml')
const compose = parse(source, { merge: true, strict: true, uniqueKeys: true }) as Compose
const services = Object.entries(compose.services)
const named = (name: string): Service => compose.services[name] ?? expect.fail(`compose.yml has no service ${name}`)
const APPS = ['app-1', 'app-2']

/** Allowed values of each variable of sample.env. */
const VALUES: Readonly<Record<string, string>> = {
  ...PRODUCTION,
  // Blank, as in sample.env: the file's own.
  TRUST_PROXY: '',
  MAIL_URL: '',
  ALLOW_INSECURE: '',
  ROZ_DOMAIN: 'roz.example',
  POSTGRES_PASSWORD: 'aaa111',
  OWNER_PASSWORD: 'bbb222',
  APP_PASSWORD: 'ccc333',
  BACKUP_PASSPHRASE: 'ddd444',
  LEGAL_ENTITY: 'Roz Foundation',
  GRIEVANCE_OFFICER: 'A. Rao',
  TERMS_VERSION: '2025-08-09',
}
const VARIABLE = /\$\{([A-Z_]+):([?-])([a-z0-9:/,]*)\}/g

/** The environment of a process of the image, as compose sets it. `further` are the lines of settings.env. */
function environmentOf(
  service: Service,
  values: Readonly<Record<string, string>> = VALUES,
  further: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const set = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    String(value).replace(VARIABLE, (_all, variable: string, otherwise: string, preset: string) => {
      if (otherwise === '?' && !values[variable]) throw new Error(`${variable} is not set`)
      return values[variable] || preset
    }),
  ])
  return Object.fromEntries([...Object.entries(IMAGE.env), ...Object.entries(further), ...set]) as Record<string, string>
}

test('every variable is in sample.env, and nothing else is there; no variable is written in another way', () => {
  const used = [...new Set([...source.matchAll(VARIABLE)].map(([, name]) => name))].sort()
  const sample = [...read('sample.env').matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name)
  expect(sample.toSorted()).toEqual(used)
  expect(source.replaceAll(VARIABLE, '')).not.toContain('$')
})

describe.each(services)('%s', (_name, service) => {
  test('names an image with a fixed tag, and only volumes, files, networks and services that exist', () => {
    expect(service.image).toMatch(/^[a-z][a-z0-9./-]*:[A-Za-z0-9][A-Za-z0-9.-]*(?<!:latest)$/)
    expect(service.networks?.filter((network) => compose.networks[network] === undefined)).toEqual([])
    for (const volume of service.volumes ?? []) {
      const [from = '', to = ''] = volume.split(':')
      const isThere = from.startsWith('.') ? existsSync(path.join(import.meta.dirname, from)) : compose.volumes[from] !== undefined
      expect({ volume, isThere, isAbsolute: path.isAbsolute(to) }).toEqual({ volume, isThere: true, isAbsolute: true })
      // A container changes no file of the checkout.
      if (from.startsWith('.')) expect(volume).toMatch(/:ro$/)
    }
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(['service_started', 'service_healthy']).toContain(condition)
      if (condition === 'service_healthy') expect(named(other).healthcheck?.test.length).toBeGreaterThan(1)
      else expect(named(other)).toBeDefined()
    }
    expect(service.privileged).toBeUndefined()
  })

  test('every host of its addresses is a service on one of its networks', () => {
    const words = Object.values(environmentOf(service)).join(' ')
    const hosts = [
      ...[...words.matchAll(/(?:postgres|smtp):\/\/(?:[^@\s]*@)?([a-z0-9-]+):\d+/g)].map(([, host]) => host),
      ...(service.environment?.ROZ_UPSTREAMS === undefined
        ? []
        : [...String(service.environment.ROZ_UPSTREAMS).matchAll(/([a-z0-9-]+):\d+/g)].map(([, host]) => host)),
    ]
    for (const host of hosts) expect(named(host ?? '').networks?.some((network) => service.networks?.includes(network))).toBe(true)
  })
})

test('every volume and network is used, only Caddy is open to other machines, and the database is on the inner network alone', () => {
  const used = (of: (service: Service) => readonly string[] | undefined) => new Set(services.flatMap(([, service]) => of(service) ?? []))
  const volumes = used(({ volumes }) => volumes?.map((volume) => volume.split(':')[0] ?? '').filter((from) => !from.startsWith('.')))
  expect([...volumes].sort()).toEqual(Object.keys(compose.volumes).sort())
  expect([...used(({ networks }) => networks)].sort()).toEqual(Object.keys(compose.networks).sort())
  const isOpen = ({ ports = [] }: Service): boolean => ports.some((port) => !port.startsWith('127.0.0.1:'))
  expect(services.filter(([, service]) => isOpen(service)).map(([name]) => name)).toEqual(['caddy'])
  for (const name of ['postgres', 'pgbouncer']) expect(named(name).networks).toEqual(['inside'])
  expect(compose.networks.inside).toEqual({ internal: true })
})

describe.each(APPS)('the process %s', (name) => {
  let app: Service
  beforeAll(() => {
    app = named(name)
  })

  test('runs this version’s image as its own user, on a read-only root, without capabilities', () => {
    const { version } = JSON.parse(text('package.json')) as { readonly version: string }
    expect(app).toMatchObject({
      image: `roz:${version}`,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['uploads:/data'],
    })
    // The user and the command are the image's own.
    expect([app.user, app.command]).toEqual([undefined, undefined])
    expect(IMAGE.volumes).toEqual(['/data'])
  })

  test('gets only settings that the product reads, and the product starts with them in production', () => {
    const asked = new Set<string>()
    const env = new Proxy(environmentOf(app), {
      get: (target, setting: string) => {
        asked.add(setting)
        return target[setting]
      },
    })
    const { production, business, databaseUrl, migrateDatabaseUrl } = readConfig(env)
    expect(Object.keys(app.environment ?? {}).filter((setting) => !asked.has(setting))).toEqual([])
    expect(production).toBe(true)
    expect(business).toMatchObject({ modes: { split: { winners: 1 }, withdrawalsOn: true, topupsOn: true } })
    expect([databaseUrl, migrateDatabaseUrl]).toEqual([
      'postgres://roz_app:ccc333@pgbouncer:6432/roz',
      'postgres://roz_owner:bbb222@postgres:5432/roz',
    ])
  })

  test('is with a gateway unless another way to pay is named, which needs no key of a gateway', () => {
    const { PAYMENTS: _way, ...unnamed } = VALUES
    const { CASHFREE_PG_CLIENT_ID: _id, CASHFREE_PG_CLIENT_SECRET: _secret, ...keyless } = unnamed
    expect(readConfig(environmentOf(app, unnamed)).payments).toBe('cashfree')
    expect(() => readConfig(environmentOf(app, keyless))).toThrow('CASHFREE_PG_CLIENT_ID')
    const account = {
      TRANSFER_HOLDER: 'Roz Foundation',
      TRANSFER_ACCOUNT: '001234567890',
      TRANSFER_IFSC: 'HDFC0000123',
      TRANSFER_BANK: 'HDFC Bank',
    }
    const config = readConfig(environmentOf(app, { ...keyless, PAYMENTS: 'bank-transfer' }, account))
    expect([config.payments, config.gateway]).toEqual(['bank-transfer', undefined])
  })

  test('is behind one proxy and mails by the relay beside it, unless .env names a balancer and a provider', () => {
    expect(environmentOf(app)).toMatchObject({ TRUST_PROXY: '1', MAIL_URL: 'smtp://smtp:587', ALLOW_INSECURE: 'database,mail' })
    const named = { TRUST_PROXY: '2', MAIL_URL: 'smtps://user:word@mail.example:465', ALLOW_INSECURE: 'database' }
    const env = environmentOf(app, { ...VALUES, ...named })
    expect(env).toMatchObject(named)
    expect(readConfig(env)).toMatchObject({ trustProxy: 2, mailNeedsTls: true })
  })

  test('takes no money until the operator has named himself, his officer and the terms', () => {
    const { TERMS_VERSION: _none, ...values } = VALUES
    expect(readConfig(environmentOf(app, values)).business).toMatchObject({
      modes: { split: { winners: 0 }, withdrawalsOn: false, topupsOn: false },
    })
  })
})

test('both processes take every other setting from one file, which git ignores as it ignores .env', () => {
  for (const name of APPS) expect(named(name).env_file).toEqual([{ path: 'settings.env', required: false }])
  const further = {
    SECRET_KEY_OLD: 'the former secret key, long enough for production',
    CASHFREE_PG_CLIENT_SECRET_OLD: 'former',
    CASHFREE_PAYOUT_CLIENT_ID: 'id of payouts',
    CASHFREE_PAYOUT_CLIENT_SECRET: 'secret of payouts',
    STORAGE_URL: 's3://uploads?region=ap-south-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret of the key',
    GOOGLE_CLIENT_ID: 'google',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
    // compose.yml sets it, and wins.
    TRUST_PROXY: 'none',
  }
  const config = readConfig(environmentOf(named('app-1'), VALUES, further))
  expect(config).toMatchObject({
    secretKeyOld: further.SECRET_KEY_OLD,
    gateway: { clientSecretOld: 'former', payouts: { clientId: 'id of payouts' } },
    storage: { kind: 's3' },
    google: { clientId: 'google' },
    traces: { url: 'https://collector.example/v1/traces' },
    trustProxy: 1,
  })
  const ignored = readFileSync(path.join(import.meta.dirname, '../../.gitignore'), 'utf8').split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['/ops/package/.env', '/ops/package/settings.env']))
})

test('Prometheus reaches both processes where its sample looks for them', () => {
  const [, targets = ''] = /targets: \[(.+)\]/.exec(text('ops/observability/prometheus.yml')) ?? []
  const port = IMAGE.env.PORT
  const published = APPS.flatMap((name) => named(name).ports ?? [])
  expect(published.map((one) => one.replace(new RegExp(`:${port}$`), ''))).toEqual(
    targets.split(', ').map((target) => target.replaceAll("'", '')),
  )
})

test('Caddy gets every variable of its file, and reaches both processes at the image’s port', () => {
  const { environment = {} } = named('caddy')
  const wanted = [...new Set([...read('Caddyfile').matchAll(/\{\$([A-Z_]+)(?::[^}]*)?\}/g)].map(([, name]) => name))]
  expect(wanted.length).toBeGreaterThan(0)
  expect(Object.keys(environment).sort()).toEqual(wanted.sort())
  const port = IMAGE.env.PORT
  expect(environment.ROZ_UPSTREAMS).toBe(APPS.map((name) => `${name}:${port}`).join(' '))
})

test('the pooler is in transaction mode, knows named statements, and is new enough for them', () => {
  const { image, environment } = named('pgbouncer')
  expect(environment).toMatchObject({ POOL_MODE: 'transaction', LISTEN_PORT: 6432, MAX_PREPARED_STATEMENTS: expect.any(Number) })
  const [, ...version] = /:v(\d+)\.(\d+)\.(\d+)/.exec(image) ?? []
  const [major = 0, minor = 0, patch = 0] = version.map(Number)
  expect(major * 1_000_000 + minor * 1000 + patch).toBeGreaterThanOrEqual(1_025_002)
})

test('the database is PostgreSQL 18 with the locale of the local one, and its log has no details of refused rows', () => {
  const { build, command, environment } = named('postgres')
  expect(build?.dockerfile_inline).toMatch(/^FROM postgres:18\n/)
  expect(environment?.POSTGRES_INITDB_ARGS).toBe(LOCALE.join(' '))
  expect(command?.slice(0, 2)).toEqual(['postgres', '-clog_error_verbosity=terse'])
})

test('the database ships its log as pgbackrest.conf says, into a volume that outlives it', () => {
  const { command = [], environment = {}, volumes = [] } = named('postgres')
  const conf = read('../database/pgbackrest.conf')
  const [, told = ''] = /In postgresql\.conf \(a restart once\): ([^[]+)/.exec(conf.replaceAll(/\n# /g, ' ')) ?? []
  const archiving = command.slice(2).map((flag) => /^-c(\w+)=(.+)$/.exec(flag)?.slice(1) ?? [])
  expect(archiving.map(([name]) => name)).toEqual(['archive_mode', 'archive_command', 'archive_timeout'])
  for (const [name = '', value = ''] of archiving) expect(told.replaceAll("'", '')).toContain(`${name} = ${value}`)
  expect(volumes).toContain(`backup:${environment.PGBACKREST_REPO1_PATH}`)
  expect(volumes).toContain('../database/pgbackrest.conf:/etc/pgbackrest/pgbackrest.conf:ro')
  // Each variable changes a line of the file.
  const changed = Object.keys(environment).filter((name) => name.startsWith('PGBACKREST_'))
  for (const name of changed)
    expect(conf).toMatch(new RegExp(`^${name.slice('PGBACKREST_'.length).toLowerCase().replaceAll('_', '-')}=`, 'm'))
})
