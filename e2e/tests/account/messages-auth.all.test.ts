/**
 * Provokes every message of login, register, forgotten password, new password and verify email at the real program.
 * - Each test carries the text of its message.
 * - Google is never asked: a script with the interface of Google's takes its place.
 */
import { expect } from '../../harness/expect.ts'
import { REFUSALS } from '@roz/core/refusals.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { inDatabase } from '../../harness/database.ts'
import { type FaultyProxy, wordlessFaults } from '../../harness/faulty-proxy.ts'
import { mailedLink, newMember, PASSWORD, type Person, PHONE, register } from '../../harness/people.ts'
import type { Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { freeze, shownFrozen, signIn } from '../../harness/steps.ts'

const NETWORK_ERROR = 'Network error. Please check your connection and try again.'
const ENV = { GOOGLE_CLIENT_ID: 'roz-test.apps.googleusercontent.com', GOOGLE_JWKS_URL: 'http://127.0.0.1:9/certs' } as const
const GOOGLE = 'https://accounts.google.com/gsi/client'
const WORDLESS = wordlessFaults('{}')

const fixture = useAppFixture({ env: async () => ENV })
let roz: Program
let network: FaultyProxy
let member: Person
/** The script served at Google's address; undefined makes the address unreachable. No test asks Google itself. */
let googleScript = ''

beforeAll(async () => {
  ;({ roz, line: network } = fixture)
  await fixture.visit.context.route(GOOGLE, (route) =>
    googleScript === '' ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: googleScript }),
  )
  member = await newMember(roz)
})

/** A visitor at a screen; the proxy in front can break the network. */
function at(path: string, work: (page: Page) => Promise<void>, script = buttonThatAnswers('{}')): Promise<void> {
  googleScript = script
  return fixture.at(path, work)
}

/** A script with the interface of Google's: its button answers as soon as it is pressed. */
function buttonThatAnswers(answer: string): string {
  return `{
  let answerTo
  window.google = { accounts: { id: {
    initialize: ({ callback }) => { answerTo = callback },
    renderButton: (place) => {
      const button = document.createElement('button')
      button.textContent = 'Continue with Google'
      button.onclick = () => answerTo(${answer})
      place.append(button)
    },
  } } }
}`
}

/** Matches case too: `Login Failed` and `Login failed` are two messages. */
const toast = (page: Page, words: string) => page.locator('.toast', { hasText: new RegExp(`^${RegExp.escape(words)}$`) })
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value)
}

describe('login', () => {
  test.each([
    ['both are', { Email: '', Password: '' }, ['Enter your email', 'Enter your password']],
    ['the password is', { Email: 'asha@x.test', Password: '' }, ['Enter your password']],
    ['the email is', { Email: '', Password: PASSWORD }, ['Enter your email']],
  ])("'Please fill in all fields' when %s missing", async (_which, values, beside) => {
    await at('/login', async (page) => {
      await fill(page, values)
      await press(page, 'Log in')
      await expect(toast(page, 'Please fill in all fields')).toBeVisible()
      await expect(page.locator('.field-error')).toHaveText(beside)
    })
  })

  test("'Invalid email or password': the server's own words, no redirect, and the form keeps its input", async () => {
    await at('/login', async (page) => {
      await signIn(page, { email: member.email, password: 'not the password' })
      await expect(toast(page, 'Invalid email or password')).toBeVisible()
      await expect(page).toHaveURL(`${network.url}/login`)
      await expect(field(page, 'Email')).toHaveValue(member.email)
      expect(await storedToken(page)).toBeNull()
    })
  })

  test.each(WORDLESS)("'Login failed' after %s", async (_how, fault) => {
    await at('/login', async (page) => {
      network.breakLine('POST /api/auth/login', fault)
      await signIn(page, { email: member.email, password: PASSWORD })
      await expect(toast(page, 'Login failed')).toBeVisible()
      expect(await storedToken(page)).toBeNull()
      network.mend()
      await press(page, 'Log in')
      await expect(toast(page, 'Welcome back!')).toBeVisible()
    })
  })

  test('a toast has a Close button and disappears after 5 seconds', async () => {
    const work = async (page: Page): Promise<void> => {
      const words = toast(page, 'Please fill in all fields')
      await press(page, 'Send reset link')
      await words.getByRole('button', { name: 'Close' }).click()
      await expect(words).toHaveCount(0)
      await press(page, 'Send reset link')
      await expect(words).toBeVisible()
      await words.getByRole('button', { name: 'Close' }).click()
      await freeze(page)
      await press(page, 'Send reset link')
      await shownFrozen(words)
      await page.clock.runFor(4_500)
      await expect(words).toBeVisible()
      await page.clock.runFor(500)
      await expect(words).toHaveCount(0)
    }
    await fixture.at('/forgot-password', work, { before: (page) => page.clock.install() })
  })
})

