/**
 * Refusals that people rarely meet, provoked at the real program, with the message on the screen.
 * - No refusal moves money or changes the account.
 * - Cases: failed start, yearly maximum, suspended account, wrong password or picture, account deletion, invalid form input.
 * - The last part counts how often the app retries a failed request.
 */
import { expect } from '../../harness/expect.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import type { FaultyProxy } from '../../harness/faulty-proxy.ts'
import { adminToken, newMember, PASSWORD, type Person, readClock } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { askForOrder, askForWithdrawal, balanceInBar, exactToast as toast, signIn } from '../../harness/steps.ts'

const ON_HOLD = 'Your account is suspended. Please contact us.'

const fixture = useAppFixture({ size: WIDE })
let roz: Program
let line: FaultyProxy
/** Has ₹20, which no test here moves. */
let asha: Person

beforeAll(async () => {
  ;({ roz, line } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 20 })
})

const as = (person: Person, path: string, work: Work): Promise<void> => fixture.at(path, work, { token: person.token })
const main = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog')
const joinButton = (page: Page) => page.getByRole('button', { name: 'Join with ₹1.00' })
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('admin-token'))
const mine = async ({ token }: Person) => (await ask(roz.url, 'profile', { token })).output.user
const signsIn = async ({ email }: Person, password: string): Promise<number> =>
  (await ask(roz.url, 'login', { body: { email, password } })).status

/** Counts the page's requests of one call: a method and an address of the API. */
async function counting(call: string, work: (asked: () => number) => Promise<void>): Promise<void> {
  let asked = 0
  const count = (request: Request): void =>
    void (asked += Number(`${request.method()} ${request.url()}` === call.replace(' ', ` ${line.url}/api`)))
  fixture.page.on('request', count)
  try {
    await work(() => asked)
  } finally {
    fixture.page.off('request', count)
  }
}

test.each(['Bad Gateway', 'error code: 502'])('a proxy’s own text “%s” is not shown as the server’s: Login failed', async (words) => {
  line.breakLine('POST /api/auth/login', { status: 502, body: words, type: 'text/plain' })
  await fixture.at('/login', async (page) => {
    await signIn(page, { email: asha.email, password: PASSWORD })
    await expect(page.getByRole('alert')).toContainText('Login failed')
    await expect(page.getByText(words)).toHaveCount(0)
  })
})

test('a member with 365 joins this year is refused: You have reached the yearly maximum of ₹365.', async () => {
  const year = Number((await readClock(roz.url)).slice(0, 4))
  const count = (joins: number, of: number): Promise<unknown> =>
    inDatabase(roz.dataDir, (db) =>
      db.query(sql`update wallet set year_joins = ${joins}::int, join_year = ${of}::int
                    where member_id = (select id from member where email = ${asha.email})`),
    )
  // A year of rounds takes half a minute: only the count is written, and reset afterwards, so that the audit passes.
  await count(365, year)
  try {
    await as(asha, '/dashboard', async (page) => {
      await joinButton(page).click()
      await expect(toast(page, 'You have reached the yearly maximum of ₹365.')).toBeVisible()
      await expect(joinButton(page)).toBeVisible()
      await expect(page.getByText("You're in")).toHaveCount(0)
      await expect(balanceInBar(page)).toHaveText('₹20.00')
    })
  } finally {
    await count(0, 0)
  }
  expect((await mine(asha)).wallet.balance).toBe(20)
})

describe('a member whose account is suspended', () => {
  let held: Person
  beforeAll(async () => {
    held = await newMember(roz, { name: 'Hema Rao', rupees: 20 })
    await inDatabase(roz.dataDir, (db) => db.query(sql`update member set suspended_at = roz_now() where email = ${held.email}`))
  })

  test.each<[what: string, path: string, press: Work]>([
    ['joining', '/dashboard', (page) => joinButton(page).click()],
    ['adding money', '/wallet', (page) => askForOrder(page, 10)],
    ['withdrawing', '/wallet', (page) => askForWithdrawal(page, 10)],
  ])(`%s is refused: ${ON_HOLD} No money moves, and the screens stay open`, async (_what, path, press) => {
    await as(held, path, async (page) => {
      await press(page)
      await expect(toast(page, ON_HOLD)).toBeVisible()
      expect(new URL(page.url()).pathname).toBe(path)
      await expect(balanceInBar(page)).toHaveText('₹20.00')
      await page.goto(`${line.url}/dashboard`)
      await expect(joinButton(page)).toBeVisible()
    })
    const { transactions } = (await ask(roz.url, 'transactions', { token: held.token })).output
    expect(transactions.map(({ amount }) => amount)).toEqual([20])
  })

  test('closing the account is refused in the dialog, and the money stays', async () => {
    await as(held, '/profile', async (page) => {
      await page.getByRole('button', { name: 'Delete account' }).click()
      await dialog(page).getByLabel('Donate to people in need').check()
      await dialog(page).getByRole('button', { name: 'Donate ₹20.00' }).click()
      await expect(dialog(page).getByRole('alert')).toHaveText(ON_HOLD)
    })
    expect((await mine(held)).wallet.balance).toBe(20)
  })
})

