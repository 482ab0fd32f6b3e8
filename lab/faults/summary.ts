/**
 * The figures of a run and its verdict.
 * - A run is clean without a finding, and if each control was found.
 * - A silence that is longer than the campaign allows is a finding. It does not end its system: nothing was lost.
 */
import type { Cycle, Finding, RunResult, CycleOptions } from './cycles.ts'

export type ControlResult = {
  readonly control: string
  readonly shows: 'lost' | 'doubled'
  readonly cycles: number
  /** The first finding; undefined if the missing safeguard went unnoticed. */
  readonly found: string | undefined
}
/** A set of faults with its target. */
export type Campaign = {
  readonly kinds: readonly string[]
  readonly often?: Readonly<Record<string, number>>
  readonly silenceMaxMs?: number
  readonly controls: readonly ((seed: number) => Promise<ControlResult>)[]
  readonly run: (options: CycleOptions<string>) => Promise<RunResult>
}
export type Circumstances = {
  /** Day, commit and machine. */
  readonly measured: string
  readonly seconds: number
  readonly seed: number
  readonly clients: number
  readonly members: number
  /** For a cluster: the longest time that a fault may leave all clients without an acknowledgement. */
  readonly silenceMaxMs?: number
}
type KindRow = {
  readonly kind: string
  readonly cycles: number
  readonly inFlight: number
  readonly cutOff: number
  readonly p50Ms: number
  readonly maxMs: number
  readonly maxSilenceMs: number
}
export type FaultReport = Circumstances & {
  readonly totals: {
    readonly cycles: number
    readonly idle: number
    readonly acknowledged: number
    readonly lost: number
    readonly doubled: number
    readonly strange: number
    readonly broken: number
    readonly complaints: number
  }
  /** Answers of 500 and above, which the clients retried. */
  readonly faultAnswers: Readonly<Record<string, number>>
  readonly kinds: readonly KindRow[]
  readonly controls: readonly ControlResult[]
  readonly findings: readonly Finding[]
  readonly clean: boolean
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

export function summarise(results: readonly RunResult[], controls: readonly ControlResult[], circumstances: Circumstances): FaultReport {
  const cycles = results.flatMap((result) => result.cycles)
  const findings = results.flatMap(({ cycles: of, finding }) => [
    ...silencesIn(of, circumstances.silenceMaxMs),
    ...(finding === undefined ? [] : [finding]),
  ])
  const count = (list: 'lost' | 'doubled' | 'strange' | 'broken' | 'told'): number => sum(findings.map((finding) => finding[list].length))
  return {
    ...circumstances,
    totals: {
      cycles: cycles.length,
      idle: sum(results.map(({ idle }) => idle.length)),
      acknowledged: sum(results.map(({ acknowledged }) => acknowledged)),
      lost: count('lost'),
      doubled: count('doubled'),
      strange: count('strange'),
      broken: count('broken'),
      complaints: count('told'),
    },
    faultAnswers: addUp(results.map(({ faultAnswers }) => faultAnswers)),
    kinds: [...new Set(cycles.map(({ kind }) => kind))].sort().map((kind) =>
      rowOf(
        kind,
        cycles.filter((cycle) => cycle.kind === kind),
      ),
    ),
    controls,
    findings,
    clean: findings.length === 0 && controls.every(({ found }) => found !== undefined),
  }
}

function silencesIn(cycles: readonly Cycle[], maxMs = Number.POSITIVE_INFINITY): Finding[] {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  return cycles.flatMap(({ kind, silenceMs }, index) => {
    const told = [`no client got an acknowledgement for ${seconds(silenceMs)} s; at most ${seconds(maxMs)} s are allowed`]
    return silenceMs <= maxMs ? [] : [{ kind, cycle: index + 1, lost: [], doubled: [], strange: [], broken: [], told }]
  })
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const totals: Record<string, number> = {}
  for (const counts of all) for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count
  return totals
}

function rowOf(kind: string, cycles: readonly Cycle[]): KindRow {
  const times = cycles.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b)
  return {
    kind,
    cycles: cycles.length,
    inFlight: sum(cycles.map(({ inFlight }) => inFlight)),
    cutOff: sum(cycles.map(({ cutOff }) => cutOff)),
    p50Ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    maxMs: Math.round(times.at(-1) ?? 0),
    maxSilenceMs: Math.round(Math.max(0, ...cycles.map(({ silenceMs }) => silenceMs))),
  }
}
