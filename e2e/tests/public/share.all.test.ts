/**
 * Sharing a join, a win, a day and a story, by the system's share sheet with a picture or in WhatsApp.
 * - A shared link has its own title, words and picture (Open Graph tags) in its page's language.
 */
import { LANGUAGES } from '@roz/core/language.ts'
import { type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit, newVisit, openBrowser, type Visit } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, joinRound, newMember, passRound, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'

let roz: Program
let browser: Browser
let asha: Person
let visit: Visit
let date: string

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  await joinRound(roz.url, asha)
  date = await passRound(roz.url, asha)
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token })
})

const WORDS = /^I joined Roz with ₹1 on \d+ \w+ \d{4} and won\. Reward of the day: ₹0\.30\. Set aside for people in need: ₹0\.60\.$/
const address = (): string => `${roz.url}/verify/${date}`

test("without a share sheet the words are in a WhatsApp link, with the address of the draw's check", async () => {
  const { page } = visit
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  await page.goto(`${roz.url}/history`)
  const link = page.getByRole('link', { name: 'Share' })
  const to = new URL((await link.getAttribute('href')) ?? '')
  expect(to.origin).toBe('https://wa.me')
  const [, words, where] = /^(.*) (\S+)$/.exec(to.searchParams.get('text') ?? '') ?? []
  expect(words).toMatch(WORDS)
  expect(where).toBe(address())
  await auditVisit(visit)
})

type Told = { readonly text: string; readonly url: string; readonly files?: readonly string[] }

/** A system with a share sheet that takes files or not, and records what it is given. */
async function withSheet(page: Page, takesFiles: boolean): Promise<void> {
  await page.addInitScript((files) => {
    Object.defineProperty(navigator, 'canShare', { value: () => files })
    Object.defineProperty(navigator, 'share', {
      value: async ({ text, url, files: pictures }: ShareData) => {
        const shown = await Promise.all(
          (pictures ?? []).map(async (file) => `${file.name} ${file.type} ${(await file.arrayBuffer()).byteLength > 5000}`),
        )
        document.body.setAttribute('data-told', JSON.stringify({ text, url, ...(pictures === undefined ? {} : { files: shown }) }))
      },
    })
  }, takesFiles)
}

async function told(page: Page): Promise<Told> {
  await expect(page.locator('body')).toHaveAttribute('data-told', /./)
  return JSON.parse((await page.locator('body').getAttribute('data-told')) ?? '{}') as Told
}

/** A new page for each kind of sheet: a script put into a page stays in it. */
async function withNewPage(takesFiles: boolean, steps: (page: Page) => Promise<void>): Promise<void> {
  const other = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token })
  await withSheet(other.page, takesFiles)
  await steps(other.page)
  await auditVisit(other)
  await other.close()
}

test("the system's share sheet gets the same words with the day’s picture, and WhatsApp does not open", async () => {
  await drawn(date)
  await withNewPage(true, async (page) => {
    await page.goto(`${roz.url}/history`)
    await page.getByRole('link', { name: 'Share' }).click()
    const { text, url, files } = await told(page)
    expect(text).toMatch(WORDS)
    expect(url).toBe(address())
    expect(files).toEqual([`${date}-en.png image/png true`])
    expect(page.context().pages()).toHaveLength(1)
  })
})

test('a sheet without files gets only the words, and so does one whose picture fails to load', async () => {
  await withNewPage(false, async (page) => {
    await page.goto(`${roz.url}/history`)
    await page.getByRole('link', { name: 'Share' }).click()
    expect(await told(page)).not.toHaveProperty('files')
  })
  await withNewPage(true, async (page) => {
    await page.goto(`${roz.url}/history`)
    await expect(page.getByRole('link', { name: 'Share' })).toBeVisible()
    await page.evaluate(() => {
      window.fetch = () => Promise.reject(new TypeError('no line'))
    })
    await page.getByRole('link', { name: 'Share' }).click()
    expect(await told(page)).not.toHaveProperty('files')
  })
})

