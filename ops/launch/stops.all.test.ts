/** `npm start` is stopped, killed and started again in every way that start.test.ts leaves out. */
import { rmSync } from 'node:fs'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startsIn } from '../../e2e/harness/starts.ts'
import { endAll, newFolder, nothingLeft } from './launched.ts'

const folder = newFolder('roz stops ')
const start = startsIn(folder)
/** The longest wait on a busy machine; a wait ends as soon as its condition is met. */
const GONE_MS = 30_000

afterEach(endAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('SIGTERM to every process at once ends all of them', async () => {
  const roz = await start()
  await roz.ready()
  roz.tellGroup('SIGTERM')
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