describe('the password change', () => {
  const form = (page: Page) => page.locator('form.form-sheet', { hasText: 'Change password' })
  const field = (page: Page, label: string) => form(page).getByLabel(label, { exact: true })
  const change = async (page: Page, current: string, next: string): Promise<void> => {
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(field(page, 'Current password')).toBeFocused()
    await field(page, 'Current password').fill(current)
    await field(page, 'New password').fill(next)
    await form(page).getByRole('button', { name: 'Change password' }).click()
  }
  const NEW = 'another horse'

  test('with a wrong one: That password is not correct., and the member stays logged in with the old one', async () => {
    await as(asha, '/profile', async (page) => {
      await change(page, 'not my password', NEW)
      await expect(toast(page, 'That password is not correct.')).toBeVisible()
      await expect(field(page, 'New password')).toHaveValue(NEW)
      expect(await storedToken(page)).toBe(asha.token)
    })
    expect([await signsIn(asha, NEW), await signsIn(asha, PASSWORD)]).toEqual([401, 200])
  })

  const [FILL, ENTER] = ['Please fill in all fields', 'Enter your password']
  const [SHORT, LONG] = ['Password must be at least 6 characters', 'Password must be at most 128 characters']
  test.each<[what: string, current: string, next: string, said: string, besides: readonly [current: string, next: string]]>([
    ['two empty fields', '', '', FILL, [ENTER, SHORT]],
    ['no current password', '', NEW, FILL, [ENTER, '']],
    ['no new password', PASSWORD, '', SHORT, ['', SHORT]],
    ['a short new password', PASSWORD, 'short', SHORT, ['', SHORT]],
    ['a long new password', PASSWORD, 'x'.repeat(129), LONG, ['', LONG]],
  ])('with %s: the message in a toast and beside each field; no request is sent', async (_what, current, next, said, besides) => {
    await counting('POST /user/password', async (asked) => {
      await as(asha, '/profile', async (page) => {
        await change(page, current, next)
        await expect(toast(page, said)).toBeVisible()
        await expect(field(page, 'Current password')).toHaveAccessibleDescription(besides[0])
        await expect(field(page, 'New password')).toHaveAccessibleDescription(`At least 6 characters. ${besides[1]}`.trim())
        await expect(form(page).locator('[aria-invalid]')).toHaveCount(besides.filter(Boolean).length)
      })
      expect(asked()).toBe(0)
    })
  })

  test.each(['cut', 'wordless', 'empty'] as const)('over a connection that is %s: The change could not be saved.', async (fault) => {
    line.breakLine('POST /api/user/password', fault)
    await as(asha, '/profile', async (page) => {
      await change(page, PASSWORD, NEW)
      await expect(toast(page, 'The change could not be saved.')).toBeVisible()
      await expect(field(page, 'Current password')).toHaveValue(PASSWORD)
      expect(await storedToken(page)).toBe(asha.token)
    })
    expect([await signsIn(asha, NEW), await signsIn(asha, PASSWORD)]).toEqual([401, 200])
  })
})

