/** Adding money by a bank transfer: a member gets the account and a reference, and finance confirms the transfer, in both languages at 360 px. */
import type { Api, Output } from '@roz/contract/api.ts'
import { paths } from '@roz/web/paths.ts'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { auditVisit } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { ADMIN } from '../../harness/program.ts'
import { toast } from '../../harness/steps.ts'

const ACCOUNT = {
  TRANSFER_HOLDER: 'Roz Foundation',
  TRANSFER_ACCOUNT: '001234567890',
  TRANSFER_IFSC: 'HDFC0000123',
  TRANSFER_BANK: 'HDFC Bank',
  TRANSFER_UPI: 'roz@hdfcbank',
}
const WORDS = {
  en: { get: 'Get a reference', copy: 'Copy the reference', copied: 'Copied', amount: 'Amount', none: 'No transfer of yours is waiting.' },
  hi: { get: 'रेफ़रेंस लें', copy: 'रेफ़रेंस कॉपी करें', copied: 'कॉपी हो गया', amount: 'रकम', none: 'आपका कोई ट्रांसफ़र बाकी नहीं है।' },
} as const
const PORTAL = {
  en: {
    type: "Confirm by the bank's number",
    number: "The bank's number (UTR)",
    reference: 'Reference of the order',
    day: 'Day of the transfer',
    amount: 'Amount that came in',
    confirm: 'Confirm',
    done: "Confirmed. The money is in the member's wallet.",
    state: 'Confirmed',
    arrived: 'Arrived at our bank: ₹',
  },
  hi: {
    type: 'बैंक के नंबर से पुष्टि करें',
    number: 'बैंक का नंबर (UTR)',
    reference: 'ऑर्डर का रेफ़रेंस',
    day: 'ट्रांसफ़र का दिन',
    amount: 'आई हुई रकम',
    confirm: 'पुष्टि करें',
    done: 'पुष्टि हो गई। पैसे सदस्य के वॉलेट में हैं।',
    state: 'पुष्टि हो गई',
    arrived: 'हमारे बैंक में आए: ₹',
  },
} as const

const fixture = useAppFixture({ env: async () => ({ PAYMENTS: 'bank-transfer', ...ACCOUNT }) })
let admin: string
beforeAll(async () => {
  admin = await adminToken(fixture.roz.url)
})

test.each(['en', 'hi'] as const)('a member gets a reference, and finance confirms the transfer: %s', async (language) => {
  const { get, copy, copied, amount, none } = WORDS[language]
  const reads = (page: { evaluate: (work: (chosen: string) => void, chosen: string) => Promise<unknown> }) =>
    page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
  const { token } = await newMember(fixture.roz, { name: 'Mira Das' })
  let reference = ''
  await fixture.as(token, paths.wallet, async (page) => {
    await reads(page)
    const answer = await page.reload()
    // Nothing of a gateway may be loaded: no script, no hosted page.
    const policy = (await answer?.allHeaders())?.['content-security-policy'] ?? ''
    expectValue([policy.includes('default-src'), /cashfree|sandbox|127\.0\.0\.1/i.test(policy)]).toEqual([true, false])
    await expect(page.getByText(none)).toBeVisible()
    await page.getByLabel(amount, { exact: true }).fill('20')
    await page.getByRole('button', { name: get }).click()
    for (const shown of Object.values(ACCOUNT)) await expect(page.getByText(shown, { exact: true })).toBeVisible()
    // The headless shell has no clipboard.
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text })
    })
    await page.getByRole('button', { name: copy, exact: true }).click()
    await expect(toast(page, copied)).toBeVisible()
    reference = String(await page.evaluate(() => (window as { copied?: string }).copied))
    expectValue(reference).toMatch(/^RZ[A-HJ-NP-Z2-9]{8}$/)
    await expect(page.getByText(reference)).toBeVisible()
    await expect(page.getByText(/cashfree|autopay|ऑटो-पे|payment partner|पेमेंट पार्टनर/i)).toHaveCount(0)
    await auditVisit(fixture.visit)
  })
  const words = PORTAL[language]
  const today = (await ask(fixture.roz.url, 'reconciliation', { token: admin })).output.reconciliation[0]?.day ?? ''
  await fixture.as(admin, '/admin/dashboard?tab=transfers', async (page) => {
    await reads(page)
    await page.reload()
    await page.getByRole('button', { name: words.type }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel(words.reference).fill(reference.toLowerCase())
    await form.getByLabel(words.number).fill(language === 'en' ? '000412345678901' : '412345678902')
    await form.getByLabel(words.day).fill(today)
    await form.getByLabel(words.amount).pressSequentially('20.00')
    await expect(form.getByLabel(words.amount)).toHaveValue('20.00')
    await auditVisit(fixture.visit, 'light')
    await form.getByRole('button', { name: words.confirm, exact: true }).click()
    await expect(toast(page, words.done)).toBeVisible()
    const row = page.getByRole('listitem').filter({ hasText: reference })
    await expect(row).toContainText(words.state)
    await auditVisit(fixture.visit)
    await page.goto(new URL('?tab=reconciliation', page.url()).href)
    await expect(page.getByText(words.arrived)).toBeVisible()
    await expect(page.getByText(/gateway|गेटवे/i)).toHaveCount(0)
  })
  const { balance } = (await ask(fixture.roz.url, 'me', { token })).output.user.wallet
  expectValue(balance).toBe(20)
})

