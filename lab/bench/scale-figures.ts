/**
 * The figures of docs/scale.md, written by `npm run lab -- bench` and `-- sizes`, from the
 * newest figures of both in .build/; while one of the two is missing, the page stays as it is.
 *
 * - Medians and units match docs/performance.md.
 * - A figure of 10 million members is measured if a run of the sizes has it. Otherwise its cell says that it is computed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './processes.ts'
import { median, type Results } from './results.ts'
import type { Report, Size } from './sizes-results.ts'

const BEGIN = '<!-- figures: written by npm run bench -->'
const END = '<!-- end of figures -->'
const MILLION = 1_000_000
const TEN_MILLION = 10 * MILLION
const COLUMNS = [14_000, MILLION, TEN_MILLION, 100 * MILLION] as const
/** The steps of midnight that docs/performance.md measures as one. */
const MIDNIGHT = ['close', 'list and seal', 'draw', 'settle']

/** Joins a second at the peak, for each member: 60 % join by themselves within one hour, with a peak of three times the mean. */
const PEAK_PER_MEMBER = (0.6 * 3) / 3600
const NOT_AUTOMATIC = 0.3
const SCREENS_PER_SECOND = 0.05 / 30

const count = (value: number): string => value.toLocaleString('en')
/** Two significant digits: a computed figure is not more exact than its assumptions. */
const about = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 6 })
const seconds = (value: number): string => (value < 100 ? `${about(value)} s` : `${about(value / 60)} min`)
const bytes = (value: number): string => (value < 1e9 ? `${about(value / 1e6)} MB` : `${about(value / 1e9)} GB`)
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The medians that the page uses. */
function measuredOf({ engine, http, days, peakMb }: Results) {
  const joins = http.repeats.map((repeat) => repeat.joins)
  const full = days.large.slice(1)
  return {
    joinsPerSecond: median(joins.map(({ perSecond }) => perSecond)),
    inEngine: median(engine.repeats.map(({ batched }) => batched)),
    oneEach: median(engine.repeats.map(({ single }) => single)),
    serverUs: Math.round(median(joins.map(({ serverUs }) => serverUs))),
    databaseUs: Math.round(median(joins.map(({ databaseUs }) => databaseUs))),
    joinBytes: engine.weight.bytes,
    joinWalBytes: engine.weight.walBytes,
    members: full[0]?.entries ?? 0,
    autoJoin: median(days.large.flatMap(({ autoJoin }) => (autoJoin === undefined ? [] : [autoJoin.seconds]))),
    midnight: median(full.map(({ settledSeconds }) => settledSeconds)),
    slowestMs: Math.max(...full.map(({ slowestAnswerMs }) => slowestAnswerMs)),
    peakMb,
  }
}
type Measured = ReturnType<typeof measuredOf>

const stepsOf = ({ steps }: Size, names: readonly string[]) => steps.filter(({ name }) => names.includes(name))
const secondsOf = (size: Size, names: readonly string[]): number => stepsOf(size, names).reduce((sum, step) => sum + step.seconds, 0)

/** The row of a step: measured at a million, and at ten million if that size was measured; computed in proportion elsewhere. */
function stepRow(name: string, atMillion: number, large: Size | undefined, steps: readonly string[]): string {
  const cells = COLUMNS.map((members) => {
    if (members === MILLION) return `${seconds(atMillion)}, measured`
    if (members === TEN_MILLION && large !== undefined) return `${seconds(secondsOf(large, steps))}, measured`
    return seconds((atMillion * members) / MILLION)
  })
  return row([name, ...cells])
}

function byMembers(of: Measured, large: Size | undefined): string[] {
  const each = (name: string, cell: (members: number) => string): string => row([name, ...COLUMNS.map(cell)])
  const both = (members: number, unit: number): string =>
    `${about(members * PEAK_PER_MEMBER * NOT_AUTOMATIC * unit)} (${about(members * PEAK_PER_MEMBER * unit)})`
  return [
    row(['Members', '14,000', '1 million', '10 million', '100 million']),
    row(['---', ...COLUMNS.map(() => '---')]),
    each('joins a second at the peak (if nobody used Auto Participate)', (members) => both(members, 1)),
    each(`… in cores of the database, at ${of.databaseUs} µs`, (members) => both(members, of.databaseUs / 1e6)),
    stepRow('Auto Participate of all members', of.autoJoin, large, ['auto-join']),
    stepRow('close, draw and settle', of.midnight, large, MIDNIGHT),
    each('peak memory of the server', (members) => {
      if (members === MILLION) return `${of.peakMb.toFixed(0)} MB, measured`
      if (members === TEN_MILLION && large !== undefined) return `${large.peakMb.toFixed(0)} MB, measured`
      return 'not measured'
    }),
    each('entries and their index a day', (members) => bytes(members * of.joinBytes)),
    each('log (WAL) of joins a day', (members) => bytes(members * of.joinWalBytes)),
    each('requests of open screens, one in 30 s', (members) => `${about(members * SCREENS_PER_SECOND)}/s`),
  ]
}

