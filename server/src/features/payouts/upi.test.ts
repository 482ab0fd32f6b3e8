/** Withdrawals to a UPI ID: never whole but for the gateway and the person who pays by hand; otherwise as those to a bank account. */
import { noticeText } from '@roz/core/notices.ts'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import type { MailPayload } from '../../mail/mail-payload.ts'
import { mailWords } from '../../mail/mail-texts.ts'
import { TEST_FRAME } from '../../testing/modes.ts'
import { noticesTo } from '../../testing/notices.ts'
import { type PayoutsWorld, usePayoutsWorld } from '../../testing/payouts-world.ts'
import { BANK } from '../../testing/wallet-world.ts'

const UPI = { accountHolderName: 'Asha Verma', upiId: 'asha.verma@okbank' }
const SHOWN = { name: 'UPI', lastFour: 'as…@okbank', upi: 'as…@okbank', nameMatch: null }
const world = usePayoutsWorld()
const byHand = usePayoutsWorld({ byHand: true })

/** The member's mails and notices, in English. */
async function wordsTo({ db, jobs }: PayoutsWorld, member: bigint): Promise<string> {
  const mails = jobs.filter(({ kind }) => kind === 'mail').map(({ payload }) => mailWords(payload as MailPayload, TEST_FRAME))
  const notices = (await noticesTo(db, member)).map(({ kind, data }) => noticeText(kind, data, 'en').body)
  return [...mails.flatMap(({ subject, paragraphs }) => [subject, ...paragraphs]), ...notices].join('\n')
}

test('a withdrawal to a UPI ID is sent there by UPI; answers, lists, mails and notices mask it', async () => {
  const member = await world.funded(30)
  const asked = await world.calls.ask('POST /wallet/withdraw', {
    as: member,
    body: { amount: 10, upiDetail: { ...UPI, upiId: ' Asha.Verma@OKBANK ' } },
  })
  expect([asked.status, asked.body.withdrawal.bank]).toEqual([200, SHOWN])
  const { id } = asked.body.withdrawal
  const listed = await world.calls.ask('GET /admin/withdrawals', { as: world.admin })
  expect(listed.body.withdrawals[0].bank).toEqual(SHOWN)
  await world.decide(id, 'approve')
  await world.runDue()
  expect(world.script.beneficiaries.at(-1)).toMatchObject({ name: 'Asha Verma', account: 'asha.verma@okbank' })
  expect(world.script.methods.at(-1)).toBe('upi')
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
  expect(transactions[0].description).toBe('Withdrawal to UPI as…@okbank')
  const words = await wordsTo(world, member)
  for (const sentence of [
    'Withdrawal of ₹10.00 to a new UPI ID requested',
    'You requested a withdrawal of ₹10.00 to a UPI ID that you have not used here before: as…@okbank.',
    'You requested a withdrawal of ₹10.00 to the UPI ID as…@okbank.',
    '₹10.00 was sent to your UPI ID as…@okbank.',
    'Bank reference: UTR42',
  ])
    expect(words.replace(/[\u2066-\u2069]/gu, '')).toContain(sentence)
  const kept = JSON.stringify([asked.body, listed.body, transactions, world.jobs, words])
  expect(kept.toLowerCase()).not.toContain('asha.verma')
})

test('two withdrawals at once to one UPI ID share its row, and only the first is to a new one', async () => {
  const member = await world.funded(30)
  const upiDetail = { ...UPI, upiId: 'ravi@okbank' }
  const answers = await Promise.all(
    [1, 2].map(() => world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, upiDetail } })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await world.runDue()
  const rows = await world.db.query(sql`select 1 from bank_account where member_id = ${member}::bigint`)
  const { email } = await world.db.one<{ email: string }>(sql`select email from member where id = ${member}::bigint`)
  const mails = world.jobs.flatMap(({ payload }) => {
    const { to, template } = payload as { to?: string; template?: string }
    return to === email ? [template] : []
  })
  expect([rows.length, mails.toSorted()]).toEqual([1, ['new_bank_account', 'withdrawal_requested']])
})

// Anybody may choose a UPI ID with two given letters: its mask proves nothing, so the whole one is compared.
test('another UPI ID that is shown alike is new, and the member gets the mail about a new one', async () => {
  const member = await world.funded(30)
  const { email } = await world.db.one<{ email: string }>(sql`select email from member where id = ${member}::bigint`)
  const told = () =>
    world.jobs.filter(({ payload }) => {
      const { to, template } = payload as { to?: string; template?: string }
      return to === email && template === 'new_bank_account'
    }).length
  const to = async (upiId: string) => {
    const { body } = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, upiDetail: { ...UPI, upiId } } })
    await world.runDue()
    return [body.withdrawal.bank.upi, told()]
  }
  expect(await to('rav@okbank')).toEqual(['r…@okbank', 1])
  expect(await to('rak@okbank')).toEqual(['r…@okbank', 2])
  expect(await to('rav@okbank')).toEqual(['r…@okbank', 2])
})

test('the gateway keeps its first id for a UPI ID, also after the key that named it is replaced', async () => {
  const member = await world.funded(30)
  const send = async (): Promise<string | undefined> => {
    const id = await world.withdraw(member, 10, { upiDetail: { ...UPI, upiId: 'kavita@okbank' } })
    await world.decide(id, 'approve')
    await world.runDue()
    return world.script.beneficiaries.at(-1)?.beneficiaryId
  }
  const first = await send()
  await world.db.query(sql`update bank_account set account_mac = sha256(account_mac) where member_id = ${member}::bigint`)
  expect(first).toMatch(/^b[0-9a-f]{40}$/)
  expect(await send()).toBe(first)
})

test('a withdrawal needs one place: neither, both, and a malformed UPI ID are refused in words', async () => {
  const member = await world.funded(30)
  const refused = async (place: object) => {
    const { status, body } = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, ...place } })
    return [status, body.fields]
  }
  expect(await refused({})).toEqual([400, { bankDetail: 'Account holder name is required' }])
  expect(await refused({ bankDetail: BANK, upiDetail: UPI })).toEqual([400, { upiDetail: 'Please choose one of the listed values' }])
  const wrong = [400, { 'upiDetail.upiId': 'Please enter one UPI ID such as name@bank, not an email address' }]
  for (const upiId of ['asha', 'asha@gmail.com', 'a@b@c', 'asha@okbank ravi@ybl'])
    expect([upiId, await refused({ upiDetail: { ...UPI, upiId } })]).toEqual([upiId, wrong])
  expect(await refused({ upiDetail: { accountHolderName: 'Asha Verma' } })).toEqual([400, { 'upiDetail.upiId': 'UPI ID is required' }])
})

test('by hand the whole UPI ID is shown to the person who pays, and recorded', async () => {
  const member = await byHand.funded(30)
  const id = await byHand.withdraw(member, 10, { upiDetail: UPI })
  await byHand.decide(id, 'approve')
  expect((await byHand.decide(id, 'bank')).body).toEqual({ bankDetail: null, upiDetail: UPI })
  const paid = await byHand.decide(id, 'complete', { bankReference: 'UTR0000042' })
  expect(paid.body.withdrawal).toMatchObject({ status: 'paid', bank: SHOWN })
  const log = await byHand.db.query(
    sql`select 1 from audit_log where subject = ${`withdrawal:${id}`}::text and action = 'withdrawal.see_bank'`,
  )
  expect(log).toHaveLength(1)
})
