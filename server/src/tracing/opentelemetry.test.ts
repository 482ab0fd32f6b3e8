import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { describe, expect, test } from 'vitest'
import { startCollector } from '../testing/collector.ts'
import { contextOf, type SpansOutcome, samplerOf, startTraces } from './opentelemetry.ts'
import { activeSpan, activeTraceparent, inShared, inSpan, inTrace } from './spans.ts'
import { inStatement } from './statements.ts'
import { perFile } from '../testing/fixture.ts'

const collector = perFile(startCollector)

const counts: Record<SpansOutcome, number> = { sent: 0, failed: 0, dropped: 0 }
const start = (share = 1): (() => Promise<void>) => {
  Object.assign(counts, { sent: 0, failed: 0, dropped: 0 })
  return startTraces({
    settings: { url: `${collector.url}/v1/traces`, headers: {}, serviceName: 'roz', resource: {}, isParentBased: true, share },
    count: (outcome, spans) => (counts[outcome] += spans),
    warn: () => undefined,
  })
}
const opening = (name: string) => ({ name, kind: 'internal' }) as const

test('a full queue drops spans and counts them', async () => {
  const stop = start()
  for (let made = 0; made < 5000; made++) await inTrace(opening('many'), async () => undefined)
  const { dropped } = counts
  await stop()
  expect(dropped).toBeGreaterThan(0)
  expect(counts).toEqual({ sent: 5000 - dropped, failed: 0, dropped })
})

test('an error marks a span with its name or SQLSTATE, never with its message', async () => {
  const stop = start()
  const fails = (error: Error) => inTrace(opening('fails'), () => Promise.reject(error))
  await expect(fails(new RangeError('asha@x.test'))).rejects.toThrow('asha')
  await expect(fails(Object.assign(new Error('Key (email)=(asha@x.test)'), { code: '23505' }))).rejects.toThrow('asha')
  await stop()
  const failed = collector.spans().filter(({ name }) => name === 'fails')
  expect(failed.map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
    ['RangeError', 2],
    ['23505', 2],
  ])
  expect(collector.texts.join()).not.toContain('asha')
})

test('a span outside a trace is not recorded, and a job queued by an unrecorded request carries no traceparent', async () => {
  const stop = start(0)
  const before = collector.texts.length
  await inTrace(opening('root'), async () => expect([activeSpan(), activeTraceparent()]).toEqual([undefined, undefined]))
  await inSpan(opening('part'), async () => undefined)
  await inStatement('select 1', async () => undefined)
  await inShared(
    opening('shared'),
    () => [undefined],
    async () => undefined,
  )
  await stop()
  expect(collector.texts).toHaveLength(before)
})

test('a statement is named by what it writes, reads or calls', async () => {
  const stop = start()
  const names = {
    'with a as (update wallet w set x = $1 returning *) insert into transfer (id) select id from a on conflict do update set x = 1':
      'update wallet, insert transfer',
    'select 1 from round where day = $1 for no key update of round skip locked': 'select round',
    'select set_clock_offset($1::bigint)': 'select set_clock_offset',
    COMMIT: 'commit',
  }
  await inTrace(opening('statements'), async () => {
    for (const text of Object.keys(names)) await inStatement(text, async () => undefined)
  })
  await stop()
  const statements = collector.spans().filter(({ attributes }) => attributes['db.system.name'] !== undefined)
  expect(statements.map(({ name }) => name)).toEqual(Object.values(names))
})

describe('whether a trace is recorded', () => {
  const HALF = { low: '00000001000000000000000000000000', high: 'ffffffff000000000000000000000000' }
  const decides = (isParentBased: boolean, traceId: string, given: { parent?: TraceFlags; isLocal?: boolean; linked?: TraceFlags }) => {
    const spanId = '00f067aa0ba902b7'
    const contextWith = (traceFlags: TraceFlags, isRemote: boolean) => ({ traceId, spanId, traceFlags, isRemote })
    const above =
      given.parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextWith(given.parent, given.isLocal !== true))
    const links = given.linked === undefined ? [] : [{ context: contextWith(given.linked, true) }]
    const { decision } = samplerOf({ isParentBased, share: 0.5 }).shouldSample(above, traceId, 'x', SpanKind.SERVER, {}, links)
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }
  const { SAMPLED, NONE } = TraceFlags
  test.each([
    ['a root: by its trace id', true, {}, [true, false]],
    ['a caller that records: still by its trace id', true, { parent: SAMPLED }, [true, false]],
    ['a caller that does not record: never', true, { parent: NONE }, [false, false]],
    ['a caller that does not record, with a sampler that ignores the parent: by its trace id', false, { parent: NONE }, [true, false]],
    ['a child span: as its parent', true, { parent: SAMPLED, isLocal: true }, [true, true]],
    ['a job: as the request that queued it', true, { linked: SAMPLED }, [true, true]],
    ['a job of an unrecorded request: by its own id', true, { linked: NONE }, [true, false]],
  ])('%s', (_name, isParentBased, given, [low, high]) => {
    expect([decides(isParentBased, HALF.low, given), decides(isParentBased, HALF.high, given)]).toEqual([low, high])
  })
})

test.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', false],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', false],
  ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', false],
  ['01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', false],
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01; drop', false],
  ['', false],
])('“%s” is a valid traceparent: %s', (text, isOne) => {
  expect(contextOf(text) !== undefined).toBe(isOne)
})
