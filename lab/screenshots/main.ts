/**
 * `npm run lab -- screenshots`: a picture of every screen with the demo community, at both widths, in both themes and both languages.
 * - States that no address leads to are in states.ts.
 * - `--only <part of a name>` takes some of them, and may be given more than once.
 * - `--guide` takes the pictures of the operator's guide instead, into docs/pictures; `--readme` takes the one of README.md.
 * - Writes <screen>-<language>-<theme>-<width>.png and an index of them all into .build/screenshots, or `--out <folder>`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import { waitUntil } from '@roz/server/db/embedded/process.ts'
import { DEMO_EMAIL } from '@roz/server/demo/community.ts'
import { DEMO_PASSWORD } from '@roz/server/demo/demo.ts'
import { paths, type PublicPage, publicPath, publicPaths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { newVisit, openBrowser, settle, SMALL, type Visit, WIDE } from '../../e2e/harness/browser.ts'
import { ask } from '../../e2e/harness/calls.ts'
import { adminToken, eventually, readClock } from '../../e2e/harness/people.ts'
import { PORTAL_TABS } from '../../e2e/harness/portal-tabs.ts'
import { endEverything, type Program, ROOT, setToNoon, startProgram } from '../../e2e/harness/program.ts'
import { compressed, GUIDE, GUIDE_SIZE, guideAddress } from './guide.ts'
import { makeStates, type Screen, type Who } from './states.ts'
import { fillWorkingDay, WORKING_DAY } from './working-day.ts'

const QUIET_WITHIN_MS = 5000
const STILL_MS = 300
const README_SIZE = { width: 1180, height: 900 } as const
/** The server looks every minute whether an audit is due. */
const CHECKED_WITHIN_MS = 120_000
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    out: { type: 'string' },
    guide: { type: 'boolean' },
    readme: { type: 'boolean' },
  },
})
const OUT = path.resolve(ROOT, values.out ?? (values.guide === true ? 'docs/pictures' : '.build/screenshots'))

const at = (address: string) => () => address
const named = (address: string): string => address.slice(1).replaceAll('/', '-')
const VISITORS = [
  paths.login,
  paths.register,
  paths.forgotPassword,
  `${paths.resetPassword}?token=x`,
  paths.verifyEmail,
  `${paths.notMe}?token=x`,
  paths.paymentStatus,
  paths.goodbye,
]
const MEMBERS = [paths.dashboard, paths.wallet, paths.impact, paths.history, paths.profile, paths.notifications, paths.myTicket]
/** Addresses below the pages, from the demo community's data: a receipt of each direction, a story, a day. */
type Below = { readonly receipts: readonly string[]; readonly story: string; readonly day: string }

const screensOf = ({ receipts, story, day }: Below): readonly Screen[] => [
  ...Object.keys(publicPaths).map((page) => ({
    name: `public-${page}`,
    address: (language: Language) => publicPath(page as PublicPage, language),
  })),
  { name: 'public-story', address: (language) => `${publicPath('impactStories', language)}/${story}` },
  { name: 'public-verify-day', address: (language) => `${publicPath('verify', language)}/${day}` },
  // A visitor who chose Hindi is redirected from every other unknown address.
  { name: 'not-found', address: (language) => `${language === 'en' ? '' : `/${language}`}/nothing-here` },
  { name: 'offline', address: (language) => `${language === 'en' ? '' : `/${language}`}/offline` },
  ...VISITORS.map((address) => ({ name: named(address).replace(/\?.*/, ''), address: at(address) })),
  { name: 'admin-login', address: at(paths.adminLogin) },
  ...MEMBERS.map((address) => ({ name: named(address), address: at(address), as: 'member' as const })),
  ...receipts.map((id, index) => ({
    name: `receipt-${index + 1}`,
    address: at(`${paths.receipt}?id=${encodeURIComponent(id)}`),
    as: 'member' as const,
  })),
  ...PORTAL_TABS.map((tab) => ({ name: `admin-${tab}`, address: at(`${paths.adminDashboard}?tab=${tab}`), as: 'admin' as const })),
]

const isWanted = ({ name }: Screen): boolean => values.only.some((part) => name.includes(part))

type Look = { readonly language: Language; readonly dark: boolean; readonly size: { readonly width: number; readonly height: number } }
const LOOKS: readonly Look[] = LANGUAGES.flatMap((language) =>
  [false, true].flatMap((dark) => [SMALL, WIDE].map((size) => ({ language, dark, size }))),
)

type Tour = { readonly roz: Program; readonly tokens: Readonly<Record<Who, string>>; readonly screens: readonly Screen[] }

/** Finds the ids in the demo community's data. */
async function findBelow(roz: Program, token: string): Promise<Below> {
  const { transactions } = (await ask(roz.url, 'transactions', { token, query: { limit: '100' } })).output
  const { stories } = (await ask(roz.url, 'stories', {})).output
  const { results } = (await ask(roz.url, 'roundHistory', { token })).output
  const firstOf = (type: string): readonly string[] =>
    transactions
      .filter((one) => one.type === type)
      .slice(0, 1)
      .map(({ id }) => id)
  return { receipts: [...firstOf('credit'), ...firstOf('debit')], story: stories[0]?.id ?? '', day: results[0]?.date ?? '' }
}

/** Waits until no element was added or removed for a while: the last change has had its effects. */
const expectStill = (page: Page): Promise<void> =>
  page.evaluate(
    ([stillMs, atMostMs]) =>
      new Promise<void>((resolve) => {
        let still = setTimeout(resolve, stillMs)
        const changes = new MutationObserver(() => {
          clearTimeout(still)
          still = setTimeout(resolve, stillMs)
        })
        changes.observe(document.body, { childList: true, subtree: true })
        setTimeout(resolve, atMostMs)
      }),
    [STILL_MS, QUIET_WITHIN_MS] as const,
  )

