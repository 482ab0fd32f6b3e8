/** The campaign of `npm run lab -- faults --cluster`: its faults, its control, or the missing requirements. */
import { runCycles, type RunResult, type CycleOptions } from '../cycles.ts'
import type { Campaign, ControlResult } from '../summary.ts'
import { canCutHere, lackingHere, openClusterTarget } from './cluster-target.ts'
import { CLUSTER_KINDS, CLUSTER_OFTEN, CLUSTER_FAULTS, type ClusterKind, CUTS } from './cluster-faults.ts'

const TRIES_MAX = 4
/** The death of a leader is noticed when its lease ends. The election and the way back to it take less than this. */
const AFTER_LEASE_MS = 7000

export async function clusterCampaign(leaseSeconds: number): Promise<Campaign | string> {
  const lacking = await lackingHere()
  if (lacking.length > 0) return lacking.join('\n')
  const canCut = await canCutHere()
  return {
    kinds: CLUSTER_KINDS.filter((kind) => canCut || !CUTS.includes(kind)),
    often: CLUSTER_OFTEN,
    silenceMaxMs: leaseSeconds * 1000 + AFTER_LEASE_MS,
    controls: canCut ? [(seed) => loseWithoutStandbys(leaseSeconds, seed)] : [],
    run: (options) => runOnCluster({ ...options, kinds: options.kinds as readonly ClusterKind[] }, leaseSeconds),
  }
}

/** Opens a cluster and injects one fault of each of these kinds, in this order. */
export function runOnCluster(options: CycleOptions<ClusterKind>, leaseSeconds: number, isUnsafe = false): Promise<RunResult> {
  const { members, say } = options
  return runCycles(
    {
      open: () => openClusterTarget({ members, leaseSeconds, ...(say === undefined ? {} : { say }) }),
      faults: CLUSTER_FAULTS,
      prepare: async (target) => {
        if (isUnsafe) await target.commitOnOneNode()
      },
    },
    { ...options, isWeakened: isUnsafe },
  )
}

/** Commits that do not wait for the standbys must be found lost when their only node dies. */
async function loseWithoutStandbys(leaseSeconds: number, seed: number): Promise<ControlResult> {
  const kinds = Array.from({ length: TRIES_MAX }, () => 'lagging-kill' as const)
  const { finding, cycles } = await runOnCluster({ kinds, seed, clients: 12, members: 60 }, leaseSeconds, true)
  return { control: 'commits-on-one-node', shows: 'lost', cycles: cycles.length, found: finding?.lost[0] }
}
