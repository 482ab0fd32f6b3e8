/** The report of `npm run lab -- sizes`: a page written only from its figures. */
import type { Circumstances } from './circumstances.ts'
import { IDLE_BELOW_CORES } from './other-load.ts'
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

export type Report = Circumstances & { readonly sizes: readonly Size[] }

const VERDICTS: Readonly<Record<number, string>> = { 0: 'PASS', 2: 'FAIL', 3: 'WEAK', 4: 'INCOMPLETE' }

const count = (value: number): string => value.toLocaleString('en-US')

export function tableOf(sizes: readonly Size[]): string {
  const first = sizes[0] as Size
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const figures = (name: string, textOf: (size: Size) => string): string => row([name, ...sizes.map(textOf)])
  const stepOf = (size: Size, name: string): Step => size.steps.find((step) => step.name === name) as Step
  const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} s`
  const bytes = (value: number): string => (value < 1e9 ? `${(value / 1e6).toFixed(0)} MB` : `${(value / 1e9).toFixed(1)} GB`)
  const measured = ({ seconds: time, cpuSeconds, walBytes, longestSeconds }: Step): string =>
    [seconds(time), seconds(cpuSeconds), bytes(walBytes), seconds(longestSeconds)].join('; ')
  return [
    row(['Step: time; processor time; log (WAL); longest transaction', ...sizes.map(({ members }) => `${count(members)} members`)]),
    row(['---', ...sizes.map(() => '---')]),
    ...first.steps.map(({ name }) => figures(name, (size) => measured(stepOf(size, name)))),
    figures(
      'verification of a day by `roz-verify`, over HTTP; memory; verdict',
      ({ verification: { seconds: time, peakMb, exitCode } }) =>
        `${seconds(time)}; ${peakMb.toFixed(0)} MB; ${VERDICTS[exitCode] ?? `exit code ${exitCode}`}`,
    ),
    figures('peak memory of the server', ({ peakMb }) => `${peakMb.toFixed(0)} MB`),
    figures('database on disk', ({ databaseBytes }) => bytes(databaseBytes)),
  ].join('\n')
}

const calm = (otherCores: number): string =>
  otherCores < IDLE_BELOW_CORES
    ? 'The machine was idle otherwise'
    : '**The machine was not idle**, so the seconds are too long and processor time says more'

export const pageOf = ({
  at,
  seconds,
  commit,
  machine,
  node,
  otherCores,
  sizes,
}: Report): string => `# A day of ${sizes.map(({ members }) => count(members)).join(' and of ')} members

Written by \`npm run lab -- sizes\`: the figures of one run, on ${at.slice(0, 10)}, ${(seconds / 60).toFixed(0)} minutes on ${machine}, Node ${node}, at commit \`${commit}\`. Server, database and verifier shared the machine; processor time is of server and database. ${calm(otherCores)}: other programs took ${otherCores.toFixed(2)} cores on average.

${tableOf(sizes)}

- A longest transaction that grows with the members reads a whole day in one statement ([scale.md](scale.md)).
- **void**: a round that half of the members joined is given up and returned in pages, without notices and mails.
- **verification**: without a beacon and witnesses the best verdict is WEAK.
`
