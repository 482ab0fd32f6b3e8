import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { complaintsOf, PRODUCTION_BY_TLS as production } from '../testing/production.ts'
import { readConfig } from './config.ts'
import { witnessKeyText } from '../transparency-log/note.ts'
import { infoOf, makeChain } from '../testing/beacon-relay.ts'

test('an empty environment gives a complete laptop set-up with demo, sandbox and without a mail server', () => {
  const config = readConfig({})
  expect(config).toMatchObject({ port: 8080, host: '127.0.0.1', sandboxPort: 8081, payments: 'sandbox', demo: true, production: false })
  expect(config.business).toMatchObject({
    brandName: 'Roz',
    modes: { split: { need: 60, reward: 30, platform: 10, winners: 1 }, topupsOn: true, withdrawalsOn: true, tax: null },
    topupLimits: { min: 1000n, max: 3000n },
    approvalAbove: 100_000n,
  })
  expect(config.mailUrl).toBeUndefined()
})

test('production without settings names every missing one in a single message', () => {
  const complaints = complaintsOf({ NODE_ENV: 'production' }).join('\n')
  for (const name of [
    'PUBLIC_URL',
    'DATABASE_URL',
    'SECRET_KEY',
    'MAIL_URL',
    'MAIL_FROM',
    'ADMIN_EMAIL',
    'ADMIN_PASSWORD',
    'TRUST_PROXY',
    'METRICS_TOKEN',
    'SUPPORT_EMAIL',
    'SUPPORT_PHONE',
    'OFFICE_ADDRESS',
    'BEACON',
    'PAYMENTS',
    'CASHFREE_PG_CLIENT_ID',
    'CASHFREE_PG_CLIENT_SECRET',
  ]) {
    expect(complaints).toContain(name)
  }
})

test('production refuses secrets that can be guessed, all in one message that shows none of them', () => {
  const weak = { SECRET_KEY: 'x', ADMIN_PASSWORD: '1', METRICS_TOKEN: '1' }
  expect(complaintsOf({ ...production, ...weak })).toEqual([
    'SECRET_KEY: production needs at least 32 bytes, such as those of “openssl rand -hex 32”',
    'ADMIN_PASSWORD: production needs at least 12 characters',
    'METRICS_TOKEN: production needs at least 16 characters',
  ])
  const short = { SECRET_KEY: 'k'.repeat(31), ADMIN_PASSWORD: 'पासवर्ड नया', METRICS_TOKEN: 'm'.repeat(15) }
  expect(complaintsOf({ ...production, ...short })).toHaveLength(3)
  const enough = { SECRET_KEY: '0123456789abcdef'.repeat(2), ADMIN_PASSWORD: 'tin door leaf', METRICS_TOKEN: '0123456789abcdef' }
  expect(complaintsOf({ ...production, ...enough })).toEqual([])
  expect(complaintsOf(weak)).toEqual([])
})

test('production sends mail only by TLS, unless ALLOW_INSECURE names mail', () => {
  expect(readConfig({ ...production, MAIL_URL: 'smtp://mail.example:587' }).mailNeedsTls).toBe(true)
  expect(readConfig({ ...production, MAIL_URL: 'smtp://mail.example:587', ALLOW_INSECURE: 'mail' }).mailNeedsTls).toBe(false)
  expect(readConfig({ MAIL_URL: 'smtp://mail.example:587' }).mailNeedsTls).toBe(false)
  for (const weakening of ['ignoreTLS=true', 'requireTLS=false', 'tls.rejectUnauthorized=false', 'secure=false', 'service=Maildev']) {
    const env = { ...production, MAIL_URL: `smtp://mail.example/?${weakening}` }
    expect(complaintsOf(env)).toEqual(['MAIL_URL: production needs TLS: leave out what weakens it, or say ALLOW_INSECURE=mail'])
    expect(complaintsOf({ ...env, ALLOW_INSECURE: 'mail' })).toEqual([])
  }
})

