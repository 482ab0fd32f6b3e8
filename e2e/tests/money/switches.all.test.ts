/** With a money operation switched off by the operator, the wallet shows the refusing call's words in place of the form. */
import { paths } from '@roz/web/paths.ts'
import { beforeAll, test } from 'vitest'
import { auditScreen } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { BANK, newMember, type Person, PHONE } from '../../harness/people.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'

const fixture = useAppFixture({ env: async () => ({ PAYMENTS_LIVE: '0', CASHOUT: '0' }) })
let mira: Person

beforeAll(async () => {
  mira = await newMember(fixture.roz, { name: 'Mira Das' })
})

test.each([
  ['en', 'Adding money is paused.', 'Withdraw', 'Withdrawals are paused.'],
  ['hi', 'पैसे जोड़ना अभी रुका हुआ है।', 'पैसे निकालें', 'पैसे निकालना अभी रुका हुआ है।'],
] as const)('the wallet shows the notice in place of each form: %s', async (language, noAdding, take, noTaking) => {
  const { token } = mira
  await fixture.at(
    paths.wallet,
    async (page) => {
      await expect(page.getByRole('status').filter({ hasText: noAdding })).toBeVisible()
      await expect(page.locator('main form')).toHaveCount(0)
      await auditScreen(page)
      await page.getByRole('button', { name: take, exact: true }).click()
      await expect(page.getByRole('status').filter({ hasText: noTaking })).toBeVisible()
      await expect(page.getByText(noAdding)).toHaveCount(0)
      await expect(page.locator('main form')).toHaveCount(0)
    },
    { token, before: (page) => page.addInitScript((chosen) => localStorage.setItem('language', chosen), language) },
  )
})

test("the screen's words are those of the refusing calls", async () => {
  const { roz } = fixture
  const adding = await ask(roz.url, 'addMoney', { token: mira.token, body: { amount: 10, phoneNumber: PHONE } })
  expect([adding.status, adding.refusal.message]).toEqual([403, 'Adding money is paused.'])
  const taking = await ask(roz.url, 'withdraw', { token: mira.token, body: { amount: 10, bankDetail: BANK } })
  expect([taking.status, taking.refusal.message]).toEqual([403, 'Withdrawals are paused.'])
})
