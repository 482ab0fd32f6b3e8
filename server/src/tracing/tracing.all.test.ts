/** Tests the traces of the whole program, as a collector receives them. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Received, startCollector } from '../testing/collector.ts'
import { type Program, seriesIn, signedInMember, startProgram, useDurableDatabase } from '../testing/program.ts'
import { perFile } from '../testing/fixture.ts'
import { freePort } from '../db/embedded/process.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const CALLED_BY = { traceparent: `00-${TRACE}-${CALLER}-01` }

const database = useDurableDatabase()
const collector = perFile(startCollector)
let folder: string
/** Records everything; the tests that need other settings start their own. */
const shared = perFile(() => startProgram(database, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'roz of a test' }))
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roz-traces-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Starts a program with other settings, and returns what it sent until its end. */
async function tracesOfOwn(env: Readonly<Record<string, string>>, work: (program: Program) => Promise<void>): Promise<Received[]> {
  const before = collector.spans().length
  const program = await startProgram(database, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env })
  try {
    await work(program)
  } finally {
    expect(await program.stop()).toBe(0)
  }
  return collector.spans().slice(before)
}

/** The spans that the shared program sent for this work. Spans are sent in the order of their ends: the last call is seen last. */
async function tracesOf(work: () => Promise<void>): Promise<Received[]> {
  const before = collector.spans().length
  await work()
  const { id } = await shared.ask('GET', '/api/rounds/current')
  const isSent = (): boolean => collector.spans().some(({ attributes }) => attributes['roz.request_id'] === id)
  await expect.poll(isSent, { timeout: 20_000 }).toBe(true)
  return collector.spans().slice(before)
}
const join = async (program: Program, headers: Readonly<Record<string, string>> = {}): Promise<void> => {
  const token = await signedInMember(database)
  const asked = { token, headers: { 'idempotency-key': crypto.randomUUID(), ...headers } }
  expect((await program.ask('POST', '/api/rounds/join', asked)).status).toBe(200)
}
const named = (spans: readonly Received[], name: string): Received[] => spans.filter((span) => span.name === name)
const below = (spans: readonly Received[], { spanId }: Received): Received[] => spans.filter((span) => span.parentSpanId === spanId)

