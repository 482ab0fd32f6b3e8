/** Outside production only the server's own names are served. */
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { registerOwnHosts } from './own-hosts.ts'

let app = Fastify()
afterEach(() => app.close())

async function statusAt(
  options: Parameters<typeof registerOwnHosts>[1],
  headers: Record<string, string>,
  trustProxy = false,
): Promise<number> {
  await app.close()
  app = Fastify({ trustProxy })
  registerOwnHosts(app, options)
  app.get('/dev/mail', () => 'mails')
  return (await app.inject({ url: '/dev/mail', headers })).statusCode
}
const HERE = { host: '127.0.0.1', publicUrl: undefined }

test.each(['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', 'LOCALHOST:8080'])('%s is served', async (host) => {
  expect(await statusAt(HERE, { host })).toBe(200)
})

test.each([
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example@localhost:x',
  '192.168.1.7',
])('“%s” is refused with 421', async (host) => {
  expect(await statusAt(HERE, { host })).toBe(421)
})

test('HOST and the host of PUBLIC_URL are served; a name that a proxy forwards must be one of them too', async () => {
  const options = { host: '127.0.0.9', publicUrl: 'https://roz.example' }
  expect(await statusAt(options, { host: '127.0.0.9:8080' })).toBe(200)
  expect(await statusAt(options, { host: 'roz.example' })).toBe(200)
  expect(await statusAt(options, { host: 'localhost', 'x-forwarded-host': 'roz.example' }, true)).toBe(200)
  expect(await statusAt(options, { host: 'localhost', 'x-forwarded-host': 'evil.example' }, true)).toBe(421)
  expect(await statusAt({ host: '::1', publicUrl: undefined }, { host: '[::1]:8080' })).toBe(200)
})

test('a GET of HTTP/1.0 without a name is served, as load balancers send it; a POST is not', async () => {
  await app.close()
  app = Fastify()
  registerOwnHosts(app, HERE)
  app.route({ method: ['GET', 'POST'], url: '/readyz', handler: () => 'ready' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const statusOf = (head: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(`${head} /readyz HTTP/1.0\r\n\r\n`))
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('close', () => resolve(text.split(' ')[1]))
      socket.on('error', reject)
    })
  expect([await statusOf('GET'), await statusOf('POST')]).toEqual(['200', '421'])
})

test('with a HOST for all addresses of the machine, which ALLOW_INSECURE=host allows, any name is served', async () => {
  expect(await statusAt({ host: '0.0.0.0', publicUrl: undefined }, { host: 'roz.lan' })).toBe(200)
})
