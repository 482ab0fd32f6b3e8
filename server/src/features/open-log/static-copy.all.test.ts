/** A copy of the published files on a plain file server: both verifiers reach the same verdict there as here. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IstDay } from '@roz/core/ist-day.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'

const DAY = '2026-11-21' as IstDay
const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-copy-'))
const world = useRoundsWorld()
let host: ChildProcess
let url: string

async function copy(name: string, file = name): Promise<void> {
  const response = await fetch(`${world.url}/api/public/${name}`)
  expect([name, response.status]).toEqual([name, 200])
  const to = path.join(folder, 'api/public', file)
  await mkdir(path.dirname(to), { recursive: true })
  await writeFile(to, Buffer.from(await response.arrayBuffer()))
}

/** Python's own file server: it serves a folder without any rule of ours. */
async function serveFolder(): Promise<string> {
  host = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    // Keep reading: the server prints its line in pieces, and a closed pipe would end it.
    host.stdout?.on('data', (piece) => {
      said += String(piece)
      const port = /port (\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    host.once('exit', () => reject(new Error(`python3 -m http.server did not start: ${said}`)))
  })
}

beforeAll(async () => {
  for (let n = 0; n < 5; n++) expect((await world.join(await world.member(5 + n))).status).toBe(200)
  await world.goTo('2026-11-22T10:00:00+05:30')
  const [{ rules } = { rules: '' }] = (await world.log()) as unknown as readonly { readonly rules: string }[]
  for (const name of ['log/key', 'log/entries/0', `log/sealed/${DAY}`, `draws/${DAY}/tickets`, `liabilities/${DAY}`, `rules/${rules}`])
    await copy(name)
  for (const name of [`draws/${DAY}`, `books/${DAY}`]) await copy(name, `${name}.json`)
  await copy('log/checkpoint')
  url = await serveFolder()
})
afterAll(async () => {
  host?.kill()
  await rm(folder, { recursive: true, force: true })
})

test('a plain file server serves a day completely and correctly', async () => {
  for (const verify of [verifyDay, verifyDayByTwin]) {
    const [there, here] = [await verify({ url, day: DAY }), await verify({ url: world.url, day: DAY })]
    expect(there).toEqual(here)
    expect(there.code, there.text).toBe(VERDICT.weak)
  }
})

test('a deleted file makes the verdict incomplete, not wrong', async () => {
  await rm(path.join(folder, `api/public/draws/${DAY}.json`))
  expect((await fetch(`${world.url}/api/public/books/2026-11-22.json`)).status).toBe(404)
  for (const verify of [verifyDay, verifyDayByTwin]) {
    const { code, text } = await verify({ url, day: DAY })
    expect(code, text).toBe(VERDICT.incomplete)
  }
})
