/**
 * What npm run screenshots shows besides whole pages: states that an address alone does not reach.
 * Steps go by marks of the page, not by its words, which are those of each language.
 */
import type { Language } from '@roz/core/language.ts'
import { paths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { ask } from '../harness/calls.ts'
import { addMoney, mailedLink, newMember, pay, PHONE } from '../harness/people.ts'
import { png } from '../harness/pictures.ts'
import type { Program } from '../harness/program.ts'

export type Who = 'member' | 'newcomer' | 'admin'
export type Screen = {
  readonly name: string
  readonly address: (language: Language) => string
  readonly as?: Who
  /** What is done there before it is looked at. */
  readonly steps?: (page: Page) => Promise<unknown>
}

const at = (address: string) => () => address
const APPLICANT = { name: 'Kavita Rao', email: 'kavita.rao@example.in', phone: PHONE, password: 'a long password' }
const LANDSCAPE = png(640, 400, (x, y) =>
  y > 260 ? [70, 110, 60] : (x - 430) ** 2 + (y - 150) ** 2 < 4900 ? [246, 183, 60] : [150, 190, 225],
)

/** Three people who are not of the demo community: one has registered, one has done nothing else yet, one has paid in every way. */
export async function makeStates(roz: Program): Promise<{ readonly newcomer: string; readonly states: readonly Screen[] }> {
  const newcomer = await newMember(roz, { name: 'Meera Joshi' })
  const payer = await newMember(roz, { name: 'Nandini Shah' })
  const confirmed = new URL(await mailedLink(roz.url, payer.email, paths.verifyEmail))
  const paid = await addMoney(roz, payer, 20)
  const begun = async (outcome: 'failed' | 'pending'): Promise<string> => {
    const { order_id: id } = (await ask(roz.url, 'addMoney', { token: payer.token, body: { amount: 20, phoneNumber: PHONE } })).output
    await pay(roz.sandboxUrl, id, outcome)
    return id
  }
  const orders = { success: paid, failed: await begun('failed'), pending: await begun('pending') }
  const registered = (await ask(roz.url, 'register', { body: APPLICANT })).output
  return {
    newcomer: newcomer.token,
    states: [
      ...Object.entries(orders).map(([name, id]) => ({ name: `payment-${name}`, address: at(`${paths.paymentStatus}?order_id=${id}`) })),
      { name: 'email-verified', address: at(confirmed.pathname + confirmed.search) },
      { name: 'register-success', address: at(paths.register), steps: (page) => register(page, registered) },
      { name: 'kitchen-sink', address: at(paths.kitchenSink), steps: allThere },
      {
        name: 'wallet-withdraw',
        address: at(`${paths.wallet}#withdraw`),
        as: 'member',
        steps: (page) => page.locator('#withdraw').waitFor(),
      },
      { name: 'profile-edit', address: at(paths.profile), as: 'member', steps: edit },
      { name: 'profile-avatar', address: at(paths.profile), as: 'member', steps: crop },
      { name: 'profile-close', address: at(paths.profile), as: 'member', steps: (page) => openBy(page, '.button.danger') },
      { name: 'admin-draw', address: at(paths.adminDashboard), as: 'admin', steps: (page) => openBy(page, '.portal-head button') },
      ...[paths.dashboard, paths.wallet, paths.impact, paths.history, paths.notifications, paths.myTicket].map((address) => ({
        name: `new${address.replaceAll('/', '-')}`,
        address: at(address),
        as: 'newcomer' as const,
      })),
    ],
  }
}

/** Each look would leave one more member in the portal's list: the answer is that of one who is there. */
async function register(page: Page, answer: object): Promise<void> {
  await page.route('**/api/auth/register', (route) => route.fulfill({ json: answer }))
  for (const [name, value] of Object.entries({ ...APPLICANT, confirmPassword: APPLICANT.password }))
    await page.locator(`input[name=${name}]`).fill(value)
  await page.locator('form button[type=submit]').click()
  await page.locator('ol.steps').waitFor()
  await page.unrouteAll()
}

/** Parts of the kit wait for ever, to be looked at; the picture is not to wait for them. */
async function allThere(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('[aria-busy=true]').evaluateAll((all) => all.forEach((one) => one.removeAttribute('aria-busy')))
}

const edit = (page: Page): Promise<void> => page.locator('.profile-card button').click()

async function crop(page: Page): Promise<void> {
  await edit(page)
  await page.locator('input[type=file]').setInputFiles({ name: 'field.png', mimeType: 'image/png', buffer: LANDSCAPE })
  await page.locator('dialog[open]').waitFor()
}

async function openBy(page: Page, button: string): Promise<void> {
  await page.locator(button).click()
  await page.locator('dialog[open]').waitFor()
}
