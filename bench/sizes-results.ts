/** The table of `npm run bench -- --ten-million`. */

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
  readonly peakMb: number
  readonly databaseBytes: number
}

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
    figures(
      'peak memory of the server',
      ({ peakMb }) => peakMb,
      (value) => `${value.toFixed(0)} MB`,
    ),
    figures('database on disk', ({ databaseBytes }) => databaseBytes, bytes),
  ].join('\n')
}