function tenMillion(large: Size | undefined, { at, commit, sizes }: Report): string {
  if (large === undefined)
    return `**10 million is computed, not measured:** its rows are those of a million times ten. [sizes.md](sizes.md) has a run of ${sizes
      .map(({ members }) => count(members))
      .join(' and ')} members. \`npm run lab -- sizes\` measures a day of ten million, in about an hour.`
  const longest = Math.max(...stepsOf(large, ['auto-join', ...MIDNIGHT]).map(({ longestSeconds }) => longestSeconds))
  return `**10 million is measured** where its cell says so: one day, on ${at.slice(0, 10)} at commit ${commit} ([sizes.md](sizes.md)). The longest transaction of these steps took ${seconds(longest)}. Its other rows are computed.`
}

export function figuresOf(results: Results, report: Report): string {
  const of = measuredOf(results)
  const large = report.sizes.find(({ members }) => members === TEN_MILLION)
  const { at, machine } = results
  return [
    `Measured on ${at.slice(0, 10)} at commit ${machine.commit}, ${machine.cores} × ${machine.processor}, ${machine.memoryGb} GB ([performance.md](performance.md)):`,
    '',
    row(['Measured here', 'Value']),
    row(['---', '---']),
    row(['joins over HTTP, each with session, validation, receipt and log line', `${count(Math.round(of.joinsPerSecond))}/s`]),
    row(['joins in the engine, 512 in flight', `${count(Math.round(of.inEngine))}/s`]),
    row(['the same join as one transaction each', `${count(Math.round(of.oneEach))}/s`]),
    row(['processor time of a join: server + database', `${of.serverUs} µs + ${of.databaseUs} µs`]),
    row(['table and index for a join; log (WAL) for a join', `${of.joinBytes.toFixed(0)} B; ${of.joinWalBytes.toFixed(0)} B`]),
    row([`Auto Participate of ${count(of.members)}`, `${of.autoJoin.toFixed(1)} s`]),
    row([`close, draw and settle of ${count(of.members)}`, `${of.midnight.toFixed(1)} s`]),
    row(['slowest answer of the server meanwhile', `${of.slowestMs.toFixed(0)} ms`]),
    '',
    `**Computed from processor time.** A join costs ${of.serverUs + of.databaseUs} µs of processor time in all. One core for everything carries about ${about(1e6 / (of.serverUs + of.databaseUs))} joins a second; one core for the database alone carries about ${about(1e6 / of.databaseUs)}.`,
    '',
    '**Computed for more and fewer members.** Assumed: 70 % of members use Auto Participate. 60 % of the others join within one hour, with a peak of three times the mean. 5 % of members have a screen open.',
    '',
    ...byMembers(of, large),
    '',
    tenMillion(large, report),
  ].join('\n')
}

/** The page with these figures between its two marks. */
export function withFigures(page: string, figures: string): string {
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (before < 0 || after < before) throw new Error('docs/scale.md has no place for the figures')
  return `${page.slice(0, before)}${BEGIN}\n\n${figures}\n\n${page.slice(after)}`
}

export function writeScale(): void {
  const docs = (name: string): string => path.join(ROOT, 'docs', name)
  const kept = (name: string): string => path.join(ROOT, '.build', name)
  if (!existsSync(kept('performance.json')) || !existsSync(kept('sizes.json'))) return
  const read = (name: string): unknown => JSON.parse(readFileSync(kept(name), 'utf8'))
  const figures = figuresOf(read('performance.json') as Results, read('sizes.json') as Report)
  writeFileSync(docs('scale.md'), withFigures(readFileSync(docs('scale.md'), 'utf8'), figures))
}
