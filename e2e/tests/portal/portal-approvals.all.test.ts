/**
 * Approvals in the portal: several rows with one confirmation, two persons above the limit (here ₹15), and how long money waits.
 */
import type { Page } from 'playwright-core'
import { beforeAll, expect as plainExpect, test } from 'vitest'
import { auditBothWidths, auditVisit, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { expect } from '../../harness/expect.ts'
import { adminToken, BANK, newMember, type Person, readClock, setClock } from '../../harness/people.ts'
import { ADMIN, type Program } from '../../harness/program.ts'
import { useAppFixture } from '../../harness/app-fixture.ts'
import { addColleague, settleTeam } from '../../harness/team.ts'
import { toast } from '../../harness/steps.ts'

const fixture = useAppFixture({ size: WIDE, env: async () => ({ APPROVAL_ABOVE: '15' }) })
let roz: Program
let asha: Person
let visit: Visit
let page: Page

beforeAll(async () => {
  ;({ roz, visit, page } = fixture)
  asha = await newMember(roz, { name: 'Asha Verma', rupees: 30 })
  await addColleague(roz, 'finance', 'sunita@roz.example')
  // Above the limit a voice counts 48 hours after the account got its role.
  await settleTeam(roz)
})

const sunita = async (): Promise<string> =>
  (await ask(roz.url, 'adminLogin', { body: { email: 'sunita@roz.example', password: ADMIN.password } })).output.token
const row = (words: string) => page.locator('.story-rows li', { hasText: words })
const dialog = () => page.getByRole('dialog')
const withdrawalsOf = (token: string, work: (at: Page) => Promise<void>) => fixture.at('/admin/dashboard?tab=withdrawals', work, { token })
const withdraw = async (person: Person, amount: number): Promise<string> =>
  (await ask(roz.url, 'withdraw', { token: person.token, body: { amount, bankDetail: BANK } })).output.withdrawal.id
const stateOf = async (id: string): Promise<string | undefined> =>
  (await ask(roz.url, 'adminWithdrawals', { token: await adminToken(roz.url), query: { q: id } })).output.withdrawals[0]?.status

test('rows are selected by keyboard and approved with one confirmation that lists them with the sum and shows how each ended', async () => {
  const ravi = await newMember(roz, { name: 'Ravi Rao', rupees: 30 })
  const omar = await newMember(roz, { name: 'Omar Khan', rupees: 20 })
  const ids = [await withdraw(asha, 10), await withdraw(ravi, 16), await withdraw(omar, 11)]
  await withdrawalsOf(await adminToken(roz.url), async (at) => {
    // As the to-do list opens it: each decided row leaves the list.
    await at.getByLabel('Status').selectOption('to_decide')
    await expect(at.getByText('Select rows to approve them together.')).toBeVisible()
    await at.getByRole('checkbox', { name: 'Select ₹10.00, Asha Verma' }).focus()
    await at.keyboard.press('Space')
    for (const name of ['₹16.00, Ravi Rao', '₹11.00, Omar Khan']) {
      await at.getByRole('checkbox', { name: `Select ${name}` }).focus()
      await at.keyboard.press('Space')
    }
    await expect(at.getByText('3 selected, ₹37.00')).toBeVisible()
    await auditBothWidths(visit)
    // Somebody else rejects one of them meanwhile.
    const seen = { status: 'requested', reason: 'Decided elsewhere.' } as const
    await ask(roz.url, 'rejectWithdrawal', { token: await sunita(), params: { id: ids[2] ?? '' }, body: seen })
    await at.getByRole('button', { name: 'Approve selected' }).focus()
    await at.keyboard.press('Enter')
    await expect(dialog()).toContainText('₹37.00, 3 rows')
    await expect(dialog()).toContainText(
      'You can still decide ₹15.00 alone in these 24 hours. The rows above it need a second approval before they are sent.',
    )
    await auditVisit(visit, 'light')
    await dialog().getByRole('button', { name: 'Approve all' }).focus()
    await at.keyboard.press('Enter')
    const told = dialog().getByRole('listitem')
    await expect(dialog()).toContainText('Not all were approved')
    await expect(told.filter({ hasText: 'Asha Verma' })).toContainText('Approved')
    await expect(told.filter({ hasText: 'Ravi Rao' })).toContainText('Needs a second person')
    await expect(told.filter({ hasText: 'Omar Khan' })).toContainText('This changed while you had it open.')
    await auditVisit(visit, 'light')
    await dialog().getByRole('button', { name: 'Close' }).last().click()
    await expect(at.getByText('No withdrawals found')).toBeVisible()
    await at.getByLabel('Status').selectOption('')
    await expect(row('₹16.00, Ravi Rao')).toContainText('Needs a second person')
    // The first person may undo it, and cannot give the second approval.
    await expect(row('₹16.00, Ravi Rao').getByRole('button')).toHaveText(['Reject'])
  })
  plainExpect(await stateOf(ids[1] ?? '')).toBe('awaiting_second')
  plainExpect(visit.complaints()).toEqual([])
})

test('another person finds it on the to-do list, sees who approved first, and gives the second approval', async () => {
  await fixture.as(await sunita(), '/admin/dashboard', async (at) => {
    const line = at
      .getByRole('region', { name: 'To do' })
      .getByRole('listitem')
      .filter({ hasText: 'Withdrawals that need a second person' })
    await expect(line).toContainText('1')
    await line.getByRole('link').click()
    await expect(at.getByLabel('Status')).toHaveValue('to_second')
    await expect(row('₹16.00, Ravi Rao')).toContainText('First approval: Administrator')
    await row('₹16.00, Ravi Rao')
      .getByRole('button', { name: /^Approve/ })
      .click()
    await expect(dialog()).toContainText('Administrator has approved this. Your approval is the second one: the money is then sent.')
    await expect(dialog()).toContainText('Bank account first used less than a day before the request')
    await dialog().getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(toast(at, 'The withdrawal is approved.')).toBeVisible()
    await at.getByLabel('Status').selectOption('')
    await expect(row('₹16.00, Ravi Rao')).toContainText('Approved by Administrator and Sunita Nair')
  })
})

test('a withdrawal beyond 48 hours is marked late, and the oldest can be read first', async () => {
  await withdraw(asha, 10)
  const now = Date.parse(await readClock(roz.url))
  await setClock(roz.url, new Date(now + 50 * 3_600_000).toISOString())
  await withdraw(asha, 10)
  await withdrawalsOf(await adminToken(roz.url), async (at) => {
    await at.getByLabel('Status').selectOption('requested')
    await expect(at.locator('.story-rows li')).toHaveCount(2)
    await expect(at.locator('.story-rows li').first()).toContainText('Waiting for less than an hour')
    await at.getByLabel('Order').selectOption('oldest')
    await expect(at.locator('.story-rows li').first()).toContainText('Late: waiting for 2 days. We promise 24 to 48 hours.')
  })
})
