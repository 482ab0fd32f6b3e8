/**
 * `npm run lab -- traces`: measures the cost of traces in joins per second over HTTP. Three set-ups run in turn on one
 * machine and database: no traces, every trace, one in a hundred.
 *
 * - The collector takes each batch of spans and drops it. It runs in the process that sends the joins.
 * - Processor time per join is measured too: other load on the machine hardly changes it.
 * - The script prints rates and asserts nothing. `--quick` uses a tenth of the members.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { passDay } from './days.ts'
import { comeToRest, JOIN, joinRequests, type Joined, measureJoins } from './http.ts'
import { type Program, startProduct } from './processes.ts'
import { median } from './results.ts'
import { addMembers, openSetUp, type SetUp } from './set-up.ts'

const MEMBERS = process.argv.includes('--quick') ? 3_000 : 30_000
const REPEATS = 5
const SECONDS_MAX = 60

const collector = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const address = collector.address()
const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`

const WAYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no traces': {},
  'every trace': { OTEL_EXPORTER_OTLP_ENDPOINT },
  'one trace in a hundred': {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  },
}

/** `spans`: spans per join, warm-up included. `lost`: the share dropped because the queue to the collector was full. */
type Run = Joined & { readonly spans: number; readonly lost: number }

const setUp = await openSetUp()
try {
  await addMembers(setUp, 0, MEMBERS, { autoJoin: false, sessions: true })
  const runs = new Map<string, Run[]>(Object.keys(WAYS).map((way) => [way, []]))
  for (let repeat = 0; repeat < REPEATS; repeat++) for (const [way, found] of runs) found.push(await joinsWith(setUp, WAYS[way] ?? {}))
  tell(runs)
} finally {
  await setUp.stop()
  collector.closeAllConnections()
  collector.close()
}

/** Each server first takes a day of joins as a warm-up. */
async function joinsWith(at: SetUp, traces: Readonly<Record<string, string>>): Promise<Run> {
  const product = await startProduct(at, traces)
  try {
    for (let day = 0; ; day++) {
      await passDay(at, product)
      await comeToRest(at, [product])
      const joined = await measureJoins(at, product, joinRequests(JOIN, 0, MEMBERS), SECONDS_MAX)
      if (day === 1) return { ...joined, ...(await spansOf(product, 2 * joined.answers)) }
    }
  } finally {
    await product.stop()
  }
}

async function spansOf({ port }: Program, joins: number): Promise<{ spans: number; lost: number }> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const counted = [...metrics.matchAll(/^roz_trace_spans_total\{outcome="(\w+)"\} (\d+)$/gm)]
  const total = counted.reduce((sum, [, , spans]) => sum + Number(spans), 0)
  const dropped = Number(counted.find(([, outcome]) => outcome === 'dropped')?.[2] ?? 0)
  return { spans: total / joins, lost: total === 0 ? 0 : dropped / total }
}

/** A table for docs/traces.md. */
function tell(runs: ReadonlyMap<string, readonly Run[]>): void {
  const off = runs.get('no traces') ?? []
  const of = (found: readonly Run[], what: (run: Run) => number): number => median(found.map(what))
  const lines = [...runs].map(([way, found]) => {
    const ratios = found.map((run, repeat) => run.perSecond / (off[repeat]?.perSecond ?? Number.NaN))
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const ratio = found === off ? '1' : `${median(ratios).toFixed(2)} (${spread})`
    const us = `${of(found, (run) => run.serverUs).toFixed(0)} µs + ${of(found, (run) => run.databaseUs).toFixed(0)} µs`
    return `| ${way} | ${of(found, (run) => run.perSecond).toFixed(0)}/s | ${ratio} | ${us} | ${of(found, (run) => run.spans).toFixed(2)}, ${(of(found, (run) => run.lost) * 100).toFixed(0)} % |`
  })
  process.stdout.write(
    [
      `${REPEATS} × ${MEMBERS} joins each, in turn`,
      '| | joins | against none, in the same turn | processor time of a join: server + database | spans of a join; lost, because their queue was full |',
      '|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  )
}
