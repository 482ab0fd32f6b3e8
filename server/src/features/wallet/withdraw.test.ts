import { noticeText } from '@roz/core/notices.ts'
import { TEST_FRAME } from '../../testing/modes.ts'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import type { MailPayload } from '../../mail/mail-payload.ts'
import { mailWords } from '../../mail/mail-texts.ts'
import { makeMember, testSecrets } from '../../testing/calls.ts'
import { BANK, useWalletWorld } from '../../testing/wallet-world.ts'
import { noticesTo } from '../../testing/notices.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

test('a withdrawal holds its amount at once, shows the last four digits, and mails once: the first mail says that the bank account is new', async () => {
  const member = await world.funded(30)
  const { status, body } = await world.withdraw(member, 12.5)
  expect(status).toBe(200)
  expect(body).toEqual({
    balance: 17.5,
    withdrawal: {
      id: expect.any(String),
      amount: 12.5,
      status: 'pending',
      createdAt: expect.any(String),
      bank: { name: 'HDFC Bank', lastFour: '9012', upi: null, nameMatch: null },
      reference: null,
      reason: null,
    },
  })
  await world.withdraw(member, 10, { ...BANK, accountHolderName: 'A Verma' })
  await world.runDue()
  const mails = world.jobs.filter((job) => job.kind === 'mail').map((job) => job.payload as { template: string; data: object })
  expect(mails.map(({ template, data }) => ({ template, ...data }))).toMatchObject([
    { template: 'new_bank_account', amount: '₹12.50', bank: 'HDFC Bank', account: '9012' },
    { template: 'withdrawal_requested', amount: '₹10.00', account: '9012' },
  ])
  const stored = await world.db.query<{ sealed: Buffer }>(sql`select sealed from bank_account where member_id = ${member}::bigint`)
  expect(stored).toHaveLength(2)
  expect(JSON.stringify(stored.map((row) => row.sealed.toString('latin1')))).not.toContain('123456789012')
  const opened = testSecrets.decrypt(stored[0]?.sealed ?? Buffer.alloc(0), `bank_account:${member}`).toString()
  expect(JSON.parse(opened)).toEqual(BANK)
  expect(JSON.stringify(world.jobs)).not.toContain('123456789012')
})

test('a request says that its amount is set aside, not processed; on hold it says that it waits for our check', async () => {
  const member = await world.funded(60)
  const told = async (): Promise<string[]> => {
    await world.reset()
    expect((await world.withdraw(member, 10)).status).toBe(200)
    await world.runDue()
    const mails = world.jobs.filter(({ kind }) => kind === 'mail').map(({ payload }) => payload as MailPayload)
    const notices = (await noticesTo(world.db, member)).slice(-1)
    return [
      ...mails.map((mail) => mailWords(mail, TEST_FRAME).paragraphs.slice(1).join(' ')),
      ...notices.map(({ kind, data }) => noticeText(kind, data, 'en').body),
    ]
  }
  const known = 'You requested a withdrawal of ₹10.00 to the account ending in 9012.'
  const first =
    'You requested a withdrawal of ₹10.00 to a bank account that you have not used here before: HDFC Bank, account ending in 9012.'
  const inTime = 'The amount is set aside, and processed in 24 to 48 hours.'
  expect((await told()).toSorted()).toEqual([`${first} ${inTime}`, `${known} ${inTime}`])
  expect(await told()).toEqual([`${known} ${inTime}`, `${known} ${inTime}`])
  await world.db.query(sql`update member set held_at = roz_now(), held_about = 'new_device' where id = ${member}::bigint`)
  const waits = 'The amount is set aside, and waits until we have checked your account.'
  expect(await told()).toEqual([`${known} ${waits}`, `${known} ${waits}`])
})

test('withdrawals are listed newest first, page by page, only the member’s own', async () => {
  const member = await world.funded(60)
  for (const amount of [10, 11, 12]) await world.withdraw(member, amount)
  const list = async (query: string) =>
    (await world.calls.ask(`GET /wallet/withdrawals${query}`, { as: member })).body as unknown as {
      withdrawals: { amount: number }[]
      nextCursor: string | null
    }
  const first = await list('?limit=2')
  expect(first.withdrawals.map((one) => one.amount)).toEqual([12, 11])
  const second = await list(`?limit=2&cursor=${first.nextCursor}`)
  expect(second.withdrawals.map((one) => one.amount)).toEqual([10])
  expect(second.nextCursor).toBeNull()
  const stranger = await world.calls.ask('GET /wallet/withdrawals', { as: await makeMember(world.db) })
  expect(stranger.body).toEqual({ withdrawals: [], nextCursor: null })
})

