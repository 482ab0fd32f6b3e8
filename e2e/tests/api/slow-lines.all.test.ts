/**
 * An attacker opens many slow connections to the real program: slow readers, silent connections, request heads and bodies that
 * never end.
 * - All other clients are still served.
 * - The server ends the attacker's connections by itself.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { register } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

const SCRIPT = path.join(import.meta.dirname, '../../harness/slow_lines.py')
/** More than the server's limit of 500 ordinary requests in progress (protection/shedding.ts). */
const LINES = 505
/** A reader may take 10 s and a second for each 8 KB (protection/shedding.ts): for the API document about a minute. */
const ENDED_WITHIN_MS = 110_000

let roz: Program
const attackers: ChildProcess[] = []
beforeAll(async () => {
  roz = await startProgram()
})
afterAll(() => {
  for (const attacker of attackers) attacker.kill()
})

/** Resolves when all connections are open; `ended` resolves when the server has ended them. */
async function attack(source: string, request: string, count = LINES): Promise<{ readonly ended: Promise<string> }> {
  const { hostname, port } = new URL(roz.url)
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname
  const attacker = spawn('python3', ['-B', SCRIPT, host, port, source, String(count), request], { stdio: ['pipe', 'pipe', 'inherit'] })
  attackers.push(attacker)
  const said = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]()
  expect((await said.next()).value).toBe('open')
  return { ended: said.next().then(({ value }) => String(value)) }
}
const get = (address: string): string => `GET ${address} HTTP/1.1\r\nHost: roz\r\nConnection: close\r\n\r\n`
const statusOf = async (address: string): Promise<number> => (await fetch(roz.url + address)).status
/** Larger than the kernel's send buffer (about 60 KB): only then does the server have something left to end. */
const FILE = '/verify/roz-verify.mjs'
const SERVED = ['/', '/login', '/api/public/home', '/api/rounds/current', '/healthz']

test('505 slow readers of a file, a page or a call block nobody, and the server ends their connections', { timeout: 150_000 }, async () => {
  const ending = [await attack('127.0.0.2', get(FILE)), await attack('127.0.0.3', get('/api/openapi.json'))]
  await attack('127.0.0.4', get('/'))
  for (const address of [...SERVED, FILE]) expect(await statusOf(address), address).toBe(200)
  await expect(Promise.race([Promise.all(ending.map(({ ended }) => ended)), after(ENDED_WITHIN_MS)])).resolves.toEqual(['ended', 'ended'])
  for (const address of SERVED) expect(await statusOf(address), address).toBe(200)
})

test('the server ends silent connections and request heads that never end', { timeout: 150_000 }, async () => {
  const attacks = [await attack('127.0.0.5', ''), await attack('127.0.0.6', 'GET / HTTP/1.1\r\nHost: roz\r\nX-Slow: ')]
  for (const address of SERVED) expect(await statusOf(address), address).toBe(200)
  await expect(Promise.race([Promise.all(attacks.map(({ ended }) => ended)), after(ENDED_WITHIN_MS)])).resolves.toEqual(['ended', 'ended'])
})

test('half-sent uploads and bodies block nobody, and the server ends their connections', { timeout: 150_000 }, async () => {
  const [mallory, asha] = [await register(roz.url, 'Mallory', 'mallory@x.test'), await register(roz.url, 'Asha', 'asha@x.test')]
  const post = (address: string, type: string, begun: string, token = mallory.token): string =>
    `POST ${address} HTTP/1.1\r\nHost: roz\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: 60000\r\n\r\n${begun}`
  const form = '--x\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nhalf'
  const avatar = post('/api/user/avatar', 'multipart/form-data; boundary=x', form)
  const attacks = [
    await attack('127.0.0.7', avatar),
    await attack('127.0.0.8', avatar),
    await attack('127.0.0.9', post('/api/contact', 'application/json', '{"name": ')),
  ]
  for (const address of SERVED) expect(await statusOf(address), address).toBe(200)
  const body = new FormData()
  body.set('avatar', new Blob(['no picture'], { type: 'image/png' }), 'a.png')
  const upload = await fetch(`${roz.url}/api/user/avatar`, { method: 'POST', headers: { authorization: `Bearer ${asha.token}` }, body })
  expect([upload.status, ((await upload.json()) as { code: string }).code]).toEqual([400, 'avatar_not_image'])
  const ended = Promise.all(attacks.map((one) => one.ended))
  await expect(Promise.race([ended, after(ENDED_WITHIN_MS)])).resolves.toEqual(['ended', 'ended', 'ended'])
  for (const address of SERVED) expect(await statusOf(address), address).toBe(200)
})

const after = (ms: number): Promise<never> =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not ended within ${ms / 1000} s`)), ms).unref()
  })
