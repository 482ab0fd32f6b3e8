/** Settlements that the gateway reported, in the browser: the red line, a record by a press, and a finding closed with its reason. */
import type { Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditVisit } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember, readClock, setClock } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture()
let roz: Program
let admin: string
let settlement: string
beforeAll(async () => {
  ;({ roz } = fixture)
  await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  const response = await fetch(`${roz.sandboxUrl}/__sandbox/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ webhooks: 0, adjustment: -2, remarks: 'Rental' }),
  })
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