test('production reaches a database on another host only by TLS, unless ALLOW_INSECURE names database', () => {
  const elsewhere = [
    'postgres://u:p@db/roz',
    'postgres://u:p@db/roz?sslmode=require',
    'postgres://u:p@localhost/roz?host=10.0.0.7',
    'postgres://u:p@localhost,db/roz',
  ]
  for (const url of elsewhere) {
    expect(complaintsOf({ ...production, DATABASE_URL: url, MIGRATE_DATABASE_URL: url })).toEqual(
      ['DATABASE_URL', 'MIGRATE_DATABASE_URL'].map(
        (name) => `${name}: production needs TLS to a database on another host: add sslmode=verify-full, or say ALLOW_INSECURE=database`,
      ),
    )
    expect(complaintsOf({ ...production, DATABASE_URL: url, ALLOW_INSECURE: 'database' })).toEqual([])
    expect(complaintsOf({ DATABASE_URL: url })).toEqual([])
  }
  const here = [
    'postgres://u:p@127.0.0.1/roz',
    'postgres://u:p@[::1]:5432/roz',
    'postgres://u@%2Frun%2Fpostgresql/roz',
    'postgres:///roz?host=/run/postgresql',
  ]
  for (const url of here) expect(complaintsOf({ ...production, DATABASE_URL: url })).toEqual([])
})

test('outside production the server listens on this machine only, unless ALLOW_INSECURE names host', () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'roz.example', '127.example.org'])
    expect(complaintsOf({ HOST: host })).toEqual([
      `HOST: outside production anybody who reaches “${host}” could set the clock and read the mails; leave it at 127.0.0.1, or say ALLOW_INSECURE=host`,
    ])
  for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) expect(readConfig({ HOST: host }).host).toBe(host)
  expect(readConfig({ HOST: '0.0.0.0', ALLOW_INSECURE: 'mail, host' }).host).toBe('0.0.0.0')
  expect(readConfig({ ...production, HOST: '0.0.0.0' }).host).toBe('0.0.0.0')
  expect(complaintsOf({ ALLOW_INSECURE: 'everything' })).toEqual(['ALLOW_INSECURE: any of mail, database, host, traces, not “everything”'])
})

test('production refuses the local draw', () => {
  expect(complaintsOf({ ...production, BEACON: 'local' })).toEqual(['BEACON: production refuses the local draw; set BEACON=drand'])
})

test('production refuses the payment sandbox', () => {
  expect(complaintsOf({ ...production, PAYMENTS: 'sandbox' }).join()).toContain('PAYMENTS: production refuses the sandbox')
})

test('production fetches the keys of Google’s tokens only by https', () => {
  expect(complaintsOf({ ...production, GOOGLE_JWKS_URL: 'http://keys.example/certs' })).toEqual([
    'GOOGLE_JWKS_URL: production needs https://',
  ])
  expect(complaintsOf({ ...production, GOOGLE_JWKS_URL: 'https://keys.example/certs' })).toEqual([])
})

test('production refuses a gateway address that is not https on cashfree.com', () => {
  for (const url of ['http://api.cashfree.com/pg', 'https://evilcashfree.com/pg', 'https://api.cashfree.com.evil.example/pg']) {
    expect(complaintsOf({ ...production, CASHFREE_PG_BASE_URL: url }).join()).toContain('CASHFREE_PG_BASE_URL')
  }
})

const NAMED = { LEGAL_ENTITY: 'Roz Foundation', GRIEVANCE_OFFICER: 'A. Rao', TERMS_VERSION: '2026-12-01' }

test.each(['DRAW', 'PAYMENTS_LIVE', 'CASHOUT'])('production moves no money for an operator who is not named: it refuses %s=on', (name) => {
  const refused = [`${name}: production moves no money without LEGAL_ENTITY, GRIEVANCE_OFFICER and TERMS_VERSION; set all three`]
  expect(complaintsOf({ ...production, [name]: 'on' })).toEqual(refused)
  for (const missing of Object.keys(NAMED)) expect(complaintsOf({ ...production, ...NAMED, [missing]: '', [name]: 'on' })).toEqual(refused)
  expect(complaintsOf({ ...production, ...NAMED, [name]: 'on' })).toEqual([])
  expect(complaintsOf({ ...production, [name]: 'off' })).toEqual([])
  expect(complaintsOf({ [name]: 'on' })).toEqual([])
})

test('production refuses the mode “sandbox”: test cards would become money', () => {
  for (const topups of ['on', 'off'])
    expect(complaintsOf({ ...production, ...NAMED, PAYMENTS_LIVE: topups, CASHFREE_MODE: 'sandbox' })).toEqual([
      'CASHFREE_MODE: production needs “production”: in the mode “sandbox” test cards would become money',
    ])
  expect(complaintsOf({ ...production, CASHFREE_MODE: 'production' })).toEqual([])
})

