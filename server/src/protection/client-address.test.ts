/** Tests that a forged X-Forwarded-For cannot change the client's address: only the operator's own proxies are believed. */
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

test('without a proxy X-Forwarded-For is ignored', async () => {
  expect(await addressBehind(false, { from: CLIENT, forwarded: FORGED })).toBe(CLIENT)
})

test('behind one proxy or two, the client’s address is what the outermost proxy saw', async () => {
  expect(await addressBehind(1, { from: PROXY, forwarded: `${FORGED}, ${CLIENT}` })).toBe(CLIENT)
  expect(await addressBehind(2, { from: '10.0.0.1', forwarded: `${FORGED}, ${CLIENT}, ${PROXY}` })).toBe(CLIENT)
})

test('with a list of proxies, X-Forwarded-For from any other address is ignored', async () => {
  expect(await addressBehind('10.0.0.0/8', { from: PROXY, forwarded: `${FORGED}, ${CLIENT}` })).toBe(CLIENT)
  expect(await addressBehind('10.0.0.0/8', { from: CLIENT, forwarded: FORGED })).toBe(CLIENT)
})
