/** Settlements that the gateway reported, in the browser: the red line, a record by a press, a finding closed with its reason, and the bank's statement. */
import type { Api, Output } from '@roz/contract/api.ts'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import type { Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit, expectSilence } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember, readClock, setClock } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'
import { postJson, type Program } from '../../harness/program.ts'

const fixture = useAppFixture()
let roz: Program
let admin: string
let settlement: string
beforeAll(async () => {
  ;({ roz } = fixture)
  await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  const response = await postJson(`${roz.sandboxUrl}/__sandbox/settle`, { webhooks: 0, adjustment: -2, remarks: 'Rental' })
  settlement = ((await response.json()) as { cf_settlement_id: string }).cf_settlement_id
  const now = await readClock(roz.url)
  await setClock(roz.url, new Date(Date.parse(now) + 24 * 3_600_000).toISOString())
  admin = await adminToken(roz.url)
  await expect
    .poll(
      async () => (await ask(roz.url, 'gatewaySettlements', { token: admin, query: { status: 'to_record' } })).output.settlements.length,
      { timeout: 30_000 },
    )
    .toBe(1)
})

const inPortal = (tab: string, work: (page: Page) => Promise<void>) => fixture.at(`/admin/dashboard?tab=${tab}`, work, { token: admin })

test('the morning after, the settlement waits with what does not fit, and both are done by a press', async () => {
  await inPortal('reconciliation', async (page) => {
    await expect(page.getByRole('alert').filter({ hasText: '1 finding is open: together ₹2.00 of difference.' })).toBeVisible()
    const waiting = page.getByRole('region', { name: 'Settlements to record' })
    await expect(waiting).toContainText(`Settlement ${settlement}`)
    await expect(waiting).toContainText('₹27.31 to our bank, ₹0.69 kept as the fee')
    await expect(waiting).toContainText('2 entries of the gateway')
    await auditVisit(fixture.visit)
    await waiting.getByRole('button', { name: `Check and record: ${settlement}` }).click()
    const form = page.getByRole('dialog', { name: 'Record this settlement?' })
    await form.getByText("The gateway's report").click()
    await expect(form.getByText('OTHER_ADJUSTMENT')).toBeVisible()
    await auditVisit(fixture.visit, 'light')
    await form.getByRole('button', { name: 'Record it' }).click()
    await expect(toast(page, 'Recorded.')).toBeVisible()
    await expect(waiting).toBeHidden()
    await expect(page.getByText('The gateway owes us ₹2.00.')).toBeVisible()

    const findings = page.getByRole('region', { name: 'Findings', exact: true })
    await expect(findings).toContainText('₹2.00 less than in our books')
    await expect(findings).toContainText('Found today')
    await expect(findings).toContainText('Rental')
    await findings.getByRole('button', { name: /^Close: The gateway added or took/ }).click()
    const close = page.getByRole('dialog', { name: 'Close this finding?' })
    await close.getByLabel('Reason').fill('Rental of July, by their mail')
    await close.getByRole('button', { name: 'Close it' }).click()
    await expect(toast(page, 'The finding is closed.')).toBeVisible()
    await expect(findings).toBeHidden()
    await expect(page.getByText('our books have what the gateway says.')).toBeVisible()
    await page.getByRole('button', { name: 'Past findings' }).click()
    await expect(page.getByRole('region', { name: 'Past findings' })).toContainText('Rental of July, by their mail')
  })
})

test('an entry that no settlement has shows its own day, and not as words of the gateway', async () => {
  const finding = {
    id: 'f1',
    kind: 'missing',
    subject: 'payment:1',
    settlement: null,
    amount: -10,
    detail: '2026-11-20',
    status: 'open',
    day: null,
    foundAt: '2026-11-26T06:00:00.000+05:30',
    endedAt: null,
    closedBy: null,
    reason: null,
    seen: 'f1',
  } satisfies Output<Api['findings']>['findings'][number]
  await inPortal('reconciliation', async (page) => {
    await page.route('**/api/admin/findings?*', (route) => route.fulfill({ json: { findings: [finding], nextCursor: null } }))
    await page.reload()
    const findings = page.getByRole('region', { name: 'Findings', exact: true })
    await expect(findings.getByText(/^Of .*20 November 2026$/)).toBeVisible()
    await expect(findings).not.toContainText('words')
    // The tests share the page.
    await page.unroute('**/api/admin/findings?*')
  })
})

