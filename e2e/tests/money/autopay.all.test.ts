/** AutoPay in the wallet, through the gateway's hosted page and back: set up, pause, resume and stop, on phone and desktop, in both languages. */
import { paths } from '@roz/web/paths.ts'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { auditPage, auditScreen } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, newMember } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { postJson } from '../../harness/program.ts'

const fixture = useAppFixture({ env: async () => ({ AUTOPAY: 'on' }) })

const ENGLISH = {
  consent: 'I am 18 or older and this bank account is mine',
  setUp: 'Set up',
  offer: /₹30 now, and again when your wallet falls below ₹5, at most once in 27 days\./,
  noFee: 'No fee is taken. Setting it up turns Auto Participate on.',
  on: 'On',
  when: '₹30 is added when your wallet falls below ₹5, at most once in 27 days.',
  added: 'Added by AutoPay',
  pause: 'Pause',
  paused: 'Paused by you',
  resume: 'Resume',
  idle: 'Nothing is added while Auto Participate is off.',
  stop: 'Stop',
  stopNow: 'Stop AutoPay',
  staysOn: 'Auto Participate stays on and takes ₹1 a day until you turn it off in your profile.',
  cancel: 'Cancel',
  stopped: 'Stopped',
}
const HINDI: typeof ENGLISH = {
  consent: 'मेरी उम्र 18 साल या उससे ज़्यादा है और यह बैंक खाता मेरा है',
  setUp: 'सेट करें',
  offer: /अभी ₹30, और वॉलेट में ₹5 से कम होने पर फिर/,
  noFee: 'कोई फ़ीस नहीं लगती। सेट करने पर ऑटो-जॉइन चालू हो जाता है।',
  on: 'चालू',
  when: 'वॉलेट में ₹5 से कम होने पर ₹30 जुड़ेंगे, 27 दिन में ज़्यादा से ज़्यादा एक बार।',
  added: 'ऑटो-पे से जोड़े गए',
  pause: 'रोकें',
  paused: 'आपने रोका है',
  resume: 'फिर चालू करें',
  idle: 'ऑटो-जॉइन बंद रहने तक कुछ नहीं जुड़ता।',
  stop: 'बंद करें',
  stopNow: 'ऑटो-पे बंद करें',
  staysOn: 'ऑटो-जॉइन चालू रहेगा और हर दिन ₹1 लेगा, जब तक आप उसे अपनी प्रोफ़ाइल में बंद न करें।',
  cancel: 'रद्द करें',
  stopped: 'बंद',
}

/** The screen as a phone and a desktop show it; the last width is that of the test. */
async function auditWidths(page: Page, width: number): Promise<void> {
  for (const px of [width === 360 ? 1280 : 360, width]) {
    await page.setViewportSize({ width: px, height: 800 })
    await auditPage(page)
  }
}

