/**
 * The portal's screens for money: withdrawals, refunds, payments in suspense, disputes, and the state of the books.
 * - Decisions are made in the browser, with the password again when the last entry is too old; the members' wallets follow.
 * - A decision that somebody else made first is refused in words, and the list shows the present state.
 */
import { expect } from '../../harness/expect.ts'
import type { Page } from 'playwright-core'
import { sql } from '@roz/server/db/sql.ts'
import { beforeAll, describe, test } from 'vitest'
import { auditBothWidths, auditVisit, expectSilence, SMALL, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import {
  addMoney,
  adminToken,
  BANK,
  eventually,
  newMember,
  type Person,
  readClock,
  setClock,
  strangePayment,
} from '../../harness/people.ts'
import { ADMIN, postJson, type Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'
import { addColleague, settleTeam } from '../../harness/team.ts'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let asha: Person
let visit: Visit
let page: Page

beforeAll(async () => {
  ;({ roz, visit, page } = fixture)
  await settleTeam(roz)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  // Wait until the portal is drawn: a page left while it loads the user may lose the token.
  const isOpen: Work = async (at) => expect(at.getByRole('tab').first()).toBeVisible()
  await fixture.at('/admin/dashboard', isOpen, { token: await adminToken(roz.url) })
})

const balance = async (): Promise<number> => (await ask(roz.url, 'profile', { token: asha.token })).output.user.wallet.balance
const row = (words: string) => page.locator('.story-rows li', { hasText: words })
const dialog = () => page.getByRole('dialog')
const openTab = (tab: string) => page.goto(`${fixture.line.url}/admin/dashboard?tab=${tab}`)
const play = async (what: string, body: object): Promise<Record<string, unknown>> => {
  const response = await postJson(`${roz.sandboxUrl}/__sandbox/${what}`, body)
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}
const withdraw = async (amount: number): Promise<string> =>
  (await ask(roz.url, 'withdraw', { token: asha.token, body: { amount, bankDetail: BANK } })).output.withdrawal.id

async function decide(press: string, confirm = press): Promise<void> {
  await page
    .locator('.story-rows')
    .getByRole('button', { name: new RegExp(`^${press}`) })
    .first()
    .click()
  await dialog().getByRole('button', { name: confirm, exact: true }).click()
}

/** Opens the suspense tab with a payment for an order that we never made; answers the order's number. */
async function strangeOrder(rupees: number): Promise<string> {
  const order_id = await strangePayment(roz, rupees)
  await openTab('suspense')
  return order_id
}

describe('withdrawals', () => {
  test('an empty list says so; a requested withdrawal is listed with its account and the note about a new account', async () => {
    await openTab('withdrawals')
    await expect(page.getByText('No withdrawals found')).toBeVisible()
    await withdraw(10)
    await page.reload()
    await expect(row('₹10.00, Asha Verma')).toContainText(`${BANK.bankName}, account ending in 9012`)
    await expect(row('₹10.00, Asha Verma')).toContainText('Bank account first used less than a day before the request')
    await expect(row('₹10.00, Asha Verma')).toContainText('Requested')
    await auditBothWidths(visit)
  })

  test('rejecting requires a reason that the member will read; the money returns to the wallet', async () => {
    await decide('Reject', 'Reject')
    await expect(dialog()).toContainText('Please give a reason')
    await dialog().getByLabel('Reason').fill('The account is not yours.')
    await dialog().getByRole('button', { name: 'Reject', exact: true }).click()
    await expect(toast(page, 'The withdrawal is rejected; the money is back in the wallet.')).toBeVisible()
    await expect(row('Asha Verma')).toContainText('Rejected')
    expect(await balance()).toBe(30)
  })

  test('after ten minutes the password is required; a wrong one is refused beside the field', async () => {
    await withdraw(10)
    const now = Date.parse(await readClock(roz.url))
    await setClock(roz.url, new Date(now + 11 * 60_000).toISOString())
    await page.reload()
    await page.getByLabel('Status').selectOption('requested')
    await decide('Approve')
    await dialog().getByLabel('Your password', { exact: true }).fill('not the password')
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(dialog()).toContainText('That password is not correct.')
    await dialog().getByLabel('Your password', { exact: true }).fill(ADMIN.password)
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(toast(page, 'The withdrawal is approved.')).toBeVisible()
    await expect(page.getByText('No withdrawals found')).toBeVisible()
  })

  test('a withdrawal that somebody else rejected meanwhile is refused in plain words, and the list is updated', async () => {
    const id = await withdraw(10)
    await page.getByLabel('Status').selectOption('requested')
    await page.reload()
    const token = await adminToken(roz.url)
    await page
      .locator('.story-rows')
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click()
    await ask(roz.url, 'rejectWithdrawal', { token, params: { id }, body: { status: 'requested', reason: 'Decided elsewhere.' } })
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(toast(page, 'This changed while you had it open. Look at it again, then decide.')).toBeVisible()
    await expect(row('Decided elsewhere.')).toContainText('Rejected')
    // The browser logs the three provoked refusals (step-up, wrong password, already decided) and nothing else.
    expect(visit.complaints()).toEqual([403, 403, 409].map((status) => expect.stringContaining(`status of ${status}`)))
  })
})

describe('refunds', () => {
  test('one refund is rejected with a reason, another approved and sent', async () => {
    const order_id = await addMoney(roz, asha, 10)
    for (const reason of ['Added twice.', 'Not needed.'])
      await ask(roz.url, 'requestRefund', { token: asha.token, body: { order_id, amount: 2, reason } })
    await openTab('refunds')
    await expect(row('Not needed.')).toContainText(`Order ${order_id}`)
    await decide('Reject')
    await dialog().getByLabel('Reason').fill('It was spent already.')
    await dialog().getByRole('button', { name: 'Reject', exact: true }).click()
    await expect(toast(page, 'The refund is rejected; the money that was set aside is free again.')).toBeVisible()
    await expect(row('It was spent already.')).toContainText('Rejected')
    await decide('Approve')
    await expect(toast(page, 'The refund is approved and goes to the gateway.')).toBeVisible()
    await auditBothWidths(visit)
  })
})

describe('payments in suspense', () => {
  test('a payment without an order of ours is credited to the member whom two persons choose', async () => {
    const order_id = await strangeOrder(15)
    await expect(row(`Order ${order_id}`)).toContainText('No order of ours has this number.')
    const before = await balance()
    await page.getByRole('button', { name: /^Credit to a member/ }).click()
    await dialog().getByLabel('Search members').fill('Asha')
    await dialog()
      .getByRole('radio', { name: /Asha Verma/ })
      .check()
    await dialog().getByRole('button', { name: 'Credit to Asha Verma' }).click()
    await expect(toast(page, 'Your decision is recorded. Another person must choose the same member.')).toBeVisible()
    const colleague = await addColleague(roz, 'finance')
    const { suspense } = (await ask(roz.url, 'suspense', { token: colleague })).output
    const item = suspense.find((one) => one.order_id === order_id)
    const memberId = (await ask(roz.url, 'profile', { token: asha.token })).output.user.id
    const params = { id: item?.id ?? '' }
    const credited = await ask(roz.url, 'creditSuspense', { token: colleague, params, body: { status: 'awaiting_second', memberId } })
    expect(credited.status, credited.text).toBe(200)
    await openTab('suspense')
    await expect(row(`Order ${order_id}`)).toContainText('Credited')
    expect(await balance()).toBe(before + 15)
    await page.setViewportSize(SMALL)
    await auditVisit(visit)
    await page.setViewportSize(WIDE)
  })

  test('another payment is sent back to its payer', async () => {
    await strangeOrder(12)
    await page.getByLabel('Status').selectOption('open')
    await decide('Send back')
    await expect(toast(page, 'The payment goes back to the original payment method.')).toBeVisible()
    expect(visit.complaints()).toEqual([])
  })
})

/** Leela withdraws everything and deletes her account; then her bank returns the payout. Answers her withdrawal. */
async function returnedPayout(): Promise<string> {
  const token = await adminToken(roz.url)
  const leela = await newMember(roz, { name: 'Leela Nair', rupees: 20 })
  const { withdrawal } = (await ask(roz.url, 'closeAccount', { token: leela.token, body: { bankDetail: BANK } })).output
  const id = withdrawal?.id ?? ''
  await ask(roz.url, 'approveWithdrawal', { token, params: { id }, body: { status: 'requested' } })
  const transfer = `transfers/${id.replaceAll('-', '')}`
  const there = async () => (await fetch(`${roz.sandboxUrl}/__sandbox/${transfer}`)).status === 200 || undefined
  await eventually('the transfer', there)
  const isNow = (status: string) => async () => {
    const { withdrawals } = (await ask(roz.url, 'adminWithdrawals', { token, query: { q: id } })).output
    return withdrawals.find((one) => one.status === status)
  }
  await play(transfer, { status: 'SUCCESS' })
  await eventually('the payment', isNow('paid'))
  expect((await ask(roz.url, 'deleteAccount', { token: leela.token })).status).toBe(204)
  await play(transfer, { status: 'REVERSED' })
  await eventually('the reversal', isNow('reversed'))
  return id
}

describe('money of a former member', () => {
  test('a returned payout names its bank account, and is marked as paid by hand with the bank’s reference', async () => {
    const id = await returnedPayout()
    await openTab('suspense')
    const item = row(`Payment wd_reversed:${id}`)
    await expect(item).toContainText('A payout that the bank returned')
    await expect(item).toContainText('The account is closed.')
    await expect(item).toContainText(`${BANK.bankName}, account ending in 9012`)
    await expect(item.getByRole('button')).toHaveText(['Paid by hand', 'Credit to a member'])
    const open = () => item.getByRole('button', { name: /^Paid by hand/ }).click()
    const confirm = () => dialog().getByRole('button', { name: 'Mark as paid', exact: true }).click()
    const fill = () => dialog().getByLabel('Bank reference').fill('UTR0000000042')
    await open()
    await confirm()
    await expect(dialog().locator('.field-error, [aria-invalid=true]').first()).toBeVisible()
    await fill()
    await auditVisit(visit, 'light')
    // Meanwhile the member got a flag.
    await inDatabase(roz.dataDir, (db) =>
      db.query(sql`
        insert into member_flag (member_id, kind, subject) select member_id, 'dispute', 'dispute:seen' from withdrawal where id = ${id}::uuid`),
    )
    await confirm()
    await expect(toast(page, 'This changed while you had it open. Look at it again, then decide.')).toBeVisible()
    await expect(item).toContainText('The member disputed a payment at the bank')
    expect(visit.complaints()).toEqual([expect.stringContaining('status of 409')])
    await open()
    await fill()
    await confirm()
    await expect(toast(page, 'The money is marked as paid to its owner.')).toBeVisible()
    await expect(item).toContainText('Paid by hand')
    await expect(item).toContainText('Bank reference: UTR0000000042')
    await expect(item.getByRole('button')).toHaveCount(0)
    expect(visit.complaints()).toEqual([])
  })
})

describe('disputes', () => {
  test('an empty list says so; a dispute is listed with its deadline, and later with its outcome', async () => {
    await openTab('disputes')
    await expect(page.getByText('No disputes found')).toBeVisible()
    await auditVisit(visit)
    const order = await addMoney(roz, asha, 10)
    const id = String((await play(`orders/${order}/dispute`, { stage: 'CHARGEBACK' }))['dispute_id'])
    const token = await adminToken(roz.url)
    const isNow = (status: 'open' | 'won') => async () =>
      (await ask(roz.url, 'disputes', { token, query: { status } })).output.disputes.find((one) => one.id === id)
    await eventually('the dispute', isNow('open'))
    await page.reload()
    const dispute = row(`Dispute ${id}`)
    await expect(dispute).toContainText('₹10.00, Asha Verma')
    await expect(dispute).toContainText('Open')
    await expect(dispute).toContainText(`Dispute ${id}: Chargeback`)
    await expect(dispute).toContainText('The gateway says: it was opened')
    await expect(dispute).toContainText('Answer the bank by')
    await expect(dispute).toContainText("The bank took back ₹10.00: ₹10.00 from the member's wallet, ₹0.00 from us.")
    await page.setViewportSize(SMALL)
    await auditVisit(visit)
    await page.setViewportSize(WIDE)
    await play(`disputes/${id}`, { step: 'DOCS_RECEIVED' })
    await play(`disputes/${id}`, { step: 'MERCHANT_WON' })
    await eventually('its end', isNow('won'))
    await page.getByLabel('Status').selectOption('won')
    await expect(dispute).toContainText('Won')
    await expect(dispute).toContainText('The money is with us.')
    await expect(dispute).not.toContainText('Answer the bank')
    await page.getByLabel('Status').selectOption('lost')
    await expect(page.getByText('No disputes found')).toBeVisible()
    expect(visit.complaints()).toEqual([])
  })
})

describe('the audit of the books', () => {
  test("the overview shows the audit's time and result; books that do not add up raise an alarm that names the fault", async () => {
    const token = await adminToken(roz.url)
    await eventually('the first check', async () => (await ask(roz.url, 'adminStats', { token })).output.audit ?? undefined)
    await openTab('overview')
    const check = page.getByRole('region', { name: 'Accounts check' })
    await expect(check).toContainText('All add up')
    await expect(check).toContainText('Last checked')
    // With the highest id: an audit of the server that ends meanwhile would rightly end the finding.
    await inDatabase(roz.dataDir, (db) =>
      db.query(sql`
        insert into audit_run (id, scope, finished_at, broken) overriding system value
        values (1000000, 'full', roz_now(), '[{"invariant": "legs_sum_to_zero", "sentence": "Every rupee is somewhere.",
          "rows": [{"subject": "all accounts", "found": "100"}], "hasMore": false}]'::jsonb)`),
    )
    await page.reload()
    await expect(check).toContainText('Broken')
    await expect(check.getByRole('alert')).toContainText('The accounts do not add up')
    await expect(check).toContainText('Every rupee is somewhere. (1: all accounts: 100)')
    await auditVisit(visit)
  })

  test('unpublished books are an alarm on the overview and in /readyz, which names no member', async () => {
    await inDatabase(roz.dataDir, (db) =>
      db.query(sql`
        insert into books_hold (day, found, member_id, next_try_at)
        values (ist_day(roz_now()) - 1, 'member 1234 has -100 paise', 1234, roz_now() + interval '1 hour')`),
    )
    await openTab('overview')
    await expect(
      page.getByRole('alert').filter({ hasText: 'do not add up, so they are not published. Later days that wait: 0.' }),
    ).toBeVisible()
    await auditVisit(visit)
    const text = await (await fetch(`${roz.url}/readyz`)).text()
    expect(JSON.parse(text)).toMatchObject({ status: 'ready', alarms: [{ code: 'books_held', waiting: 0 }] })
    expect(text).not.toContain('1234')
  })
})

describe('a member in debt', () => {
  test('the debt is shown beside the decision, which is refused; the wallet shows it until it is paid', async () => {
    const omar = await newMember(roz, { name: 'Omar Khan' })
    const order = await addMoney(roz, omar, 30)
    const { withdrawal } = (await ask(roz.url, 'withdraw', { token: omar.token, body: { amount: 30, bankDetail: BANK } })).output
    await play(`orders/${order}/dispute`, { stage: 'CHARGEBACK' })
    const owed = async () => (await ask(roz.url, 'profile', { token: omar.token })).output.user.wallet.owed
    await eventually('the debt', async () => ((await owed()) === 30 ? true : undefined))
    await openTab('withdrawals')
    const listed = row('₹30.00, Omar Khan')
    await expect(listed).toContainText('The member owes: ₹30.00')
    await expect(listed).toContainText('The member owes for a payment that the bank took back')
    await expect(listed).toContainText('The member disputed a payment at the bank')
    await listed.getByRole('button', { name: /^Approve/ }).click()
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(toast(page, 'This member owes us for a payment that the bank took back.')).toBeVisible()
    await expectSilence(visit, /status of 409/)
    await auditVisit(visit)
    const says = page.getByText('You owe ₹30.00: your bank took back a payment that you had spent.')
    await fixture.at('/wallet', async (at) => expect(at.getByText('You owe ₹30.00')).toBeVisible(), { token: omar.token })
    // The wallet requests the gateway's script.
    await expectSilence(visit, /cashfree\.js/)
    await page.setViewportSize(SMALL)
    await auditVisit(visit)
    await page.setViewportSize(WIDE)
    const token = await adminToken(roz.url)
    await ask(roz.url, 'rejectWithdrawal', {
      token,
      params: { id: withdrawal.id },
      body: { status: 'requested', reason: 'The payment was disputed.' },
    })
    expect(await owed()).toBe(0)
    await page.reload()
    await expect(page.getByText('Paid for a payment the bank took back')).toBeVisible()
    await expect(says).toHaveCount(0)
  })
})
