/**
 * A planned switch-over without an error for a client.
 * - The poolers pause new statements (PAUSE) and wait for running ones. Patroni promotes a standby. The poolers resume.
 * - The poolers always resume, also after a failure.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addressAs, type ClusterNode, hasBothStandbys, leaderOf, leadsToLeader, type Made, PSQL, untilTrue } from './cluster.ts'
import { DATABASE, PORT } from './settings.ts'

const DRAINED_WITHIN_MS = 8000
const WHOLE_WITHIN_MS = 5000
const LED_WITHIN_MS = 15_000
const LOOK_MS = 100

export class SwitchOverError extends Error {
  override readonly name = 'SwitchOverError'
}

const tellPooler = ({ plan }: Made, node: ClusterNode, command: string): Promise<string> =>
  node.run([PSQL, '-qAt', `postgres://pooler:${plan.passwords.pooler}@${node.address}:${PORT.pooler}/pgbouncer`, '-c', command])

/** The leader, as soon as it and both standbys are there: Patroni refuses a switch-over before. Undefined: not within that time. */
export async function leaderOfWhole(made: Pick<Made, 'nodes'>, withinMs: number): Promise<ClusterNode | undefined> {
  const until = performance.now() + withinMs
  for (;;) {
    const leader = await leaderOf(made)
    if (leader !== undefined && (await hasBothStandbys(made))) return leader
    if (performance.now() > until) return undefined
    await sleep(LOOK_MS)
  }
}

/** As patronictl does; it answers when the standby leads. */
async function askPatroni({ plan }: Made, leader: ClusterNode, next: ClusterNode): Promise<void> {
  const answer = await fetch(`http://${leader.address}:${PORT.patroni}/switchover`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`patroni:${plan.passwords.patroni}`)}` },
    body: JSON.stringify({ leader: leader.name, candidate: next.name }),
    signal: AbortSignal.timeout(LED_WITHIN_MS),
  })
  if (!answer.ok) throw new SwitchOverError(`Patroni refuses: ${await answer.text()}`)
}

/** Returns the old and the new leader, and how long statements were paused. */
export async function switchOver(
  made: Made,
  wanted?: string,
  wholeWithinMs: number = WHOLE_WITHIN_MS,
): Promise<{ readonly from: string; readonly to: string; readonly heldMs: number }> {
  const leader = await leaderOfWhole(made, wholeWithinMs)
  if (leader === undefined) throw new SwitchOverError('The cluster is not whole: a switch-over needs both standbys.')
  const others = made.nodes.filter((node) => node !== leader)
  const next = wanted === undefined ? others[0] : others.find(({ name }) => name === wanted)
  if (next === undefined) throw new SwitchOverError(`${wanted} is no standby. There are: ${others.map(({ name }) => name).join(', ')}.`)
  // A checkpoint now leaves less to flush while statements wait.
  await leader.run([PSQL, '-qAt', addressAs('postgres', made.plan, leader.address, PORT.postgres, DATABASE), '-c', 'checkpoint'])
  const began = performance.now()
  try {
    const drained = Promise.all(made.nodes.map((node) => tellPooler(made, node, `PAUSE ${DATABASE}`))).then(() => true)
    drained.catch(() => undefined)
    if (!(await Promise.race([drained, sleep(DRAINED_WITHIN_MS, false)])))
      throw new SwitchOverError(`Transactions are open for longer than ${DRAINED_WITHIN_MS / 1000} s: try again, or end them.`)
    await askPatroni(made, leader, next)
    const led = made.nodes.map((node) =>
      untilTrue(made, `a way from ${node.name} to ${next.name}`, () => leadsToLeader(made, node), LED_WITHIN_MS),
    )
    await Promise.all(led)
  } finally {
    await Promise.all(made.nodes.map((node) => tellPooler(made, node, `RESUME ${DATABASE}`).catch(() => undefined)))
  }
  return { from: leader.name, to: next.name, heldMs: performance.now() - began }
}
