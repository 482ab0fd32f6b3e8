/** Tests the load balancer of the tests: which server gets each connection. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { spreadOver } from './load-balancer.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function serverThatSays(words: string): Promise<number> {
  const server: Server = createServer((_, response) => void response.setHeader('connection', 'close').end(words))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}
const said = async (url: string): Promise<string> => (await fetch(url)).text()

test('connections are assigned to the servers in turn, and a stopped server is skipped', async () => {
  const ports = [await serverThatSays('one'), await serverThatSays('two')]
  const spread = await spreadOver(() => ports)
  ends.push(() => spread.close())
  const heard = [await said(spread.url), await said(spread.url), await said(spread.url)]
  expect(new Set(heard)).toEqual(new Set(['one', 'two']))
  expect(heard[0]).toBe(heard[2])
  await ends.splice(1, 1)[0]?.()
  expect([await said(spread.url), await said(spread.url)]).toEqual(['one', 'one'])
})

test('with no server left a connection ends, and does not wait', async () => {
  const spread = await spreadOver(() => [])
  ends.push(() => spread.close())
  await expect(fetch(spread.url)).rejects.toThrow('fetch failed')
})
