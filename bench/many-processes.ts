/**
 * `npm run bench:processes`: joins per second over HTTP with PROCESSES=1 and 2, in turn, on the same machine and database.
 *
 * - Two must not be slower than one. The script asserts nothing.
 * - `--write docs/processes.json` writes its part of that file, and the page beside it, docs/processes.md.
 * - `--quick` uses a tenth of the members.
 */
import { parseArgs } from 'node:util'
import { circumstancesOf } from './circumstances.ts'
import { passDay } from './days.ts'
import { comeToRest, JOIN, joinRequests, measureJoins } from './http.ts'
import { watchOtherLoad } from './other-load.ts'
import { startProduct } from './processes.ts'
import { type Rates, tableOfRates, writePart } from './processes-results.ts'
import { addMembers, cpuMsOf, openScene, type Scene } from './scene.ts'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, write: { type: 'string' } } })
const MEMBERS = values.quick ? 3_000 : 30_000
const REPEATS = 3
const SECONDS_MAX = 60

const beganMs = performance.now()
const scene = await openScene()
try {
  const otherCores = watchOtherLoad(() => cpuMsOf(process.pid) + scene.databaseCpuMs())
  await addMembers(scene, 0, MEMBERS, { autoJoin: false, sessions: true })
  const [one, two]: [number[], number[]] = [[], []]
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    one.push(await joinRate(scene, 1))
    two.push(await joinRate(scene, 2))
  }
  const rates: Rates = { ...circumstancesOf({ beganMs, otherCores: otherCores() }), members: MEMBERS, one, two }
  process.stdout.write(`${tableOfRates(rates)}\n`)
  if (values.write !== undefined) writePart(values.write, { rates })
} finally {
  await scene.stop()
}

/** Each server first takes a day of joins as a warm-up. */
async function joinRate(at: Scene, processes: number): Promise<number> {
  const product = await startProduct(at, { PROCESSES: String(processes) })
  try {
    let rate = 0
    for (let day = 0; day < 2; day++) {
      await passDay(at, product)
      await comeToRest(at, [product])
      rate = (await measureJoins(at, product, joinRequests(JOIN, 0, MEMBERS), SECONDS_MAX)).perSecond
    }
    return rate
  } finally {
    await product.stop()
  }
}
