/**
 * `npm run lab -- clock`: measures how long `/dev/clock` takes to pass one day.
 *
 * - A day includes all work due in it: close, draw, settlement, books and log.
 * - Targets: 20 ms for a day without members, 100 ms for a day with one member. The script prints times and asserts nothing.
 */
import { passDay } from './days.ts'
import { startProduct } from './processes.ts'
import { addMembers, openSetUp } from './set-up.ts'

const DAYS = 40

const setUp = await openSetUp({ makesBooks: true })
const product = await startProduct(setUp)
try {
  await passDays('warming up', 10)
  await passDays('nobody in it', DAYS)
  await addMembers(setUp, 0, 1, { autoJoin: true, sessions: true })
  await passDays('one member, by Auto Participate', DAYS)
} finally {
  await product.stop()
  await setUp.stop()
}

async function passDays(what: string, days: number): Promise<void> {
  const times: number[] = []
  for (let day = 0; day < days; day++) {
    const began = performance.now()
    await passDay(setUp, product)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(days * share)] ?? 0).toFixed(0)
  process.stdout.write(`${what}: ${days} days, median ${at(0.5)} ms, p90 ${at(0.9)} ms\n`)
}
