/**
 * Tests the cluster of lab/cluster under load: the leader dies, a planned switch-over, nothing is left behind.
 * - It needs root, Debian's packages and a few minutes, so only npm run test:all runs it.
 */
import { readdirSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { KINDS } from '../faults.ts'
import { kindsFrom, planOf } from '../plan.ts'
import { lackingHere } from './cluster-target.ts'
import { clusterCampaign, runOnCluster } from './run.ts'
import { CLUSTER_KINDS, CLUSTER_OFTEN } from './cluster-faults.ts'

const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
const LEASE_SECONDS = 8
const lacking = await lackingHere()
/** This machine's ends of the veth pairs to clusters. */
const cables = (): string[] => Object.keys(networkInterfaces()).filter((name) => /^roz\d+$/.test(name))
const canRun = process.env.ROZ_TEST_ALL === '1' && lacking.length === 0

test.skipIf(!canRun)(
  'a leader that dies under load and a switch-over lose and double nothing, and nothing is left behind',
  {
    timeout: 900_000,
  },
  async () => {
    const lines: string[] = []
    const before = cables()
    const options = { kinds: ['node-kill', 'switch-over'] as const, seed: SEED, clients: 8, members: 40 }
    const { finding, cycles, acknowledged } = await runOnCluster({ ...options, say: (line) => void lines.push(line) }, LEASE_SECONDS)
    expect(finding, lines.join('\n')).toBeUndefined()
    expect(cycles.map(({ kind }) => kind)).toEqual(options.kinds)
    expect(acknowledged).toBeGreaterThan(0)
    expect(cycles.find(({ kind }) => kind === 'switch-over')?.cutOff, lines.join('\n')).toBe(0)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`roz-cluster-${process.pid}-`))).toEqual([])
    await expect.poll(() => cables().filter((cable) => !before.includes(cable))).toEqual([])
  },
)

test('the command lists its faults, or names the missing requirements', async () => {
  const campaign = await clusterCampaign(LEASE_SECONDS)
  if (typeof campaign === 'string') expect(campaign).toBe(lacking.join('\n'))
  else expect(CLUSTER_KINDS).toEqual(expect.arrayContaining([...campaign.kinds]))
})

test('an unknown fault is refused with the list of faults; a round contains each of them', () => {
  expect(kindsFrom('node-kill,switch-over', CLUSTER_KINDS)).toEqual(['node-kill', 'switch-over'])
  expect(kindsFrom(undefined, CLUSTER_KINDS)).toEqual(CLUSTER_KINDS)
  expect(() => kindsFrom('server-kill', CLUSTER_KINDS)).toThrow('no such fault: server-kill. There are: leader-kill, node-kill')
  expect(CLUSTER_KINDS.filter((kind) => (KINDS as string[]).includes(kind))).toEqual([])
  const often = Object.values(CLUSTER_OFTEN).reduce((sum, count) => sum + count - 1, CLUSTER_KINDS.length)
  expect(new Set(planOf(CLUSTER_KINDS, 7, CLUSTER_OFTEN)(often)).size).toBe(CLUSTER_KINDS.length)
})
