/** Types and pastes into the fields of the wallet as people do: the caret stays, and nothing becomes another value. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { expect } from '../../harness/expect.ts'
import { newMember, type Person } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const fixture = useAppFixture()
let member: Person
beforeAll(async () => {
  member = await newMember(fixture.roz, { rupees: 20 })
})

const field = (page: Page, label: string) => page.locator('form.panel').getByLabel(label, { exact: true })
const inWithdrawal = (work: (page: Page) => Promise<void>): Promise<void> =>
  fixture.as(member.token, '/wallet', async (page) => {
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await work(page)
  })
/** Fills a field, puts the caret behind its first characters, and types. */
async function typeInto(page: Page, label: string, text: string, caret: number, keys: string): Promise<void> {
  const input = field(page, label)
  await input.fill(text)
  await input.evaluate((element, at) => (element as HTMLInputElement).setSelectionRange(at, at), caret)
  await input.pressSequentially(keys)
}
/** The browser's own paste of a text. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await field(page, label).focus()
  await page.keyboard.insertText(text)
}

describe('typing in the middle', () => {
  test.each([
    ['IFSC', 'HDFC0C123', 5, 'ab', 'HDFC0ABC123'],
    ['IFSC', 'HDFC0ABC123', 5, 'x', 'HDFC0ABC123'],
    ['Account number', '123456789', 4, ' 00', '12340056789'],
    ['Account number', '123456789', 4, 'x0', '1234056789'],
  ])('of %s %s after %i: %s makes %s', async (label, text, caret, keys, result) => {
    await inWithdrawal(async (page) => {
      await typeInto(page, label, text, caret, keys)
      await expect(field(page, label)).toHaveValue(result)
    })
  })
})

describe('a paste', () => {
  test('of a whole line is read by its label; one in doubt is refused until it is edited', async () => {
    await inWithdrawal(async (page) => {
      const account = field(page, 'Account number')
      await paste(page, 'Account number', 'A/c 123456789012 IFSC SBIN0001234')
      await expect(account).toHaveValue('123456789012')
      await paste(page, 'IFSC', 'A/c 123456789012 IFSC SBIN0001234')
      await expect(field(page, 'IFSC')).toHaveValue('SBIN0001234')
      await account.fill('')
      await paste(page, 'Account number', 'UTR 123456789012')
      await expect(account).toHaveAccessibleDescription('Account number must contain only digits')
      await account.press('End')
      await account.press('Backspace')
      await expect(account).toHaveValue('12345678901')
      await expect(account).not.toHaveAttribute('aria-invalid')
    })
  })
  test.each([
    ['Rs. 20', '20', 'Withdraw ₹20.00'],
    ['२०.५', '20.50', 'Withdraw ₹20.50'],
    ['1,23,456', '123456', 'Withdraw ₹1,23,456.00'],
  ])('of the amount %s shows %s when the field is left', async (text, shown, button) => {
    await inWithdrawal(async (page) => {
      await paste(page, 'Amount', text)
      await expect(page.getByRole('button', { name: button, exact: true })).toBeVisible()
      await field(page, 'Amount').blur()
      await expect(field(page, 'Amount')).toHaveValue(shown)
    })
  })
  test.each(['20,50', '1.000,50', '-20'])('of the amount %s stays as it is, and is refused in words', async (text) => {
    await inWithdrawal(async (page) => {
      await paste(page, 'Amount', text)
      await field(page, 'Amount').blur()
      await expect(field(page, 'Amount')).toHaveValue(text)
      await expect(field(page, 'Amount')).toHaveAccessibleDescription(/Please enter an amount in rupees, with at most two decimals$/)
    })
  })
})

test.each(['+919876543210', '+91 09876543210', '०९८७६५४३२१०'])('the phone %s, typed or pasted, is 9876543210', async (text) => {
  await fixture.as(member.token, '/wallet', async (page) => {
    const phone = field(page, 'Phone number')
    await phone.fill('')
    await phone.pressSequentially(text)
    await expect(phone).toHaveValue('9876543210')
    await phone.fill('')
    await paste(page, 'Phone number', text)
    await expect(phone).toHaveValue('9876543210')
  })
})