test('the statement of the bank is imported after a look, and what it has beyond our books is red until it is closed', async () => {
  const today = dayAt(Date.parse(await readClock(roz.url)))
  const { settlements } = (await ask(roz.url, 'gatewaySettlements', { token: admin })).output
  const cell = (day: string): string => day.split('-').toReversed().join('/')
  const file = [
    'Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance',
    `${cell(addDays(today, -1))},INT.PD ASHA VERMA,,,,2.00,2.00`,
    `${cell(today)},NEFT CR-CASHFREE-${settlements[0]?.utr},,,,27.31,29.31`,
  ].join('\n')
  await inPortal('reconciliation', async (page) => {
    const bank = page.getByRole('region', { name: 'Bank' })
    await bank.getByRole('button', { name: 'Add a bank account' }).click()
    const account = page.getByRole('dialog', { name: 'Add a bank account' })
    await account.getByLabel('Name', { exact: true }).fill('Current account')
    const digits = account.getByLabel('Last four digits')
    // A pasted account number is not cut to its first four digits.
    await digits.focus()
    await page.keyboard.insertText('012345678901')
    await expect(digits).toHaveValue('012345678901')
    await digits.fill('8901')
    await account.getByLabel('Start with the columns of').selectOption('HDFC')
    await auditVisit(fixture.visit, 'light')
    await account.getByRole('button', { name: 'Save' }).click()
    await expect(bank).toContainText('Account ending in 8901')

    await bank.getByRole('button', { name: 'Import a statement: Current account' }).click()
    const form = page.getByRole('dialog', { name: 'Import a statement: Current account' })
    const choose = (text: string) =>
      form.getByLabel('Statement as CSV').setInputFiles({ name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await choose(file.replace('29.31', '29.30'))
    await expect(form.getByText('Row 3: the balance does not add up. It should be ₹29.31, the file says ₹29.30.')).toBeVisible()
    await expectSilence(fixture.visit, /status of 422/)
    await choose(file)
    await expect(form.getByRole('heading', { name: '2 new lines' })).toBeVisible()
    await expect(form).toContainText('INT.PD ASHA VERMA')
    await auditVisit(fixture.visit, 'light')
    await form.getByRole('button', { name: 'Import' }).click()
    await expect(toast(page, 'Imported: 2 new lines, 1 matched.')).toBeVisible()

    const red = page.getByRole('alert').filter({ hasText: '₹2.00 more at the bank.' })
    await expect(red).toContainText('+₹2.00: 1 line without an entry')
    const findings = page.getByRole('region', { name: 'Findings', exact: true })
    await findings.getByRole('button', { name: /^Match: / }).click()
    const line = page.getByRole('dialog', { name: 'Line of the statement' })
    await expect(line).toContainText('INT.PD ASHA VERMA')
    await expect(line).toContainText('No entry of our books has this amount around this day.')
    await line.getByRole('button', { name: 'Cancel' }).click()
    await findings.getByRole('button', { name: /^Close: A line of the bank statement/ }).click()
    const close = page.getByRole('dialog', { name: 'Close this finding?' })
    await close.getByLabel('Reason').fill('Interest of the bank')
    await close.getByRole('button', { name: 'Close it' }).click()
    await expect(page.getByText('All of it was closed with a reason.')).toBeVisible()
    await expect(red).toBeHidden()
    await bank.getByRole('button', { name: 'Lines of the statements' }).click()
    await expect(bank).toContainText('Matched by its number')
    await expect(bank).toContainText('Closed with a reason')
    await auditVisit(fixture.visit)
  })
})