describe('the Google button', () => {
  test.each(['/login', '/register'])("'Login Failed' on %s when Google's script is unreachable; the form beside it works", async (path) => {
    await at(
      path,
      async (page) => {
        await expect(toast(page, 'Login Failed')).toHaveRole('alert')
        await expect(page.locator('.google-button')).toHaveCount(0)
        await page.goto(`${network.url}/login`)
        await signIn(page, { email: member.email, password: PASSWORD })
        await expect(page).toHaveURL(`${network.url}/dashboard`)
      },
      '',
    )
  })

  test("'Login Failed' when Google returns no credential", async () => {
    await at('/login', async (page) => {
      await press(page, 'Continue with Google')
      await expect(toast(page, 'Login Failed')).toBeVisible()
    })
  })

  test.each([['an invalid credential', undefined], ...WORDLESS] as const)("'Google login failed' after %s", async (_how, fault) => {
    await at(
      '/login',
      async (page) => {
        if (fault !== undefined) network.breakLine('POST /api/auth/google', fault)
        await press(page, 'Continue with Google')
        await expect(toast(page, 'Google login failed')).toBeVisible()
        await expect(page).toHaveURL(`${network.url}/login`)
        expect(await storedToken(page)).toBeNull()
      },
      buttonThatAnswers("{ credential: 'forged' }"),
    )
  })
})

const GOOD = {
  'Full name': 'Asha Verma',
  Email: 'nobody.yet@x.test',
  'Phone number': PHONE,
  Password: PASSWORD,
  'Confirm password': PASSWORD,
}
const registerWith = async (page: Page, changes: Readonly<Record<string, string>>): Promise<void> => {
  await fill(page, { ...GOOD, ...changes })
  await press(page, 'Create account')
}

describe('register', () => {
  test.each(Object.keys(GOOD))("'Please fill in all fields' when only %s is missing", async (label) => {
    await at('/register', async (page) => {
      await registerWith(page, { [label]: '' })
      await expect(toast(page, 'Please fill in all fields')).toBeVisible()
      await expect(field(page, label)).toHaveAttribute('aria-invalid', 'true')
    })
  })

  test.each([
    ['Passwords do not match', { 'Confirm password': 'correct horse batter' }, 'Confirm password'],
    ['Passwords do not match', { Password: 'short', 'Confirm password': 'shore' }, 'Confirm password'],
    ['Password must be at least 6 characters', { Password: '12345', 'Confirm password': '12345' }, 'Password'],
    ['Please enter a valid 10-digit mobile number', { 'Phone number': '5876543210' }, 'Phone number'],
    ['Please enter a valid 10-digit mobile number', { 'Phone number': '987654321' }, 'Phone number'],
    ['Please enter a valid email address', { Email: 'asha at x.test' }, 'Email'],
    ['Name must be 2 to 100 characters', { 'Full name': 'A' }, 'Full name'],
  ])("'%s' for %j", async (words, changes, label) => {
    await at('/register', async (page) => {
      await registerWith(page, changes)
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, label)).toHaveAccessibleDescription(new RegExp(words))
      await expect(page).toHaveURL(`${network.url}/register`)
    })
  })

  test("'Passwords do not match' disappears as soon as they match, whichever of the two is corrected", async () => {
    await at('/register', async (page) => {
      const again = field(page, 'Confirm password')
      await fill(page, { Password: 'correct horse', 'Confirm password': 'correct horses' })
      await again.blur()
      await expect(again).toHaveAccessibleDescription('Passwords do not match')
      await field(page, 'Password').fill('correct horses')
      await expect(again).not.toHaveAttribute('aria-invalid')
    })
  })

  test("'An account with this email already exists.': the server's own words", async () => {
    await at('/register', async (page) => {
      await registerWith(page, { Email: member.email.toUpperCase() })
      await expect(toast(page, 'An account with this email already exists.')).toBeVisible()
      expect(await storedToken(page)).toBeNull()
    })
  })

  test.each(WORDLESS)("'Registration failed' after %s; the form keeps its input and can be sent again", async (how, fault) => {
    await at('/register', async (page) => {
      network.breakLine('POST /api/auth/register', fault)
      const Email = `${how.replaceAll(' ', '.')}@x.test`
      await registerWith(page, { Email })
      await expect(toast(page, 'Registration failed')).toBeVisible()
      await expect(field(page, 'Full name')).toHaveValue(GOOD['Full name'])
      expect(await storedToken(page)).toBeNull()
      network.mend()
      await press(page, 'Create account')
      await expect(page.getByText(`A verification email was sent to ${Email}.`)).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Next steps' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Go to Login' })).toHaveAttribute('href', '/login')
    })
  })
})

