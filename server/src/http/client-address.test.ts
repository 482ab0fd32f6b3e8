/** The client's address is what the operator's own proxies saw, whatever the client writes into X-Forwarded-For. */
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { trustedProxies } from './client-address.ts'

const FORGED = '203.0.113.7'
const CLIENT = '198.51.100.9'
const PROXY = '10.0.0.2'

async function addressBehind(setting: number | string | false, { from, forwarded }: { from: string; forwarded: string }): Promise<string> {
  const app = Fastify({ trustProxy: trustedProxies(setting) })
  app.get('/ip', (request, reply) => reply.send(request.ip))
  const { body } = await app.inject({ url: '/ip', remoteAddress: from, headers: { 'x-forwarded-for': forwarded } })
  await app.close()
  return body
}

test('without a proxy the header counts for nothing', async () => {
  expect(await addressBehind(false, { from: CLIENT, forwarded: FORGED })).toBe(CLIENT)
})

test('behind one proxy, and behind two, the address is the one that the outermost of them saw', async () => {
  expect(await addressBehind(1, { from: PROXY, forwarded: `${FORGED}, ${CLIENT}` })).toBe(CLIENT)
  expect(await addressBehind(2, { from: '10.0.0.1', forwarded: `${FORGED}, ${CLIENT}, ${PROXY}` })).toBe(CLIENT)
})

test('behind proxies that are named, nobody else’s word counts', async () => {
  expect(await addressBehind('10.0.0.0/8', { from: PROXY, forwarded: `${FORGED}, ${CLIENT}` })).toBe(CLIENT)
  expect(await addressBehind('10.0.0.0/8', { from: CLIENT, forwarded: FORGED })).toBe(CLIENT)
})
