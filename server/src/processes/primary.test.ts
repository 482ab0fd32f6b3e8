/** Tests the first process with workers that hang, die or cannot be started. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Command, Pids } from '../testing/fleet.ts'

type Conduct = 'serve' | 'serve and never stop' | 'never serve'
type Fleet = {
  readonly lines: readonly string[]
  readonly command: (command: Command) => Promise<Pids>
  /** The behaviour of workers that start from now on. */
  readonly conduct: (conduct: Conduct) => Promise<void>
}

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function startFleet(first: Conduct, { serveMs = 60_000, stopMs = 60_000 } = {}): Promise<Fleet> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-fleet-'))
  const file = path.join(folder, 'conduct')
  await writeFile(file, first)
  const args = [file, String(serveMs), String(stopMs)]
  const program: ChildProcess = fork(path.join(import.meta.dirname, '../testing/fleet.ts'), args, { silent: true, execArgv: [] })
  const closed = once(program, 'close')
  ends.push(async () => {
    program.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true })
  })
  const lines: string[] = []
  for (const stream of [program.stdout, program.stderr]) stream?.on('data', (chunk) => void lines.push(...String(chunk).split('\n')))
  const command = async (wanted: Command): Promise<Pids> => {
    if (program.exitCode !== null) throw new Error(`the program ended: ${lines.join('\n')}`)
    const [answer] = await Promise.race([
      (program.send(wanted), once(program, 'message')),
      closed.then(() => Promise.reject(new Error(`the program ended: ${lines.join('\n')}`))),
    ])
    return answer as Pids
  }
  const fleet = { lines, command, conduct: (next: Conduct) => writeFile(file, next) }
  await until(() => lines.includes('ready') && counted(lines, 'a worker serves') === 2)
  expect(await command('list')).toHaveLength(2)
  return fleet
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 40_000 }).toBe(true)
}
const counted = (lines: readonly string[], wanted: string): number => lines.filter((line) => line.includes(wanted)).length
const NOT_STARTED = 'A new process could not start. The processes of before keep serving.'

test('an old process that does not stop is killed, so that all are replaced, as often as it is asked', async () => {
  const { lines, command } = await startFleet('serve and never stop', { stopMs: 300 })
  const before = await command('list')
  for (const times of [1, 2]) {
    await command('replace')
    await until(() => counted(lines, 'Replaced 2 processes.') === times)
  }
  const after = await command('list')
  expect(after).toHaveLength(2)
  for (const pid of before) expect(after).not.toContain(pid)
  expect(counted(lines, 'a worker did not stop in time, and is killed')).toBe(4)
}, 90_000)

test('a whole stop ends a process that does not stop by itself', async () => {
  const { lines, command } = await startFleet('serve and never stop', { stopMs: 300 })
  await command('stop')
  await until(async () => (await command('list')).length === 0)
  expect(counted(lines, 'a worker did not stop in time, and is killed')).toBe(2)
}, 90_000)

test('a new process that never serves is killed, the others stay, and one that died meanwhile gets a successor', async () => {
  const { lines, command, conduct } = await startFleet('serve', { serveMs: 2000 })
  const [dying, staying] = await command('list')
  await conduct('never serve')
  await command('replace')
  const fresh = (await command('list')).find((pid) => pid !== dying && pid !== staying)
  process.kill(Number(dying), 'SIGKILL')
  await until(() => lines.includes(NOT_STARTED))
  await until(async () => {
    const now = await command('list')
    return now.length === 2 && now.includes(staying) && !now.includes(dying) && !now.includes(fresh)
  })
}, 90_000)

test('a message to a process that has just died ends nobody else', async () => {
  const { command } = await startFleet('serve')
  const [dying, staying] = await command('list')
  await command('speak to a dead one')
  await until(async () => {
    const now = await command('list')
    return now.length === 2 && now.includes(staying) && !now.includes(dying)
  })
}, 90_000)

test('if the machine cannot start another process, the others keep serving and the start is retried', async () => {
  const { lines, command } = await startFleet('serve')
  const [dying, staying] = await command('list')
  await command('refuse processes')
  await command('replace')
  await until(() => lines.includes(NOT_STARTED))
  process.kill(Number(dying), 'SIGKILL')
  await until(() => counted(lines, 'a worker failed') >= 3)
  expect(await command('list')).toEqual([staying])
  await command('allow processes')
  await until(async () => (await command('list')).length === 2)
}, 90_000)
