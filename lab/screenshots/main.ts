/**
 * `npm run lab -- screenshots`: the pictures of the operator's guide, in docs/pictures, and the one of README.md, docs/screenshot.png.
 * - They show the demo community after a working day of the team, at noon.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { waitUntil } from '@roz/server/db/embedded/process.ts'
import { DEMO_EMAIL } from '@roz/server/demo/community.ts'
import { DEMO_PASSWORD } from '@roz/server/demo/demo.ts'
import { paths } from '@roz/web/paths.ts'
import type { Browser, Page } from 'playwright-core'
import { newVisit, openBrowser, settle, type Visit } from '../../e2e/harness/browser.ts'
import { ask } from '../../e2e/harness/calls.ts'
import { adminToken, eventually, readClock } from '../../e2e/harness/people.ts'
import { endEverything, type Program, ROOT, setToNoon, startProgram } from '../../e2e/harness/program.ts'
import { compressed, GUIDE, GUIDE_SIZE, guideAddress } from './guide.ts'
import { fillWorkingDay, WORKING_DAY } from './working-day.ts'

const QUIET_WITHIN_MS = 5000
const STILL_MS = 300
const README_SIZE = { width: 1180, height: 900 } as const
/** The server looks every minute whether an audit is due. */
const CHECKED_WITHIN_MS = 120_000
const GUIDE_FOLDER = path.join(ROOT, 'docs/pictures')

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

/** Sets the program's clock to noon: all screens show the same hour. */
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

/** Only what the window shows: a picture in a page is no list to scroll. */
async function shootGuide(browser: Browser, roz: Program, token: string): Promise<void> {
  rmSync(GUIDE_FOLDER, { recursive: true, force: true })
  mkdirSync(GUIDE_FOLDER)
  await expectChecked(roz, token)
  const noon = await backToNoon(roz)
  const visit = await newVisit(browser, { size: GUIDE_SIZE, hosts: [], token, slot: 'admin-token' })
  await visit.context.clock.setFixedTime(noon)
  for (const picture of GUIDE) {
    await visit.page.goto(roz.url + guideAddress(picture))
    await expectSettled(visit)
    writeFileSync(path.join(GUIDE_FOLDER, `${picture.name}.webp`), await compressed(await visit.page.screenshot()))
  }
  await visit.close()
  console.log(`${GUIDE.length} pictures in ${GUIDE_FOLDER}`)
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

const browser = await openBrowser({ whole: true })
try {
  const roz = await startProgram({ env: { DEMO: '1', ...WORKING_DAY } })
  await fillWorkingDay(roz)
  await shootGuide(browser, roz, await adminToken(roz.url))
  await shootReadme(browser, roz, (await ask(roz.url, 'login', { body: { email: DEMO_EMAIL, password: DEMO_PASSWORD } })).output.token)
} finally {
  await browser.close()
  for (const complaint of await endEverything()) console.error(complaint)
}