test.each([
  ['production', 'CASHFREE_PG_BASE_URL', 'https://sandbox.cashfree.com/pg', 'needs an address of api.cashfree.com'],
  ['production', 'CASHFREE_PAYOUT_BASE_URL', 'https://sandbox.cashfree.com/payout', 'needs an address of api.cashfree.com'],
  ['production', 'CASHFREE_VERIFICATION_BASE_URL', 'https://sandbox.cashfree.com/verification', 'needs an address of api.cashfree.com'],
  ['production', 'CASHFREE_JS_URL', 'https://sandbox.cashfree.com/js/v3/cashfree.js', 'needs an address of sdk.cashfree.com'],
  ['sandbox', 'CASHFREE_PG_BASE_URL', 'https://api.cashfree.com/pg', 'needs an address of sandbox.cashfree.com'],
  ['sandbox', 'CASHFREE_PAYOUT_BASE_URL', 'https://api.cashfree.com/payout', 'needs an address of sandbox.cashfree.com'],
  ['sandbox', 'CASHFREE_PAYOUT_BASE_URL', 'http://127.0.0.1:9/payout', 'payments, payouts and script are all at cashfree.com, or none is'],
  ['sandbox', 'CASHFREE_JS_URL', 'http://127.0.0.1:9/js', 'payments, payouts and script are all at cashfree.com, or none is'],
])('with the mode %s the address %s=%s is refused', (mode, name, url, words) => {
  const account = {
    CASHFREE_PAYOUT_CLIENT_ID: 'x',
    CASHFREE_PAYOUT_CLIENT_SECRET: 'y',
    CASHFREE_VERIFICATION_CLIENT_ID: 'x',
    CASHFREE_VERIFICATION_CLIENT_SECRET: 'y',
  }
  const pg = { PAYMENTS: 'cashfree', CASHFREE_PG_CLIENT_ID: 'id', CASHFREE_PG_CLIENT_SECRET: 'secret' }
  const around = mode === 'production' ? production : pg
  expect(complaintsOf({ ...around, ...account, CASHFREE_MODE: mode, [name]: url })).toEqual([expect.stringContaining(words)])
  expect(complaintsOf({ ...around, ...account, CASHFREE_MODE: mode })).toEqual([])
})

test('payouts use the sandbox’s account, the account that is set, or none', () => {
  expect(readConfig({ SANDBOX_PORT: '9001' }).gateway?.payouts).toEqual({
    baseUrl: 'http://127.0.0.1:9001/payout',
    clientId: 'sandbox-payout-client',
    clientSecret: 'sandbox-payout-secret',
    apiVersion: '2024-01-01',
    publicKey: undefined,
  })
  const real = { PAYMENTS: 'cashfree', CASHFREE_PG_CLIENT_ID: 'id', CASHFREE_PG_CLIENT_SECRET: 'secret' }
  expect(readConfig(real).gateway?.payouts).toBe(undefined)
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const account = { ...real, CASHFREE_PAYOUT_CLIENT_ID: 'payout-id', CASHFREE_PAYOUT_CLIENT_SECRET: 'payout-secret' }
  expect(readConfig({ ...account, CASHFREE_PAYOUT_PUBLIC_KEY: pem.replaceAll('\n', '\\n') }).gateway?.payouts).toEqual({
    baseUrl: 'https://sandbox.cashfree.com/payout',
    clientId: 'payout-id',
    clientSecret: 'payout-secret',
    apiVersion: '2024-01-01',
    publicKey: pem,
  })
})

