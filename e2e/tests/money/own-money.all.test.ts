/**
 * A member checks their own day on their own device: the draw in pictures, and their money from its parts to the signed log.
 * - Each lie of the server is found by the step that checks it.
 * - The app runs the check of yesterday by itself when it opens.
 */
import { readFileSync } from 'node:fs'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, test } from 'vitest'
import { auditPage, auditScreen, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { newMember, type Person, readClock, setClock } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const fixture = useAppFixture({ size: { width: 360, height: 740 } })
let first: IstDay
let second: IstDay
let meera: Person
let kabir: Person
let lata: Person
let zoya: Person

/**
 * Meera joins both rounds; Lata reads Hindi.
 * - Kabir has money from the first day and joins with his own key on the third.
 * - Zoya has neither money nor a key.
 */
beforeAll(async () => {
  const { roz } = fixture
  first = dayAt(Date.parse(await readClock(roz.url)))
  second = addDays(first, 1)
  const names = ['Meera Iyer', 'Kabir Das', 'Lata Rao'] as const
  ;[meera, kabir, lata] = (await Promise.all(names.map((name) => newMember(roz, { name, rupees: 20 })))) as [Person, Person, Person]
  zoya = await newMember(roz, { name: 'Zoya Khan' })
  expect((await ask(roz.url, 'joinRound', { token: meera.token, body: {} })).status).toBe(200)
  await setClock(roz.url, `${second}T10:00:00+05:30`)
  expect((await ask(roz.url, 'joinRound', { token: meera.token, body: {} })).status).toBe(200)
  await setClock(roz.url, `${addDays(second, 1)}T10:00:00+05:30`)
})

const ofTicket = (day: string): string => `/my-ticket?day=${day}`
const money = (page: Page) => page.locator('.section').filter({ has: page.getByRole('heading', { name: 'Your money with us' }) })
const draw = (page: Page) => page.locator('#draw')
const ownLine = (day: string) => `GET /api/user/liabilities/${day}`

/** Holds the app's own requests until the press: an answer would remove the button. */
async function pressWhileHeld(lines: readonly string[], buttons: readonly Locator[]): Promise<void> {
  for (const line of lines) fixture.line.breakLine(line, 'hold')
  for (const button of buttons) await button.click()
  fixture.line.mend()
}

const own = async (person: Person, day: string) =>
  (await ask(fixture.roz.url, 'userLiabilities', { token: person.token, params: { day }, query: { from: '0', limit: '128' } })).output

describe('a day of one’s own', () => {
  test('shows the draw in four pictures, and the member’s money with each check, on small and wide screens', async () => {
    await fixture.alone(meera.token, ofTicket(second), async (page) => {
      await expect(draw(page).locator('.draw-story > li')).toHaveCount(4)
      await expect(draw(page)).toContainText('1. The list is closed')
      await expect(draw(page)).toContainText('Demo draw — the operator could have chosen this winner')
      await expect(draw(page).locator('.winners li')).toContainText('Meera I.')
      await expect(draw(page).locator('.winners li')).toContainText('line 1')
      await expect(draw(page).getByRole('link')).toHaveAttribute('href', `/verify/${second}`)
      await expect(money(page).locator('.is-right')).toHaveCount(3)
      await expect(money(page)).toContainText('It matches your wallet, apart from later transactions.')
      await auditPage(page)
      await page.setViewportSize(WIDE)
      await auditPage(page)
    })
  })

  test('the same in Hindi', async () => {
    await fixture.at(
      ofTicket(second),
      async (page) => {
        await expect(draw(page).locator('.draw-story > li')).toHaveCount(4)
        await page.locator('.technical summary').last().click()
        await expect(page.getByText('उस दिन के सार्वजनिक हिसाब में यही कुल रकम है')).toBeVisible()
        await auditPage(page)
      },
      { token: lata.token, before: (page) => page.addInitScript(() => localStorage.setItem('language', 'hi')) },
    )
  })

  test('loading, not done yet, unreachable: each is said, and ends by itself or at a press', async () => {
    fixture.line.breakLine(`GET /api/public/draws/${second}`, { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    fixture.line.breakLine(`GET /api/public/books/${second}`, { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    fixture.line.breakLine(ownLine(second), { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    await fixture.as(meera.token, ofTicket(second), async (page) => {
      await expect(draw(page)).toContainText('This day has no result yet.')
      await expect(money(page)).toContainText('The accounts of this day are not ready yet.')
      await auditScreen(page)
      fixture.line.mend()
      fixture.line.breakLine(`GET /api/public/draws/${second}`, 'cut')
      fixture.line.breakLine(ownLine(second), 'cut')
      await page.reload()
      await expect(draw(page)).toContainText('This day could not be loaded.')
      await expect(money(page)).toContainText('Your money could not be checked right now.')
      await auditScreen(page)
      await pressWhileHeld(
        [`GET /api/public/draws/${second}`, ownLine(second)],
        [draw(page).getByRole('button'), money(page).getByRole('button')],
      )
      await expect(draw(page).locator('.draw-story > li')).toHaveCount(4)
      await expect(money(page).locator('.is-right')).toHaveCount(3)
      fixture.line.breakLine(ownLine(second), 'hold')
      await page.reload()
      await expect(page.getByRole('group', { name: 'Checking your money' })).toBeVisible()
      fixture.line.mend()
      await expect(money(page).locator('.is-right')).toHaveCount(3)
    })
    await fixture.as(meera.token, ofTicket(addDays(first, -1)), async (page) => {
      await expect(money(page)).toContainText('You were not a member yet on this day')
      await expect(draw(page)).toContainText('There was no round on this day.')
    })
  })

  test('a member without money is told so before they have a key; a balance without a key is an alarm', async () => {
    expect((await ask(fixture.roz.url, 'ticketKey', { token: zoya.token, query: {} })).output.key).toBeNull()
    await fixture.as(zoya.token, ofTicket(second), async (page) => {
      await expect(money(page)).toContainText('At the end of this day we had no money of yours.')
      await expect(money(page).locator('.is-right')).toHaveCount(1)
      await auditScreen(page)
    })
    const expectAlarm = (step: string): Promise<void> =>
      fixture.at(ofTicket(second), async (page) => expect(money(page).getByRole('alert').locator('code')).toHaveText(step), {
        token: zoya.token,
      })
    const answer = await own(zoya, second)
    fixture.line.breakLine(ownLine(second), { status: 200, body: JSON.stringify({ ...answer, balance: 100 }) })
    await expectAlarm('sum')
    const { parts, nodes } = await own(meera, second)
    fixture.line.breakLine(ownLine(second), { status: 200, body: JSON.stringify({ ...answer, balance: 100, parts, nodes }) })
    await expectAlarm('parts')
  })
})

describe('a lie about one’s money is found by its step, and the evidence contains no key', () => {
  async function expectStep(step: string, words: string, before?: () => void): Promise<void> {
    await fixture.at(
      ofTicket(second),
      async (page) => {
        const alarm = money(page).getByRole('alert')
        await expect(alarm).toContainText('Your money is not all in the total that we published.')
        await expect(alarm.locator('code')).toHaveText(step)
        await expect(alarm).toContainText(words)
        const saved = page.waitForEvent('download')
        await alarm.getByRole('button', { name: 'Save the proof' }).click()
        const evidence = readFileSync((await (await saved).path()) ?? '', 'utf8')
        expect(JSON.parse(evidence)).toMatchObject({ day: second, step })
        expect(evidence).not.toContain((await ask(fixture.roz.url, 'ticketKey', { token: meera.token, query: {} })).output.key)
        if (step === 'parts') await auditScreen(page)
      },
      { token: meera.token, ...(before === undefined ? {} : { before }) },
    )
  }

  test('parts: a smaller part is found', async () => {
    const answer = await own(meera, second)
    const parts = answer.parts.map((part, at) => (at === 0 ? { ...part, amount: part.amount === 1 ? 2 : part.amount - 1 } : part))
    fixture.line.breakLine(ownLine(second), { status: 200, body: JSON.stringify({ ...answer, parts }) })
    await expectStep('parts', 'Part of your money is missing from the total')
  })

  test('sum: a smaller total is found', async () => {
    const answer = await own(meera, second)
    fixture.line.breakLine(ownLine(second), { status: 200, body: JSON.stringify({ ...answer, balance: answer.balance - 100 }) })
    await expectStep('sum', 'Your parts do not add up')
  })

  test('view: a wallet above the published amount is found', async () => {
    const { user } = (await ask(fixture.roz.url, 'profile', { token: meera.token })).output
    const richer = { user: { ...user, wallet: { balance: user.wallet.balance + 5 } } }
    fixture.line.breakLine('GET /api/user/me', { status: 200, body: JSON.stringify(richer) })
    await expectStep('view', 'Our published accounts show a different amount for you')
  })

  test("books: published accounts other than the log's are found", async () => {
    const books = await (await fetch(`${fixture.roz.url}/api/public/books/${second}`)).text()
    fixture.line.breakLine(`GET /api/public/books/${second}`, { status: 200, body: books.replace(/"count":\d+/, '"count":7') })
    // Uses a browser that has not cached the true books.
    await expectStep('books', "is not the one in the day's published accounts", () => undefined)
  })

  test("log: a wrong index of the books' record is found", async () => {
    const answer = await own(meera, second)
    const proof = answer.proof && { ...answer.proof, books: { ...answer.proof.books, index: 0 } }
    fixture.line.breakLine(ownLine(second), { status: 200, body: JSON.stringify({ ...answer, proof }) })
    await expectStep('log', 'are not in the public log')
  })

  test("answer: published accounts without the member's part are found", async () => {
    fixture.line.breakLine(ownLine(second), { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    await expectStep('answer', 'is incomplete or unreadable')
  })

  test('growth: a log other than the one this device remembers is found', async () => {
    await fixture.alone(meera.token, ofTicket(second), async (page) => {
      await expect(money(page).locator('.is-right')).toHaveCount(3)
      // Set before the next document's app runs: the present one may still store the log's state when its other checks end.
      await page.addInitScript(() => {
        const slot = 'roz-log'
        const known = JSON.parse(localStorage.getItem(slot) ?? '{}') as object
        localStorage.setItem(slot, JSON.stringify({ ...known, root: '0'.repeat(64) }))
      })
      await page.reload()
      await expect(money(page).getByRole('alert').locator('code')).toHaveText('growth')
      await expect(page.locator('.notice.alarm')).toContainText('it may have been rewritten')
    })
  })
})

describe('when the app opens', () => {
  const status = (page: Page) => page.locator('.own-ticket')
  const tryAgain = (page: Page) => status(page).getByRole('button', { name: 'Try Again' })

  test('yesterday is checked by itself: found, waiting, unreachable, nothing to check', async () => {
    await fixture.at('/dashboard', async (page) => expect(status(page)).toContainText('Your ₹1 was in the draw: line 1 of 1'), {
      token: meera.token,
    })
    await fixture.as(kabir.token, '/dashboard', async (page) => {
      await expect(status(page)).toContainText('You had no ticket yesterday: there is nothing to check.')
      await auditScreen(page)
    })
    fixture.line.breakLine(`GET /api/user/tickets/${second}`, 'hold')
    await fixture.as(meera.token, '/dashboard', async (page) => {
      await expect(status(page)).toContainText("Checking yesterday's ticket…")
      fixture.line.mend()
      await expect(status(page)).toContainText('Your ₹1 was in the draw')
    })
    fixture.line.breakLine(`GET /api/user/tickets/${second}`, 'cut')
    await fixture.as(meera.token, '/dashboard', async (page) => {
      await expect(status(page)).toContainText("Yesterday's ticket could not be checked.")
      await auditScreen(page)
      await pressWhileHeld([`GET /api/user/tickets/${second}`], [tryAgain(page)])
      await expect(status(page)).toContainText('Your ₹1 was in the draw')
      await page.getByRole('link', { name: 'See the draw in pictures' }).click()
      await expect(draw(page).locator('.draw-story > li')).toHaveCount(4)
    })
    fixture.line.breakLine('GET /api/rounds/history', 'cut')
    await fixture.as(meera.token, '/dashboard', async (page) => {
      await expect(status(page)).toContainText("Yesterday's ticket could not be checked.")
      await pressWhileHeld(['GET /api/rounds/history'], [tryAgain(page)])
      await expect(status(page)).toContainText('Your ₹1 was in the draw')
    })
    // Until a day is drawn the history does not list it, which does not mean that there is no ticket.
    const { output: history } = await ask(fixture.roz.url, 'roundHistory', { token: meera.token, query: {} })
    const silent = { ...history, results: history.results.filter(({ date }) => date !== second) }
    fixture.line.breakLine('GET /api/rounds/history', { status: 200, body: JSON.stringify(silent) })
    await fixture.at('/dashboard', async (page) => expect(status(page)).toContainText('Your ₹1 was in the draw'), { token: meera.token })
    fixture.line.mend()
    const { output } = await ask(fixture.roz.url, 'userTicket', { token: meera.token, params: { day: second } })
    fixture.line.breakLine(`GET /api/user/tickets/${second}`, { status: 200, body: JSON.stringify({ ...output, proof: null }) })
    fixture.line.breakLine(`GET /api/public/draws/${second}`, { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    await fixture.at('/dashboard', async (page) => expect(status(page)).toContainText('is checked here soon after midnight'), {
      token: meera.token,
      // Uses a browser that has not cached the day's file.
      before: () => undefined,
    })
  })

  test("days before this device's key keep the old key: the server may name the replaced key only for those days", async () => {
    const key = 'b8'.repeat(32)
    const before = (await ask(fixture.roz.url, 'ticketKey', { token: kabir.token, query: {} })).output.key
    expect((await ask(fixture.roz.url, 'joinRound', { token: kabir.token, body: { ticketKey: key } })).status).toBe(200)
    expect((await ask(fixture.roz.url, 'ticketKey', { token: kabir.token, query: { day: second } })).output.key).toBe(before)
    const deviceSince = (since: string) => (page: Page) =>
      page.addInitScript(
        ([id, own, day]) => {
          localStorage.setItem(`roz-ticket-key:${id}`, own ?? '')
          localStorage.setItem(`roz-ticket-key-since:${id}`, day ?? '')
        },
        [kabir.id, key, since],
      )
    await fixture.at(
      ofTicket(second),
      async (page) => {
        await expect(money(page).locator('.is-right')).toHaveCount(3)
        await expect(page.getByRole('alert')).toHaveCount(0)
      },
      { token: kabir.token, before: deviceSince(addDays(second, 1)) },
    )
    // From the first day of this device's key on, the server cannot name another key for him.
    await fixture.at(ofTicket(second), async (page) => expect(money(page).getByRole('alert').locator('code')).toHaveText('parts'), {
      token: kabir.token,
      before: deviceSince(second),
    })
  })

  test('of two devices that both made a key, the one whose key does not count takes the other’s, and says so', async () => {
    const { key } = (await ask(fixture.roz.url, 'ticketKey', { token: meera.token, query: {} })).output
    await fixture.at(
      ofTicket(second),
      async (page) => {
        const says = page.locator('.own-checks').first()
        await expect(says).toContainText('You also use Roz on another device')
        await expect(money(page).locator('.is-right')).toHaveCount(3)
        await expect(page.getByRole('alert')).toHaveCount(0)
        await auditScreen(page)
        await page.reload()
        await expect(says).toContainText('You also use Roz on another device')
        expect(await page.evaluate((id) => localStorage.getItem(`roz-ticket-key:${id}`), meera.id)).toBe(`=${key}`)
        // For days after it took the other's key the notice is gone.
        await page.evaluate(([id, day]) => localStorage.setItem(`roz-ticket-key-since:${id}`, day ?? ''), [meera.id, addDays(second, -1)])
        await page.reload()
        await expect(says).toContainText('This ticket was made with the key on this device')
      },
      {
        token: meera.token,
        before: (page) =>
          page.addInitScript((slot) => {
            if (localStorage.getItem(slot) === null) localStorage.setItem(slot, `?${'c7'.repeat(32)}`)
          }, `roz-ticket-key:${meera.id}`),
      },
    )
  })

  test('a key that serves only from tomorrow on, as after “This wasn’t me”, is the device’s key, and no day raises an alarm', async () => {
    const { roz, line } = fixture
    const third = addDays(second, 1)
    const fourth = addDays(second, 2)
    const renewed = 'd9'.repeat(32)
    const join = async () => expect((await ask(roz.url, 'joinRound', { token: meera.token, body: {} })).status).toBe(200)
    await join()
    expect((await ask(roz.url, 'setTicketKey', { token: meera.token, body: { ticketKey: renewed } })).status).toBe(200)
    await fixture.as(meera.token, ofTicket(third), async (page) => {
      await expect(page.getByText('Your ₹1 is in this round.')).toBeVisible()
      await expect(page.getByRole('alert')).toHaveCount(0)
      expect(await page.evaluate((id) => localStorage.getItem(`roz-ticket-key:${id}`), meera.id)).toBe(renewed)
      await setClock(roz.url, `${fourth}T10:00:00+05:30`)
      await join()
      await setClock(roz.url, `${addDays(fourth, 1)}T10:00:00+05:30`)
      for (const day of [third, fourth]) {
        await page.goto(line.url + ofTicket(day))
        await expect(page.getByText('Your ₹1 was in the draw.')).toBeVisible()
        await expect(money(page).locator('.is-right')).toHaveCount(3)
        await expect(page.getByRole('alert')).toHaveCount(0)
      }
    })
  })
})