test('a join and a story are shared with their own words, addresses and pictures', async () => {
  const admin = await adminToken(roz.url)
  const charity = { name: 'Asha Night School', description: 'Evening classes' }
  const body = { title: 'Books for twelve children', description: 'Books for a class.', charity, videoUrl: 'https://youtu.be/aqz-KE-bpKQ' }
  const { story } = (await ask(roz.url, 'createStory', { token: admin, body })).output
  await ask(roz.url, 'updateStory', { token: admin, params: { id: story.id }, body: { isActive: true } })
  await Promise.all([drawn('home'), drawn(story.id)])
  await withNewPage(true, async (page) => {
    await page.goto(`${roz.url}/dashboard`)
    await page.getByRole('button', { name: 'Join with ₹1.00' }).click()
    await page.getByRole('link', { name: 'Share' }).click()
    const joined = await told(page)
    expect(joined.text).toMatch(
      /^I joined today's round of Roz with ₹1, \d+ \w+ \d{4}\. Help for people in need, and every paisa public\.$/,
    )
    expect([joined.url, joined.files]).toEqual([`${roz.url}/`, ['home-en.png image/png true']])
    await page.goto(`${roz.url}/impact`)
    await page.getByRole('link', { name: 'Share' }).click()
    const { text, url, files } = await told(page)
    expect(text).toContain('Books for twelve children. ')
    expect([url, files]).toEqual([`${roz.url}/impact-stories/${story.id}`, [`${story.id}-en.png image/png true`]])
    await page.goto(url)
    await expect(page.getByRole('heading', { level: 1, name: 'Books for twelve children' })).toBeVisible()
    await expect(page).toHaveTitle('Books for twelve children · Roz')
  })
})

/** Has the server draw the picture before it is shared: how long that takes depends on the machine. */
async function drawn(name: string): Promise<void> {
  expect((await fetch(`${roz.url}/share/${name}-en.png`)).status).toBe(200)
}

const headOf = async (address: string): Promise<string> =>
  /<head>.*<\/head>/s.exec(await (await fetch(roz.url + address)).text())?.[0] ?? ''

/** The tags that a messenger reads for a posted link. */
async function tagsOf(address: string): Promise<ReadonlyMap<string, string>> {
  const html = await headOf(address)
  const tags = html.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"/g)
  return new Map([...tags].map(([, name = '', content = '']) => [name, content]))
}

const linksIn = (head: string, pattern: RegExp): string[] => [...head.matchAll(pattern)].map(([, found = '']) => found)

async function expectPicture(address: string): Promise<void> {
  const answer = await fetch(address, { redirect: 'error' })
  expect([address, answer.status, answer.headers.get('content-type')]).toEqual([address, 200, 'image/png'])
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
  expect(bytes.length).toBeLessThan(100_000)
}

test('every public page has a picture and words in its language, its own address, and links to its other languages', async () => {
  const pictures = new Set<string>()
  for (const language of ['en', 'hi'] as const)
    for (const name of Object.keys(publicPaths) as PublicPage[]) {
      const at = publicPath(name, language)
      const tags = await tagsOf(at)
      expect(tags.get('og:url')).toBe(roz.url + at)
      expect(tags.get('og:locale')).toBe(language === 'en' ? 'en_IN' : 'hi_IN')
      expect(tags.get('twitter:card')).toBe('summary_large_image')
      for (const named of ['og:title', 'og:description', 'og:image:alt']) expect(tags.get(named), `${at} ${named}`).toMatch(/\S/)
      expect(tags.get('og:image')?.startsWith(`${roz.url}/share/${name}-${language}.`)).toBe(true)
      pictures.add(tags.get('og:image') ?? '')
      const head = await headOf(at)
      expect(linksIn(head, /<link rel="canonical" href="([^"]+)"/g)).toEqual([roz.url + at])
      expect(linksIn(head, /<link rel="alternate" hrefLang="([^"]+" href="[^"]+)"/gi)).toEqual(
        [...LANGUAGES, 'x-default' as const].map((one) => `${one}" href="${roz.url}${publicPath(name, one === 'x-default' ? 'en' : one)}`),
      )
    }
  expect(pictures.size).toBe(Object.keys(publicPaths).length * 2)
  for (const name of ['home', 'terms'] as const)
    for (const language of ['en', 'hi'] as const) await expectPicture((await tagsOf(publicPath(name, language))).get('og:image') ?? '')
})

test('a settled day is posted with its own figures and names nobody; a future day has no figures', async () => {
  for (const base of ['/verify', '/hi/verify']) {
    const tags = await tagsOf(`${base}/${date}`)
    expect(tags.get('og:description')).toMatch(/1 · .*₹1\.00 · .*₹0\.60$/)
    expect([...tags.values()].join(' ')).not.toContain('Asha')
    expect(tags.get('og:url')).toBe(`${roz.url}${base}/${date}`)
    await expectPicture(tags.get('og:image') ?? '')
  }
  const later = await tagsOf('/verify/2099-01-01')
  expect(later.get('og:url')).toBe(`${roz.url}/verify`)
  expect(later.get('og:image')).toContain('/share/verify-en.')
  expect((await fetch(`${roz.url}/share/2099-01-01-en.png`)).status).toBe(404)
})
