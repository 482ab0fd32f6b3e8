/** The campaign of `npm run faults -- --cluster`: its strikes, its control, or the sentence why it cannot run here. */
import { strikeAt, type StandResult, type StrikeOptions } from '../cycles.ts'
import type { Campaign, ControlResult } from '../summary.ts'
import { canCutHere, lackingHere, openClusterGround } from './cluster-target.ts'
import { CLUSTER_KINDS, CLUSTER_OFTEN, CLUSTER_STRIKES, type ClusterKind, CUTS } from './strikes.ts'

const TRIES_MAX = 4

export async function clusterCampaign(leaseSeconds: number): Promise<Campaign | string> {
  const lacking = await lackingHere()
  if (lacking.length > 0) return lacking.join('\n')
  const canCut = await canCutHere()
  return {
    kinds: CLUSTER_KINDS.filter((kind) => canCut || !CUTS.includes(kind)),
    often: CLUSTER_OFTEN,
    instances: 3,
    leaseSeconds,
    controls: canCut ? [(seed) => loseWithoutStandbys(leaseSeconds, seed)] : [],
    run: (options) => strikeCluster({ ...options, kinds: options.kinds as readonly ClusterKind[] }, leaseSeconds),
  }
}

/** Opens a cluster and strikes it once with each of these kinds, in this order. */
export function strikeCluster(options: StrikeOptions<ClusterKind>, leaseSeconds: number, isUnsafe = false): Promise<StandResult> {
  const { members, say } = options
  return strikeAt(
    {
      open: () => openClusterGround({ members, leaseSeconds, ...(say === undefined ? {} : { say }) }),
      strikes: CLUSTER_STRIKES,
      prepare: async (ground) => {
        if (isUnsafe) await ground.commitOnOneNode()
      },
    },
    { ...options, isWeakened: isUnsafe },
  )
}

/** Commits that do not wait for the standbys must be found lost when their only node dies. */
export async function loseWithoutStandbys(leaseSeconds: number, seed: number): Promise<ControlResult> {
  const kinds = Array.from({ length: TRIES_MAX }, () => 'lagging-kill' as const)
  const { finding, cycles } = await strikeCluster({ kinds, seed, clients: 12, members: 60 }, leaseSeconds, true)
  return { control: 'commits-on-one-node', shows: 'lost', cycles: cycles.length, found: finding?.lost[0] }
}
