/** A mistyped mail address: the question below the field, and its correction until it is confirmed. */
import type { Page } from 'playwright-core'
import { describe, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { mailedLink, newMember, PASSWORD, register, verify } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { exactToast, register as fillIn, sendRegistration } from '../../harness/steps.ts'

const fixture = useAppFixture()
const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })
const send = (page: Page) => dialog(page).getByRole('button', { name: 'Change address', exact: true }).click()
const nila = { name: 'Nila Bose', password: PASSWORD }

async function correct(page: Page, email: string, password = PASSWORD): Promise<void> {
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(password)
  await send(page)
}

describe('while registering', () => {
  test('a mistyped domain is asked about, the answer fills the field, and an unusual address is accepted all the same', async () => {
    await fixture.at('/register', async (page) => {
      const email = page.getByLabel('Email', { exact: true })
      const question = page.getByRole('button', { name: /^Did you mean/ })
      await email.fill('nila@gmail.con')
      await expect(question).toHaveText('Did you mean nila@gmail.com?')
      await question.click()
      await expect(email).toHaveValue('nila@gmail.com')
      await expect(question).toHaveCount(0)
      await page.getByRole('button', { name: 'हिन्दी' }).click()
      await page.getByLabel('ईमेल', { exact: true }).fill('nila@gmial.com')
      await expect(page.getByRole('button', { name: 'क्या आपका मतलब nila@gmail.com है?' })).toBeVisible()
      await page.getByRole('button', { name: 'English' }).click()
      await sendRegistration(page, { ...nila, email: 'nila@gmial.com' })
      await expect(page.getByText('A verification email was sent to nila@gmial.com.')).toBeVisible()
    })
  })

  test('the success screen changes the address: the old link dies, the new one confirms', async () => {
    await fixture.at('/register', async (page) => {
      await fillIn(page, { ...nila, email: 'nila@wrong.test' })
      const old = await mailedLink(fixture.roz.url, 'nila@wrong.test', '/verify-email')
      await page.getByRole('button', { name: 'Wrong address? Change it' }).click()
      await correct(page, 'nila@right.test', 'not my password')
      await expect(dialog(page).getByText('That password is not correct.')).toBeVisible()
      await correct(page, 'nila@gmail.con')
      await expect(dialog(page)).toHaveCount(0)
      await page.getByRole('button', { name: 'Wrong address? Change it' }).click()
      await field(page, 'Email').fill('nila@right.con')
      await dialog(page).getByRole('button', { name: 'Did you mean nila@right.com?' }).click()
      await expect(field(page, 'Email')).toHaveValue('nila@right.com')
      await correct(page, 'nila@right.test')
      await expect(page.getByText('A verification email was sent to nila@right.test.')).toBeVisible()
      await expect(dialog(page)).toHaveCount(0)
      await page.goto(old.replace(new URL(old).origin, fixture.line.url))
      await expect(page.getByText('Verification Failed')).toBeVisible()
      await verify(fixture.roz.url, 'nila@right.test')
    })
  })
})

describe('the banner of an unconfirmed member', () => {
  test('changes the address on every screen, says a refusal in words, and the profile names what holds', async () => {
    const person = await register(fixture.roz.url, 'Ravi Kumar', 'ravi@wrong.test')
    const other = await newMember(fixture.roz)
    await fixture.as(person.token, '/profile', async (page) => {
      const banner = page.getByRole('complementary', { name: 'Verify email' })
      await expect(page.getByText('Cannot be changed')).toHaveCount(0)
      await banner.getByRole('button', { name: 'Wrong address? Change it' }).click()
      await correct(page, other.email)
      await expect(exactToast(page, 'An account with this email already exists.')).toBeVisible()
      fixture.line.breakLine('POST /api/user/email', 'cut')
      await send(page)
      await expect(exactToast(page, 'Network error. Please check your connection and try again.')).toBeVisible()
      fixture.line.mend()
      await correct(page, 'ravi@right.test')
      await expect(banner).toContainText('We sent a link to ravi@right.test;')
      await expect(dialog(page)).toHaveCount(0)
      // Confirmed on another device while the dialog is open.
      await banner.getByRole('button', { name: 'Wrong address? Change it' }).click()
      await verify(fixture.roz.url, 'ravi@right.test')
      await correct(page, 'ravi@third.test')
      await expect(exactToast(page, 'Your email is already verified.')).toBeVisible()
      await expect(banner).toHaveCount(0)
      await expect(page.getByText('Cannot be changed')).toBeVisible()
    })
    expect((await ask(fixture.roz.url, 'me', { token: person.token })).output.user.email).toBe('ravi@right.test')
  })
})
