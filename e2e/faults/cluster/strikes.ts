/**
 * The strikes at a cluster: each waits until deeds are in flight, strikes, waits until clients are served, and repairs.
 * - The outage counts from the strike to the end of the repair, so that the return of a node counts too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '@roz/server/db/embedded/process.ts'
import type { ClusterNode } from '../../../ops/cluster/cluster.ts'
import { switchOver } from '../../../ops/cluster/switch-over.ts'
import { aim, type Field, night, type Strike } from '../strikes.ts'
import type { ClusterGround } from './cluster-target.ts'

type ClusterField = Field<ClusterGround>
type ClusterStrike = Strike<ClusterGround>
type Hit = (field: ClusterField, leader: ClusterNode, others: readonly ClusterNode[]) => Promise<unknown> | void

const SERVED_WITHIN_MS = 60_000
const LOOK_MS = 20
/** Under load a standby may lose its line between two strikes, and come back. */
const WHOLE_WITHIN_MS = 60_000
/** How long the damage lasts after clients are served again: etcd and leases must notice it too. */
const LASTS_MS = [1000, 4000] as const
/** Longer than the lease. */
const WITHOUT_ETCD_MS = 15_000
const LAGGING_MS = 2500

const hitting =
  (hit: Hit): ClusterStrike =>
  async (field) => {
    const { stand, load, dice } = field
    await stand.expectAllUp()
    const leader = await stand.leader()
    const others = stand.cluster.nodes.filter((node) => node !== leader)
    const inFlight = await aim(field)
    if (inFlight === undefined) return undefined
    const endedAt = performance.now()
    await hit(field, leader, others)
    const until = performance.now() + SERVED_WITHIN_MS
    while (load.acknowledgedAfter(endedAt) === undefined && performance.now() < until) await sleep(LOOK_MS)
    await sleep(dice.between(...LASTS_MS))
    await stand.repair()
    return { inFlight, endedAt }
  }

const send = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) signal(pid, name)
}
const anyOf = ({ dice, stand }: ClusterField): ClusterNode => dice.pick(stand.cluster.nodes)

const killNode: Hit = async ({ stand }, leader) => {
  await leader.killAll()
  await stand.succeeded(leader)
}

export const CLUSTER_STRIKES = {
  'leader-kill': hitting((_field, leader) => send(leader.pidsOf('postgres'), 'SIGKILL')),
  'node-kill': hitting(killNode),
  'leader-stop': hitting(async ({ stand }, leader) => {
    send(leader.pidsOf('patroni'), 'SIGTERM')
    await stand.succeeded(leader)
  }),
  'leader-pause': hitting(async ({ stand }, leader) => {
    send([...leader.pidsOf('patroni'), ...leader.pidsOf('postgres')], 'SIGSTOP')
    await stand.succeeded(leader)
  }),
  'patroni-kill': hitting(async ({ stand }, leader) => {
    send(leader.pidsOf('patroni'), 'SIGKILL')
    await stand.succeeded(leader)
  }),
  'standby-kill': hitting(({ dice }, _leader, others) => dice.pick(others).killAll()),
  /** The standbys receive nothing for a while; then the leader's node dies. */
  'lagging-kill': hitting(async ({ stand }, leader, others) => {
    const { network } = stand.cluster
    for (const { place } of others) network.cut(place)
    await sleep(LAGGING_MS)
    await leader.killAll()
    for (const { place } of others) network.mend(place)
    await stand.succeeded(leader)
  }),
  'etcd-kill': hitting((field) => send(anyOf(field).pidsOf('etcd'), 'SIGKILL')),
  'etcd-stop': hitting((field) => send(anyOf(field).pidsOf('etcd'), 'SIGTERM')),
  'etcd-kill-all': hitting(async ({ stand }) => {
    for (const node of stand.cluster.nodes) send(node.pidsOf('etcd'), 'SIGKILL')
    await sleep(WITHOUT_ETCD_MS)
  }),
  'app-kill': hitting((field) => send(anyOf(field).pidsOf('product'), 'SIGKILL')),
  'app-stop': hitting((field) => send(anyOf(field).pidsOf('product'), 'SIGTERM')),
  'pooler-kill': hitting((field) => {
    const node = anyOf(field)
    send([...node.pidsOf('pooler'), ...node.pidsOf('leader')], 'SIGKILL')
  }),
  'cut-leader': hitting(async ({ stand }, leader) => {
    stand.cluster.network.cut(leader.place)
    await stand.succeeded(leader)
  }),
  'cut-standby': hitting(({ dice, stand }, _leader, others) => stand.cluster.network.cut(dice.pick(others).place)),
  'switch-over': hitting(({ stand }) => switchOver(stand.cluster, undefined, WHOLE_WITHIN_MS)),
  'midnight-node-kill': night('passes', hitting(killNode)),
} as const satisfies Readonly<Record<string, ClusterStrike>>

export type ClusterKind = keyof typeof CLUSTER_STRIKES
export const CLUSTER_KINDS = Object.keys(CLUSTER_STRIKES) as ClusterKind[]
/** Those that need networks of their own. */
export const CUTS: readonly ClusterKind[] = ['lagging-kill', 'cut-leader', 'cut-standby']
/** In a round of kinds; once without an entry. */
export const CLUSTER_OFTEN: Readonly<Record<string, number>> = {
  'switch-over': 3,
  'leader-kill': 2,
  'node-kill': 3,
  'cut-leader': 2,
  'app-kill': 2,
}
