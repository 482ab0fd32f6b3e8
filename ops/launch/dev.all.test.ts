/**
 * `npm run dev`, on a copy of the sources: an edit of a screen is in the open page without a reload, an edit of the server is served
 * after its next start and an edit of a public page after its next build, new English is shown before its Hindi exists, and the end
 * leaves no process.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../e2e/harness/browser.ts'
import { freePorts } from '../../e2e/harness/program.ts'
import { copySources, endAll, launch, nothingLeft, ROOT } from './launched.ts'

/** The longest wait on a busy machine; a wait ends as soon as its condition is met. */
const SEEN = { timeout: 60_000 }
const BUILT = { timeout: 240_000 }

let checkout: string
beforeAll(() => {
  // In the checkout: the packages are linked, which takes one disk.
  mkdirSync(path.join(ROOT, '.build'), { recursive: true })
  checkout = mkdtempSync(path.join(ROOT, '.build', 'dev-test-'))
  copySources(checkout)
  expect(spawnSync('cp', ['-al', path.join(ROOT, 'node_modules'), checkout]).status).toBe(0)
})
afterEach(endAll)
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(checkout, file), 'utf8')
  expect(text).toContain(from)
  // A new file: nothing linked is written to.
  writeFileSync(
    path.join(checkout, file),
    text.replace(from, () => to),
  )
}

/** The answer's text; empty while the server starts. */
const textOf = (url: string, request?: RequestInit): Promise<string> =>
  fetch(url, request).then(
    (answer) => answer.text(),
    () => '',
  )

test('npm run dev shows an edit of a screen, of the server and of a public page, lists texts without Hindi, and ends with Ctrl-C', {
  timeout: 900_000,
}, async () => {
  const command = ['npm', 'run', 'dev']
  const roz = launch({ port: await freePorts(), dataDir: path.join(checkout, '.data'), cwd: checkout, command })
  await roz.ready()
  const browser = await openBrowser()
  const page = await browser.newPage({ locale: 'en-IN' })
  const faults: string[] = []
  page.on('pageerror', (error) => void faults.push(error.message))
  await page.goto(`${roz.url}/login`)
  const heading = page.getByRole('heading', { level: 1 })
  await expect.poll(() => heading.textContent(SEEN), SEEN).toBe('Log in')

  await page.getByRole('textbox').first().fill('asha@example.org')
  edit('web/src/features/auth/LoginPage.tsx', 'title={t`Log in`}', 'title={t`Come in and sit down`}')
  await expect.poll(() => heading.textContent(SEEN), SEEN).toBe('Come in and sit down')
  expect(await page.getByRole('textbox').first().inputValue()).toBe('asha@example.org')
  await expect.poll(roz.output, SEEN).toContain('No words yet: hi: "Come in and sit down" (src/features/auth/LoginPage.tsx)')

  const refused = async (): Promise<string> => {
    const body = JSON.stringify({ email: 'asha@example.org', password: 'not the password' })
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    return textOf(`${roz.url}/api/auth/login`, request)
  }
  expect(await refused()).toContain('Invalid email or password')
  edit('core/src/refusals.ts', "texts('Invalid email or password')", "texts('Nobody has these two together')")
  await expect.poll(refused, SEEN).toContain('Nobody has these two together')
  expect(roz.output()).toContain('No words yet: hi: "Nobody has these two together"')

  const homeHas = async (words: string): Promise<boolean> => (await textOf(`${roz.url}/`)).includes(words)
  const [before, broken] = ['{t`Put in my first rupee`}</a>', '{t`Begin with a rupee of mine`</a>']
  edit('web/src/public/Home.tsx', before, broken)
  await expect.poll(roz.output, BUILT).toContain('The public pages could not be built:')
  // The pages from before are still served.
  expect(await homeHas('Put in my first rupee')).toBe(true)
  edit('web/src/public/Home.tsx', broken, broken.replace('`</a>', '`}</a>'))
  await expect.poll(() => homeHas('Begin with a rupee of mine'), BUILT).toBe(true)
  expect(roz.output()).toContain('hi: "Begin with a rupee of mine" (src/public/Home.tsx)')

  expect(faults).toEqual([])
  await browser.close()
  roz.tellGroup('SIGINT')
  await roz.ended
  expect(await nothingLeft(roz, SEEN.timeout)).toEqual([])
})