describe('forgotten password', () => {
  test.each([
    ['Please fill in all fields', ''],
    ['Please enter a valid email address', 'asha@'],
  ])("'%s' for “%s”", async (words, email) => {
    await at('/forgot-password', async (page) => {
      await fill(page, { Email: email })
      await press(page, 'Send reset link')
      await expect(toast(page, words)).toBeVisible()
      await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
    })
  })

  test.each(['nobody.at.all@x.test', 'a member'])('a known and an unknown address get the same answer: %s', async (who) => {
    await at('/forgot-password', async (page) => {
      await fill(page, { Email: who === 'a member' ? member.email : who })
      await press(page, 'Send reset link')
      await expect(page.getByText('If there is an account with this email, we have sent a link to set a new password.')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
    })
  })
})

const resetWith = async (page: Page, password: string, again = password): Promise<void> => {
  await fill(page, { Password: password, 'Confirm password': again })
  await press(page, 'Set new password')
}

describe('new password', () => {
  const INVALID = 'This reset link is invalid or has expired. Please request a new one.'

  test.each([
    ['Please fill in all fields', '', ''],
    ['Please fill in all fields', PASSWORD, ''],
    ['Passwords do not match', PASSWORD, `${PASSWORD}!`],
    ['Password must be at least 6 characters', '12345', '12345'],
  ])("'%s' for “%s” and “%s”", async (words, password, again) => {
    await at('/reset-password?token=nothing', async (page) => {
      await resetWith(page, password, again)
      await expect(toast(page, words)).toBeVisible()
    })
  })

  test(`'${INVALID}' without a token, and with a token that was never issued`, async () => {
    await at('/reset-password', async (page) => {
      await expect(page.getByText(INVALID)).toBeVisible()
      await expect(page.getByRole('link', { name: 'Request a new link' })).toHaveAttribute('href', '/forgot-password')
      await page.goto(`${network.url}/reset-password?token=nothing`)
      await resetWith(page, PASSWORD)
      await expect(toast(page, INVALID)).toBeVisible()
    })
  })

  test('a reset link works once; afterwards the new password is valid and the old one is not', async () => {
    const person = await newMember(roz)
    await at('/forgot-password', async (page) => {
      await fill(page, { Email: person.email })
      await press(page, 'Send reset link')
      await expect(page.getByRole('link', { name: 'Go to Login' })).toBeVisible()
      const link = new URL(await mailedLink(roz.url, person.email, '/reset-password'))
      const password = 'another horse battery'
      await page.goto(network.url + link.pathname + link.search)
      await resetWith(page, password)
      await expect(page.getByText('Your password is changed. Please log in with the new one.')).toBeVisible()
      await page.goto(network.url + link.pathname + link.search)
      await resetWith(page, PASSWORD)
      await expect(toast(page, INVALID)).toBeVisible()
      await page.goto(`${network.url}/login`)
      await signIn(page, { email: person.email, password: PASSWORD })
      await expect(toast(page, 'Invalid email or password')).toBeVisible()
      await signIn(page, { email: person.email, password })
      await expect(toast(page, 'Welcome back!')).toBeVisible()
    })
  })
})

describe('verify email', () => {
  const failed = async (page: Page, words: string): Promise<void> => {
    await expect(page.getByRole('alert').filter({ hasText: 'Verification Failed' })).toContainText(words)
    await expect(page.getByRole('link', { name: 'Contact Support' })).toHaveAttribute('href', '/contact-us')
    await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible()
  }

  test.each(['', '?token=', '?token=nothing'])("'Invalid or missing verification token' at /verify-email%s", async (query) => {
    await at(`/verify-email${query}`, (page) => failed(page, 'Invalid or missing verification token'))
  })

  test("'This verification link has expired. Please request a new one.'", async () => {
    const person = await register(roz.url, 'Late Lata', 'late@x.test')
    const link = new URL(await mailedLink(roz.url, person.email, '/verify-email'))
    await inDatabase(roz.dataDir, (db) =>
      db.query(sql`update mail_token set expires_at = roz_now() - interval '1 second' where member_id =
        (select id from member where email = ${person.email}::text)`),
    )
    await at(link.pathname + link.search, (page) => failed(page, 'This verification link has expired. Please request a new one.'))
  })

  test.each([
    ['Verification failed. Please try again.', 'an empty answer', 'empty'],
    ['Verification failed. Please try again.', 'an error page of a proxy', 'wordless'],
    [NETWORK_ERROR, 'a cut connection', 'cut'],
  ] as const)("'%s' after %s; Try Again reloads the page, which then says 'Email Verified!'", async (words, how, fault) => {
    const person = await register(roz.url, 'Asha Verma', `verify.${how.replaceAll(' ', '.')}@x.test`)
    const link = new URL(await mailedLink(roz.url, person.email, '/verify-email'))
    network.breakLine('GET /api/auth/verify-email', fault)
    await at(link.pathname + link.search, async (page) => {
      await failed(page, words)
      network.mend()
      await press(page, 'Try Again')
      await expect(page.getByRole('status').filter({ hasText: 'Email Verified!' })).toContainText('Your email is verified.')
      await expect(page.getByRole('link', { name: 'Go to Login' })).toHaveAttribute('href', '/login')
      await expect(page.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/')
    })
  })

  test('in Hindi the screen shows the translations of the same messages', async () => {
    await at('/login', async (page) => {
      await press(page, 'हिन्दी')
      await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
      const alert = page.getByRole('main').getByRole('alert')
      await page.goto(`${network.url}/verify-email?token=nothing`)
      await expect(alert).toContainText(REFUSALS.verification_token_invalid.hi)
      network.breakLine('GET /api/auth/verify-email', 'wordless')
      await page.reload()
      await expect(alert).toContainText('पुष्टि नहीं हो पाई। कृपया फिर कोशिश करें।')
    })
  })

  test("'One moment, we are checking your link.' until the answer arrives", async () => {
    network.breakLine('GET /api/auth/verify-email', 'silent')
    await at('/verify-email?token=nothing', (page) => expect(page.getByText('One moment, we are checking your link.')).toBeVisible())
  })
})

test('with the server stopped each open form shows its own failure message', async () => {
  const forms: readonly (readonly [words: string, path: string, act: (page: Page) => unknown])[] = [
    ['Login failed', '/login', (page) => signIn(page, { email: 'asha@x.test', password: PASSWORD })],
    ['Registration failed', '/register', (page) => registerWith(page, { Email: 'stopped@x.test' })],
    [NETWORK_ERROR, '/forgot-password', async (page) => (await fill(page, { Email: 'asha@x.test' }), press(page, 'Send reset link'))],
    [NETWORK_ERROR, '/reset-password?token=nothing', (page) => resetWith(page, PASSWORD)],
  ]
  await at('/login', async () => {
    const tabs = await Promise.all(forms.map(() => fixture.visit.context.newPage()))
    for (const [index, tab] of tabs.entries()) {
      await tab.goto(network.url + forms[index]?.[1])
      await expect(tab.locator('form')).toBeVisible()
    }
    await fixture.withoutServer(async () => {
      for (const [index, tab] of tabs.entries()) {
        await tab.bringToFront()
        await forms[index]?.[2](tab)
        await expect(toast(tab, forms[index]?.[0] ?? '')).toBeVisible()
      }
    })
    for (const tab of tabs) expect(await tab.pageErrors()).toEqual([])
    await Promise.all(tabs.map((tab) => tab.close()))
  })
})
