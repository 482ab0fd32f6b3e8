/** Money on a phone: the page after a payment recovers from a bad line by itself; a withdrawal goes to a UPI ID, or to the bank of its IFSC. */
import { test } from 'vitest'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { auditPage } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, eventually, newMember, pay, PHONE } from '../../harness/people.ts'
import { exactToast } from '../../harness/steps.ts'
import { postJson } from '../../harness/program.ts'

const fixture = useAppFixture()

test('after a cut answer the page asks again by itself, and becomes Payment Successful! without a press', async () => {
  const { token } = await newMember(fixture.roz)
  const order = (await ask(fixture.roz.url, 'addMoney', { token, body: { amount: 10, phoneNumber: PHONE } })).output
  fixture.line.breakLine('POST /api/payments/confirm', 'cut')
  await fixture.as(token, `/payment-status?order_id=${order.order_id}`, async (page) => {
    const alert = page.getByRole('main').getByRole('alert')
    await expect(alert).toContainText('We keep asking. Do not pay again')
    fixture.line.mend()
    await expect(page.getByRole('heading', { name: 'Payment Pending' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText('Left without paying? Nothing was taken.')
    await auditPage(page)
    await pay(fixture.roz.sandboxUrl, String(order.order_id), 'success')
    await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  })
})

test('a withdrawal to a UPI ID: a mail address is refused beside the field, the list shows it masked, and both sides what its bank said', async () => {
  const { token } = await newMember(fixture.roz, { rupees: 30 })
  await fixture.as(token, '/wallet', async (page) => {
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    const form = page.locator('#withdraw')
    await form.getByRole('radio', { name: 'UPI ID' }).check()
    await form.getByLabel('Amount', { exact: true }).fill('10')
    await form.getByLabel('Account holder name', { exact: true }).fill('Asha Verma')
    const upiId = form.getByRole('textbox', { name: 'UPI ID' })
    await upiId.fill('asha@gmail.com')
    await upiId.blur()
    await expect(form).toContainText('Please enter one UPI ID such as name@bank, not an email address')
    await expect(form.getByLabel('IFSC', { exact: true })).toHaveCount(0)
    await auditPage(page)
    await expect(form).toContainText('our payment partner sends ₹1 to this UPI ID and asks the bank if it has your name')
    await upiId.fill('Asha.Verma@OKBANK')
    await form.getByRole('button', { name: 'Withdraw ₹10.00' }).click()
    await expect(exactToast(page, 'Withdrawal request submitted!')).toBeVisible()
    await expect(page.getByText('Withdrawal to UPI as…@okbank')).toBeVisible()
    await told(token, 1)
    await page.reload()
    await expect(page.getByText('The bank has your name for this UPI ID.')).toBeVisible()

    await bankSays('other@okbank', { name: 'RAVI KUMAR' })
    const upiDetail = { accountHolderName: 'Asha Verma', upiId: 'other@okbank' }
    await ask(fixture.roz.url, 'withdraw', { token, body: { amount: 10, upiDetail, nameCheck: true } })
    await told(token, 2)
    await ask(fixture.roz.url, 'withdraw', { token, body: { amount: 10, upiDetail: { ...upiDetail, upiId: 'third@okbank' } } })
    await page.evaluate(() => localStorage.setItem('language', 'hi'))
    await page.reload()
    await expect(page.getByText('बैंक में इस UPI आईडी का नाम कुछ और है।')).toBeVisible()
    await auditPage(page)
  })
  await fixture.as(await adminToken(fixture.roz.url), '/admin/dashboard?tab=withdrawals', async (page) => {
    const row = (amount: string) => page.getByRole('listitem').filter({ hasText: amount })
    await expect(row('as…@okbank')).toContainText('The bank has the same name for it')
    await expect(row('ot…@okbank')).toContainText('The bank has another name for this UPI ID, or does not know it')
    await expect(row('th…@okbank')).toContainText('The bank was not asked for the name of this UPI ID')
    await expect(row('th…@okbank')).not.toContainText('The bank was not asked for its name')
    await auditPage(page)
  })
})

const bankSays = (upiId: string, said: object) => postJson(`${fixture.roz.sandboxUrl}/__sandbox/upi-ids/${upiId}`, said)
/** Waits until the banks of the member's last withdrawals have answered. */
const told = (token: string, count: number): Promise<unknown> =>
  eventually('the bank’s answer', async () => {
    const { withdrawals } = (await ask(fixture.roz.url, 'withdrawals', { token })).output
    return withdrawals.filter(({ bank }) => bank.nameMatch !== null).length === count || undefined
  })

test('an IFSC names its bank while it is typed, and another bank’s name is noticed and not refused', async () => {
  const { token } = await newMember(fixture.roz, { rupees: 20 })
  await fixture.as(token, '/wallet#withdraw', async (page) => {
    const form = page.locator('#withdraw')
    const ifsc = form.getByLabel('IFSC', { exact: true })
    await ifsc.pressSequentially('sbi')
    await expect(ifsc).toHaveAccessibleDescription('11 characters, for example SBIN0001234.')
    await ifsc.pressSequentially('n')
    await expect(ifsc).toHaveAccessibleDescription(/^State Bank of India \(list of \d+ \w+ 20\d\d\)$/)
    await ifsc.fill('QQQQ0001234')
    await expect(ifsc).toHaveAccessibleDescription(/^No bank in the list of .* Please check it\.$/)
    await ifsc.fill('SBIN0001234')
    const bank = form.getByLabel('Bank name', { exact: true })
    await bank.fill('HDFC Bank')
    await expect(bank).toHaveAccessibleDescription('The IFSC is of State Bank of India. Please check both; we pay by the IFSC.')
    await auditPage(page)
    await form.getByLabel('Amount', { exact: true }).fill('10')
    await form.getByLabel('Account holder name', { exact: true }).fill('Asha Verma')
    await form.getByLabel('Account number', { exact: true }).fill('123456789012')
    await form.getByRole('button', { name: 'Withdraw ₹10.00' }).click()
    await expect(exactToast(page, 'Withdrawal request submitted!')).toBeVisible()
  })
})