/** Waits for all requests of the screen. A day's verification runs in a worker, whose requests the page does not see end. */
async function expectSettled(visit: Visit): Promise<void> {
  await settle(visit.page)
  await waitUntil(visit.isQuiet, QUIET_WITHIN_MS)
  await settle(visit.page)
  await expectStill(visit.page)
  await settle(visit.page)
}

/** Sets the program's and the browser's clock to noon before every look: all screens show the same hour. */
async function backToNoon(roz: Program): Promise<string> {
  await setToNoon(roz.url)
  return readClock(roz.url)
}

/** Waits for today's audit: the demo's first audit was on its first day. */
const expectChecked = (roz: Program, token: string): Promise<true> =>
  eventually(
    'the check of the books',
    async () => {
      const { audit } = (await ask(roz.url, 'adminStats', { token })).output
      return audit?.checkedAt.slice(0, 10) === (await readClock(roz.url)).slice(0, 10) ? true : undefined
    },
    CHECKED_WITHIN_MS,
  )

async function shoot(browser: Browser, { roz, tokens, screens: all }: Tour, look: Look): Promise<string[]> {
  const written: string[] = []
  const noon = await backToNoon(roz)
  for (const as of [undefined, 'member', 'newcomer', 'admin'] as const) {
    const screens = all.filter((screen) => screen.as === as && isWanted(screen))
    if (screens.length === 0) continue
    const visit = await newVisit(browser, {
      size: look.size,
      dark: look.dark,
      hosts: [],
      ...(as === undefined ? {} : { token: tokens[as], slot: as === 'admin' ? 'admin-token' : 'token' }),
    })
    await visit.context.addInitScript((language) => localStorage.setItem('language', language), look.language)
    await visit.context.clock.setFixedTime(noon)
    for (const screen of screens) {
      await visit.page.goto(roz.url + screen.address(look.language))
      await screen.steps?.(visit.page)
      await expectSettled(visit)
      const file = `${screen.name}-${look.language}-${look.dark ? 'dark' : 'light'}-${look.size.width}.png`
      // A dialog fills the window, whatever the height of the page behind it.
      const fullPage = (await visit.page.locator('dialog[open]').count()) === 0
      await visit.page.screenshot({ path: path.join(OUT, file), fullPage })
      written.push(file)
      // A registration has stored a token: remove it to be a visitor again.
      if (as === undefined) await visit.page.evaluate(() => localStorage.removeItem('token'))
    }
    await visit.close()
  }
  console.log(`${look.language}, ${look.dark ? 'dark' : 'light'}, ${look.size.width} px: ${written.length} screens`)
  return written
}

/** Only what the window shows: a picture in a page is no list to scroll. */
async function shootGuide(browser: Browser, roz: Program, token: string): Promise<void> {
  await expectChecked(roz, token)
  const noon = await backToNoon(roz)
  const visit = await newVisit(browser, { size: GUIDE_SIZE, dark: false, hosts: [], token, slot: 'admin-token' })
  await visit.context.clock.setFixedTime(noon)
  for (const picture of GUIDE) {
    await visit.page.goto(roz.url + guideAddress(picture))
    await expectSettled(visit)
    writeFileSync(path.join(OUT, `${picture.name}.webp`), await compressed(await visit.page.screenshot()))
  }
  await visit.close()
  console.log(`${GUIDE.length} pictures in ${OUT}`)
}

/** The dashboard of a member who has joined: as much of it as the window shows. */
async function shootReadme(browser: Browser, roz: Program, token: string): Promise<void> {
  const noon = await backToNoon(roz)
  const visit = await newVisit(browser, { size: README_SIZE, hosts: [], token })
  await visit.context.clock.setFixedTime(noon)
  await visit.page.goto(roz.url + paths.dashboard)
  await expectSettled(visit)
  const file = path.join(ROOT, 'docs/screenshot.png')
  await visit.page.screenshot({ path: file })
  await visit.close()
  console.log(file)
}

async function shootAll(browser: Browser, tour: Tour): Promise<void> {
  const files: string[] = []
  for (const look of LOOKS) files.push(...(await shoot(browser, tour, look)))
  const figures = files.map((file) => `<figure><img src="${file}" loading="lazy" width="300"><figcaption>${file}</figcaption></figure>`)
  writeFileSync(
    path.join(OUT, 'index.html'),
    `<!doctype html><title>Screens</title><style>body{display:flex;flex-wrap:wrap;gap:16px}</style>${figures.join('\n')}`,
  )
  console.log(`${files.length} screenshots in ${OUT}`)
}

async function shootScreens(roz: Program, member: string, admin: string): Promise<void> {
  const { newcomer, states } = await makeStates(roz)
  const screens = [...screensOf(await findBelow(roz, member)), ...states]
  if (screens.some((screen) => screen.as === 'admin' && isWanted(screen))) await expectChecked(roz, admin)
  await shootAll(browser, { roz, tokens: { member, newcomer, admin }, screens })
}

if (values.readme !== true) rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
const browser = await openBrowser({ whole: true })
try {
  const roz = await startProgram({ env: { DEMO: '1', ...WORKING_DAY } })
  await fillWorkingDay(roz)
  const admin = await adminToken(roz.url)
  if (values.guide === true) await shootGuide(browser, roz, admin)
  else {
    const member = (await ask(roz.url, 'login', { body: { email: DEMO_EMAIL, password: DEMO_PASSWORD } })).output.token
    if (values.readme === true) await shootReadme(browser, roz, member)
    else await shootScreens(roz, member, admin)
  }
} finally {
  await browser.close()
  for (const complaint of await endEverything()) console.error(complaint)
}
