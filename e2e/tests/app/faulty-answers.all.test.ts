/**
 * Every screen of a member and of the portal, with malformed answers and with answers of an older server.
 * - A new screen is covered by a row in SCREENS; a section of the portal without one.
 * - With ROZ_TEST_ALL each field that the specification does not name is left out once.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { paths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { type Form, formOf } from '../../../web/build/forms.ts'
import { type Rewriting, rewrite } from '../../harness/answers.ts'
import { handOver, settle } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, joinRound, newMember, passRound, type Person, publishDraft } from '../../harness/people.ts'
import { PORTAL_TABS } from '../../harness/portal-tabs.ts'
import { lacking, SPECIFIED } from '../../harness/specified.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { balanceInBar } from '../../harness/steps.ts'

const fixture = useAppFixture()
let asha: Person
let day: IstDay
let receipt: string

/** The day, round and story that every screen has something to show of. */
beforeAll(async () => {
  const { roz } = fixture
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 20 })
  await joinRound(roz.url, asha)
  day = await passRound(roz.url, asha)
  await publishDraft(roz.url, { title: 'Schoolbooks', description: 'For twelve children.' })
  receipt = (await ask(roz.url, 'transactions', { token: asha.token })).output.transactions[0]?.id ?? ''
})

const MEMBERS: readonly (() => string)[] = [
  () => paths.dashboard,
  () => paths.wallet,
  () => paths.impact,
  () => paths.history,
  () => paths.year,
  () => paths.profile,
  () => paths.notifications,
  () => `${paths.myTicket}?day=${day}`,
  () => `${paths.receipt}?id=${encodeURIComponent(receipt)}`,
]
const PORTAL = PORTAL_TABS.map((tab) => () => `${paths.adminDashboard}?tab=${tab}`)
type Side = readonly [who: string, screens: readonly (() => string)[], tokenOf: () => Promise<string>, slot: 'token' | 'admin-token']
const SCREENS: readonly Side[] = [
  ['a member', MEMBERS, async () => asha.token, 'token'],
  // A new login each time: after ten minutes the lists of persons would ask for the password.
  ['the portal', PORTAL, () => adminToken(fixture.roz.url), 'admin-token'],
]

/** Each screen asks twice more before it says that a call failed, and the portal has many. */
const LONG = { timeout: 300_000 }

/** Texts of a screen, or of a part of it, that broke. A failed load has words of its own. */
const BROKEN = ['Something went wrong']

/** Opens every screen with these answers, and reports those that broke. */
async function brokenOf([, screens, tokenOf, slot]: Side, rewriting: Rewriting, except: readonly CallName[] = []): Promise<string[]> {
  const { page } = fixture
  await handOver(fixture.visit, fixture.line.url, await tokenOf(), slot)
  await rewrite(page, rewriting, except)
  const broken: string[] = []
  try {
    for (const address of screens) {
      await page.goto(fixture.line.url + address())
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await settle(page).catch(() => broken.push(`${address()} stays busy`))
      if (new URL(page.url()).pathname !== address().replace(/\?.*/, '')) broken.push(`${address()} leads to ${page.url()}`)
      const text = await page.getByRole('main').innerText()
      broken.push(...BROKEN.filter((words) => text.includes(words)).map((words) => `${address()}: ${words}`))
    }
  } finally {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }
  return [...broken, ...fixture.visit.complaints().filter((text) => text.includes('nobody caught'))]
}

describe.each(SCREENS.map((side) => [side[0], side] as const))('the screens of %s', (_who, side) => {
  // The session must be known: session-start.all.test.ts has the start without an answer.
  test.each(['html', 'half'] as const)('answers that are none (%s) are failed calls: no screen breaks', LONG, async (rewriting) => {
    expect(await brokenOf(side, rewriting, ['me'])).toEqual([])
  })

  test('with the fields of the specification alone no screen and no card breaks', LONG, async () => {
    expect(await brokenOf(side, 'bare')).toEqual([])
  })
})