test('a join continues the trace of its caller, down to its batch and the statement of the batch', async () => {
  const spans = await tracesOf(() => join(shared, CALLED_BY))
  const [request, ...others] = named(spans, 'POST /api/rounds/join') as [Received, ...Received[]]
  expect(others).toEqual([])
  expect(request).toMatchObject({
    traceId: TRACE,
    parentSpanId: CALLER,
    attributes: { 'http.request.method': 'POST', 'http.route': '/api/rounds/join', 'http.response.status_code': 200 },
    resource: { 'service.name': 'roz of a test' },
  })
  const [batch] = below(spans, request).filter(({ name }) => name === 'join batch') as [Received]
  expect(batch).toMatchObject({ traceId: TRACE, attributes: { 'roz.batch.size': 1 } })
  expect(request.links).toContainEqual(expect.objectContaining({ traceId: TRACE, spanId: batch.spanId }))
  const [statement] = below(spans, batch) as [Received]
  expect(statement.name).toBe('update wallet, insert join_batch, insert round_join')
  expect(statement.attributes['db.query.text']).toMatch(/^with r as materialized \( select day, .*set_config\('lock_timeout', \$1::text/)
  expect(
    named(spans, 'commit').every(({ parentSpanId }) => named(spans, 'transaction').some(({ spanId }) => spanId === parentSpanId)),
  ).toBe(true)
}, 60_000)

test('each of several joins has a link to the batch that it waited in, and the batch to each of them', async () => {
  const spans = await tracesOf(async () => void (await Promise.all(Array.from({ length: 8 }, () => join(shared)))))
  const requests = named(spans, 'POST /api/rounds/join')
  const batches = named(spans, 'join batch')
  expect(requests).toHaveLength(8)
  for (const { links } of requests) expect(batches.filter(({ spanId }) => links.some((link) => link.spanId === spanId))).toHaveLength(1)
  const reached = batches.flatMap((batch) => [batch.parentSpanId, ...batch.links.map(({ spanId }) => spanId)])
  expect(reached.toSorted()).toEqual(requests.map(({ spanId }) => spanId).toSorted())
}, 60_000)

test('each step of midnight has a trace, and a job a link to what queued it; a look that finds nothing due has none', async () => {
  const spans = await tracesOf(async () => {
    const member = { token: await signedInMember(database), body: { autoParticipate: true } }
    expect((await shared.ask('PUT', '/api/user', member)).status).toBe(200)
    await join(shared)
    const { now } = (await shared.ask('GET', '/dev/clock')).body as { now: string }
    const tomorrow = new Date(Date.parse(now) + 24 * 60 * 60 * 1000).toISOString()
    expect((await shared.ask('POST', '/dev/clock', { body: { now: tomorrow } })).status).toBe(200)
  })
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '')
  expect(roots.filter(({ name }) => !/^((GET|PUT|POST) \/|job |due )/.test(name))).toEqual([])
  for (const step of ['close', 'make', 'draw', 'settle', 'auto_join', 'books'])
    expect([step, roots.some(({ name }) => name === `due ${step}`)]).toEqual([step, true])
  expect(named(roots, 'due close')[0]?.attributes['roz.day']).toMatch(/^\d{4}-\d\d-\d\d$/)
  const settled = named(roots, 'due settle').flatMap((root) => spans.filter(({ traceId }) => traceId === root.traceId))
  const [story] = named(roots, 'job draft_story')
  expect(settled).toContainEqual(expect.objectContaining({ spanId: story?.links[0]?.spanId, traceId: story?.links[0]?.traceId }))
}, 60_000)

test('a fault marks its span with a name, and a refusal with its code', async () => {
  const spans = await tracesOf(async () => {
    expect((await shared.ask('GET', '/api/user/me', { token: 'nobody' })).status).toBe(401)
  })
  const [refused] = named(spans, 'GET /api/user/me')
  expect(refused?.attributes).toMatchObject({ 'http.response.status_code': 401, 'roz.refusal': 'unauthenticated' })
}, 60_000)

test('a caller cannot put its trace into the recorded share, and can take it out', async () => {
  const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }
  expect(await tracesOfOwn(none, (program) => join(program, CALLED_BY))).toEqual([])
  const spans = await tracesOf(() => join(shared, { traceparent: `00-${TRACE}-${CALLER}-00` }))
  expect(named(spans, 'POST /api/rounds/join')).toEqual([])
}, 60_000)

test('spans go out with the headers of the settings', async () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key' }
  expect(await tracesOfOwn(env, (program) => join(program))).not.toEqual([])
  expect(collector.headers()['x-key']).toBe('a key')
}, 90_000)

test('a collector that is down or does not answer delays no call and no stop; its lost spans are counted', async () => {
  const away = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` }
  await tracesOfOwn(away, async (program) => {
    await join(program)
    const failed = async (): Promise<number> =>
      seriesIn((await program.ask('GET', '/metrics')).text, 'roz_trace_spans_total{outcome="failed"}')
    await expect.poll(failed, { timeout: 30_000, interval: 500 }).toBeGreaterThan(0)
    expect(program.lines.filter((line) => line.includes('traces cannot be delivered'))).toHaveLength(1)
  })
  collector.become('deaf')
  await tracesOfOwn({}, (program) => join(program))
  collector.become('well')
}, 90_000)

/** Run in the program before anything else. */
const WRITES_WHAT_IS_LOADED = `
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (url.includes('opentelemetry')) appendFileSync(process.env.ROZ_LOADED, url + '\\n')
    return next(url, context)
  } })`

test('without an endpoint no module of OpenTelemetry is loaded and nothing is sent', async () => {
  const loaded = async (env: Readonly<Record<string, string>>): Promise<string[]> => {
    const file = path.join(folder, crypto.randomUUID())
    const hooks = `data:text/javascript,${encodeURIComponent(WRITES_WHAT_IS_LOADED)}`
    const program = await startProgram(database, { NODE_OPTIONS: `--import ${hooks}`, ROZ_LOADED: file, ...env })
    await join(program, CALLED_BY)
    expect(await program.stop()).toBe(0)
    const addresses = existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : []
    // @prometheus-io/client imports the API, which does nothing by itself.
    return addresses.filter((address) => !address.includes('/@opentelemetry/api/'))
  }
  const before = collector.texts.length
  expect(await loaded({})).toEqual([])
  expect(collector.texts).toHaveLength(before)
  expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toContainEqual(expect.stringContaining('/@opentelemetry/sdk-trace/'))
  expect(collector.texts.length).toBeGreaterThan(before)
}, 90_000)
