/** Tests that the generated settings keep the cluster's promises, and the messages about missing requirements. */
import { expect, test } from 'vitest'
import { text } from '../../ops/tidy/source.ts'
import { missingFor, type Surroundings } from './requirements.ts'
import {
  etcdArguments,
  frontSettings,
  leaderProxySettings,
  LEASE,
  leaseOf,
  patroniSettings,
  type Plan,
  poolerSettings,
  productEnvironment,
  rolesSql,
} from './settings.ts'

const nodes = [1, 2, 3].map((number) => ({ name: `node${number}`, address: `10.77.0.${number}` }))
const [first] = nodes as [(typeof nodes)[number]]
const plan: Plan = {
  nodes,
  network: '10.77.0.0/24',
  passwords: { postgres: 'a1', replicator: 'b2', rewinder: 'c3', patroni: 'd4', pooler: 'e5', roz_owner: 'f6', roz_app: 'a7' },
  lease: LEASE,
}
type Patroni = {
  readonly bootstrap: { readonly dcs: Record<string, unknown> & { readonly postgresql: { readonly parameters: Record<string, unknown> } } }
  readonly postgresql: { readonly pg_hba: readonly string[] }
}
const patroni = JSON.parse(patroniSettings(first, plan)) as Patroni

test('a commit waits for both standbys, and without a standby it waits for ever', () => {
  expect(patroni.bootstrap.dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true, synchronous_node_count: 2 })
})

test('the lease leaves Patroni two tries within its time, and a shorter one is refused', () => {
  const { ttl, loop_wait: loopWait, retry_timeout: retryTimeout } = patroni.bootstrap.dcs
  expect(Number(loopWait) + 2 * Number(retryTimeout)).toBeLessThanOrEqual(Number(ttl))
  expect(leaseOf(20)).toEqual({ ...LEASE, ttl: 20 })
  for (const wrong of [7, 61, 10.5, Number.NaN]) expect(() => leaseOf(wrong)).toThrow('--lease is a whole number of seconds from 8 to 60')
})

test('the page about failover names the lease under which its outages were measured', () => {
  const { ttl } = LEASE
  expect(text('docs/runbooks/failover.md')).toContain(`a lease of ${ttl} s (\`ttl: ${ttl}\`)`)
})

test('a former primary can be rewound, and every connection needs a password from the nodes’ network', () => {
  expect(patroni.bootstrap.dcs.postgresql).toMatchObject({ use_pg_rewind: true, use_slots: true, parameters: { wal_log_hints: 'on' } })
  for (const line of patroni.postgresql.pg_hba) expect(line).toMatch(/^(local|host) .* scram-sha-256$/)
  expect(patroni.postgresql.pg_hba.filter((line) => line.startsWith('host')).every((line) => line.includes(plan.network))).toBe(true)
})

test('each node finds every other, and nothing listens beyond its own address', () => {
  expect(etcdArguments(first, nodes).join(' ')).toContain(
    'node1=http://10.77.0.1:2380,node2=http://10.77.0.2:2380,node3=http://10.77.0.3:2380',
  )
  const texts = [
    leaderProxySettings(first, nodes),
    poolerSettings(first),
    patroniSettings(first, plan),
    etcdArguments(first, nodes).join(' '),
  ]
  for (const text of texts) expect(text).not.toMatch(/0\.0\.0\.0|\*:|listen_addr = \*/)
  expect(frontSettings(8080, nodes)).toContain('bind 127.0.0.1:8080')
})

test('HAProxy routes only to the leader, and ends the connections of a former leader', () => {
  const text = leaderProxySettings(first, nodes)
  expect(text).toMatch(/option httpchk OPTIONS \/primary[\s\S]*init-state fully-down on-marked-down shutdown-sessions/)
  expect(text.match(/server node\d 10\.77\.0\.\d:5432 check port 8008/g)).toHaveLength(3)
})

test('an instance talks to the pooler of its node, which knows named statements, and migrates past it', () => {
  const env = productEnvironment(first, { passwords: plan.passwords, sandboxUrl: 'http://10.77.0.254:8081', secretKey: 'k' })
  expect(env).toMatchObject({
    DATABASE_URL: 'postgres://roz_app:a7@10.77.0.1:6432/roz',
    MIGRATE_DATABASE_URL: 'postgres://roz_owner:f6@10.77.0.1:5000/roz',
    TRUST_PROXY: '1',
  })
  expect(poolerSettings(first)).toMatch(/pool_mode = transaction\nmax_prepared_statements = [1-9]/)
  expect(rolesSql(plan.passwords)).toContain("alter role roz_app in database roz set statement_timeout = '25s'")
})

const able: Surroundings = { platform: 'linux', isRoot: true, hasProgram: () => true, canMakeMachines: async () => true }
test.each([
  ['another system', { platform: 'darwin' }, 'A cluster needs Linux'],
  ['no root', { isRoot: false }, 'sudo npm run lab -- cluster'],
  ['no unshare', { hasProgram: (name: string) => name !== 'unshare' }, 'A cluster needs unshare, of Debian’s package util-linux.'],
  ['no namespaces', { canMakeMachines: async () => false }, 'This machine allows no namespaces'],
])('with %s the cluster is refused in one sentence', async (_what, lacking, sentence) => {
  expect(await missingFor(able)).toEqual([])
  expect(await missingFor({ ...able, ...lacking })).toEqual([expect.stringContaining(sentence)])
})
