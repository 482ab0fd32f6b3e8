/**
 * npm run lab -- interleavings: runs each pair of money operations concurrently, in both orders.
 * - The first operation stops after each of its statements in turn and commits. A last meeting rolls it back at its end.
 * - --minutes bounds the run. The last line counts everything.
 * - Exit code 1: a meeting gave the result of neither order, or the time ran out.
 *
 *   --minutes 30  --lanes 3  --only "close an account"  --only "platform share × settle"
 */
import { parseArgs } from 'node:util'
import { cloneTemplate } from '../server/src/testing/database.ts'
import { startTestServer } from '../server/src/testing/postgres.ts'
import { createMeetings, type Finding, type Meetings } from '../server/src/ledger/testing/meetings.ts'
import { OPERATIONS } from '../server/src/ledger/testing/operations.ts'
import type { Operation } from '../server/src/ledger/testing/scenario.ts'
import type { Stop } from '../server/src/ledger/testing/stepped-db.ts'

const SAY_EVERY_MS = 15_000
const SHOWN_MAX = 5

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    lanes: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Pair = readonly [Operation, Operation]
const [ONE = '', OTHER = ''] = values.only.split(' × ')
const isNamed = ([first, second]: Pair): boolean => first.name.includes(ONE) && second.name.includes(OTHER)
/** Each pair once, for both orders; an operation also meets itself. */
const pairs: Pair[] = OPERATIONS.flatMap((first, row) => OPERATIONS.slice(row).map((second): Pair => [first, second])).filter(
  ([first, second]) => isNamed([first, second]) || isNamed([second, first]),
)

const began = performance.now()
const until = began + Number(values.minutes) * 60_000
const totals = { pairs: 0, commits: 0, rollbacks: 0 }
const findings: Finding[] = []
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true
  })
const goesOn = (): boolean => !stopped && performance.now() < until
const minutes = (): string => ((performance.now() - began) / 60_000).toFixed(1)

async function meetBothWays(meetings: Meetings, [one, other]: Pair): Promise<void> {
  const orders: readonly Pair[] =
    one === other
      ? [[one, other]]
      : [
          [one, other],
          [other, one],
        ]
  for (const [first, second] of orders) {
    const last = await meetings.statementsOf(first)
    const stops: readonly Stop[] = [
      ...Array.from({ length: last }, (_none, index): Stop => ({ after: index + 1, ends: 'commit' })),
      { after: 'all', ends: 'rollback' },
    ]
    for (const stop of stops) {
      const finding = await meetings.judge(first, second, stop)
      totals[stop.ends === 'commit' ? 'commits' : 'rollbacks']++
      if (finding === undefined) continue
      findings.push(finding)
      if (findings.length <= SHOWN_MAX) say(JSON.stringify(finding, undefined, 1))
    }
  }
}

const server = await startTestServer()
const waiting = pairs.entries()
async function lane(): Promise<void> {
  const meetings = createMeetings(() => cloneTemplate(server.urls))
  try {
    for (const [, pair] of waiting) {
      await meetBothWays(meetings, pair)
      totals.pairs++
      await meetings.rest()
      if (!goesOn()) break
    }
  } finally {
    await meetings.close()
  }
}

const saying = setInterval(() => {
  const share = totals.pairs / pairs.length
  const left = share === 0 ? '?' : (((performance.now() - began) / 60_000) * (1 / share - 1)).toFixed(1)
  say(`${totals.pairs} of ${pairs.length} pairs, ${totals.commits + totals.rollbacks} meetings, ${minutes()} min, about ${left} more`)
}, SAY_EVERY_MS)
try {
  await Promise.all(Array.from({ length: Number(values.lanes) }, () => lane()))
} finally {
  clearInterval(saying)
  await server.stop()
}

const isWhole = totals.pairs === pairs.length
say(
  `${isWhole ? 'all' : `NOT ALL: ${totals.pairs} of`} ${pairs.length} pairs of ${OPERATIONS.length} operations in both orders: ` +
    `${totals.commits} meetings committed, ${totals.rollbacks} rolled back, ${findings.length} wrong, ${minutes()} minutes`,
)
process.exit(isWhole && findings.length === 0 ? 0 : 1)
