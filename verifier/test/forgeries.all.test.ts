/**
 * Runs both programs on each forgery of a dishonest operator. Each is found, or chapter 16 of the protocol names why it cannot be.
 */
import { readFileSync, rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { memorySource } from '../src/sources.ts'
import { verifyDay } from '../src/verify.ts'
import { FORGERIES } from './forgeries.ts'
import { DAY, makeSite } from './site-maker.ts'
import { ASKED, makeFolder, runTwin } from './twin.ts'

const folder = makeFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const protocol = readFileSync(new URL('../../spec/protocol.md', import.meta.url), 'utf8')
const [, trusted = ''] = /^## 16\. .*\n([\s\S]*?)^## 17\. /m.exec(protocol) ?? []
/** Each line of chapter 16 begins with its name. */
const names = Array.from(trusted.matchAll(/^- `([a-z-]+)`: /gm), ([, name]) => name)

const both = async (name: string, done: Parameters<typeof runTwin>[2]): Promise<readonly string[]> => {
  const { verdict } = await verifyDay(memorySource(done.files), DAY, { ...ASKED, ...done.options })
  const said = await runTwin(folder, name, done)
  return [verdict, (/^[A-Z]+/.exec(said) ?? [''])[0]]
}

test('the honest set passes both programs', { timeout: 120_000 }, async () => {
  expect(await both('honest', { files: makeSite() })).toEqual(['PASS', 'PASS'])
})

test.each(Object.entries(FORGERIES))('%s', { timeout: 120_000 }, async (name, { make, verdict, named, what }) => {
  expect(await both(name, make()), what).toEqual([verdict, verdict])
  if (verdict === 'PASS') expect(names, what).toContain(named)
  else expect(named).toBeUndefined()
})

test('each line of chapter 16 has a name of its own', () => {
  expect(trusted.match(/^- /gm)?.length).toBe(names.length)
  expect(new Set(names).size).toBe(names.length)
})
