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
const times = (large: number, small: number): string => (small === 0 ? '' : `× ${(large / small).toFixed(1)}`)

export function tableOf(sizes: readonly Size[]): string {
  const first = sizes[0] as Size
  const last = sizes.at(-1) as Size
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const figures = (name: string, of: (size: Size) => number, text: (value: number) => string): string =>
    row([name, ...sizes.map((size) => text(of(size))), times(of(last), of(first))])
  const stepOf = (size: Size, name: string): Step => size.steps.find((step) => step.name === name) as Step
  const seconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} s`
  const bytes = (value: number): string => (value < 1e9 ? `${(value / 1e6).toFixed(0)} MB` : `${(value / 1e9).toFixed(1)} GB`)
  return [
    row(['Step', ...sizes.map(({ members }) => `${count(members)} members`), 'growth']),
    row(['---', ...sizes.map(() => '---'), '---']),
    ...first.steps.flatMap(({ name }) => [
      figures(name, (size) => stepOf(size, name).seconds, seconds),
      figures('… processor time, server and database', (size) => stepOf(size, name).cpuSeconds, seconds),
      figures('… log (WAL)', (size) => stepOf(size, name).walBytes, bytes),
      figures('… longest transaction', (size) => stepOf(size, name).longestSeconds, seconds),
    ]),
    figures('verification of a day by `roz-verify`, over HTTP', ({ verification }) => verification.seconds, seconds),
    figures(
      '… its memory',
      ({ verification }) => verification.peakMb,
      (value) => `${value.toFixed(0)} MB`,
    ),
    row(['… its verdict', ...sizes.map(({ verification: { exitCode } }) => VERDICTS[exitCode] ?? `exit code ${exitCode}`), '']),
    figures(
      'peak memory of the server',
      ({ peakMb }) => peakMb,
      (value) => `${value.toFixed(0)} MB`,
    ),
    figures('database on disk', ({ databaseBytes }) => databaseBytes, bytes),
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

Written by \`npm run lab -- sizes\`: the figures of one run, on ${at.slice(0, 10)}, ${(seconds / 60).toFixed(0)} minutes on ${machine}, Node ${node}, at commit \`${commit}\`. Server, database and verifier shared the machine. ${calm(otherCores)}: other programs took ${otherCores.toFixed(2)} cores on average.

${tableOf(sizes)}

- Each size is one database that grows, and a server of its own. Every member has Auto Participate.
- A step whose growth is that of the members grows in proportion. A longest transaction that grows with them reads a whole day in one statement ([scale.md](scale.md), *Whole days in one statement*).
- **void**: a round that half of the members joined is closed, sealed and given up, as after thirty days without its beacon number. Every rupee is given back in pages. The members of this run have wallets and no accounts: the notice and the order of a mail, which the page of a member with an account writes too, are not in these figures.
- **verification**: \`roz-verify\` reads the draw, the list, the books and the liabilities of a drawn day from the server. Without a beacon and without witnesses its best verdict is WEAK.
`
