/** Bodies: whole however they are cut, and bounded; a body that breaks off is no server error. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { PassThrough } from 'node:stream'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { BODY_BYTES_MAX, collect, readJsonBodies, readRawBodies } from './bodies.ts'

/** Sends a body in chunks of three bytes; returns status and text of the answer. */
async function sendCut(url: string, type: string, body: Buffer): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, { method: 'POST', headers: { 'content-type': type } })
  sent.on('error', () => undefined)
  for (let at = 0; at < body.length; at += 3) sent.write(body.subarray(at, at + 3))
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  return { status: answer.statusCode, text: (await answer.toArray()).join('') }
}

test.each(['application/json', 'application/octet-stream'])(
  'a body of %s in tiny chunks is whole; one byte above the limit is refused',
  async (type) => {
    const app = Fastify()
    if (type === 'application/json') readJsonBodies(app)
    else readRawBodies(app)
    app.post('/', async ({ body }) => (Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body)))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const whole = JSON.stringify({ name: 'ज्ञान '.repeat(500) })
    expect(await sendCut(url, type, Buffer.from(whole))).toEqual({ status: 200, text: whole })
    const longest = JSON.stringify('x'.repeat(BODY_BYTES_MAX - 2))
    expect((await sendCut(url, type, Buffer.from(longest))).status).toBe(200)
    expect((await sendCut(url, type, Buffer.from(`${longest} `))).status).toBe(413)
    await app.close()
  },
)

test('a body that breaks off is refused as an input, not logged as a fault', async () => {
  const stream = new PassThrough()
  const collected = collect(stream, 100)
  stream.write('half')
  stream.destroy()
  await expect(collected).rejects.toMatchObject({ statusCode: 400 })
})

test('a body that broke off before it is read is refused too', async () => {
  const stream = new PassThrough()
  stream.on('error', () => undefined)
  stream.write('half')
  stream.destroy(new Error('Unexpected end of form'))
  await new Promise((resolve) => stream.once('close', resolve))
  await expect(collect(stream, 100)).rejects.toMatchObject({ statusCode: 400, message: 'Unexpected end of form' })
})

test('a body that nobody asked for is not read: of another type, or for an unknown address', async () => {
  const app = Fastify()
  readJsonBodies(app)
  app.post('/', async ({ body }) => ({ body: body ?? 'absent' }))
  app.setNotFoundHandler(async ({ body }) => ({ body: body ?? 'absent' }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const body = Buffer.from('x'.repeat(2 * BODY_BYTES_MAX))
  for (const address of [url, `${url}/nothing`])
    expect(await (await fetch(address, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })).json()).toEqual({
      body: 'absent',
    })
  expect((await sendCut(`${url}/nothing`, 'application/json', body)).status).toBe(413)
  await app.close()
})