describe('a captive portal beside running screens', () => {
  /** As after a look at another app: what is old is asked for again. */
  const returnTo = (page: Page): Promise<void> => page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))

  test('the dashboard keeps its last figures, says that the round could not be fetched, and takes the next answer', async () => {
    const work = async (page: Page): Promise<void> => {
      const figures = page.locator('.tiles, .ledger .sum, .figure')
      await expect(page.getByText('1 member in the round').or(page.getByText('0 members in the round'))).toBeVisible()
      await settle(page)
      const before = await figures.allInnerTexts()
      const balance = await balanceInBar(page).innerText()
      await rewrite(page, 'html')
      await page.clock.runFor(31_000)
      await expect(page.getByText('Failed to fetch round details').first()).toBeVisible()
      await returnTo(page)
      await page.clock.runFor(3000)
      expect(await figures.allInnerTexts()).toEqual(before)
      await expect(balanceInBar(page)).toHaveText(balance)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      const other = await newMember(fixture.roz, { rupees: 10 })
      await joinRound(fixture.roz.url, other)
      await page.clock.runFor(31_000)
      await expect(page.getByText('1 member in the round')).toBeVisible()
    }
    await fixture.at('/dashboard', work, { token: asha.token, before: (page) => page.clock.install() })
  })

  test('a join that it answers is no join: Failed to join round, and the next press joins', async () => {
    const person = await newMember(fixture.roz, { rupees: 10 })
    const work = async (page: Page): Promise<void> => {
      const join = page.getByRole('button', { name: 'Join with ₹1.00' })
      await join.waitFor()
      await page.route('**/api/rounds/join', (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Wi-Fi</h1>' }))
      await join.click()
      await expect(page.getByText('Failed to join round').first()).toBeVisible()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await join.click()
      await expect(page.getByText("Successfully joined today's round!")).toBeVisible()
      await expect(balanceInBar(page)).toHaveText('₹9.00')
    }
    await fixture.at('/dashboard', work, { token: person.token })
  })
})

/** The paths of the fields that the contract marks as newer. */
const markedIn = (form: Form, place = ''): string[] =>
  typeof form === 'string'
    ? []
    : Array.isArray(form)
      ? form.flatMap((item: Form) => markedIn(item, place))
      : Object.entries(form).flatMap(([key, inner]: readonly [string, Form]) => {
          const where = `${place}${/^\w+/.exec(key)?.[0] ?? ''}`
          return [...(/^\w+[~@=]/.test(key) ? [where] : []), ...markedIn(inner, `${where}.`)]
        })
/**
 * A field that an older server lacks: in a call of the specification what that does not name, in another call what is marked as newer.
 * A server has had every other field of a call since it has had the call.
 */
function isNewer(call: CallName, where: string): boolean {
  const named = SPECIFIED[call]?.split(' ')
  if (named !== undefined) return !named.some((one) => one === where || one.startsWith(`${where}.`))
  return markedIn(formOf(api[call])).includes(where)
}

const callOf = (field: string): string => field.slice(0, field.indexOf(' '))

describe.runIf(process.env.ROZ_TEST_ALL === '1')('one newer field is missing', () => {
  test.each(SCREENS.map((side) => [side[0], side] as const))(
    'on the screens of %s: no card breaks',
    { timeout: 1_800_000 },
    async (who, [, screens, tokenOf, slot]) => {
      const newerAt = new Map<() => string, Set<string>>()
      for (const screen of screens) {
        const fields = new Set<string>()
        newerAt.set(screen, fields)
        const survey = await brokenOf([who, [screen], tokenOf, slot], (call, answer) => {
          for (const [where] of lacking(answer)) if (isNewer(call, where)) fields.add(`${call} ${where}`)
          return undefined
        })
        expect(survey).toEqual([])
      }
      const known = Map.groupBy(new Set([...newerAt.values()].flatMap((fields) => [...fields])), (field) => callOf(field))
      // In each pass every call lacks one field, another one in each pass. Screens that would lack none are left out.
      const passes = Math.max(...[...known.values()].map((fields) => fields.length))
      expect(passes).toBeGreaterThan(0)
      const broken: string[] = []
      for (let pass = 0; pass < passes; pass++) {
        const lacked = new Set([...known.values()].flatMap((fields) => fields.slice(pass, pass + 1)))
        const without = (call: CallName, answer: unknown): unknown =>
          [...lacking(answer)].find(([where]) => lacked.has(`${call} ${where}`))?.[1]
        const lacks = screens.filter((screen) => !lacked.isDisjointFrom(newerAt.get(screen) ?? new Set()))
        const names = [...lacked].join(', ')
        broken.push(...(await brokenOf([who, lacks, tokenOf, slot], without)).map((words) => `${words} without one of ${names}`))
      }
      expect(broken).toEqual([])
    },
  )
})
