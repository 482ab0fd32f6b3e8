/**
 * No two buttons of a section of the portal have one name, so a screen reader and a voice tell them apart.
 * - The button that shows a password belongs to its field, whose name is read before it.
 * - Every list that can has two rows with the same buttons. The sections come from the portal's own tabs.
 */
import type { Page } from 'playwright-core'
import { beforeAll, expect as expectValue, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, newMember, type Person } from '../../harness/people.ts'
import { png } from '../../harness/pictures.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

// One rupee needs a second person: requests stay open.
const fixture = useAppFixture({ env: async () => ({ APPROVAL_ABOVE: '1' }) })
let admin: string
beforeAll(async () => {
  const { roz } = fixture
  admin = await adminToken(roz.url)
  const people = [await newMember(roz, { name: 'Asha Verma', rupees: 30 }), await newMember(roz, { name: 'Ravi Rao', rupees: 30 })]
  for (const person of people) await fillFor(person)
  const giver = await newMember(roz, { name: 'Gita Rao', rupees: 30 })
  expectValue((await ask(roz.url, 'closeAccount', { token: giver.token, body: { gift: true } })).status).toBe(200)
  for (const name of ['Meera', 'Tara']) await fillDesk(name)
})

/** A withdrawal to the bank account of all, and a message. All members have one phone number. */
async function fillFor({ name, email, token }: Person): Promise<void> {
  const { url } = fixture.roz
  expectValue((await ask(url, 'withdraw', { token, body: { amount: 20, bankDetail: BANK } })).status).toBe(200)
  expectValue((await ask(url, 'contact', { body: { name, email, message: 'How do I change my phone number?' } })).status).toBeLessThan(300)
}

/** Somebody to help, help and a platform entry that wait for approval, a story, an announcement, and an invitation. */
async function fillDesk(publicName: string): Promise<void> {
  const { url } = fixture.roz
  const made = async (done: Promise<{ readonly status: number; readonly text: string }>): Promise<void> => {
    const { status, text } = await done
    expectValue(status, text).toBeLessThan(300)
  }
  const consent = { how: 'written', on: '2026-01-05' }
  const person = { publicName, isChild: false, guardian: null, consent, note: '' }
  const { beneficiary } = (await ask(url, 'createBeneficiary', { token: admin, body: person })).output
  for (const call of ['askDisbursement', 'askHouseEntry'] as const) {
    const amount = call === 'askDisbursement' ? 5 : 2
    const about = call === 'askDisbursement' ? { beneficiaryId: beneficiary.id } : { kind: 'platform_out' }
    const body = {
      amount,
      purpose: `paper for ${call === 'askDisbursement' ? 'the school' : publicName}`,
      receipts: [await upload()],
      ...about,
    }
    await ask(url, call, { token: admin, body })
  }
  const story = { title: `Shoes for ${publicName}`, description: 'For school.', charity: { name: publicName, description: 'Shoes' } }
  await made(ask(url, 'createStory', { token: admin, body: story }))
  const words = { en: `News of ${publicName}`, hi: `${publicName} की खबर` }
  const [startsAt, endsAt] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  await made(ask(url, 'createAnnouncement', { token: admin, body: { text: words, link: null, startsAt, endsAt } }))
  const invited = { email: `${publicName.toLowerCase()}@x.test`, name: publicName, role: 'support' }
  await made(ask(url, 'inviteStaff', { token: admin, body: invited }))
}

let red = 0
async function upload(): Promise<string> {
  red += 20
  const picture = png(40, 30, () => [red, 120, 40])
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'receipt.png')
  return (await ask(fixture.roz.url, 'uploadReceipt', { token: admin, form })).output.hash
}

/** The accessible name of each visible button of the open section. */
const namesIn = (page: Page): Promise<string[]> =>
  page
    .locator('.tab-panel')
    .getByRole('button')
    .and(page.locator(':not(.suffixed *)'))
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? (button as HTMLElement).innerText.trim()))

test.each(['en', 'hi'])('no two buttons of a section have one name, in %s', async (language) => {
  await fixture.as(admin, '/admin/login', async (page) => {
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.goto(`${fixture.line.url}/admin/dashboard`)
    await expect(page.getByRole('tab').first()).toBeVisible()
    const sections = await page.getByRole('tab').evaluateAll((tabs) => tabs.map(({ id }) => id))
    expectValue(sections.length).toBeGreaterThan(14)
    const buttons = new Map<string, number>()
    const twice: string[] = []
    for (const [index, section] of sections.entries()) {
      await page.getByRole('tab').nth(index).click()
      await expect(page.getByRole('tab').nth(index)).toHaveAttribute('aria-selected', 'true')
      await expect(page.locator('.tab-panel h2, .tab-panel h3').first()).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      const names = await namesIn(page)
      buttons.set(section, names.length)
      twice.push(...names.filter((name, at) => name === '' || names.indexOf(name) !== at).map((name) => `${section}: ${name}`))
    }
    expectValue(twice).toEqual([])
    // The lists do have rows with buttons of one kind.
    const filled = [...buttons.values()].filter((count) => count >= 2)
    expectValue(filled.length, JSON.stringify([...buttons])).toBeGreaterThanOrEqual(9)
  })
})
