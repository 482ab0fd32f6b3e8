/**
 * A stranger verifies a day in the browser, and a member verifies their own ticket.
 * - The server is real and has settled two days; the test's proxy puts lies into its answers.
 * - The witnessed day is the protocol's example site.
 */
import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { bookDisbursement } from '@roz/server/ledger/disbursements.ts'
import { beforeAll, describe, test } from 'vitest'
import { auditPage, auditScreen, expectNoSidewaysScroll, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { inDatabase } from '../../harness/database.ts'
import { latinIn } from '../../harness/latin.ts'
import { exampleSite, RECEIPT, SEALED, TICKETS } from '../../harness/example-site.ts'
import { expect } from '../../harness/expect.ts'
import { newMember, type Person, readClock, setClock } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { saidBy, step, verdict } from '../../harness/verify-steps.ts'

const fixture = useAppFixture()
const KEY = 'a7'.repeat(32)
const EVIDENCE = createHash('sha256').update('a scanned receipt').digest()
let first: IstDay
let second: IstDay
let asha: Person
let biju: Person

/** Two days pass: both members join the first; only one is in the second, joined by the server. */
beforeAll(async () => {
  const { roz } = fixture
  first = dayAt(Date.parse(await readClock(roz.url)))
  second = addDays(first, 1)
  ;[asha, biju] = await Promise.all([newMember(roz, { name: 'Asha Verma', rupees: 10 }), newMember(roz, { name: 'Biju Nair', rupees: 10 })])
  expect((await ask(roz.url, 'joinRound', { token: asha.token, body: { ticketKey: KEY } })).status).toBe(200)
  expect((await ask(roz.url, 'joinRound', { token: biju.token, body: {} })).status).toBe(200)
  await ask(roz.url, 'updateProfile', { token: biju.token, body: { autoParticipate: true } })
  await setClock(roz.url, `${second}T00:10:00+05:30`)
  await ask(roz.url, 'updateProfile', { token: biju.token, body: { autoParticipate: false } })
  await inDatabase(roz.dataDir, (db) =>
    inTransaction(db, async (tx) => {
      expect(await bookDisbursement(tx, { id: 'e2e-1', amount: paise(70n), evidence: [EVIDENCE] })).toMatchObject({ ok: true })
    }),
  )
  await setClock(roz.url, `${addDays(second, 1)}T00:10:00+05:30`)
})

describe('a day in the browser', () => {
  test('is told in four pictures and verified by itself: a demo draw is weak, and says why', async () => {
    await fixture.at(`/verify/${first}`, async (page) => {
      await expect(page).toHaveTitle('Check the draw · Roz')
      await expect(verdict(page)).toHaveText('WEAK')
      await expect(page.locator('[data-verdict]')).toContainText('Demo draw — the operator could have chosen this winner')
      for (const name of ['sealed-in-time', 'beacon-signature']) await expect(step(page, name)).toHaveAttribute('data-result', 'weak')
      await expect(step(page, 'receipt')).toHaveAttribute('data-result', 'none')
      await expect(page.locator('[data-result=pass]')).toHaveCount(14)
      await expect(step(page, 'winners')).toContainText('Your device got the same result.')
      const { day } = (await ask(fixture.roz.url, 'publicDay', { params: { day: first } })).output
      const [winner] = day.winners
      await expect(page.locator('[data-winners]')).toContainText(winner?.name ?? 'nobody')
      await expect(page.locator('.lines [data-fill=line]')).toHaveText(String((winner?.position ?? 0) + 1))
      // Of two lines, the first has none before it and the last none after it.
      await expect(page.locator('.lines li:visible')).toHaveCount(2)
      // A demo's list is closed, not sealed, and the pictures show no code but the winner's.
      await expect(page.locator('.tickets .seal')).toHaveText('Closed')
      await expect(page.locator('.tickets')).not.toContainText(/[0-9a-f]{4}/)
      await expect(page.locator('.draw-story [data-fill=intake]')).toHaveText('₹2.00')
      // The plain verdict comes first; the buttons are below it, then the program's word and the steps, closed.
      expect(await page.locator('#check, #draw').evaluateAll((sections) => sections.map(({ id }) => id))).toEqual(['check', 'draw'])
      const parts = page.locator('[data-verdict] h3:visible, [data-again], .steps-shown summary')
      await expect(parts).toHaveText(['The numbers match, but some steps had no outside check', 'Check again', 'Technical details'])
      await expect(verdict(page)).toBeHidden()
      await expect(step(page, 'winners')).toBeHidden()
      await page.getByText('Technical details').click()
      await expect(step(page, 'winners')).toBeVisible()
      await expect(page.getByRole('link', { name: 'roz-verify.mjs' })).toHaveAttribute('href', '/verify/roz-verify.mjs')
      const hash = (await (await fetch(`${fixture.roz.url}/verify/roz-verify.mjs.sha256`)).text()).split(' ')[0] ?? ''
      await expect(page.getByText(hash)).toBeVisible()
      await expect(page.locator('[data-command]')).toContainText(`/api/public/ ${first}`)
      await auditPage(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await auditScreen(page, 'colours')
      await page.emulateMedia({ colorScheme: 'light' })
    })
  })

  test('without a day the newest is shown; the keyboard selects another, which the address then names', async () => {
    await fixture.at('/hi/verify', async (page) => {
      await expect(page).toHaveURL(`${fixture.line.url}/hi/verify/${second}`)
      await expect(verdict(page)).toHaveText('कमज़ोर')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('ड्रॉ जाँचें')
      await page.locator('#day').fill(first)
      await page.locator('#day').press('Enter')
      await expect(page).toHaveURL(`${fixture.line.url}/hi/verify/${first}`)
      await expect(page.locator('.draw-story [data-fill=intake]')).toHaveText('₹2.00')
      await expect(verdict(page)).toHaveText('कमज़ोर')
      await page.locator('.steps-shown summary').click()
      await expect(step(page, 'sealed-in-time').locator('[data-weakness=local-list]')).toBeVisible()
      await expect(step(page, 'beacon-signature').locator('[data-weakness=known-number]')).toBeVisible()
      // The verifier itself says nothing in English here either.
      expect(latinIn(await saidBy(page))).toEqual([])
      await auditScreen(page)
      await page.getByRole('link', { name: 'English' }).click()
      await expect(page).toHaveURL(`${fixture.line.url}/verify/${first}`)
    })
  })

  test("books with one paisa changed: the step that compares them with the log fails, the list's step still passes", async () => {
    const text = await (await fetch(`${fixture.roz.url}/api/public/books/${first}`)).text()
    const path = `/api/public/books/${first}`
    fixture.line.breakLine(`GET ${path}`, { status: 200, body: text.replace('"paise":200', '"paise":201') })
    await fixture.alone(undefined, `/verify/${first}`, async (page) => {
      await expect(verdict(page)).toHaveText('FAIL')
      await expect(step(page, 'log-inclusion')).toHaveAttribute('data-result', 'fail')
      await expect(step(page, 'log-inclusion')).toContainText('do not match the log')
      await expect(step(page, 'entries-root')).toHaveAttribute('data-result', 'pass')
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save the result' }).click()
      const report = JSON.parse(readFileSync((await (await saved).path()) ?? '', 'utf8')) as { readonly verdict: string }
      expect(report.verdict).toBe('FAIL')
      await auditScreen(page)
      fixture.line.mend()
      await page.evaluate(async (address) => fetch(address, { cache: 'reload' }), path)
      await page.getByRole('button', { name: 'Check again' }).click()
      await expect(verdict(page)).toHaveText('WEAK')
    })
  })

  test('an unreachable file leaves nothing proven; a wide screen shows it without a complaint', async () => {
    fixture.line.breakLine(`GET /api/public/liabilities/${first}`, 'wordless')
    await fixture.alone(undefined, `/verify/${first}`, async (page) => {
      await expect(verdict(page)).toHaveText('INCOMPLETE')
      await expect(step(page, 'liabilities-total')).toHaveAttribute('data-result', 'incomplete')
      await page.goto(`${fixture.line.url}/hi/verify/${first}`)
      await expect(verdict(page)).toHaveText('अधूरा')
      expect(latinIn(await saidBy(page))).toEqual([])
      await page.setViewportSize(WIDE)
      await expectNoSidewaysScroll(page)
    })
  })
})

describe('a day that witnesses signed in time', () => {
  test('passes, with a receipt of it; a member’s list with one changed bit fails at its seal', async () => {
    await fixture.alone(undefined, '/contact-us', async (page) => {
      await exampleSite(page, { entries: 3 })
      await page.goto(`${fixture.line.url}/verify/${SEALED}`)
      await expect(verdict(page)).toHaveText('PASS')
      await expect(
        page.getByText('Outsiders confirmed this list in time. We could have chosen the winner only together with them.'),
      ).toBeVisible()
      await expect(page.getByText('that many independent groups run together')).toBeVisible()
      const receipt = RECEIPT
      await page.getByLabel('Your saved receipt').setInputFiles({ name: 'receipt.json', mimeType: 'application/json', buffer: receipt })
      await expect(step(page, 'receipt')).toHaveAttribute('data-result', 'pass')
      await page
        .getByLabel('Your saved receipt')
        .setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
      await expect(page.getByRole('alert').filter({ hasText: 'This file is not a receipt.' })).toBeVisible()
    })
    await fixture.alone(undefined, '/contact-us', async (page) => {
      const path = `draws/${SEALED}/tickets`
      const bytes = Buffer.from(TICKETS)
      bytes[31] = (bytes[31] ?? 0) ^ 1
      await exampleSite(page, { entries: 3 }, { path, bytes })
      await page.goto(`${fixture.line.url}/verify/${SEALED}`)
      await expect(verdict(page)).toHaveText('FAIL')
      await expect(step(page, 'entries-root')).toHaveAttribute('data-result', 'fail')
      await expect(step(page, 'books-balance')).toHaveAttribute('data-result', 'pass')
    })
  })

  test('a day with a long list waits for a press, and shows no verdict of an earlier check', async () => {
    await fixture.alone(undefined, '/contact-us', async (page) => {
      await exampleSite(page, { entries: 40_000 })
      await page.goto(`${fixture.line.url}/verify/${SEALED}`)
      await expect(page.getByText('This check downloads 1.3 MB')).toBeVisible()
      await expect(verdict(page)).toHaveCount(0)
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await expect(verdict(page)).toHaveText('PASS')
      await expect(page.getByText('provided these witnesses are independent of us: witness-asha.example')).toBeVisible()
      await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
      await expect(page).toHaveURL(/#main$/)
      await page.evaluate(() => new Promise(requestAnimationFrame))
      expect(await verdict(page).allTextContents()).toEqual(['PASS'])
      await page.locator('#day').fill('2026-07-22')
      await page.locator('#day').press('Enter')
      await expect(page.getByRole('heading', { name: 'No result for this day yet' })).toBeVisible()
      await page.goBack()
      await expect(page.getByText('This check downloads 1.3 MB')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Save the result' })).toHaveCount(0)
      await expect(page.locator('[data-result]')).toHaveCount(0)
      await expect(verdict(page)).toHaveCount(0)
    })
  })
})

describe('my ticket', () => {
  const ofTicket = (day: string): string => `/my-ticket?day=${day}`

  test('is found in the sealed list on the member’s own device, with the receipt and the parts of their money', async () => {
    await fixture.at('/contact-us', async (page) => {
      await page.evaluate((token) => localStorage.setItem('token', token), asha.token)
      await page.goto(fixture.line.url + ofTicket(first))
      await expect(page.getByText('Your ₹1 was in the draw.')).toBeVisible()
      await expect(page.getByText(/^Line [12] of 2$/)).toBeVisible()
      await expect(page.locator('.ticket-slip .seal')).toHaveText('Joined')
      await expect(page.locator('.is-right')).toHaveCount(7)
      await expect(page.locator('.owed')).toContainText('Your money with us')
      const fetched = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => /\/api\/(user\/tickets|public\/log)\//.test(name))
          .reduce((sum, one) => sum + (one as PerformanceResourceTiming).encodedBodySize, 0),
      )
      expect(fetched).toBeGreaterThan(0)
      expect(fetched).toBeLessThan(5000)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save my receipt' }).click()
      const receipt = readFileSync((await (await saved).path()) ?? '')
      expect(JSON.parse(receipt.toString())).toMatchObject({ day: first, v: 1 })
      await auditPage(page)
      await page.getByRole('link', { name: 'Check the whole day' }).click()
      await expect(verdict(page)).toHaveText('WEAK')
      await page.getByLabel('Your saved receipt').setInputFiles({ name: 'receipt.json', mimeType: 'application/json', buffer: receipt })
      await expect(step(page, 'receipt')).toHaveAttribute('data-result', 'pass')
    })
  })

  test('yesterday’s is verified by itself, also when the server joined; a member without a ticket sees no alarm', async () => {
    await fixture.as(biju.token, '/dashboard', async (page) => {
      await expect(page.getByRole('link', { name: 'Your ₹1 was in the draw: line 1 of 1' })).toBeVisible()
      await expect(page.getByRole('link', { name: 'Check the draw yourself' })).toHaveAttribute('href', `/verify/${second}`)
      await auditScreen(page)
    })
    await fixture.as(asha.token, ofTicket(second), async (page) => {
      await expect(page.getByText('You had no ticket that day')).toBeVisible()
      await expect(page.getByRole('alert')).toHaveCount(0)
    })
  })

  test('an answer without a valid proof raises the alarm on every screen, with evidence that contains no key', async () => {
    const line = `/api/user/tickets/${second}`
    const { output } = await ask(fixture.roz.url, 'userTicket', { token: biju.token, params: { day: second } })
    const lie = { ...output, proof: output.proof && { ...output.proof, path: ['0'.repeat(64)] } }
    fixture.line.breakLine(`GET ${line}`, { status: 200, body: JSON.stringify(lie) })
    await fixture.as(biju.token, '/wallet', async (page) => {
      const alarm = page.getByRole('alert').filter({ hasText: "Something is wrong with yesterday's ticket." })
      await expect(alarm).toContainText('Your entry is not proven for this day')
      const saved = page.waitForEvent('download')
      await alarm.getByRole('button', { name: 'Save the proof' }).click()
      const evidence = readFileSync((await (await saved).path()) ?? '', 'utf8')
      expect(JSON.parse(evidence)).toMatchObject({ day: second, state: 'missing', receipt: { ticket: output.ticket, v: 1 } })
      const { key } = (await ask(fixture.roz.url, 'ticketKey', { token: biju.token })).output
      expect(evidence).not.toContain(key)
      await auditScreen(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      await auditScreen(page, 'colours')
      await page.emulateMedia({ colorScheme: 'light' })
      await alarm.getByRole('link', { name: 'What was checked' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'My ticket' })).toBeVisible()
    })
  })

  test('a missing proof for a list that is sealed raises the alarm; so do books without the member’s parts', async () => {
    const { output } = await ask(fixture.roz.url, 'userTicket', { token: biju.token, params: { day: second } })
    fixture.line.breakLine(`GET /api/user/tickets/${second}`, { status: 200, body: JSON.stringify({ ...output, proof: null }) })
    fixture.line.breakLine(`GET /api/user/liabilities/${second}`, { status: 404, body: '{"error":"not_found","message":"Not found"}' })
    await fixture.at(
      ofTicket(second),
      async (page) => {
        const alarm = page.locator('.alarm-box').filter({ hasText: 'Your entry is not proven for this day' })
        await expect(alarm).toBeVisible()
        await expect(page.getByText('Your money is not all in the total that we published.')).toBeVisible()
        const saved = page.waitForEvent('download')
        await alarm.getByRole('button', { name: 'Save the proof' }).click()
        const evidence = JSON.parse(readFileSync((await (await saved).path()) ?? '', 'utf8')) as { readonly published: readonly string[] }
        expect(evidence.published.join()).toContain('"kind":"close"')
      },
      // The device's clock is days behind, and the server's time arrives late.
      {
        token: biju.token,
        before: (page) => page.route('**/api/rounds/current', (route) => setTimeout(() => void route.continue(), 2000)),
      },
    )
  })

  test('a receipt that this device stored convicts a server that denies the entry', async () => {
    const { output } = await ask(fixture.roz.url, 'userTicket', { token: biju.token, params: { day: second } })
    const kept = [{ day: second, ticket: output.ticket, receipt: output.receipt }]
    await fixture.at(
      '/history',
      async (page) => {
        await expect(page.getByRole('alert')).toContainText('You have a receipt for this day, but our records show no ticket.')
      },
      {
        token: asha.token,
        before: (page) =>
          page.addInitScript(([id, all]) => localStorage.setItem(`roz-receipts:${id}`, all ?? ''), [asha.id, JSON.stringify(kept)]),
      },
    )
  })
})

test('money trail and daily reports match the API, receipts included', async () => {
  const { totals, days } = (await ask(fixture.roz.url, 'publicDays', {})).output
  const inr = (rupees: number): string => new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' }).format(rupees)
  expect([totals.intake, totals.disbursed, days.length]).toEqual([3, 0.7, 2])
  await fixture.at('/money-trail', async (page) => {
    const all = page.locator('#totals')
    for (const amount of [totals.intake, totals.disbursed, totals.helpFund, totals.split.reward, totals.split.platform])
      await expect(all).toContainText(inr(amount))
    await expect(page.locator('#rupee')).toContainText('60 paise')
    for (const day of days) {
      const entry = page.locator(`[id="${day.day}"]`)
      await expect(entry.locator('summary .amount')).toHaveText(inr(day.intake))
      const details = entry.locator('> details')
      if ((await details.getAttribute('open')) === null) await details.locator('> summary').press('Enter')
      for (const amount of [day.split.need, day.split.reward, day.split.platform, day.disbursed])
        await expect(entry).toContainText(inr(amount))
    }
    await expect(page.locator(`[id="${first}"]`)).toContainText(EVIDENCE.toString('hex'))
    await expect(page.getByRole('link', { name: /^Check the round of / }).first()).toHaveAttribute('href', `/verify/${second}`)
    await auditPage(page)
  })
  await fixture.at('/daily-reports', async (page) => {
    const report = page.locator(`[id="${second}"]`)
    await expect(report).toContainText('Winner: Biju N. (line 1)')
    await expect(report).toContainText('Demo draw — the operator could have chosen this winner')
    await auditPage(page)
  })
  await fixture.at('/giveaway-selection', async (page) => {
    await page.getByRole('link', { name: 'See and check the latest draw' }).click()
    await expect(page).toHaveURL(`${fixture.line.url}/verify/${second}`)
  })
})

test('days beyond the first month load at a press, each with a link to its proof', async () => {
  await setClock(fixture.roz.url, `${addDays(second, 36)}T00:10:00+05:30`)
  await fixture.at('/money-trail', async (page) => {
    await expect(page.locator('.day-pages > li')).toHaveCount(31)
    await page.getByRole('button', { name: 'Show older days' }).click()
    await expect(page.locator('.day-pages > li')).toHaveCount(37)
    await expect(page.locator('.day-pages > li').last().getByRole('link')).toHaveAttribute('href', `/verify/${first}`)
    await expect(page.locator('.day-pages > li').last()).toContainText('₹2.00')
    await expect(page.getByRole('button', { name: 'Show older days' })).toBeHidden()
    await auditScreen(page)
  })
  await fixture.at(`/verify/${addDays(second, 2)}`, async (page) => {
    await expect(page.getByText('That day has no result.')).toBeVisible()
    await expect(verdict(page)).toHaveText('PASS')
    await auditScreen(page)
  })
})
