/** The figures of `npm run lab -- sizes` as a table. */
import { count, table } from '../page.ts'
import type { Watched } from './watched-program.ts'

export type Step = {
  readonly name: string
  readonly seconds: number
  /** Server and database together. */
  readonly cpuSeconds: number
  readonly walBytes: number
  /** The longest that one transaction of the server was open during the step. */
  readonly longestSeconds: number
}
export type Size = {
  readonly members: number
  readonly steps: readonly Step[]
  /** The command-line verifier, which reads the day from the server. */
  readonly verification: Watched
  readonly peakMb: number
  readonly databaseBytes: number
}

const VERDICTS: Readonly<Record<number, string>> = { 0: 'PASS', 2: 'FAIL', 3: 'WEAK', 4: 'INCOMPLETE' }

export function tableOf(sizes: readonly Size[]): string {
  const figures = (name: string, textOf: (size: Size) => string): string[] => [name, ...sizes.map(textOf)]
  const stepOf = (size: Size, name: string): Step => size.steps.find((step) => step.name === name) as Step
  const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} s`
  const bytes = (value: number): string => (value < 1e9 ? `${(value / 1e6).toFixed(0)} MB` : `${(value / 1e9).toFixed(1)} GB`)
  const measured = ({ seconds: time, cpuSeconds, walBytes, longestSeconds }: Step): string =>
    [seconds(time), seconds(cpuSeconds), bytes(walBytes), seconds(longestSeconds)].join('; ')
  return table(
    figures('Step: time; processor time; log (WAL); longest transaction', ({ members }) => `${count(members)} members`),
    [
      ...(sizes[0] as Size).steps.map(({ name }) => figures(name, (size) => measured(stepOf(size, name)))),
      figures(
        'verification of a day by `roz-verify`, over HTTP; memory; verdict',
        ({ verification: { seconds: time, peakMb, exitCode } }) =>
          `${seconds(time)}; ${peakMb.toFixed(0)} MB; ${VERDICTS[exitCode] ?? `exit code ${exitCode}`}`,
      ),
      figures('peak memory of the server', ({ peakMb }) => `${peakMb.toFixed(0)} MB`),
      figures('database on disk', ({ databaseBytes }) => bytes(databaseBytes)),
    ],
  )
}
