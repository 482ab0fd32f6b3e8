/** Starts and stops `npm start` as a user does. stops.all.test.ts has the rarer ends. */
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ask } from '../../e2e/harness/calls.ts'
import { freePorts } from '../../e2e/harness/program.ts'
import { startsIn } from '../../e2e/harness/starts.ts'
import { endAll, launch, type Launched, newFolder, nothingLeft } from './launched.ts'

const folder = newFolder('roz start ')
const start = startsIn(folder)
/** The longest wait on a busy machine; a wait ends as soon as its condition is met. */
const GONE_MS = 30_000

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

test('SIGTERM to npm alone ends every process', async () => {
  const roz = await start()
  await roz.ready()
  process.kill(roz.pid, 'SIGTERM')
  await roz.ended
  expect(await nothingLeft(roz, GONE_MS)).toEqual([])
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