test('half a payouts account, an invalid key, or an address outside cashfree.com is refused', () => {
  const real = { PAYMENTS: 'cashfree', CASHFREE_PG_CLIENT_ID: 'id', CASHFREE_PG_CLIENT_SECRET: 'secret' }
  expect(complaintsOf({ ...real, CASHFREE_PAYOUT_CLIENT_ID: 'x' })).toEqual(['CASHFREE_PAYOUT_CLIENT_SECRET is not set'])
  expect(complaintsOf({ ...real, CASHFREE_PAYOUT_CLIENT_SECRET: 'x' })).toEqual(['CASHFREE_PAYOUT_CLIENT_ID is not set'])
  expect(complaintsOf({ CASHFREE_PAYOUT_PUBLIC_KEY: 'hidden' })).toEqual([
    'CASHFREE_PAYOUT_PUBLIC_KEY: an RSA public key in PEM, as the gateway gave it',
  ])
  const account = {
    CASHFREE_PAYOUT_CLIENT_ID: 'x',
    CASHFREE_PAYOUT_CLIENT_SECRET: 'y',
    CASHFREE_PAYOUT_BASE_URL: 'https://evil.example/payout',
  }
  expect(complaintsOf({ ...production, ...account }).join()).toContain('CASHFREE_PAYOUT_BASE_URL')
})

test('draws are local on a laptop, by quicknet in production, and by another chain only outside it', () => {
  expect(readConfig({}).beacon.chain).toBeUndefined()
  expect(readConfig({}).witnesses).toEqual({ keys: [], quorum: 2 })
  expect(readConfig(production).beacon).toMatchObject({ chain: { beaconId: 'quicknet', period: 3 } })
  expect(readConfig(production).beacon.relays.length).toBeGreaterThan(1)
  const { chain } = makeChain()
  const other = { BEACON: 'drand', BEACON_CHAIN: infoOf(chain), BEACON_RELAYS: 'http://127.0.0.1:9, http://127.0.0.1:10/' }
  expect(readConfig(other).beacon).toEqual({ chain, relays: ['http://127.0.0.1:9', 'http://127.0.0.1:10'] })
  expect(complaintsOf({ ...production, BEACON_CHAIN: infoOf(chain) })).toEqual(['BEACON_CHAIN: production draws by quicknet alone'])
  expect(complaintsOf({ ...production, BEACON_RELAYS: 'http://relay.example' }).join()).toContain('BEACON_RELAYS: https addresses')
  expect(complaintsOf({ BEACON_CHAIN: infoOf({ ...chain, period: 4 }) }).join()).toContain('BEACON_CHAIN')
})

test('witnesses are named by valid verifier keys, and there are at least as many as their quorum', () => {
  const keys = ['b.example', 'a.example'].map((name) => witnessKeyText(name, randomBytes(32)))
  expect(readConfig({ WITNESS_KEYS: keys.join(' ') }).witnesses).toEqual({ keys: keys.toSorted(), quorum: 2 })
  expect(complaintsOf({ WITNESS_KEYS: keys[0] as string })).toEqual(['WITNESS_QUORUM: at most the number of WITNESS_KEYS'])
  expect(complaintsOf({ WITNESS_KEYS: 'x+00000000+AAAA', WITNESS_QUORUM: '1' }).join()).toContain('WITNESS_KEYS: verifier keys')
  const accented = witnessKeyText('témoin.example', randomBytes(32))
  expect(complaintsOf({ WITNESS_KEYS: accented, WITNESS_QUORUM: '1' })).toEqual([
    `WITNESS_KEYS: verifier keys such as name+0a1b2c3d+BA…, the name in printable ASCII, not “${accented}”`,
  ])
})

test('the hosts of stories’ pictures are none by default, or those in PICTURE_HOSTS', () => {
  expect(readConfig({}).pictureHosts).toEqual([])
  expect(readConfig({ PICTURE_HOSTS: 'i.ytimg.com,Pictures.example.org' }).pictureHosts).toEqual(['i.ytimg.com', 'pictures.example.org'])
  for (const host of ['https://i.ytimg.com', '*', '*.ytimg.com', "'unsafe-inline'", 'a;b', 'a b'])
    expect(complaintsOf({ PICTURE_HOSTS: host })).toEqual([`PICTURE_HOSTS: hosts such as pictures.example.org, not “${host}”`])
})

test('the ways to pay are the gateway’s words, each once; none named means all', () => {
  expect(readConfig({ PAYMENT_METHODS: ' UPI, dc,upi' }).gateway?.paymentMethods).toBe('upi,dc')
  expect(readConfig({}).gateway?.paymentMethods).toBeUndefined()
})