test('The image must be 5 MB or smaller. for a file that the browser cannot shrink; a picture it can read is cropped and accepted', async () => {
  const more = Buffer.alloc(5 * 1024 * 1024)
  const scan = { name: 'scan.tiff', mimeType: 'image/tiff', buffer: Buffer.concat([Buffer.from('II*\0'), more]) }
  const photo = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.concat([png(2, 2, () => [128, 128, 128]), more]) }
  await as(asha, '/profile', async (page) => {
    await page.getByRole('button', { name: 'Edit Profile' }).click()
    await page.locator('input[type=file]').setInputFiles(scan)
    await expect(toast(page, 'The image must be 5 MB or smaller.')).toBeVisible()
    await expect(page.locator('.avatar-overlay')).toHaveCount(0)
    await expect(dialog(page)).toHaveCount(0)
    expect((await mine(asha)).avatar).toBeNull()
    await page.locator('input[type=file]').setInputFiles(photo)
    await dialog(page).getByRole('button', { name: 'Use this picture' }).click()
    await expect(page.locator('.profile-card img')).toBeVisible()
    expect((await mine(asha)).avatar).toMatch(/\S/)
  })
})

test('an account with a join today is not closed before the result: the dialog says so', async () => {
  const jaya = await newMember(roz, { name: 'Jaya Iyer', rupees: 10 })
  expect((await ask(roz.url, 'joinRound', { token: jaya.token, body: {} })).status).toBe(200)
  await as(jaya, '/profile', async (page) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    await dialog(page).getByLabel('Donate to people in need').check()
    await dialog(page).getByRole('button', { name: 'Donate ₹9.00' }).click()
    await dialog(page).getByRole('button', { name: 'Delete account' }).click()
    await expect(dialog(page).getByRole('alert')).toHaveText(
      'A round that you joined has no result yet. You can delete your account after it.',
    )
    await dialog(page).getByRole('button', { name: 'Keep my account' }).click()
    await expect(dialog(page)).toHaveCount(0)
    expect(await storedToken(page)).toBe(jaya.token)
  })
  expect((await mine(jaya)).name).toBe('Jaya Iyer')
})

describe('the story dialog', () => {
  const FIELDS = ['Title', 'Description', 'Charity name', 'Charity description']

  test.each([
    ['Title', 200, 'Title must be at most 200 characters'],
    ['Description', 5000, 'Description must be at most 5,000 characters'],
    ['Charity name', 200, 'Charity name must be at most 200 characters'],
    ['Charity description', 5000, 'Description must be at most 5,000 characters'],
  ])('%s with more than %i characters: %s; at the limit it is accepted', async (label, most, words) => {
    const token = await adminToken(roz.url)
    await counting('POST /impact/stories', async (asked) => {
      const work: Work = async (page) => {
        const field = (name: string) => dialog(page).getByLabel(name, { exact: true })
        const save = () => dialog(page).getByRole('button', { name: 'Save story' }).click()
        await page.getByRole('button', { name: 'New story', exact: true }).click()
        for (const name of FIELDS) await field(name).fill('A kitchen at noon')
        await field(label).fill('a'.repeat(most + 1))
        await save()
        await expect(toast(page, words)).toBeVisible()
        await expect(field(label)).toHaveAttribute('aria-invalid', 'true')
        await expect(field(label)).toHaveAccessibleDescription(words)
        await expect(dialog(page).locator('[aria-invalid]')).toHaveCount(1)
        expect(asked()).toBe(0)
        // The toast may cover the button.
        await page.locator('.toast').getByRole('button', { name: 'Close' }).click()
        await field(label).fill('a'.repeat(most))
        await expect(dialog(page).locator('[aria-invalid]')).toHaveCount(0)
        await save()
        await expect(toast(page, 'Impact story created!')).toBeVisible()
        expect(asked()).toBe(1)
      }
      await fixture.at('/admin/dashboard?tab=stories', work, { token })
    })
  })
})

