/**
 * Names from before the rule of names may contain markup of HTML, of mails or of the translation library.
 * - Every place that shows such a name shows it letter for letter.
 */
import { initialName } from '@roz/core/names.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { paths, publicPath } from '@roz/web/paths.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectSilence } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect as expectSoon } from '../../harness/expect.ts'
import {
  addMoney,
  adminToken,
  BANK,
  joinRound,
  mailedLink,
  newMember,
  passRound,
  type Person,
  publishDraft,
  strangePayment,
} from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const NAME = '<b>Asha</b> & "Rao"'
const PUBLIC = initialName(NAME)

const fixture = useAppFixture()
let roz: Program
let asha: Person
let admin: string
let day: string
let story: string

/** A round that she wins, a payment, a withdrawal, a refund and a payment in suspense: every screen with a name has hers. */
async function live(): Promise<void> {
  asha = await newMember(roz, { name: 'Asha Rao', rupees: 30 })
  await inDatabase(roz.dataDir, (db) => db.query(sql`update member set name = ${NAME}::text where email = ${asha.email}::text`))
  await joinRound(roz.url, asha)
  day = await passRound(roz.url, asha)
  admin = await adminToken(roz.url)
  story = await publishDraft(roz.url)
  const order_id = await addMoney(roz, asha, 20)
  await ask(roz.url, 'withdraw', { token: asha.token, body: { amount: 10, bankDetail: { ...BANK, accountHolderName: 'Meera Rao' } } })
  await ask(roz.url, 'requestRefund', { token: asha.token, body: { order_id, amount: 10, reason: 'Twice paid.' } })
  await strangePayment(roz, 15)
}
beforeAll(async () => {
  ;({ roz } = fixture)
  await live()
})

/** Expects the name letter for letter, and a silent console: a translation with unknown tags complains there. */
async function expectNamed(page: Page, name: string): Promise<void> {
  await expectSoon(page.locator('body')).toContainText(name)
  const lines = (await page.locator('body').innerText()).split('\n')
  expect(lines.filter((line) => line.replaceAll('<b>Asha</b>', '').includes('Asha'))).toEqual([])
  await expectSilence(fixture.visit)
}
const shows = (address: string, name: string, token?: string): Promise<void> =>
  fixture.at(address, (page) => expectNamed(page, name), { token })

test.each([
  ['dashboard, welcome', paths.dashboard, `Welcome, ${NAME}`],
  ['dashboard, winner', paths.dashboard, PUBLIC],
  ['profile', paths.profile, NAME],
  ['history', paths.history, PUBLIC],
  ['impact', paths.impact, `Winner of the day: ${PUBLIC}`],
])('a member sees the name as it was written: %s', async (_screen, address, name) => {
  await shows(address, name, asha.token)
})

test("a receipt shows the payer's name as it was written", async () => {
  const { transactions } = (await ask(roz.url, 'transactions', { token: asha.token })).output
  await shows(`${paths.receipt}?id=${encodeURIComponent(transactions[0]?.id ?? '')}`, NAME, asha.token)
})

test.each(LANGUAGES)('a visitor sees the public name as it was written, in %s', async (language) => {
  const pages = [
    publicPath('home', language),
    publicPath('dailyReports', language),
    publicPath('giveawaySelection', language),
    `${publicPath('impactStories', language)}/${story}`,
    `${publicPath('verify', language)}/${day}`,
  ]
  for (const page of pages) await shows(page, PUBLIC)
})

test('mails contain the name as it was written, in their HTML too', async () => {
  const mails = (await (await fetch(`${roz.url}/dev/mail.json?to=${encodeURIComponent(asha.email)}`)).json()) as {
    readonly text: string
    readonly html: string
  }[]
  const named = mails.filter(({ text }) => text.includes(NAME))
  expect(named.length).toBeGreaterThan(0)
  await fixture.at('/healthz', async (page) => {
    for (const { html } of named) {
      await page.setContent(html)
      await expectSoon(page.locator('body')).toContainText(NAME)
    }
  })
})

describe('the portal shows the name as it was written', () => {
  const inTab = (tab: string, work: (page: Page) => Promise<unknown> = async () => {}): Promise<void> =>
    fixture.as(admin, `${paths.adminDashboard}?tab=${tab}`, async (page) => {
      await work(page)
      await expectNamed(page, NAME)
    })
  /** Opens the first row's dialog and looks only at the dialog: the list behind it has her name too. */
  const opens =
    (button: string, text: string) =>
    async (page: Page): Promise<void> => {
      await page.locator('.tab-panel').getByRole('button', { name: button }).first().click()
      await expectSoon(page.getByRole('dialog')).toContainText(text)
    }

  test('in the list of members', () => inTab('users'))
  test('with a withdrawal and its decision', () => inTab('withdrawals', opens('Approve', NAME)))
  test('with a refund and its decision', () => inTab('refunds', opens('Approve', NAME)))
  test('where a payment in suspense is credited to her', () =>
    inTab('suspense', async (page) => {
      await opens('Credit to a member', 'Search members')(page)
      await page.getByRole('dialog').getByLabel('Search members').fill('Asha')
      await page.getByRole('dialog').getByRole('radio').check()
      await expectSoon(page.getByRole('button', { name: `Credit to ${NAME}` })).toBeVisible()
    }))
  test('where her hold is ended', async () => {
    const link = new URL(await mailedLink(roz.url, asha.email, paths.notMe))
    await ask(roz.url, 'notMe', { body: { token: link.searchParams.get('token') ?? '' } })
    await inTab('users', async (page) => {
      await page.getByRole('link', { name: NAME }).click()
      await opens('Release', `${NAME} answered one of our emails`)(page)
    })
  })
})
