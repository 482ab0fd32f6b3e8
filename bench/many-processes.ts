/**
 * `npm run bench:processes`: joins per second over HTTP with PROCESSES=1 and 2, in turn, on the same machine and database.
 *
 * - Two must not be slower than one. The script prints rates and asserts nothing.
 * - `--quick` uses a tenth of the members.
 */
import { passDay } from './days.ts'
import { comeToRest, JOIN, joinRequests, measureJoins } from './http.ts'
import { startProduct } from './processes.ts'
import { median } from './results.ts'
import { addMembers, openScene, type Scene } from './scene.ts'

const MEMBERS = process.argv.includes('--quick') ? 3_000 : 30_000
const REPEATS = 3
const SECONDS_MAX = 60

const scene = await openScene()
try {
  await addMembers(scene, 0, MEMBERS, { autoJoin: false, sessions: true })
  const rates = new Map<number, number[]>([1, 2].map((processes) => [processes, []]))
  for (let repeat = 0; repeat < REPEATS; repeat++) for (const [processes, found] of rates) found.push(await joinRate(scene, processes))
  for (const [processes, found] of rates) {
    const listed = found.map((rate) => rate.toFixed(0)).join(', ')
    process.stdout.write(`PROCESSES=${processes}: median ${median(found).toFixed(0)} joins/s (${listed}), ${MEMBERS} members\n`)
  }
  process.stdout.write(`two against one: ×${(median(rates.get(2) ?? []) / median(rates.get(1) ?? [])).toFixed(2)}\n`)
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
