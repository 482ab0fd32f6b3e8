/**
 * `npm run lab -- verifier`: measures the check of a day with 1 and with 10 million entries, and of one ticket.
 *
 * - The check runs in the command-line program and in the product's page.
 * - The run writes the figures of docs/verifier.md. `--quick` uses a tenth and writes nothing.
 * - No test asserts these figures.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openBrowser } from '../../e2e/harness/browser.ts'
import { endEverything, startProgram } from '../../e2e/harness/program.ts'
import { writeProgram } from '../../verifier/build.ts'
import { verifierKeyOf } from '../../verifier/src/note.ts'
import { BEACON, DAY, LOG } from '../../verifier/test/site-maker.ts'
import { count, measuredHere, table, writeFigures } from '../page.ts'
import { measurePage, measureTicket, startFront } from './verifier-browser.ts'
import { makeFolder, PARTS_EACH } from './verifier-folder.ts'
import { runWatched } from './watched-program.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const MILLION = values.quick ? 100_000 : 1_000_000

const MUST = { million: 10, tenMillion: 90, cliMb: 256, page: 30, ticketMs: 100, ticketBytes: 5000 } as const

/** A row of the table: the check, its figures, its target and whether it is reached. */
const rowOf = (what: string, measured: string, must: string, isReached: boolean) => [
  what,
  measured,
  must,
  isReached ? '✓' : '**not reached**',
]
type Row = ReturnType<typeof rowOf>

async function measure(program: string, folder: string, entries: number): Promise<Row> {
  const { out, seconds, cpuSeconds, peakMb, exitCode } = await runWatched(program, [
    folder,
    DAY,
    '--key',
    verifierKeyOf(LOG),
    '--chain',
    BEACON.draw.chainHash,
  ])
  if (exitCode !== 0) process.stderr.write(out)
  const most = entries > MILLION ? MUST.tenMillion : MUST.million
  return rowOf(
    `${path.basename(program)}, ${count(entries)} entries, ${count(PARTS_EACH * entries)} parts`,
    `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU), ${peakMb.toFixed(0)} MB at most`,
    `≤ ${most} s, ≤ ${MUST.cliMb} MB`,
    seconds <= most && peakMb <= MUST.cliMb && exitCode === 0,
  )
}

/** Runs `work` with a temporary folder and deletes the folder afterwards. */
async function withFolder<T>(entries: number, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'roz-bench-verifier-'))
  try {
    process.stdout.write(`writing ${count(entries)} entries …\n`)
    await makeFolder(folder, entries)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function inBrowser(folder: string): Promise<{ rows: readonly Row[]; version: string }> {
  const roz = await startProgram()
  const front = await startFront(roz.port, folder, MILLION)
  const browser = await openBrowser()
  try {
    const page = await measurePage(browser, front.url)
    const ticket = await measureTicket(browser, front.url, folder, MILLION)
    return {
      rows: [
        rowOf(
          `the page /verify, ${count(MILLION)} entries, ${count(PARTS_EACH * MILLION)} parts`,
          `${page.seconds.toFixed(2)} s, ${page.verdict}, the progress bar seen at ${page.barSteps} positions`,
          `≤ ${MUST.page} s, a moving progress bar`,
          page.seconds <= MUST.page && page.barSteps > 3 && page.verdict === 'WEAK',
        ),
        rowOf(
          `My ticket among ${count(MILLION)}, in the browser`,
          `${ticket.firstMs.toFixed(1)} ms at first, ${ticket.laterMs.toFixed(1)} ms later, ${count(ticket.bytes)} bytes fetched, ${ticket.state}`,
          `< ${MUST.ticketMs} ms, < ${count(MUST.ticketBytes)} bytes`,
          ticket.firstMs < MUST.ticketMs && ticket.bytes < MUST.ticketBytes && ticket.state === 'included',
        ),
      ],
      version: `Chromium ${browser.version()}`,
    }
  } finally {
    await browser.close()
    front.close()
  }
}

try {
  const source = path.join(import.meta.dirname, '../../verifier/src/cli.ts')
  const { cli, rows, version } = await withFolder(MILLION, async (folder) => {
    const program = path.join(folder, 'program')
    await writeProgram(program)
    const both = [await measure(source, folder, MILLION), await measure(path.join(program, 'roz-verify.mjs'), folder, MILLION)]
    return { cli: both, ...(await inBrowser(folder)) }
  })
  const large = await withFolder(10 * MILLION, (folder) => measure(source, folder, 10 * MILLION))
  const figures = table(['Check', 'Measured', 'Target', ''], [...cli, large, ...rows])
  process.stdout.write(`${figures}\n`)
  if (!values.quick) writeFigures('verifier.md', 'npm run lab -- verifier', `${measuredHere()}, ${version}.\n\n${figures}`)
} finally {
  for (const complaint of await endEverything()) process.stderr.write(`${complaint}\n`)
}
