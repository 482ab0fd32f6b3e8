/**
 * States without an address of their own, which npm run lab -- screenshots shows besides whole pages.
 * - Steps find elements by their attributes, because the words differ by language.
 */
import type { Language } from '@roz/core/language.ts'
import { paths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { ask } from '../../e2e/harness/calls.ts'
import { addMoney, mailedLink, newMember, pay, PHONE } from '../../e2e/harness/people.ts'
import { png } from '../../e2e/harness/pictures.ts'
import type { Program } from '../../e2e/harness/program.ts'

export type Who = 'member' | 'newcomer' | 'admin'
export type Screen = {
  readonly name: string
  readonly address: (language: Language) => string
  readonly as?: Who
  /** The steps before the picture is taken. */
  readonly steps?: (page: Page) => Promise<unknown>
}

const at = (address: string) => () => address
const APPLICANT = { name: 'Kavita Rao', email: 'kavita.rao@example.in', phone: PHONE, password: 'a long password' }
const LANDSCAPE = png(640, 400, (x, y) =>
  y > 260 ? [70, 110, 60] : (x - 430) ** 2 + (y - 150) ** 2 < 4900 ? [246, 183, 60] : [150, 190, 225],
)

/** Makes a new applicant, a member without activity, and a member with a successful, a failed and a pending payment. */
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

/** A real registration would add a member to the portal's list with each picture: the test answers with an existing member. */
async function register(page: Page, answer: object): Promise<void> {
  await page.route('**/api/auth/register', (route) => route.fulfill({ json: answer }))
  for (const [name, value] of Object.entries({ ...APPLICANT, confirmPassword: APPLICANT.password }))
    await page.locator(`input[name=${name}]`).fill(value)
  await page.locator('form button[type=submit]').click()
  await page.locator('ol.steps').waitFor()
  await page.unrouteAll()
}

/** Some parts of the kit wait forever on purpose; the picture must not wait for them. */
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
