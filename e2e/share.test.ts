/** Telling others: what is told of a win and of a day, by the system's own sheet or in WhatsApp. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { auditVisit, newVisit, openBrowser, type Visit } from './browser.ts'
import { ask } from './calls.ts'
import { expect } from './expect.ts'
import { eventually, newMember, type Person, readClock, setClock } from './people.ts'
import { type Program, startProgram } from './program.ts'

const DAY_MS = 86_400_000
let roz: Program
let browser: Browser
let asha: Person
let visit: Visit
let date: string

beforeAll(async () => {
  ;[roz, browser] = await Promise.all([startProgram(), openBrowser()])
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
  expect((await ask(roz.url, 'joinRound', { token: asha.token, body: {} })).status).toBe(200)
  await setClock(roz.url, new Date(Date.parse(await readClock(roz.url)) + DAY_MS).toISOString())
  date = await eventually('the settled round', async () => {
    const { results } = (await ask(roz.url, 'roundHistory', { token: asha.token, query: { limit: '3' } })).output
    return results[0]?.date
  })
  visit = await newVisit(browser, { hosts: [new URL(roz.url).host], token: asha.token })
})
afterAll(() => browser?.close())

const WORDS = /^I put one rupee into Roz on \d+ \w+ \d{4} and was chosen\. Reward of the day: ₹0\.30\. For people in need: ₹0\.60\.$/
const address = (): string => `${roz.url}/verify/${date}`

test('without a sheet of the system the words stand in a link to WhatsApp, with the address where the draw is checked', async () => {
  const { page } = visit
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  await page.goto(`${roz.url}/history`)
  const link = page.getByRole('link', { name: 'Share' })
  const to = new URL((await link.getAttribute('href')) ?? '')
  expect(to.origin).toBe('https://wa.me')
  const [, words, where] = /^(.*) (\S+)$/.exec(to.searchParams.get('text') ?? '') ?? []
  expect(words).toMatch(WORDS)
  expect(where).toBe(address())
  await auditVisit(visit)
})

test('where the system has its own sheet, that gets the same, and WhatsApp is not opened', async () => {
  const { page } = visit
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'share', {
      value: (told: ShareData) => {
        document.body.setAttribute('data-told', JSON.stringify(told))
        return Promise.resolve()
      },
    })
  })
  await page.goto(`${roz.url}/history`)
  await page.getByRole('link', { name: 'Share' }).click()
  const told = JSON.parse((await page.locator('body').getAttribute('data-told')) ?? '{}') as { readonly text: string; readonly url: string }
  expect(told.text).toMatch(WORDS)
  expect(told.url).toBe(address())
  expect(page.context().pages()).toHaveLength(1)
})
