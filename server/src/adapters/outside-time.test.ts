/** Tests the time of machines outside: the beacon's newest round and a host's Date header. */
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { makeChain } from '../testing/beacon-relay.ts'
import { roundTimeMs } from './beacon/port.ts'
import { createOutsideTime } from './outside-time.ts'
import { listen } from '../testing/listening.ts'

const { chain } = makeChain()
const beacon = { getNewestRound: async () => 7_000_000 }

test('the beacon and each host that answers give their time, whatever the status; others give none', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(404, { date: 'Fri, 27 Nov 2026 12:00:00 GMT' }).end()
  })
  const url = await listen(server)
  const ask = createOutsideTime({ beacon, chain, urls: [url, 'http://127.0.0.1:1'] })
  expect(await ask()).toEqual([roundTimeMs(chain, 7_000_000), Date.UTC(2026, 10, 27, 12)])
  server.close()
})

test('without a chain the beacon is not asked, and a beacon that is away gives no time', async () => {
  expect(await createOutsideTime({ beacon, chain: undefined, urls: [] })()).toEqual([])
  expect(await createOutsideTime({ beacon: { getNewestRound: async () => undefined }, chain, urls: [] })()).toEqual([])
})
