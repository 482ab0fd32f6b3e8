/**
 * The report of `npm run bench:processes` and `npm run bench:draw`: docs/processes.json, and a page written only from its figures.
 *
 * - Each of the two writes its own part and leaves the other's. A part without a run has no figures on the page.
 * - Both sides of a ratio come from the same turn.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Circumstances } from './circumstances.ts'
import { IDLE_BELOW_CORES } from './other-load.ts'
import { median } from './results.ts'

/** Joins a second with one and with two processes, in turn. */
export type Rates = Circumstances & { readonly members: number; readonly one: readonly number[]; readonly two: readonly number[] }
export type Answers = { readonly p50Ms: number; readonly p99Ms: number; readonly slowestMs: number }
/** A day that is drawn while nobody joins, and the next one, drawn while members join. */
export type DrawnDays = {
  readonly quiet: { readonly drawSeconds: number; readonly entries: number }
  readonly busy: { readonly drawSeconds: number; readonly entries: number; readonly refused: number }
  /** Answers to joins of the busy day before its draw, and during and after it. */
  readonly before: Answers
  readonly during: Answers
}
export type Draws = Circumstances & { readonly processes: number; readonly joiners: number; readonly days: readonly DrawnDays[] }
export type Report = { readonly rates?: Rates; readonly draws?: Draws }

const count = (value: number): string => Math.round(value).toLocaleString('en')
const spread = (values: readonly number[], show: (value: number) => string): string =>
  `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`
const times = (value: number): string => `${value.toFixed(2)} ×`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const head = (cells: readonly string[]): string => `${row(cells)}\n${row(cells.map(() => '---'))}`

export function tableOfRates({ one, two }: Rates): string {
  const ratios = two.map((rate, turn) => rate / (one[turn] ?? Number.NaN))
  const isReached = median(ratios) >= 1
  const rate = (value: number): string => `${count(value)}/s`
  return [
    head(['Processes', 'Joins', 'Target']),
    row(['1', spread(one, rate), '']),
    row(['2', spread(two, rate), '']),
    row(['2 ÷ 1', spread(ratios, times), `≥ 1 ×${isReached ? '' : ' **missed**'}`]),
  ].join('\n')
}

export function tableOfDraws({ days }: Draws): string {
  const line = (
    name: string,
    left: (day: DrawnDays) => number,
    right: (day: DrawnDays) => number,
    show: (value: number) => string,
  ): string =>
    row([
      name,
      spread(days.map(left), show),
      spread(days.map(right), show),
      spread(
        days.map((day) => right(day) / left(day)),
        times,
      ),
    ])
  const ms = (value: number): string => `${value.toFixed(0)} ms`
  return [
    head(['', 'nobody joins', 'members join', 'ratio']),
    line(
      'the call Trigger Draw',
      ({ quiet }) => quiet.drawSeconds,
      ({ busy }) => busy.drawSeconds,
      (value) => `${value.toFixed(2)} s`,
    ),
    line(
      'entries of the day',
      ({ quiet }) => quiet.entries,
      ({ busy }) => busy.entries,
      count,
    ),
    '',
    head(['Answers to joins', 'without a draw', 'during the draw and after it', 'ratio']),
    ...(['p50Ms', 'p99Ms', 'slowestMs'] as const).map((name) =>
      line(
        name.replace('Ms', ''),
        ({ before }) => before[name],
        ({ during }) => during[name],
        ms,
      ),
    ),
    '',
    `Refused after the close: ${spread(
      days.map(({ busy }) => busy.refused),
      count,
    )} joins of a day.`,
  ].join('\n')
}

const calm = (otherCores: number): string =>
  otherCores < IDLE_BELOW_CORES
    ? 'The machine was idle otherwise'
    : '**The machine was not idle**, so the figures are worse than they need be'
const runOf = (command: string, { at, seconds, commit, machine, node, otherCores }: Circumstances): string =>
  `\`${command}\` on ${at.slice(0, 10)}, ${(seconds / 60).toFixed(0)} minutes on ${machine}, Node ${node}, at commit \`${commit}\`. ${calm(otherCores)}: other programs took ${otherCores.toFixed(2)} cores on average.`
const withoutRun = (command: string): string => `No run of \`${command}\` is recorded yet.`

const ratesSection = (rates: Rates | undefined): string => {
  const command = 'npm run bench:processes'
  if (rates === undefined) return withoutRun(command)
  return `${runOf(command, rates)}

${tableOfRates(rates)}

- ${count(rates.members)} members join, each once a day. ${rates.one.length} turns: one process, then two, each after a day as a warm-up.`
}

const drawsSection = (draws: Draws | undefined): string => {
  const command = 'npm run bench:draw'
  if (draws === undefined) return withoutRun(command)
  return `${runOf(command, draws)}

${tableOfDraws(draws)}

- \`PROCESSES=${draws.processes}\`, ${draws.joiners} joiners, ${draws.days.length} pairs of days: one is drawn while nobody joins, the next while members join.
- The close waits for the joins in progress, and joins wait for nobody: after the close they are refused at once, which counts as an answer here.
- On each day the entries were as many as the members who were told that they joined: otherwise the run fails.`
}

export const pageOf = ({ rates, draws }: Report): string => `# Several processes on one port

Written from \`docs/processes.json\` by \`npm run bench:processes -- --write docs/processes.json\` and \`npm run bench:draw -- --write docs/processes.json\`: the figures of one run of each. Load generator, servers and database share the machine. Each figure is a median, with the least and the most of the run; each side of a ratio is of the same turn.

## Joins with one process and with two

${ratesSection(rates)}

## A Trigger Draw while members join

${drawsSection(draws)}
`

/** Writes this part of the report, and the page beside it. */
export function writePart(file: string, part: Report): void {
  const report = { ...(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : {}), ...part }
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`)
  writeFileSync(file.replace(/\.json$/, '.md'), pageOf(report))
}