test('parallel withdrawals never overdraw', async () => {
  const member = await world.funded(35)
  const answers = await Promise.all(Array.from({ length: 10 }, () => world.withdraw(member, 10)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, ...Array.from({ length: 7 }, () => 409)])
  expect(answers.find((answer) => answer.status === 409)?.body).toMatchObject({
    code: 'insufficient_funds',
    message: 'Insufficient balance',
  })
  expect(await world.balanceOf(member)).toBe(5)
})

test.each([
  [9.99, BANK, 'amount', 'Minimum withdrawal is ₹10'],
  [0, BANK, 'amount', 'Minimum withdrawal is ₹10'],
  [-20, BANK, 'amount', 'Minimum withdrawal is ₹10'],
  [10, null, 'bankDetail', 'Account holder name is required'],
  [10, { ...BANK, accountHolderName: '' }, 'bankDetail.accountHolderName', 'Account holder name is required'],
  [10, { ...BANK, accountHolderName: 'A' }, 'bankDetail.accountHolderName', 'Account holder name must be at least 2 characters'],
  [10, { ...BANK, accountHolderName: 'Asha 2' }, 'bankDetail.accountHolderName', 'Account holder name can contain only letters and spaces'],
  [10, { ...BANK, accountNumber: '' }, 'bankDetail.accountNumber', 'Account number is required'],
  [10, { ...BANK, accountNumber: '12345678' }, 'bankDetail.accountNumber', 'Account number must be between 9-18 digits'],
  [10, { ...BANK, accountNumber: '1234567890123456789' }, 'bankDetail.accountNumber', 'Account number must be between 9-18 digits'],
  [10, { ...BANK, accountNumber: '12345678x' }, 'bankDetail.accountNumber', 'Account number must contain only digits'],
  [10, { ...BANK, ifscCode: '' }, 'bankDetail.ifscCode', 'IFSC code is required'],
  [10, { ...BANK, ifscCode: 'HDFC0ABC12' }, 'bankDetail.ifscCode', 'IFSC code must be 11 characters'],
  [10, { ...BANK, ifscCode: 'HDFC1ABC123' }, 'bankDetail.ifscCode', 'Invalid IFSC code format'],
  [10, { ...BANK, bankName: '' }, 'bankDetail.bankName', 'Bank name is required'],
  [10, { ...BANK, bankName: 'XY' }, 'bankDetail.bankName', 'Bank name must be at least 3 characters'],
  [10, { ...BANK, bankName: 'Bank #1' }, 'bankDetail.bankName', 'Bank name can contain only letters, spaces and & . -'],
  [10, { ...BANK, accountType: 'other' }, 'bankDetail.accountType', 'Please choose savings or current'],
])('a withdrawal refuses ₹%s with %j: %s: %s', async (amount, bank, field, words) => {
  const member = await world.funded(20)
  const answer = await world.withdraw(member, amount, bank)
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'invalid_input', fields: { [field]: words } })
  expect(await world.balanceOf(member)).toBe(20)
})

test('a withdrawal flags a bank account first used within 24 h, and money younger than 72 h', async () => {
  const flagsOf = async (member: bigint) =>
    (
      await world.db.query<{ flags: string[] }>(sql`select flags from withdrawal where member_id = ${member}::bigint order by created_at`)
    ).map((row) => row.flags)
  const member = await world.funded(30)
  await world.withdraw(member, 10)
  expect(await flagsOf(member)).toEqual([['new_account', 'young_money']])
  await world.db.query(sql`select set_clock_offset(80 * 3600 * 1000)`)
  try {
    await world.withdraw(member, 10)
    expect((await flagsOf(member))[1]).toEqual([])
    // ₹10 of the old top-up are left; the new one is used only beyond them.
    await world.credit(member, 20)
    await world.withdraw(member, 10)
    expect((await flagsOf(member))[2]).toEqual([])
    await world.withdraw(member, 10)
    expect((await flagsOf(member))[3]).toEqual(['young_money'])
  } finally {
    await world.db.query(sql`select set_clock_offset(0)`)
  }
})

test('a withdrawal answers 403 while the operator has paused withdrawals', async () => {
  world.switches.cashoutOn = false
  expect(await world.withdraw(await world.funded(20), 10)).toMatchObject({ status: 403, body: { message: 'Withdrawals are paused.' } })
})

test('a bank account is read as a person writes it: digits in groups and of any script, an IFSC in small letters', async () => {
  const member = await world.funded(30)
  const written = { ...BANK, accountNumber: '९८७६ ५४३२ 1012', ifscCode: 'hdfc0 abc123' }
  expect((await world.withdraw(member, 10, written)).status).toBe(200)
  const stored = await world.db.query<{ sealed: Buffer }>(sql`select sealed from bank_account where member_id = ${member}::bigint`)
  expect(JSON.parse(testSecrets.decrypt(stored[0]?.sealed ?? Buffer.alloc(0), `bank_account:${member}`).toString())).toEqual({
    ...BANK,
    accountNumber: '987654321012',
  })
})