test.each([
  ['en', 360, ENGLISH],
  ['hi', 1280, HINDI],
] as const)('a member sets it up, pauses, resumes and stops it: %s at %i px', async (language, width, words) => {
  const { roz } = fixture
  const { token } = await newMember(roz, { name: 'Mira Das' })
  await fixture.at(
    paths.wallet,
    async (page) => {
      const card = page.locator('.section').filter({ has: page.locator('#autopay') })
      const press = (name: string) => card.getByRole('button', { name, exact: true }).click()
      await expect(card.getByText(words.offer)).toBeVisible()
      await expect(card.getByText(words.noFee)).toBeVisible()
      await expect(card.getByRole('button', { name: words.setUp })).toBeDisabled()
      await auditWidths(page, width)
      await card.getByRole('textbox').fill('9876543210')
      await page.keyboard.press('Tab')
      await expect(card.getByRole('checkbox', { name: words.consent })).toBeFocused()
      await page.keyboard.press('Space')
      await press(words.setUp)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForURL(/\/wallet\?autopay=returned$/)
      await expect(card.getByRole('status')).toHaveText(words.on)
      await expect(page.getByText(words.added).first()).toBeVisible()
      await auditWidths(page, width)
      await expect(card.getByText(words.when)).toBeVisible()
      await press(words.stop)
      await expect(page.getByRole('dialog').getByText(words.staysOn)).toBeVisible()
      await page.keyboard.press('Escape')
      await press(words.pause)
      await expect(card.getByRole('status')).toHaveText(words.paused)
      await expect(card.getByRole('heading')).toBeFocused()
      await expect(card.getByText(words.when)).toHaveCount(0)
      await press(words.resume)
      await expect(card.getByRole('status')).toHaveText(words.on)
      await expect(card.getByRole('heading')).toBeFocused()
      await expect(card.getByText(words.idle)).toHaveCount(0)
      await ask(roz.url, 'updateProfile', { token, body: { autoParticipate: false } })
      await page.reload()
      await expect(card.getByText(words.idle)).toBeVisible()
      await auditWidths(page, width)
      const stop = card.getByRole('button', { name: words.stop, exact: true })
      await stop.focus()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('dialog')).toBeVisible()
      await auditScreen(page)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(stop).toBeFocused()
      const answer = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
      await press(words.stop)
      await answer(words.cancel)
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await press(words.stop)
      await expect(page.getByRole('dialog').getByText(words.staysOn)).toHaveCount(0)
      await answer(words.stopNow)
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(card.getByRole('heading')).toBeFocused()
      // The gateway confirms it later: the page asks again by itself.
      await expect(card.getByRole('status')).toHaveText(words.stopped)
      await expect(card.getByRole('button', { name: words.setUp })).toBeVisible()
    },
    {
      token,
      before: async (page) => {
        await page.setViewportSize({ width, height: 800 })
        await page.addInitScript((chosen) => localStorage.setItem('language', chosen), language)
      },
    },
  )
})

test('the styles of its consent leave that of the sign-up form alone', async () => {
  const { token } = await newMember(fixture.roz)
  const work = async (page: Page): Promise<void> => {
    await expect(page.locator('#autopay')).toBeVisible()
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).click()
    await page.getByRole('link', { name: 'Sign up' }).first().click()
    await expect(page.locator('.consent')).toHaveCSS('display', 'block')
  }
  await fixture.at(paths.wallet, work, { token })
})

test('the team reads every AutoPay, and stops one with a reason', async () => {
  const { roz } = fixture
  const { token } = await newMember(roz, { name: 'Ravi Shah' })
  await ask(roz.url, 'setUpAutopay', { token, key: crypto.randomUUID(), body: { phoneNumber: '9876543210', consent: true } })
  const admin = await adminToken(roz.url)
  const found = async () => (await ask(roz.url, 'adminAutopay', { token: admin, query: { q: 'Ravi Shah' } })).output.mandates[0]
  const { id = '' } = (await found()) ?? {}
  await postJson(`${roz.sandboxUrl}/__sandbox/subscriptions/${id}`, { step: 'approve' })
  await expect(async () => expect((await found())?.status).toBe('on')).toPass()
  await fixture.at(
    `${paths.adminDashboard}?tab=autopay`,
    async (page) => {
      const row = page.getByRole('listitem').filter({ hasText: `Mandate ${id}` })
      await expect(row).toContainText('₹30.00, Ravi Shah')
      await expect(row).toContainText('The gateway says: ACTIVE')
      await expect(page.getByRole('list', { name: 'AutoPay by state' })).toContainText('On')
      await auditPage(page)
      await page.getByLabel('Status').selectOption('late')
      await expect(page.getByText('No AutoPay found')).toBeVisible()
      await page.getByLabel('Status').selectOption('')
      await row.getByRole('button', { name: 'Stop' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Stop AutoPay' }).click()
      await expect(dialog.locator('[aria-invalid=true]')).toHaveCount(1)
      await auditScreen(page)
      await dialog.getByLabel('Reason').fill('The payer asked by phone.')
      await dialog.getByRole('button', { name: 'Stop AutoPay' }).click()
      await expect(page.getByText('Stopped. The member has been told by email.')).toBeVisible()
      await expect(row.getByRole('button', { name: 'Stop' })).toHaveCount(0)
    },
    { token: admin, slot: 'admin-token' },
  )
  await expect(async () => expect((await ask(roz.url, 'autopay', { token })).output.autopay.mandate?.state).toBe('stopped')).toPass()
})