test('a refund on its way through a former gateway says why nobody knows its end', async () => {
  const refund = {
    id: 'a1',
    order_id: 'o1',
    amount: 5,
    status: 'sending',
    reason: 'I added too much',
    decision: null,
    reference: null,
    createdAt: '2026-11-20T12:00:00.000+05:30',
    member: { id: 'm1', name: 'Mira Das', email: 'mira@example.in' },
    suspenseId: null,
    refundId: 'a1',
    problem: null,
    onHold: false,
    approvedAt: null,
    firstApproval: null,
    approvedBy: null,
    waitingHours: 72,
    memberFlags: [],
    owed: 0,
    endedAt: null,
    seen: 'a1',
  } satisfies Output<Api['adminRefunds']>['refunds'][number]
  await fixture.as(admin, '/admin/dashboard?tab=refunds', async (page) => {
    await page.route('**/api/admin/refunds', (route) =>
      route.fulfill({
        json: {
          refunds: [refund, { ...refund, id: 'a2', status: 'paid' }, { ...refund, id: 'a3', status: 'approved' }],
          approvalAbove: 1000,
          nextCursor: null,
        },
      }),
    )
    await page.reload()
    await expect(page.getByText('Its gateway is no longer set up: we cannot ask whether it arrived.')).toHaveCount(1)
    await page.getByRole('button', { name: /^Send again/ }).click()
    await expect(page.getByRole('dialog', { name: 'Send it once more?' }).getByRole('button', { name: 'Send again' })).toBeVisible()
  })
})

test('the person who confirmed first is not offered the second confirmation', async () => {
  const { user } = (await ask(fixture.roz.url, 'adminLogin', { body: ADMIN })).output
  const asked = {
    id: 't1',
    amount: 20,
    day: '2026-11-20',
    order: null,
    bankReference: '000412345678901',
    status: 'asked',
    askedBy: { id: user.id, name: user.name },
    askedAt: '2026-11-20T12:00:00.000+05:30',
    reason: null,
  } satisfies Output<Api['transfers']>['transfers'][number]
  await fixture.as(admin, '/admin/dashboard?tab=transfers', async (page) => {
    await page.route('**/api/admin/transfers', (route) =>
      route.fulfill({
        json: { transfers: [asked, { ...asked, id: 't2', askedBy: { id: 'another', name: 'Sunita Nair' } }], nextCursor: null },
      }),
    )
    await page.reload()
    await expect(page.getByRole('button', { name: /^Reject/ })).toHaveCount(2)
    await expect(page.getByRole('button', { name: /^Confirm as well/ })).toHaveCount(1)
  })
})
