/** What a person does on the screens, by the words that stand there. */
import { expect } from '@playwright/test'
import type { Page } from 'playwright-core'
import { BANK, PHONE } from './people.ts'

export const toast = (page: Page, words: string) => page.locator('.toast', { hasText: words })

export type NewPerson = { readonly name: string; readonly email: string; readonly password: string }

export async function register(page: Page, person: NewPerson): Promise<void> {
  await page.getByLabel('Full name', { exact: true }).fill(person.name)
  await page.getByLabel('Email', { exact: true }).fill(person.email)
  await page.getByLabel('Phone number', { exact: true }).fill(PHONE)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText(`A verification email was sent to ${person.email}.`)).toBeVisible()
}

export async function signIn(page: Page, person: { readonly email: string; readonly password: string }): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** From the wallet to the gateway's hosted page. */
export async function goToPayment(page: Page, rupees: number): Promise<void> {
  await page.getByLabel('Amount', { exact: true }).fill(String(rupees))
  await expect(page.getByLabel('Phone number', { exact: true })).toHaveValue(PHONE)
  await page.getByRole('button', { name: `Add ₹${rupees}.00` }).click()
  await expect(page.getByRole('button', { name: `Pay ₹${rupees}.00` })).toBeVisible()
}

export async function askForWithdrawal(page: Page, rupees: number): Promise<void> {
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
  const form = page.locator('#withdraw')
  await form.getByLabel('Amount', { exact: true }).fill(String(rupees))
  await form.getByLabel('Account holder name', { exact: true }).fill(BANK.accountHolderName)
  await form.getByLabel('Account number', { exact: true }).fill(BANK.accountNumber)
  await form.getByLabel('IFSC', { exact: true }).fill(BANK.ifscCode)
  await form.getByLabel('Bank name', { exact: true }).fill(BANK.bankName)
  await form.getByLabel('Account type', { exact: true }).selectOption(BANK.accountType)
  await form.getByRole('button', { name: `Withdraw ₹${rupees}.00` }).click()
}

/** The balance in the bar, which stands on every member's screen. */
export const balanceInBar = (page: Page) => page.getByRole('link', { name: /^Wallet balance/ })
