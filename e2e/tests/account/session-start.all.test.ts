/**
 * The start of the app with a stored token.
 * - A refusal of the current user removes the token. No answer does not: members stay logged in during a deploy.
 */
import { REFUSALS } from '@roz/core/refusals.ts'
import type { Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import type { Fault } from '../../harness/faulty-proxy.ts'
import { adminToken, newMember, PASSWORD, type Person } from '../../harness/people.ts'
import { useAppFixture, type Work } from '../../harness/app-fixture.ts'
import { balanceInBar, signIn } from '../../harness/steps.ts'

const fixture = useAppFixture()
let asha: Person
beforeAll(async () => {
  asha = await newMember(fixture.roz, { rupees: 20 })
})

const { status, en: message } = REFUSALS.internal
const asAsha = (path: string, work: Work): Promise<void> => fixture.at(path, work, { token: asha.token })
const storedToken = (page: Page): Promise<string | null> => page.evaluate(() => localStorage.getItem('token'))
const expectDoor =
  (path: string): Work =>
  async (page) => {
    await page.waitForURL(fixture.line.url + path)
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
    await expect(balanceInBar(page)).toHaveCount(0)
    expect(await storedToken(page)).toBeNull()
  }

describe("a user that cannot be loaded at the app's start", () => {
  test.each<[how: string, fault: Fault]>([
    ['the server fails with a 500', { status, body: JSON.stringify({ code: 'internal', message }) }],
    ['the server refuses with a 403', { status: 403, body: JSON.stringify({ code: 'forbidden', message }) }],
  ])('%s: the token is removed, /login opens, and a login there succeeds', async (_how, fault) => {
    fixture.line.breakLine('GET /api/auth/me', fault)
    await asAsha('/wallet', async (page) => {
      await expectDoor('/login')(page)
      fixture.line.mend()
      // The failure does not end the session: the server still accepts the token.
      expect((await ask(fixture.roz.url, 'me', { token: asha.token })).status).toBe(200)
      await signIn(page, { email: asha.email, password: PASSWORD })
      await page.waitForURL(`${fixture.line.url}/dashboard`)
      await expect(balanceInBar(page)).toHaveText('₹20.00')
    })
  })

  test('an administrator’s: the token is removed, and the portal’s login opens', async () => {
    fixture.line.breakLine('GET /api/auth/me', 'empty')
    await fixture.at('/admin/dashboard', expectDoor('/admin/login'), { token: await adminToken(fixture.roz.url) })
  })
})

describe('nobody answers while the current user loads', () => {
  const UNANSWERED: readonly (readonly [how: string, fault: Fault])[] = [
    ['the connection breaks', 'cut'],
    ['a proxy answers 502 with its error page', 'wordless'],
    ['a proxy answers 503', { status: 503, body: '' }],
    ['a proxy answers 504', { status: 504, body: '' }],
  ]
  /** Waits until the app has asked again, then mends the fixture.line. */
  async function mendAfterTwo(page: Page): Promise<void> {
    let asked = 0
    page.on('request', (request) => (asked += request.url().endsWith('/api/auth/me') ? 1 : 0))
    await expect.poll(() => asked).toBeGreaterThan(1)
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
    fixture.line.mend()
  }

  test.each(UNANSWERED)('%s: the spinner stays, the app asks again, and the member stays logged in', async (_how, fault) => {
    fixture.line.breakLine('GET /api/auth/me', fault)
    await asAsha('/wallet', async (page) => {
      await mendAfterTwo(page)
      await expect(balanceInBar(page)).toHaveText('₹20.00')
      expect(new URL(page.url()).pathname).toBe('/wallet')
      expect(await storedToken(page)).toBe(asha.token)
    })
  })

  test('an administrator stays logged in, too', async () => {
    fixture.line.breakLine('GET /api/auth/me', 'cut')
    const work = async (page: Page): Promise<void> => {
      await mendAfterTwo(page)
      await expect(page.getByRole('heading', { name: 'Admin dashboard' })).toBeVisible()
    }
    await fixture.at('/admin/dashboard', work, { token: await adminToken(fixture.roz.url) })
  })

  test('a refusal after that still removes the token', async () => {
    fixture.line.breakLine('GET /api/auth/me', 'cut')
    await asAsha('/wallet', async (page) => {
      await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading')
      fixture.line.breakLine('GET /api/auth/me', { status: 401, body: JSON.stringify({ code: 'unauthenticated', message }) })
      await expectDoor('/login')(page)
    })
  })
})
