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
import { measurePage, measureTicket, startFront } from './verifier-browser.ts'
import { makeFolder, PARTS_EACH } from './verifier-folder.ts'
import { type CliRun, describeMachine, finish, type PageRun, type TicketRun } from './verifier-results.ts'
import { runWatched } from './watched-program.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const MILLION = values.quick ? 100_000 : 1_000_000

async function measure(program: string, folder: string, entries: number): Promise<CliRun> {
  const { out, ...run } = await runWatched(program, [folder, DAY, '--key', verifierKeyOf(LOG), '--chain', BEACON.draw.chainHash])
  if (run.exitCode !== 0) process.stderr.write(out)
  return { program: path.basename(program), entries, parts: PARTS_EACH * entries, ...run }
}

/** Runs `work` with a temporary folder and deletes the folder afterwards. */
async function withFolder<T>(entries: number, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'roz-bench-verifier-'))
  try {
    process.stdout.write(`writing ${entries.toLocaleString('en')} entries …\n`)
    await makeFolder(folder, entries)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function inBrowser(folder: string): Promise<{ page: PageRun; ticket: TicketRun; version: string }> {
  const roz = await startProgram()
  const front = await startFront(roz.port, folder, MILLION)
  const browser = await openBrowser()
  try {
    const page = await measurePage(browser, front.url, MILLION)
    const ticket = await measureTicket(browser, front.url, folder, MILLION)
    return { page, ticket, version: `Chromium ${browser.version()}` }
  } finally {
    await browser.close()
    front.close()
  }
}

try {
  const cli: CliRun[] = []
  const source = path.join(import.meta.dirname, '../../verifier/src/cli.ts')
  const { page, ticket, version } = await withFolder(MILLION, async (folder) => {
    const program = path.join(folder, 'program')
    await writeProgram(program)
    cli.push(await measure(source, folder, MILLION), await measure(path.join(program, 'roz-verify.mjs'), folder, MILLION))
    return inBrowser(folder)
  })
  cli.push(await withFolder(10 * MILLION, (folder) => measure(source, folder, 10 * MILLION)))
  finish({ at: new Date().toISOString(), machine: describeMachine(version), cli, page, ticket }, { write: !values.quick })
} finally {
  for (const complaint of await endEverything()) process.stderr.write(`${complaint}\n`)
}