describe('the contact form', () => {
  const MESSAGE = 'How do I change my phone number?'
  const field = (page: Page, label: string) => main(page).getByLabel(label, { exact: true })
  const write = async (page: Page, name: string, email: string): Promise<void> => {
    await field(page, 'Name').fill(name)
    await field(page, 'Email').fill(email)
    await field(page, 'Message').fill(MESSAGE)
  }
  const send = (page: Page) => page.getByRole('button', { name: 'Send Message' }).click()

  test.each([
    ['Name', 'of one letter', 'A', 'asha@example.in', 'Name must be 2 to 100 characters'],
    ['Name', 'of 101', 'a'.repeat(101), 'asha@example.in', 'Name must be 2 to 100 characters'],
    ['Email', 'without an @', 'Asha Verma', 'asha.example.in', 'Please enter a valid email address'],
    ['Email', 'of 255 letters', 'Asha Verma', `${'a'.repeat(244)}@example.in`, 'Please enter a valid email address'],
  ])('%s %s: the message is beside the field once it is left; nothing is sent until valid', async (label, _how, name, email, words) => {
    await counting('POST /contact', (asked) =>
      fixture.at('/contact-us', async (page) => {
        await write(page, name, email)
        await expect(field(page, label)).toHaveAccessibleDescription(words)
        await expect(main(page).getByText(words, { exact: true })).toBeVisible()
        await expect(main(page).locator('[aria-invalid]')).toHaveCount(1)
        await send(page)
        await expect(field(page, label)).toBeFocused()
        await expect(main(page).getByText(words, { exact: true })).toBeVisible()
        expect(asked()).toBe(0)
        await write(page, 'Asha Verma', 'asha@example.in')
        await expect(main(page).getByText(words, { exact: true })).toHaveCount(0)
        await send(page)
        await expect(page.getByRole('status')).toContainText('Your ticket number is')
        expect(asked()).toBe(1)
      }),
    )
  })

  test('an address that only the server refuses: its message is above the form and beside the field', async () => {
    const words = 'Please enter a valid email address'
    await fixture.at('/contact-us', async (page) => {
      await write(page, 'Asha Verma', 'asha@ex_ample.in')
      await expect(main(page).locator('[aria-invalid]')).toHaveCount(0)
      await send(page)
      await expect(field(page, 'Email')).toHaveAccessibleDescription(words)
      await expect(main(page).getByRole('alert')).toHaveText(words)
      await expect(field(page, 'Message')).toHaveValue(MESSAGE)
    })
  })
})

describe('the number of tries of a failed request', () => {
  const HISTORY = ['/history', '/rounds/history', '?limit=31', 'Your history could not be loaded.'] as const
  const FIGURES = ['/history', '/rounds/stats', '', 'These figures could not be loaded.'] as const
  const STORIES = ['/impact', '/impact/stories', '', 'The stories could not be loaded.'] as const

  test.each<[times: string, how: number | 'cut', screen: string, call: string, query: string, words: string]>([
    ['once', 400, ...HISTORY],
    ['once', 403, ...FIGURES],
    ['once', 404, ...STORIES],
    ['once', 429, ...FIGURES],
    ['once', 499, ...HISTORY],
    ['twice', 500, ...FIGURES],
    ['twice', 500, ...HISTORY],
    ['twice', 503, ...STORIES],
    ['twice', 'cut', ...FIGURES],
  ])('%s when the answer is %s, and the same number by Retry: %s without %s', async (times, how, screen, call, query, words) => {
    const once = times === 'once' ? 1 : 2
    line.breakLine(`GET /api${call}`, how === 'cut' ? how : { status: how, body: '' })
    await counting(`GET ${call}${query}`, (asked) =>
      as(asha, screen, async (page) => {
        const failed = page.locator('.empty.failed', { hasText: words })
        // The message appears only when no further try follows.
        await expect(failed).toBeVisible()
        expect(asked()).toBe(once)
        await failed.getByRole('button', { name: 'Retry' }).click()
        await expect.poll(asked).toBe(2 * once)
      }),
    )
  })
})

test('after ten wrong passwords the right one is refused too: Too many attempts. Please wait a little and try again.', async () => {
  const nila = await newMember(roz, { name: 'Nila Bose' })
  await fixture.at('/login', async (page) => {
    const answered = (status: number) =>
      page.waitForResponse((answer) => answer.url().endsWith('/api/auth/login') && answer.status() === status)
    for (let n = 1; n <= 10; n++) {
      const refused = answered(401)
      await signIn(page, { email: nila.email, password: `guess ${n}` })
      await refused
    }
    const stopped = answered(429)
    await signIn(page, { email: nila.email, password: PASSWORD })
    await stopped
    await expect(toast(page, 'Too many attempts. Please wait a little and try again.')).toBeVisible()
    await expect(page).toHaveURL(`${line.url}/login`)
    expect(await storedToken(page)).toBeNull()
  })
  // Guessing does not lock the browser out in which the account was created.
  expect(await signsIn(nila, PASSWORD)).toBe(200)
})