test('additional push services are named by their hosts', () => {
  expect(readConfig({}).pushHosts).toEqual([])
  expect(readConfig({ PUSH_HOSTS: 'Push.example.org, localhost:8443' }).pushHosts).toEqual(['push.example.org', 'localhost:8443'])
  for (const host of ['https://push.example.org', 'push.example.org/x', 'user@push.example.org', 'a b'])
    expect(complaintsOf({ PUSH_HOSTS: host })).toEqual([`PUSH_HOSTS: hosts such as push.example.org, not “${host}”`])
})

test('several invalid settings are refused in one message', () => {
  const complaints = complaintsOf({
    PORT: '0',
    SPLIT_POLICY: 'C',
    TOPUP_MIN: '50',
    PUBLIC_URL: 'ftp://x',
    DEMO: 'maybe',
    TOPUP_MAX: '1.234',
  })
  expect(complaints).toHaveLength(6)
  expect(complaints[0]).toBe('PORT: a whole number from 1 to 65535, not “0”')
})

test('server and sandbox have a port each, also at the last one', () => {
  const complaint = ['SANDBOX_PORT: another port than PORT']
  expect(complaintsOf({ PORT: '65535' })).toEqual(complaint)
  expect(complaintsOf({ PORT: '9000', SANDBOX_PORT: '9000' })).toEqual(complaint)
  expect(readConfig({ PORT: '65535', SANDBOX_PORT: '9000' }).sandboxPort).toBe(9000)
})

test('the limits of a top-up are whole rupees', () => {
  expect(readConfig({ TOPUP_MIN: '20', TOPUP_MAX: '50' }).business.topupLimits).toEqual({ min: 2000n, max: 5000n })
  expect(complaintsOf({ TOPUP_MIN: '10.50' })).toEqual(['TOPUP_MIN: a whole number from 1 to 100000, not “10.50”'])
  expect(complaintsOf({ TOPUP_MAX: '0' })).toEqual(['TOPUP_MAX: a whole number from 1 to 100000, not “0”'])
})

test('files go to s3 only with an address without keys, keys from the environment, and in production by TLS', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const plain = 's3://roz/up/?endpoint=http://10.0.0.7:9000&region=ap-south-1'
  expect(readConfig({ ...keys, STORAGE_URL: plain }).storage).toEqual({
    kind: 's3',
    endpoint: 'http://10.0.0.7:9000',
    bucket: 'roz',
    isByHost: false,
    prefix: 'up/',
    region: 'ap-south-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: undefined,
  })
  expect(readConfig({ ...keys, AWS_SESSION_TOKEN: 'of an hour', STORAGE_URL: 's3://roz?style=host' }).storage).toMatchObject({
    isByHost: true,
    sessionToken: 'of an hour',
  })
  expect(complaintsOf({ ...keys, STORAGE_URL: 's3://roz?style=both' })).toEqual(['STORAGE_URL: style is path or host'])
  expect(readConfig({ ...keys, STORAGE_URL: 's3://roz?region=ap-south-1' }).storage).toMatchObject({
    endpoint: 'https://s3.ap-south-1.amazonaws.com',
    prefix: '',
  })
  expect(complaintsOf({ ...production, ...keys, STORAGE_URL: plain })).toEqual(['STORAGE_URL: production needs https:// to the file store'])
  expect(complaintsOf({ ...production, ...keys, STORAGE_URL: plain.replace('10.0.0.7', '127.0.0.1') })).toEqual([])
  expect(complaintsOf({ STORAGE_URL: plain })).toEqual(['AWS_ACCESS_KEY_ID is not set', 'AWS_SECRET_ACCESS_KEY is not set'])
  for (const url of ['/srv/files', 's3://id:secret@roz', 's3://', 's3://roz?endpoint=ftp://x'])
    expect(complaintsOf({ ...keys, STORAGE_URL: url })).toEqual([
      'STORAGE_URL: an address such as s3://bucket/prefix?endpoint=https://…&region=…, without keys',
    ])
  for (const prefix of ['a b', 'a%20b', 'चित्र', 'a&b', 'a//b'])
    expect(complaintsOf({ ...keys, STORAGE_URL: `s3://roz/${prefix}` })).toEqual([
      'STORAGE_URL: a prefix of A–Z, a–z, 0–9, “.”, “_”, “-” and single “/” only',
    ])
})

