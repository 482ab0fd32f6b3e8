/** Starts and stops `npm start` as a user does. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ask } from '../../e2e/harness/calls.ts'
import { copyFirstData } from '../../e2e/harness/first-data.ts'
import { freePorts } from '../../e2e/harness/program.ts'
import { endAll, launch, type Launched, newFolder, nothingLeft } from './launched.ts'

const folder = newFolder('roz start ')
/** The longest wait on a busy machine; a wait ends as soon as its condition is met. */
const GONE_MS = 30_000
let count = 0

type Options = {
  readonly dataDir?: string
  readonly command?: readonly string[]
  readonly isFirst?: boolean
  readonly env?: Readonly<Record<string, string>>
}
/** Starts on a copy of the data of a first start, unless `isFirst` is set. */
async function start(options: Options = {}): Promise<Launched & { readonly dataDir: string }> {
  const dataDir = options.dataDir ?? path.join(folder, `data ${++count}`)
  if (options.dataDir === undefined && options.isFirst !== true) {
    mkdirSync(dataDir, { mode: 0o711 })
    copyFirstData(dataDir)
  }
  const { command, env = {} } = options
  const launched = launch({ port: await freePorts(), dataDir, env, ...(command === undefined ? {} : { command }) })
  return { ...launched, dataDir }
}

const serverOf = (launched: Launched): number =>
  launched.processes().find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('server/src/main.ts')) ?? Number.NaN

afterEach(endAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('npm start prints its address and the logins, and Ctrl-C ends the server and its database', async () => {
  const roz = await start({ isFirst: true, env: { DEMO: '1' } })
  await roz.ready()
  await expect.poll(roz.output, { timeout: GONE_MS }).toMatch(/Demo member .*\n/)
  const local = roz.url.replace('127.0.0.1', 'localhost')
  for (const line of [`is ready at ${local} (`, `Admin portal   ${local}/admin/login`, `Caught mails   ${local}/dev/mail`])
    expect(roz.output()).toContain(line)
  const printed = (who: string): { email: string; password: string } => {
    const [, email = '', password = ''] = new RegExp(`^${who} +(\\S+) +(\\S+)$`, 'm').exec(roz.output()) ?? []
    return { email, password }
  }
  expect((await ask(roz.url, 'adminLogin', { body: printed('Administrator') })).output.token).not.toBe('')
  expect((await ask(roz.url, 'login', { body: printed('Demo member') })).output.user.wallet.balance).toBeGreaterThan(0)
  expect(roz.processes().length).toBeGreaterThan(3)
  roz.tellGroup('SIGINT')
  // The shell in which npm runs us ends by the signal, and so does npm: 130 in a terminal.
  const { code, signal } = await roz.ended
  expect(signal ?? code).toSatisfy((end) => end === 'SIGINT' || end === 130 || end === 0)
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
})

test('SIGTERM to every process at once ends all of them', async () => {
  const roz = await start()
  await roz.ready()
  roz.tellGroup('SIGTERM')
  await roz.ended
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
})

test('SIGTERM to npm alone ends every process', async () => {
  const roz = await start()
  await roz.ready()
  process.kill(roz.pid, 'SIGTERM')
  await roz.ended
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
})

test('SIGTERM to the launcher alone ends every process, with exit code 0', async () => {
  const roz = await start({ command: ['node', 'ops/launch/start.mjs'] })
  await roz.ready()
  process.kill(roz.pid, 'SIGTERM')
  expect(await roz.ended).toEqual({ code: 0, signal: null })
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
})

test('a stop during the start leaves no process', async () => {
  const roz = await start({ isFirst: true })
  await expect.poll(() => roz.processes().length, { timeout: GONE_MS, interval: 5 }).toBeGreaterThan(3)
  roz.tellGroup('SIGINT')
  await roz.ended
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
  const again = await start({ dataDir: roz.dataDir })
  await again.ready()
})

test('a second start installs and builds nothing, and prints the seconds it took', async () => {
  const first = await start()
  await first.ready()
  first.tellGroup('SIGINT')
  await nothingLeft(first, GONE_MS)
  const second = await start({ dataDir: first.dataDir })
  await second.ready()
  await expect.poll(second.output, { timeout: GONE_MS }).toMatch(/is ready at http\S+ \(\d+\.\d s\)/)
  expect(second.output()).not.toMatch(/Installing|Building/)
})

test('a start on a busy port names the port and how to choose another', async () => {
  const port = await freePorts()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  const roz = launch({ port, dataDir: path.join(folder, 'busy') })
  expect((await roz.ended).code).toBe(1)
  expect(roz.output()).toContain(`Port ${port} `)
  expect(roz.output()).toContain('PORT=')
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
  other.close()
})

test('after kill -9 of the server the launcher says so, and the next start uses the same database', async () => {
  const roz = await start()
  await roz.ready()
  process.kill(serverOf(roz), 'SIGKILL')
  expect((await roz.ended).code).toBe(1)
  expect(roz.output()).toContain('outside Roz stopped the server (SIGKILL)')
  const again = await start({ dataDir: roz.dataDir })
  await again.ready()
  again.tellGroup('SIGINT')
  expect(await nothingLeft(again, GONE_MS)).toEqual([])
  expect(roz.processes()).toEqual([])
})

test('after kill -9 of server and database the next start recovers', async () => {
  const roz = await start()
  await roz.ready()
  for (const pid of roz.processes()) process.kill(pid, 'SIGKILL')
  await roz.ended
  const again = await start({ dataDir: roz.dataDir })
  await again.ready()
})

test('after kill -9 of the launcher the server stops', async () => {
  const roz = await start({ command: ['node', 'ops/launch/start.mjs'] })
  await roz.ready()
  process.kill(roz.pid, 'SIGKILL')
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
})

test('two starts from one checkout run side by side', async () => {
  const [one, two] = await Promise.all([start({ isFirst: true }), start({ isFirst: true })])
  await Promise.all([one.ready(), two.ready()])
  one.tellGroup('SIGINT')
  expect(await nothingLeft(one, GONE_MS)).toEqual([])
  expect((await fetch(`${two.url}/readyz`)).status).toBe(200)
})
