/** The steps of a person on the screens, by their words. */
import { expect } from './expect.ts'
import type { Locator, Page } from 'playwright-core'
import { toastsOf } from './browser.ts'
import { BANK, PHONE } from './people.ts'

export const toast = (page: Page, words: string) => page.locator('.toast', { hasText: words })
export const exactToast = (page: Page, words: string) => page.locator('.toast').getByText(words, { exact: true })

/** Chooses the option whose words begin with these. */
export async function chooseOption(select: Locator, start: string): Promise<void> {
  const label = await select.getByRole('option', { name: new RegExp(`^${start}`) }).textContent()
  await select.selectOption({ label: label ?? '' })
}

type NewPerson = { readonly name: string; readonly email: string; readonly password: string }

export async function sendRegistration(page: Page, person: NewPerson): Promise<void> {
  await page.getByLabel('Full name', { exact: true }).fill(person.name)
  await page.getByLabel('Email', { exact: true }).fill(person.email)
  await page.getByLabel('Phone number', { exact: true }).fill(PHONE)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Create account' }).click()
}

export async function register(page: Page, person: NewPerson): Promise<void> {
  await sendRegistration(page, person)
  await expect(page.getByText(`A verification email was sent to ${person.email}.`)).toBeVisible()
}

export async function signIn(page: Page, person: { readonly email: string; readonly password: string }): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/**
 * Uses the picture in the crop dialog, and waits until the dialog is gone. Playwright's `fill` on a field behind an open dialog types
 * nothing and reports nothing.
 */
export async function usePicture(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Use this picture' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Waits for the gateway's script: without it, adding money is refused. */
export async function gatewayIsReady(page: Page): Promise<void> {
  await expect(page.getByLabel('Phone number', { exact: true })).toHaveValue(PHONE)
  await expect(page.getByText('Getting the payment page ready…')).toHaveCount(0)
}

export async function askForOrder(page: Page, rupees: number): Promise<void> {
  await gatewayIsReady(page)
  await page.getByLabel('Amount', { exact: true }).fill(String(rupees))
  await page.getByRole('button', { name: `Add ₹${rupees}.00` }).click()
}

/** From the wallet to the gateway's hosted page. */
export async function goToPayment(page: Page, rupees: number): Promise<void> {
  await askForOrder(page, rupees)
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

/** The balance in the bar of every member's screen. */
export const balanceInBar = (page: Page) => page.getByRole('link', { name: /^Wallet balance/ })

/** How far the clock jumps when it is frozen: the page's time must still be before it. */
const AHEAD_MS = 2000

/** Freezes the page's clock: until `resume` it moves by `runFor` only. The clock must be installed before the page opens. */
export async function freeze(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + AHEAD_MS)
}

/** Waits on a frozen clock: an answer from the network needs a tick or two to be shown. */
export async function shownFrozen(seen: Locator): Promise<void> {
  const look = async (): Promise<boolean> => {
    await seen.page().clock.runFor(1)
    return seen.isVisible()
  }
  await expect.poll(look).toBe(true)
}

const WATCHED = ['pointerdown', 'pointerup', 'click', 'submit', 'focusin', 'focusout', 'input', 'keydown', 'scroll', 'resize']

/** Records presses, focus, layout shifts, and elements added and removed; returns a function that lists them, one a line. */
export async function watchEvents(page: Page): Promise<() => Promise<string>> {
  await page.evaluate((kinds) => {
    const came: string[] = []
    const note = (what: string, target: unknown): void => {
      const name = target instanceof Element ? target.outerHTML.slice(0, 80) : (target?.constructor.name ?? 'nothing')
      came.push(`${Math.round(performance.now())} ms: ${what} ${name}`)
      // The app itself does not use window.name.
      window.name = came.join('\n')
    }
    for (const kind of kinds) window.addEventListener(kind, ({ target }) => note(kind, target), true)
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as (PerformanceEntry & { readonly sources: readonly { readonly node: unknown }[] })[])
        for (const { node } of shift.sources) note('moved:', node)
    }).observe({ type: 'layout-shift' })
    new MutationObserver((changes) => {
      for (const { addedNodes, removedNodes } of changes) {
        for (const node of addedNodes) if (node instanceof Element) note('came:', node)
        for (const node of removedNodes) if (node instanceof Element) note('went:', node)
      }
    }).observe(document.documentElement, { childList: true, subtree: true })
  }, WATCHED)
  return () => page.evaluate(() => window.name)
}

/** The words of every toast from now on: a toast lives 5 s, and a starved test process may look later than that. */
export async function watchToasts(page: Page): Promise<() => Promise<readonly string[]>> {
  const earlier = (await toastsOf(page)).length
  return async () => (await toastsOf(page)).slice(earlier)
}

/** On failure the error lists the page's events. */
export const elseTell = (wanted: Promise<void>, failure: string, came: () => Promise<string>): Promise<void> =>
  wanted.catch(async (cause: unknown) => Promise.reject(new Error(`${failure}:\n${await came()}`, { cause })))

/** Slows the page's processor by that factor during the work. */
export async function onSlowPhone(page: Page, rate: number, work: () => Promise<void>): Promise<void> {
  const line = await page.context().newCDPSession(page)
  try {
    await line.send('Emulation.setCPUThrottlingRate', { rate })
    await work()
  } finally {
    await line.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await line.detach()
  }
}
