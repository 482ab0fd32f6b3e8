/**
 * A day's work with only the keyboard: Tab, Enter, Space, arrows, Escape and letters into fields.
 * - At every Tab stop the focused element is in view and has a focus ring.
 * - A dialog that closes returns the focus to the button that opened it.
 */
import { expect } from '../../harness/expect.ts'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import { auditScreen, WIDE } from '../../harness/browser.ts'
import { adminToken, BANK, newMember, PASSWORD, type Person } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { gatewayIsReady, toast } from '../../harness/steps.ts'

/** More Tab stops than any screen has. */
const STOPS_MAX = 60

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let asha: Person

beforeAll(async () => {
  ;({ roz } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 20 })
})

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const field = (page: Page, label: string) => page.getByRole('main').getByLabel(label, { exact: true })
const isFocused = (wanted: Locator): Promise<boolean> => wanted.evaluate((element) => element === document.activeElement)

/** Says why the focused element cannot be seen; an empty text if it can. Runs in the page. */
function focusProblem(): string {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return 'nothing has the focus'
  const name = element.outerHTML.slice(0, 120)
  const box = element.getClientRects()[0]
  if (box === undefined) return `takes no room: ${name}`
  const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
  // A toast may cover it for 5 s.
  if (there === null || !(element.contains(there) || there.closest('.toast'))) return `out of sight: ${name}`
  // Of a date the button has the ring, inside the field: the browser draws it.
  if (element instanceof HTMLInputElement && element.type === 'date' && !element.matches(':focus-visible')) return ''
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
  const isRinged = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && outlineColor !== 'rgba(0, 0, 0, 0)'
  return isRinged ? '' : `without a ring: ${name}`
}
/** Polled: the page may still be scrolling. */
const expectShown = (page: Page): Promise<void> => expect.poll(() => page.evaluate(focusProblem)).toBe('')

async function expectFocus(wanted: Locator): Promise<void> {
  await expect(wanted).toBeFocused()
  await expectShown(wanted.page())
}

/** Presses Tab until the wanted element has the focus, and checks each stop. */
async function tabTo(wanted: Locator): Promise<void> {
  const page = wanted.page()
  // Before the screen is drawn there is no Tab stop.
  await expect(wanted).toBeVisible()
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    await page.keyboard.press('Tab')
    await expectShown(page)
    if (await isFocused(wanted)) return
  }
  throw new Error(`Tab does not lead to ${String(wanted)}`)
}
async function pressAt(wanted: Locator, key: 'Enter' | 'Space'): Promise<void> {
  await tabTo(wanted)
  await wanted.page().keyboard.press(key)
}
async function write(wanted: Locator, text: string): Promise<void> {
  await tabTo(wanted)
  await wanted.page().keyboard.type(text)
}

test('a visitor opens the how-it-works dialog and closes it, by Escape and by its button', async () => {
  await fixture.at('/', async (page) => {
    const opener = page.getByRole('link', { name: 'See Real Impact' })
    const dialog = page.getByRole('dialog', { name: 'How it works' })
    await tabTo(opener)
    for (const leave of ['Escape', 'Enter'] as const) {
      await page.keyboard.press('Enter')
      await expect(dialog).toBeVisible()
      await expectFocus(dialog.getByRole('button', { name: 'Close' }))
      await page.keyboard.press(leave)
      await expect(dialog).toBeHidden()
      await expectFocus(opener)
    }
  })
})

test('a member logs in and joins the round', async () => {
  await fixture.at('/login', async (page) => {
    await write(field(page, 'Email'), asha.email)
    await write(field(page, 'Password'), PASSWORD)
    await pressAt(button(page, 'Log in'), 'Enter')
    await expect(page).toHaveURL(`${fixture.line.url}/dashboard`)
    await expect(page.getByRole('main')).toBeFocused()
    await pressAt(button(page, 'Join with ₹1.00'), 'Space')
    await expect(page.getByText("You're in")).toBeVisible()
    // The button is gone: its replacement has the focus, and Tab continues from there.
    await expect(page.locator('.joined')).toBeFocused()
    await page.keyboard.press('Tab')
    await expectShown(page)
  })
})

test('a member skips the bar, chooses a preset amount and reaches the page of the gateway', async () => {
  await fixture.as(asha.token, '/wallet', async (page) => {
    await gatewayIsReady(page)
    await pressAt(page.getByRole('link', { name: 'Skip to content' }), 'Enter')
    await expect(page.getByRole('main')).toBeFocused()
    const preset = page.getByRole('group', { name: 'Presets' }).getByRole('button', { name: /^₹20/ })
    await pressAt(preset, 'Space')
    await expect(preset).toHaveAttribute('aria-pressed', 'true')
    await pressAt(button(page, 'Add ₹20.00'), 'Enter')
    await expect(page.getByRole('button', { name: 'Pay ₹20.00' })).toBeVisible()
  })
})

