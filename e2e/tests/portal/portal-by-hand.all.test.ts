/**
 * Withdrawals in the portal when no gateway pays out and staff pay by hand.
 * - The person who was shown the bank account ends the withdrawal, or an owner takes it over. The row names that person to everyone else.
 * - A member's hold and an undone approval are shown in words, and the member reads the reason of a rejection.
 */
import { addDays, dayAt, type IstDay, isoIst, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { STATEMENT_PRESETS } from '@roz/core/statement-presets.ts'
import { sql } from '@roz/server/db/sql.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { captureTopup, createTopup } from '@roz/server/ledger/topups.ts'
import { showAccount, takeOver } from '@roz/server/ledger/withdrawals.ts'
import { statementText } from '@roz/server/testing/statement.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditBothWidths, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, eventually, mailsTo, newMember, type Person, setClock } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

/** A payment gateway at an address where nothing listens, and no payout gateway. */
const NOWHERE = 'http://127.0.0.1:9'
const BY_HAND = {
  PAYMENTS: 'cashfree',
  CASHFREE_PG_CLIENT_ID: 'nobody',
  CASHFREE_PG_CLIENT_SECRET: 'nothing',
  CASHFREE_PG_BASE_URL: `${NOWHERE}/pg`,
  CASHFREE_JS_URL: `${NOWHERE}/cashfree.js`,
}
const fixture = useAppFixture({ size: WIDE, env: async () => BY_HAND })
let roz: Program
let asha: Person
let ravi: bigint
let visit: Visit
let page: Page

beforeAll(async () => {
  ;({ roz, visit, page } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma' })
  await inDatabase(roz.dataDir, async (db) => {
    const [member] = await db.query<{ id: bigint }>(sql`select id from member where email = ${asha.email}::text`)
    const orderId = crypto.randomUUID().replaceAll('-', '')
    const amount = paise(9000n)
    await inTransaction(db, async (tx) => {
      await createTopup(tx, { orderId, memberId: member?.id ?? 0n, amount })
      await captureTopup(tx, { orderId, paymentId: `test-${orderId}`, orderAmount: amount })
    })
    const [staff] = await db.query<{ id: bigint }>(sql`
      insert into member (name, email, role, staff_role, email_verified_at)
      values ('Ravi Rao', 'ravi@staff.test', 'admin', 'finance', roz_now()) returning id`)
    ravi = staff?.id ?? 0n
  })
  const isOpen: Work = async (at) => expect(at.getByRole('tab').first()).toBeVisible()
  await fixture.at('/admin/dashboard', isOpen, { token: await adminToken(roz.url) })
})

const row = (words: string) => page.locator('.story-rows li', { hasText: words })
const dialog = () => page.getByRole('dialog')
const look = () => page.goto(`${fixture.line.url}/admin/dashboard?tab=withdrawals`)

/** An approved withdrawal; its amount identifies its row. */
async function approved(amount: number): Promise<string> {
  const { id } = (await ask(roz.url, 'withdraw', { token: asha.token, body: { amount, bankDetail: BANK } })).output.withdrawal
  await ask(roz.url, 'approveWithdrawal', { token: await adminToken(roz.url), params: { id }, body: { status: 'requested' } })
  return id
}
async function press(name: string, confirm = name): Promise<void> {
  await page
    .locator('.story-rows')
    .getByRole('button', { name: new RegExp(`^${name}:`) })
    .first()
    .click()
  await dialog().getByRole('button', { name: confirm, exact: true }).click()
}

describe('a payment by hand', () => {
  test('a person who was shown the account can only say paid or not paid, also after a reload', async () => {
    await approved(10)
    await look()
    await expect(row('₹10.00').getByRole('button')).toHaveText(['Bank account', 'Reject'])
    await press('Bank account', 'Show')
    await expect(dialog()).toContainText(BANK.accountNumber)
    await expect(dialog()).toContainText(/Bank of the IFSCHDFC Bank \(list of /)
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
    await expect(row('₹10.00')).toContainText('You were shown the bank account on')
    await page.reload()
    await expect(row('₹10.00').getByRole('button')).toHaveText(['Mark as paid', 'Not paid', 'Bank account'])
    await auditBothWidths(visit)
  })

  test('“not paid” requires a reason; the row says that the approval was undone, and the member reads the reason', async () => {
    await press('Not paid')
    await expect(dialog()).toContainText('Please give a reason')
    await dialog().getByLabel('Reason').fill('The bank did not take this account.')
    await auditBothWidths(visit)
    await dialog().getByRole('button', { name: 'Not paid', exact: true }).click()
    await expect(toast(page, 'The approval is undone; the money is back in the wallet.')).toBeVisible()
    await expect(row('₹10.00')).toContainText('Rejected')
    await expect(row('₹10.00')).toContainText(/It was approved on .+; the approval was undone later\./)
    const { transactions } = (await ask(roz.url, 'transactions', { token: asha.token })).output
    expect(transactions[1]).toMatchObject({ status: 'rejected', reason: 'The bank did not take this account.' })
    const mail = await eventually('the mail', async () =>
      (await mailsTo(roz.url, asha.email)).find(({ subject }) => subject === 'Your withdrawal of ₹10.00 was rejected'),
    )
    expect(mail.text).toContain('Reason: The bank did not take this account.')
  })

  test('a withdrawal that was shown to another person names them; an owner takes it over with a reason and ends it', async () => {
    const id = await approved(20)
    await inDatabase(roz.dataDir, (db) => inTransaction(db, (tx) => showAccount(tx, { id, by: ravi })))
    await look()
    await expect(row('₹20.00')).toContainText(/Ravi Rao was shown the bank account on .+ and may have paid\./)
    await expect(row('₹20.00').getByRole('button')).toHaveText(['Take over'])
    await press('Take over')
    await expect(dialog()).toContainText('Ravi Rao may have paid already.')
    await dialog().getByLabel('Reason').fill('Ravi has left; the bank shows no payment.')
    await auditBothWidths(visit)
    await dialog().getByRole('button', { name: 'Take over', exact: true }).click()
    await expect(toast(page, 'You have taken this withdrawal: only you can finish it.')).toBeVisible()
    await press('Mark as paid')
    await dialog().getByLabel('Bank reference').fill('UTR0000000042')
    await dialog().getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await expect(toast(page, 'The withdrawal is marked as paid.')).toBeVisible()
    // The next day the bank sends the money back.
    await expect(row('₹20.00').getByRole('button')).toHaveText(['Came back'])
    await press('Came back', 'It came back')
    await expect(dialog()).toContainText('Please give a reason')
    await dialog().getByLabel('Reason').fill('The account is closed.')
    await auditBothWidths(visit)
    await dialog().getByRole('button', { name: 'It came back', exact: true }).click()
    await expect(toast(page, 'Recorded. The money is with the member again.')).toBeVisible()
    await expect(row('₹20.00')).toContainText('Reason: The account is closed.')
    await expect(row('₹20.00')).toContainText('Bank reference: UTR0000000042')
  })

  test('opened in one tab, taken in another: the first tab names the person who has it', async () => {
    const id = await approved(15)
    await look()
    await page
      .locator('.story-rows')
      .getByRole('button', { name: /^Reject:/ })
      .first()
      .click()
    await inDatabase(roz.dataDir, (db) => inTransaction(db, (tx) => showAccount(tx, { id, by: ravi })))
    await dialog().getByLabel('Reason').fill('Not wanted any more.')
    await dialog().getByRole('button', { name: 'Reject', exact: true }).click()
    const words = 'Ravi Rao has seen the bank account and may have paid. Only Ravi Rao can end this withdrawal, as paid or as not paid.'
    await expect(toast(page, words)).toBeVisible()
    await expect(row('₹15.00').getByRole('button')).toHaveText(['Take over'])
    expect(visit.complaints()).toEqual([expect.stringContaining('status of 409')])
  })

  test('a withdrawal of a member on hold cannot be paid, and the row says why', async () => {
    await approved(12)
    const hold = (isOn: boolean) =>
      inDatabase(roz.dataDir, (db) =>
        db.query(sql`update member set suspended_at = case when ${isOn}::boolean then roz_now() end where email = ${asha.email}::text`),
      )
    await hold(true)
    await look()
    await expect(row('₹12.00')).toContainText('Withdrawals and refunds are on hold: nothing is sent until the hold ends.')
    await expect(row('₹12.00').getByRole('button')).toHaveText(['Reject'])
    await auditBothWidths(visit)
    // The account was shown before the hold. After the take-over, the screen tells the owner not to pay, and still accepts “not paid”.
    await expect(row('₹15.00').getByRole('button')).toHaveText(['Take over'])
    await press('Take over')
    await dialog().getByLabel('Reason').fill('Ravi has left.')
    await dialog().getByRole('button', { name: 'Take over', exact: true }).click()
    await expect(row('₹15.00')).toContainText(
      'The member is on hold: do not pay now. If you have paid already, mark it as paid when the hold ends.',
    )
    await expect(row('₹15.00').getByRole('button')).toHaveText(['Not paid'])
    await hold(false)
    await page.reload()
    await expect(row('₹12.00').getByRole('button')).toHaveText(['Bank account', 'Reject'])
  })

  test('a take-over of a payment that another owner has taken meanwhile is refused, and the row names that owner', async () => {
    const id = await approved(11)
    await inDatabase(roz.dataDir, (db) => inTransaction(db, (tx) => showAccount(tx, { id, by: ravi })))
    await look()
    await page
      .locator('.story-rows')
      .getByRole('button', { name: /^Take over: ₹11\.00/ })
      .click()
    await inDatabase(roz.dataDir, async (db) => {
      const [owner] = await db.query<{ id: bigint }>(sql`
        insert into member (name, email, role, staff_role, email_verified_at)
        values ('Sunita Nair', 'sunita@staff.test', 'admin', 'owner', roz_now()) returning id`)
      const [holder] = await db.query<{ from: string }>(sql`select public_id as "from" from member where id = ${ravi}::bigint`)
      await inTransaction(db, (tx) => takeOver(tx, { id, by: owner?.id ?? 0n, from: holder?.from ?? '' }))
    })
    await dialog().getByLabel('Reason').fill('Ravi has left.')
    await dialog().getByRole('button', { name: 'Take over', exact: true }).click()
    await expect(toast(page, 'This changed while you had it open. Look at it again, then decide.')).toBeVisible()
    await expect(row('₹11.00')).toContainText(/Sunita Nair was shown the bank account on .+ and may have paid\./)
    expect(visit.complaints()).toEqual([expect.stringContaining('status of 409')])
  })
})

describe('a payment that the statement shows as returned', () => {
  test('the dialog offers its line with the words of the bank', async () => {
    const id = await approved(14)
    const token = await adminToken(roz.url)
    await ask(roz.url, 'withdrawalBank', { token, params: { id }, body: { status: 'approved' } })
    await ask(roz.url, 'completeWithdrawal', { token, params: { id }, body: { status: 'approved', bankReference: 'UTR0000000043' } })
    const today = dayAt(Date.now())
    await importLines(today, [
      ['NEFT DR-UTR0000000043-ASHA VERMA', -14],
      ['NEFT RETURN-UTR0000000043-ACCOUNT CLOSED', 14],
      ['CASH DEPOSIT', 7],
    ])
    const work: Work = async () => {
      await row('₹14.00')
        .getByRole('button', { name: /^Came back:/ })
        .click()
      await dialog().getByLabel('Line of the statement').selectOption({ index: 1 })
      await expect(dialog()).toContainText('NEFT RETURN-UTR0000000043-ACCOUNT CLOSED')
      await dialog().getByLabel('Reason').fill('The account is closed.')
      await auditBothWidths(visit)
      await dialog().getByRole('button', { name: 'It came back', exact: true }).click()
      await expect(toast(page, 'Recorded. The money is with the member again.')).toBeVisible()
    }
    // The clock is a day further: the session is over.
    await fixture.at('/admin/dashboard?tab=withdrawals', work, { token: await adminToken(roz.url) })
  })
})

/** Imports the statement of a day, on the next one. */
async function importLines(day: IstDay, lines: readonly (readonly [words: string, rupees: number])[]): Promise<void> {
  await setClock(roz.url, isoIst(startOfDayMs(addDays(day, 1)) + 12 * 3_600_000))
  const token = await adminToken(roz.url)
  const params = { id: crypto.randomUUID() }
  await ask(roz.url, 'saveBankAccount', { token, params, body: { name: 'Current', lastFour: '8901', mapping: STATEMENT_PRESETS.HDFC } })
  const text = statementText(
    lines.map(([words, rupees]) => ({ day, words, amount: BigInt(rupees) * 100n })),
    100_000n,
  )
  const form = (): FormData => {
    const made = new FormData()
    made.set('file', new Blob([text], { type: 'text/csv' }), 'statement.csv')
    return made
  }
  const { output } = await ask(roz.url, 'previewStatement', { token, params, form: form() })
  await ask(roz.url, 'importStatement', { token, params, query: { seen: output.seen, until: day }, form: form() })
}

describe('the member', () => {
  test('reads the reason of a rejection in the wallet and on the receipt', async () => {
    await fixture.as(asha.token, '/wallet', async (at) => {
      const line = at.locator('tr, .rows li', { hasText: 'Reason: The bank did not take this account.' })
      await expect(line).toContainText('Rejected')
      await line.getByRole('link').click()
      await expect(at.locator('.receipt-facts')).toContainText('The bank did not take this account.')
    })
  })
})
