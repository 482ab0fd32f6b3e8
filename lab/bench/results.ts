/** Turns the measurements into a table of ratios: printed, and written into docs/performance.md. */
import type { Passed } from './days.ts'
import type { Weight } from './engine.ts'
import { CONNECTIONS, type Percentiles } from './http.ts'
import { count, measuredHere, table, writeFigures } from '../page.ts'

/** Answers per second, and CPU time per answer in µs. */
export type Taken = { readonly perSecond: number; readonly serverUs: number; readonly databaseUs: number }

export type Results = {
  /** The version of pgbench. */
  readonly pgbench: string
  /** Seconds of a second `npm start`. */
  readonly starts: readonly number[]
  readonly engine: {
    readonly repeats: readonly {
      readonly pgbench: number
      readonly batched: number
      readonly single: number
      readonly on: number
      readonly off: number
    }[]
    readonly weight: Weight
  }
  readonly http: {
    readonly repeats: readonly { readonly empty: Taken; readonly joins: Taken; readonly peer: Taken }[]
    readonly reads: readonly { readonly name: string; readonly product: number; readonly peer: number }[]
    readonly rates: readonly {
      readonly rate: number
      readonly joins: Percentiles
      readonly pgbenchRate: number
      readonly pgbench: Percentiles
    }[]
    readonly history: { readonly first: Percentiles; readonly whole: number }
  }
  readonly days: { readonly small: readonly Passed[]; readonly large: readonly Passed[] }
  readonly peakMb: number
  /** Duration of the whole run. */
  readonly seconds: number
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

type Row = { readonly what: string; readonly measured: string; readonly must: string; readonly reached: boolean | undefined }

const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')}/s`
const times = (ratio: number): string => `${ratio.toFixed(2)} ×`
const ms = (value: number): string => `${value.toFixed(1)} ms`
const seconds = (value: number): string => `${value.toFixed(1)} s`

/** Minimum and maximum of the repeats, printed beside the median. */
const spread = (values: readonly number[], show: (value: number) => string): string => {
  const [least, most] = [show(Math.min(...values)), show(Math.max(...values))]
  return `${show(median(values))}${values.length > 1 ? ` (${least}–${most})` : ''}`
}

const row = (what: string, measured: string, must = '', reached?: boolean): Row => ({ what, measured, must, reached })

/**
 * The figures, each with its target.
 *
 * - A ratio is the median over the repeats, with minimum and maximum.
 * - Both sides of a ratio come from the same repeat.
 */
function rowsOf(results: Results): Row[] {
  const { starts, seconds: took } = results
  return [
    ...engineRows(results),
    ...httpRows(results),
    ...latencyRows(results),
    ...dayRows(results),
    row('second `npm start`, from the command to the first answer', spread(starts, seconds), '≤ 3 s', median(starts) <= 3),
    row('duration of the whole run', seconds(took), '≤ 300 s', took <= 300),
  ]
}

function engineRows({ engine: { repeats, weight } }: Results): Row[] {
  const all = (pick: (repeat: (typeof repeats)[number]) => number): readonly number[] => repeats.map(pick)
  const toP = all(({ batched, pgbench }) => batched / pgbench)
  const singleToP = all(({ single, pgbench }) => single / pgbench)
  const alone = all(({ on, off }) => on / off)
  return [
    row(
      'P: `pgbench -N`, prepared',
      spread(
        all(({ pgbench }) => pgbench),
        rate,
      ),
    ),
    row(
      'joins in the engine, 512 in flight',
      `${rate(median(all(({ batched }) => batched)))} = ${spread(toP, times)} P`,
      '≥ 6 × P',
      median(toP) >= 6,
    ),
    row('the same join as one transaction each', `${rate(median(all(({ single }) => single)))} = ${spread(singleToP, times)} P`),
    row('one request at a time, batcher on ÷ off', spread(alone, times), '≥ 0.9', median(alone) >= 0.9),
    row(
      'table and index for a join',
      `${weight.bytes.toFixed(0)} B (batches of ${weight.perBatch.toFixed(0)})`,
      '≤ 120 B',
      weight.bytes <= 120,
    ),
    row(
      'WAL for a join',
      `${weight.walBytes.toFixed(0)} B (${weight.walBytesInOrder.toFixed(0)} if members join in the order of their ids)`,
      '≤ 350 B',
      weight.walBytes <= 350,
    ),
  ]
}

function httpRows({ http: { repeats, reads } }: Results): Row[] {
  const all = (pick: (repeat: (typeof repeats)[number]) => number): readonly number[] => repeats.map(pick)
  const of = (pick: (repeat: (typeof repeats)[number]) => number): number => median(all(pick))
  const toEmpty = all(({ joins, empty }) => joins.perSecond / empty.perSecond)
  const toPeer = all(({ joins, peer }) => joins.perSecond / peer.perSecond)
  const time = (pick: (repeat: (typeof repeats)[number]) => Taken): string =>
    `${of((repeat) => pick(repeat).serverUs).toFixed(0)} µs + ${of((repeat) => pick(repeat).databaseUs).toFixed(0)} µs`
  return [
    row(`the same server with an empty handler, ${CONNECTIONS} connections`, rate(of(({ empty }) => empty.perSecond))),
    row('the peer’s joins', rate(of(({ peer }) => peer.perSecond))),
    row(
      'joins over HTTP ÷ empty handler',
      `${rate(of(({ joins }) => joins.perSecond))} = ${spread(toEmpty, times)}`,
      '≥ 0.6 ×',
      median(toEmpty) >= 0.6,
    ),
    row('joins over HTTP ÷ the peer', spread(toPeer, times), '≥ 8 ×', median(toPeer) >= 8),
    row(
      'CPU time of a join: server + database',
      time(({ joins }) => joins),
    ),
    row(
      '… of an answer of the empty handler',
      time(({ empty }) => empty),
    ),
    row(
      '… of a join of the peer',
      time(({ peer }) => peer),
    ),
    ...reads.map(({ name, product, peer }) => row(`${name} ÷ the peer`, `${rate(product)} = ${times(product / peer)}`)),
  ]
}

function latencyRows({ http: { rates, history } }: Results): Row[] {
  const of = (pick: (repeat: (typeof rates)[number]) => number): number => median(rates.map(pick))
  const ratios = rates.map(({ joins, pgbench }) => joins.p99 / pgbench.p99)
  const three = (of3: Percentiles): string => `${ms(of3.p50)} · ${ms(of3.p99)} · ${ms(of3.p999)}`
  const middle = (pick: (repeat: (typeof rates)[number]) => Percentiles): Percentiles => ({
    p50: of((repeat) => pick(repeat).p50),
    p99: of((repeat) => pick(repeat).p99),
    p999: of((repeat) => pick(repeat).p999),
  })
  return [
    row(`pgbench at half load (${rate(of(({ pgbenchRate }) => pgbenchRate))}): p50 · p99 · p99.9`, three(middle(({ pgbench }) => pgbench))),
    row(`joins over HTTP at half load (${rate(of(({ rate: at }) => at))}): p50 · p99 · p99.9`, three(middle(({ joins }) => joins))),
    row('p99 at half load ÷ pgbench’s', spread(ratios, times), '≤ 2 ×', median(ratios) <= 2),
    row(`a page of ${history.whole.toLocaleString('en')} movements: p50 · p99 · p99.9`, three(history.first)),
  ]
}

/** Targets in seconds depend on the machine, so members in a second are also a multiple of P of the same run. */
function dayRows({ days: { small, large }, engine, peakMb }: Results): Row[] {
  const p = median(engine.repeats.map(({ pgbench }) => pgbench))
  const joinedIn = (passed: readonly Passed[]) => passed.flatMap(({ autoJoin }) => (autoJoin === undefined ? [] : [autoJoin]))
  const hundred = joinedIn(small)
  const million = joinedIn(large)
  const secondsOf = (joined: typeof million): readonly number[] => joined.map(({ seconds: each }) => each)
  const paces = [...hundred, ...million].map(({ members, seconds: took }) => members / took)
  const took = secondsOf(million)
  const full = large.slice(1)
  const settled = full.map(({ settledSeconds }) => settledSeconds)
  const slowest = Math.max(...full.map(({ slowestAnswerMs }) => slowestAnswerMs))
  return [
    row(`auto-join of ${count(hundred[0]?.members ?? 0)}`, spread(secondsOf(hundred), seconds)),
    row(
      'auto-join, members in a second',
      `${spread(paces, rate)} = ${times(median(paces) / p)} P`,
      '≥ 100,000/s',
      median(paces) >= 100_000,
    ),
    row(`auto-join of ${count(million[0]?.members ?? 0)}`, spread(took, seconds), '≤ 10 s', median(took) <= 10),
    row(
      `close, draw and settle of ${count(full[0]?.entries ?? 0)}`,
      `${spread(settled, seconds)}: ${times((full[0]?.entries ?? 0) / median(settled) / p)} P`,
      '≤ 10 s',
      median(settled) <= 10,
    ),
    row('slowest answer of the server meanwhile', ms(slowest)),
    row('peak memory of the server', `${peakMb.toFixed(0)} MB`, '≤ 300 MB', peakMb <= 300),
  ]
}

/** Prints the table. `write` also updates the figures in the docs. */
export function finish(results: Results, { write }: { readonly write: boolean }): void {
  const rows = rowsOf(results).map(({ what, measured, must, reached }) => [
    what,
    measured,
    `${must}${reached === false ? ' **missed**' : ''}`,
  ])
  const figures = table(['Figure', 'Measured', 'Target'], rows)
  process.stdout.write(`${figures}\n`)
  if (write) writeFigures('performance.md', 'npm run bench', `${measuredHere()}, ${results.pgbench}.\n\n${figures}`)
}