test('a member withdraws money to a current account', async () => {
  const { token } = await newMember(roz, { rupees: 20 })
  await fixture.as(token, '/wallet', async (page) => {
    await pressAt(button(page, 'Withdraw'), 'Enter')
    const form = page.locator('#withdraw')
    for (const [label, text] of [
      ['Amount', '10'],
      ['Account holder name', BANK.accountHolderName],
      ['Account number', BANK.accountNumber],
      ['IFSC', BANK.ifscCode],
      ['Bank name', BANK.bankName],
    ] as const)
      await write(form.getByLabel(label, { exact: true }), text)
    await tabTo(form.getByLabel('Account type', { exact: true }))
    await page.keyboard.press('ArrowDown')
    await expect(form.getByLabel('Account type', { exact: true })).toHaveValue('current')
    await pressAt(form.getByRole('button', { name: 'Withdraw ₹10.00' }), 'Enter')
    await expect(toast(page, 'Withdrawal request submitted!')).toBeVisible()
    await expect(page.locator('.figure')).toHaveText('₹10.00')
    await expectShown(page)
  })
})

test('the profile is edited and cancelled: the focus enters the form and returns to its button', async () => {
  await fixture.as(asha.token, '/profile', async (page) => {
    const edit = button(page, 'Edit Profile')
    await pressAt(edit, 'Enter')
    await expectFocus(button(page, 'Change picture'))
    // Tab selects a field's content: the first letter replaces it.
    await write(field(page, 'Full Name'), 'Asha Rao')
    await pressAt(page.getByRole('switch', { name: 'Auto Participate', exact: true }), 'Space')
    await pressAt(button(page, 'Save Changes'), 'Enter')
    await expectFocus(edit)
    await expect(page.locator('.profile-name')).toHaveText('Asha Rao')
    await expect(page.getByText('Auto-joining rounds', { exact: true })).toBeVisible()
    await page.keyboard.press('Enter')
    await write(field(page, 'Full Name'), 'Nobody')
    await pressAt(button(page, 'Cancel'), 'Space')
    await expectFocus(edit)
    await expect(page.locator('.profile-name')).toHaveText('Asha Rao')
  })
})

test('the user menu opens, closes on Escape and logs out', async () => {
  const { token } = await newMember(roz, { name: 'Biju Nair' })
  await fixture.as(token, '/dashboard', async (page) => {
    const menu = page.getByRole('button', { name: 'User menu' })
    await pressAt(menu, 'Enter')
    await tabTo(page.getByRole('link', { name: 'My Profile' }))
    await page.keyboard.press('Escape')
    await expect(menu).toHaveAttribute('aria-expanded', 'false')
    await expectFocus(menu)
    await page.keyboard.press('Space')
    await pressAt(page.getByRole('button', { name: 'Logout' }), 'Enter')
    await expect(page).toHaveURL(`${fixture.line.url}/login`)
    await expect(page.getByRole('main')).toBeFocused()
    await tabTo(field(page, 'Email'))
  })
})

test('an administrator changes the tab, opens a draw and cancels it', async () => {
  await fixture.as(await adminToken(roz.url), '/admin/dashboard', async (page) => {
    await tabTo(page.getByRole('tab', { name: 'Overview' }))
    await page.keyboard.press('ArrowRight')
    await expectFocus(page.getByRole('tab', { name: 'Rounds' }))
    await expect(page.getByRole('tab', { name: 'Rounds' })).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowLeft')
    await expectFocus(page.getByRole('tab', { name: 'Overview' }))
    const opener = button(page, 'Trigger Draw').first()
    await expect(opener).toBeVisible()
    // The panel is the first stop. It is higher than the window, so its middle is out of sight.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expectFocus(opener)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Draw this round?' })
    await expectFocus(dialog.getByRole('button', { name: 'Close' }))
    await pressAt(dialog.getByRole('button', { name: 'Cancel' }), 'Enter')
    await expect(dialog).toHaveCount(0)
    await expectFocus(opener)
  })
})

test('a visitor asks for help, and the team records a call and closes the request', async () => {
  let number = ''
  await fixture.at('/ask-for-help', async (page) => {
    await pressAt(page.getByLabel('I need help'), 'Space')
    await tabTo(page.getByLabel('What is the help for?'))
    await page.keyboard.type('Medicine')
    await write(page.getByLabel('What is needed, and why?'), 'Medicine for my mother.')
    await write(page.getByLabel('District'), 'Pune')
    await tabTo(page.getByLabel('State'))
    await page.keyboard.type('Mahar')
    await write(page.getByLabel('Your name'), 'Gita Rao')
    await write(page.getByLabel('Your mobile number, 10 digits'), '9812345678')
    await page.keyboard.press('Enter')
    const stored = page.getByRole('status')
    await expect(stored).toContainText('We have your request.')
    number = /#(\w{4})/.exec(await stored.innerText())?.[1] ?? ''
    await auditScreen(page)
  })
  await fixture.as(await adminToken(roz.url), '/admin/dashboard?tab=requests', async (page) => {
    const opener = button(page, `Open: request ${number}`)
    await pressAt(opener, 'Enter')
    const request = page.getByRole('dialog', { name: `Request #${number}` })
    await expect(request).toContainText('Medicine for my mother.')
    await expect(request).toContainText('Maharashtra')
    await pressAt(request.getByRole('button', { name: 'Record a step' }), 'Enter')
    const form = page.getByRole('dialog')
    await tabTo(form.getByLabel('What happened'))
    await page.keyboard.type('I talked')
    await write(form.getByLabel('Note for the team'), 'Her mother has a prescription.')
    await pressAt(form.getByRole('button', { name: 'Save' }), 'Enter')
    await expect(request).toContainText('Her mother has a prescription.')
    await auditScreen(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expectFocus(opener)
  })
})
