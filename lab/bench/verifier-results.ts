/** Compares the verifier's measurements with their targets: printed, saved as JSON and written into docs/verifier.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../e2e/harness/program.ts'
import { machineHere } from './circumstances.ts'

export type CliRun = {
  readonly program: string
  readonly entries: number
  readonly parts: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMb: number
  readonly exitCode: number
}
export type PageRun = {
  readonly entries: number
  readonly parts: number
  readonly seconds: number
  readonly verdict: string
  readonly barSteps: number
}
export type TicketRun = {
  readonly entries: number
  readonly firstMs: number
  readonly laterMs: number
  readonly bytes: number
  readonly state: string
}
export type Results = {
  readonly at: string
  readonly machine: ReturnType<typeof describeMachine>
  readonly cli: readonly CliRun[]
  readonly page: PageRun
  readonly ticket: TicketRun
}

export const MUST = { million: 10, tenMillion: 90, cliMb: 256, page: 30, ticketMs: 100, ticketBytes: 5000 } as const
const MILLION = 1_000_000
const JSON_FILE = path.join(ROOT, '.build', 'verifier.json')
const DOCS_FILE = path.join(ROOT, 'docs', 'verifier.md')
const BEGIN = '<!-- figures: written by npm run lab -- verifier -->'
const END = '<!-- end of figures -->'

type Row = { readonly what: string; readonly measured: string; readonly must: string; readonly isReached: boolean }

const count = (value: number): string => value.toLocaleString('en')

function rowsOf({ cli, page, ticket }: Results): Row[] {
  const runs = cli.map(({ program, entries, parts, seconds, cpuSeconds, peakMb, exitCode }): Row => {
    const most = entries > MILLION ? MUST.tenMillion : MUST.million
    return {
      what: `${program}, ${count(entries)} entries, ${count(parts)} parts`,
      measured: `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU), ${peakMb.toFixed(0)} MB at most`,
      must: `≤ ${most} s, ≤ ${MUST.cliMb} MB`,
      isReached: seconds <= most && peakMb <= MUST.cliMb && exitCode === 0,
    }
  })
  return [
    ...runs,
    {
      what: `the page /verify, ${count(page.entries)} entries, ${count(page.parts)} parts`,
      measured: `${page.seconds.toFixed(2)} s, ${page.verdict}, the progress bar seen at ${page.barSteps} positions`,
      must: `≤ ${MUST.page} s, a moving progress bar`,
      isReached: page.seconds <= MUST.page && page.barSteps > 3 && page.verdict === 'WEAK',
    },
    {
      what: `My ticket among ${count(ticket.entries)}, in the browser`,
      measured: `${ticket.firstMs.toFixed(1)} ms at first, ${ticket.laterMs.toFixed(1)} ms later, ${count(ticket.bytes)} bytes fetched, ${ticket.state}`,
      must: `< ${MUST.ticketMs} ms, < ${count(MUST.ticketBytes)} bytes`,
      isReached: ticket.firstMs < MUST.ticketMs && ticket.bytes < MUST.ticketBytes && ticket.state === 'included',
    },
  ]
}

export const describeMachine = (browser: string) => ({ ...machineHere(), node: process.versions.node, browser })

export function finish(results: Results, { write }: { readonly write: boolean }): void {
  const rows = rowsOf(results)
  const lines = [
    '| Check | Measured | Target | |',
    '|---|---|---|---|',
    ...rows.map(({ what, measured, must, isReached }) => `| ${what} | ${measured} | ${must} | ${isReached ? '✓' : '**not reached**'} |`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (!write) return
  const { machine, at } = results
  const words = `Measured on ${at.slice(0, 10)} at commit ${machine.commit}: ${machine.cores} × ${machine.processor}, ${machine.memoryGb} GB, Node ${machine.node}, ${machine.browser}.`
  writeFileSync(JSON_FILE, `${JSON.stringify(results, undefined, 2)}\n`)
  const text = readFileSync(DOCS_FILE, 'utf8')
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${DOCS_FILE} has no place for the figures`)
  writeFileSync(DOCS_FILE, `${text.slice(0, before)}${BEGIN}\n\n${words}\n\n${lines.join('\n')}\n\n${text.slice(after)}`)
}
