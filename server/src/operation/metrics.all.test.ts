/** Tests /metrics of a running server: what it counts, and that page, dashboard and alerts name exactly what it serves. */
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { VERSION } from '@roz/core/version.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Config, readConfig } from '../config/config.ts'
import { type Running, startServer } from '../start.ts'
import { seriesIn, useDurableDatabase, signedInMember } from '../testing/program.ts'
import { askedByAlerts, askedByDashboard, type Selector, selectorsOf, seriesOf } from '../testing/prometheus.ts'
import { freePort } from '../db/embedded/process.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const readRoot = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

const database = useDurableDatabase()
let dataDir: string
let config: Config
let running: Running
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'roz-metrics-'))
  config = readConfig({
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DATABASE_URL: database.appUrl,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    DEMO: '0',
  })
  running = await startServer(config, { log: pino({ level: 'silent' }), say: () => undefined, begunAtMs: Date.now() })
}, 240_000)
afterAll(async () => {
  await running.stop()
  await rm(dataDir, { recursive: true })
})

const at = (place: string): string => `http://127.0.0.1:${config.port}${place}`
const metrics = async (): Promise<string> => (await fetch(at('/metrics'))).text()
test('a join and a webhook are counted, a repeated webhook is not, and the release is named', async () => {
  const token = await signedInMember(database)
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': crypto.randomUUID() }
  expect((await fetch(at('/api/rounds/join'), { method: 'POST', headers })).status).toBeLessThan(300)

  const body = JSON.stringify({ type: 'SETTLEMENT_SUCCESS', data: {}, event_time: '2026-01-01T00:00:00+05:30' })
  const timestamp = String(Date.now() - 20_000)
  const signature = createHmac('sha256', config.gateway?.clientSecret ?? '')
    .update(timestamp + body)
    .digest('base64')
  const signed = { 'content-type': 'application/json', 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }
  for (let time = 0; time < 2; time++) {
    const answer = await fetch(at('/api/webhooks/cashfree'), { method: 'POST', headers: signed, body })
    expect(answer.status).toBe(200)
  }

  const text = await metrics()
  expect([seriesIn(text, 'roz_join_batch_size_count'), seriesIn(text, 'roz_join_batch_size_sum')]).toEqual([1, 1])
  expect(seriesIn(text, 'roz_webhook_lag_seconds_count')).toBe(1)
  expect(seriesIn(text, 'roz_webhook_lag_seconds_bucket{le="15"}')).toBe(0)
  expect(seriesIn(text, 'roz_webhook_lag_seconds_bucket{le="60"}')).toBe(1)
  expect(seriesIn(text, `roz_build_info{version="${VERSION}"}`)).toBe(1)
})

const NAME = /\b(?:roz|process|nodejs)_\w+/g
const namesIn = (text: string): string[] => [...new Set(text.match(NAME))]

describe.each([
  ['alerts.yml', askedByAlerts],
  ['dashboard.json', askedByDashboard],
])('%s', (file, read) => {
  test('asks only for metrics that are served, with labels that they have', async () => {
    const asked = read().flatMap(selectorsOf)
    expect([...new Set(asked.map(({ name }) => name))].toSorted()).toEqual(namesIn(await readRoot(`ops/observability/${file}`)).toSorted())
    const served = seriesOf(await metrics())
    const has = ({ name, labels }: Selector): boolean =>
      served.some((series) => series.name === name && labels.every((label) => series.labels.includes(label)))
    expect(asked.filter((selector) => !has(selector))).toEqual([])
    expect(asked.length).toBeGreaterThan(15)
  })
})

test('the dashboard draws every metric of ours', async () => {
  const drawn = askedByDashboard().flatMap((asked) => selectorsOf(asked).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
  const ours = [...(await metrics()).matchAll(/^# TYPE (roz_\w+) /gm)].map(([, name = '']) => name)
  expect([...new Set(drawn)].filter((name) => name.startsWith('roz_')).toSorted()).toEqual(ours.toSorted())
})

test('docs/metrics.md explains every metric of ours that is served, and no other', async () => {
  const rows = (await readRoot('docs/metrics.md')).split('\n').filter((line) => line.startsWith('| `'))
  const explained = rows.flatMap((row) => namesIn(row.split('|')[1] ?? ''))
  const ours = [...(await metrics()).matchAll(/^# TYPE (roz_\w+) /gm)].map(([, name]) => name)
  expect(explained.toSorted()).toEqual(ours.toSorted())
})