test('the connections of a process are a whole number with a lower bound', () => {
  expect(complaintsOf({ DATABASE_CONNECTIONS: '7' })).toEqual(['DATABASE_CONNECTIONS: a whole number from 8 to 500, not “7”'])
  expect(readConfig({}).databaseConnections).toBe(15)
})

test('an address that is not a PostgreSQL URL is refused without being shown', () => {
  expect(complaintsOf({ DATABASE_URL: 'mysql://u:hidden@x/y', MIGRATE_DATABASE_URL: 'hidden' })).toEqual([
    'DATABASE_URL: an address such as postgres://user:password@host:5432/roz; several hosts are separated by commas',
    'MIGRATE_DATABASE_URL: an address such as postgres://user:password@host:5432/roz; several hosts are separated by commas',
  ])
})

test('a tax of 100 percent is refused, because it would leave a winner nothing', () => {
  expect(readConfig({ TDS_PERCENT: '99' }).business.tax.percent).toBe(99)
  expect(complaintsOf({ TDS_PERCENT: '100' })).toEqual(['TDS_PERCENT: a whole number from 0 to 99, not “100”'])
})

test('a limit of approvals that is no amount in rupees is refused', () => {
  expect(complaintsOf({ APPROVAL_ABOVE: 'much' })).toEqual([
    'APPROVAL_ABOVE: an amount in rupees from 0 to 100000 with at most two decimals, not “much”',
  ])
})

test('AutoPay is on by itself only in the demo with its sandbox', () => {
  const isOn = (env: Readonly<Record<string, string>>): boolean => readConfig(env).business.autopayOn
  expect(isOn({})).toBe(true)
  expect(isOn({ DEMO: '0' })).toBe(false)
  expect(isOn({ DATABASE_URL: 'postgres://x/y' })).toBe(false)
  expect(isOn({ DEMO: '0', AUTOPAY: 'on' })).toBe(true)
  expect(isOn({ AUTOPAY: 'off' })).toBe(false)
})

test('an existing PostgreSQL gets no demo community unless DEMO is on', () => {
  expect(readConfig({ DATABASE_URL: 'postgres://x/y' }).demo).toBe(false)
  expect(readConfig({ DATABASE_URL: 'postgres://x/y', DEMO: '1' }).demo).toBe(true)
})

test('traces are off without an endpoint, and take the standard names of OpenTelemetry', () => {
  expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on' }).traces).toBeUndefined()
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318/'
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces).toEqual({
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    serviceName: 'roz',
    resource: {},
    isParentBased: true,
    share: 1,
  })
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20key, x-team=a=b',
    OTEL_SERVICE_NAME: 'roz-pune',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(readConfig(env).traces).toMatchObject({
    headers: { authorization: 'Bearer key', 'x-team': 'a=b' },
    serviceName: 'roz-pune',
    resource: { 'deployment.environment.name': 'test' },
    isParentBased: false,
    share: 0.25,
  })
  expect(readConfig({ ...env, OTEL_TRACES_SAMPLER: 'parentbased_always_off' }).traces?.share).toBe(0)
})

test('a wrong setting of the traces is named, without the value of a key', () => {
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(complaintsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })[0]).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT: /)
  expect(complaintsOf({ ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([
    'OTEL_EXPORTER_OTLP_PROTOCOL: one of http/json, not “grpc”',
  ])
  expect(complaintsOf({ ...on, OTEL_TRACES_SAMPLER: 'xray' })[0]).toMatch(/^OTEL_TRACES_SAMPLER: one of /)
  const ratio = { ...on, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10' }
  expect(complaintsOf(ratio)).toEqual(['OTEL_TRACES_SAMPLER_ARG: a share from 0 to 1, not “10”'])
  for (const value of ['a secret key', 'name=%zz'])
    expect(complaintsOf({ ...on, OTEL_EXPORTER_OTLP_HEADERS: value })).toEqual([
      'OTEL_EXPORTER_OTLP_HEADERS: name=value, separated by commas, with percent-encoded values',
    ])
})

test('production sends traces to another host only by https, unless ALLOW_INSECURE names traces', () => {
  const env = { ...production, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(complaintsOf(env)).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT: production needs https:// to a collector on another host, or ALLOW_INSECURE=traces',
  ])
  expect(complaintsOf({ ...env, ALLOW_INSECURE: 'traces' })).toEqual([])
  expect(complaintsOf({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' })).toEqual([])
})
