/** Tests that a switch-over waits for the whole cluster: with nodes that answer as Patroni's REST API does. */
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ClusterNode } from './cluster.ts'
import { PORT } from './settings.ts'
import { leaderOfWhole } from './switch-over.ts'

type Member = { readonly name: string; readonly role: string; readonly state: string; readonly lag?: number }
const LEADER = { name: 'node1', role: 'leader', state: 'running' }
const standby = (name: string, state = 'streaming', role = 'sync_standby'): Member => ({ name, role, state, lag: 312 })
const WHOLE = [LEADER, standby('node2'), standby('node3')]

let members: readonly Member[] = []
const servers: Server[] = []
const nodes = [1, 2, 3].map((number) => ({ name: `node${number}`, address: `127.0.77.${number}` }) as ClusterNode)
// Every address of 127.0.0.0/8 is this machine on Linux alone, where clusters run.
const onLinux = process.platform === 'linux'

beforeAll(async () => {
  if (!onLinux) return
  for (const { name, address } of nodes) {
    const server = createServer(({ url }, response) => {
      const leads = members.some((member) => member.name === name && member.role === 'leader')
      if (url === '/primary') response.writeHead(leads ? 200 : 503).end()
      else response.end(JSON.stringify({ members }))
    })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(PORT.patroni, address, resolve))
    servers.push(server)
  }
})
afterAll(() => {
  for (const server of servers) server.close()
})
beforeEach(() => {
  members = WHOLE
})

test.runIf(onLinux)('standbys that stream are enough, although they are some bytes behind under load', async () => {
  expect((await leaderOfWhole({ nodes }, 0))?.name).toBe('node1')
})

test.runIf(onLinux).each([
  ['no leader', WHOLE.slice(1)],
  ['one standby alone', WHOLE.slice(0, 2)],
  ['a standby that does not stream yet', [LEADER, standby('node2'), standby('node3', 'starting')]],
  ['a standby that is not synchronous yet', [LEADER, standby('node2'), standby('node3', 'streaming', 'replica')]],
])('with %s it waits until all are there, and gives up after its time', async (_what, lacking) => {
  members = lacking
  expect(await leaderOfWhole({ nodes }, 250)).toBeUndefined()
  const waits = leaderOfWhole({ nodes }, 20_000)
  await sleep(250)
  members = WHOLE
  expect((await waits)?.name).toBe('node1')
})
