/**
 * The faults of a cluster: each waits until operations are in flight, breaks something, waits until clients are served, and repairs.
 * - The outage counts from the fault to the end of the repair, so that the return of a node counts too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '@roz/server/db/embedded/process.ts'
import type { ClusterNode } from '../../cluster/cluster.ts'
import { switchOver } from '../../cluster/switch-over.ts'
import { aim, type FaultContext, night, type Fault } from '../faults.ts'
import type { ClusterTarget } from './cluster-target.ts'

type ClusterContext = FaultContext<ClusterTarget>
type ClusterFault = Fault<ClusterTarget>
type Hit = (context: ClusterContext, leader: ClusterNode, others: readonly ClusterNode[]) => Promise<unknown> | void

const SERVED_WITHIN_MS = 60_000
const LOOK_MS = 20
/** Under load a standby may lose its line between two faults, and come back. */
const WHOLE_WITHIN_MS = 60_000
/** How long the damage lasts after clients are served again: etcd and leases must notice it too. */
const LASTS_MS = [1000, 4000] as const
/** Longer than the lease. */
const WITHOUT_ETCD_MS = 15_000
const LAGGING_MS = 2500

/** `before` prepares the fault: the outage counts from its end. */
const hitting =
  (hit: Hit, before: Hit = () => {}): ClusterFault =>
  async (context) => {
    const { system, load, dice } = context
    await system.expectAllUp()
    const leader = await system.leader()
    const others = system.cluster.nodes.filter((node) => node !== leader)
    const inFlight = await aim(context)
    if (inFlight === undefined) return undefined
    await before(context, leader, others)
    const endedAt = performance.now()
    await hit(context, leader, others)
    const until = performance.now() + SERVED_WITHIN_MS
    while (load.acknowledgedAfter(endedAt) === undefined && performance.now() < until) await sleep(LOOK_MS)
    await sleep(dice.between(...LASTS_MS))
    await system.repair()
    return { inFlight, endedAt }
  }

const send = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) signal(pid, name)
}
const anyOf = ({ dice, system }: ClusterContext): ClusterNode => dice.pick(system.cluster.nodes)

const killNode: Hit = async ({ system }, leader) => {
  await leader.killAll()
  await system.succeeded(leader)
}

export const CLUSTER_FAULTS = {
  'leader-kill': hitting((_context, leader) => send(leader.pidsOf('postgres'), 'SIGKILL')),
  'node-kill': hitting(killNode),
  'leader-stop': hitting(async ({ system }, leader) => {
    send(leader.pidsOf('patroni'), 'SIGTERM')
    await system.succeeded(leader)
  }),
  'leader-pause': hitting(async ({ system }, leader) => {
    send([...leader.pidsOf('patroni'), ...leader.pidsOf('postgres')], 'SIGSTOP')
    await system.succeeded(leader)
  }),
  'patroni-kill': hitting(async ({ system }, leader) => {
    send(leader.pidsOf('patroni'), 'SIGKILL')
    await system.succeeded(leader)
  }),
  'standby-kill': hitting(({ dice }, _leader, others) => dice.pick(others).killAll()),
  /** The standbys receive nothing for a while; then the leader's node dies. */
  'lagging-kill': hitting(
    async ({ system }, leader, others) => {
      await leader.killAll()
      for (const { place } of others) system.cluster.network.mend(place)
      await system.succeeded(leader)
    },
    ({ system }, _leader, others) => {
      for (const { place } of others) system.cluster.network.cut(place)
      return sleep(LAGGING_MS)
    },
  ),
  'etcd-kill': hitting((context) => send(anyOf(context).pidsOf('etcd'), 'SIGKILL')),
  'etcd-stop': hitting((context) => send(anyOf(context).pidsOf('etcd'), 'SIGTERM')),
  'etcd-kill-all': hitting(async ({ system }) => {
    for (const node of system.cluster.nodes) send(node.pidsOf('etcd'), 'SIGKILL')
    await sleep(WITHOUT_ETCD_MS)
  }),
  'app-kill': hitting((context) => send(anyOf(context).pidsOf('product'), 'SIGKILL')),
  'app-stop': hitting((context) => send(anyOf(context).pidsOf('product'), 'SIGTERM')),
  'pooler-kill': hitting((context) => {
    const node = anyOf(context)
    send([...node.pidsOf('pooler'), ...node.pidsOf('leader')], 'SIGKILL')
  }),
  'cut-leader': hitting(async ({ system }, leader) => {
    system.cluster.network.cut(leader.place)
    await system.succeeded(leader)
  }),
  'cut-standby': hitting(({ dice, system }, _leader, others) => system.cluster.network.cut(dice.pick(others).place)),
  'switch-over': hitting(({ system }) => switchOver(system.cluster, undefined, WHOLE_WITHIN_MS)),
  'midnight-node-kill': night('passes', hitting(killNode)),
} as const satisfies Readonly<Record<string, ClusterFault>>

export type ClusterKind = keyof typeof CLUSTER_FAULTS
export const CLUSTER_KINDS = Object.keys(CLUSTER_FAULTS) as ClusterKind[]
/** Faults that need networks of their own. */
export const CUTS: readonly ClusterKind[] = ['lagging-kill', 'cut-leader', 'cut-standby']
/** In a round of kinds; once without an entry. */
export const CLUSTER_OFTEN: Readonly<Record<string, number>> = {
  'switch-over': 3,
  'leader-kill': 2,
  'node-kill': 3,
  'cut-leader': 2,
  'app-kill': 2,
}
