import { randomUUID } from 'node:crypto'
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { chargeBack, DAY } from '../../ledger/testing/fixtures.ts'
import { bookRefund } from '../../ledger/refunds.ts'
import { creditSuspense } from '../../ledger/suspense.ts'
import { captureTopup, createTopup } from '../../ledger/topups.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import { useServicesWorld, type ServicesWorld } from '../../testing/services-world.ts'
import { BANK } from '../../testing/wallet-world.ts'

const UPI = { accountHolderName: 'Asha Verma', upiId: 'asha.verma@okbank' }

const world = useServicesWorld()
let database: ServicesWorld['database']
let services: ServicesWorld['services']
let calls: ServicesWorld['calls']

beforeAll(async () => {
  ;({ database, services, calls } = world)
})

let made = 0
/** A member with a unique name and this many paise from a paid top-up; the order is empty without money. */
async function member(amountPaise = 0) {
  const id = await makeMember(database.db, { name: `Leela Quintara${++made}` })
  const orderId = amountPaise === 0 ? '' : await topUp(id, amountPaise)
  return { id, orderId }
}

async function order(memberId: bigint, amountPaise: number): Promise<string> {
  const orderId = randomUUID().replaceAll('-', '')
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId, memberId, amount: paise(BigInt(amountPaise)) }))
  return orderId
}
const capture = (orderId: string, amountPaise: number) =>
  inTransaction(database.db, (tx) => captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: paise(BigInt(amountPaise)) }))
async function topUp(memberId: bigint, amountPaise: number): Promise<string> {
  const orderId = await order(memberId, amountPaise)
  await capture(orderId, amountPaise)
  return orderId
}

const remove = (as: bigint) => calls.ask('DELETE /user', { as })
const close = (as: bigint, body: unknown, key?: string) =>
  calls.ask('POST /user/close', { as, body, headers: key === undefined ? {} : { 'idempotency-key': key } })
const gift = (as: bigint) => close(as, { gift: true })
const balanceOf = async (as: bigint): Promise<number> => (await calls.ask('GET /user/me', { as })).body.user.wallet.balance
const row = (memberId: bigint) =>
  database.db.one<{ isClosed: boolean; balance: bigint; mayMove: boolean; autoJoin: boolean; isDeleted: boolean }>(sql`
    select is_closed as "isClosed", balance, may_move as "mayMove", auto_join as "autoJoin", deleted_at is not null as "isDeleted"
          from wallet join member on id = member_id where member_id = ${memberId}::bigint`)
const suspended = (orderId: string) =>
  database.db.query<{ reason: string; amount: bigint; status: string }>(
    sql`select reason, amount, status from suspense_item where order_id = ${orderId}::text`,
  )
const told = (id: string, word: 'paid' | 'failed' | 'reversed') => inTransaction(database.db, (tx) => bookPayout(tx, { id, word }))
async function leave(): Promise<{ id: bigint; orderId: string }> {
  const one = await member(2_000)
  await gift(one.id)
  expect((await remove(one.id)).status).toBe(204)
  return one
}

describe('GET /user/export', () => {
  test('contains each part completely, as the part’s own call shows it', async () => {
    const { id, orderId } = await member(3_000)
    await calls.ask('POST /rounds/join', { as: id, body: {} })
    await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })
    await calls.ask('POST /wallet/refunds', { as: id, body: { order_id: orderId, amount: 2, reason: 'I added it twice.' } })
    await database.db.query(sql`
      insert into notice (member_id, kind, source, data)
      select ${id}::bigint, 'low_balance', 'n' || n, '{"balance": "₹1.00"}' from generate_series(1, 1100) n`)
    await services.worker.runDue()
    for (const language of ['en', 'hi']) {
      const ask = async (call: string) => (await calls.ask(call, { as: id, language })).body
      const { status, body } = await calls.ask('GET /user/export', { as: id, language })
      expect(status).toBe(200)
      expect(body.user).toEqual((await ask('GET /user/me')).user)
      expect(body.transactions).toEqual((await ask('GET /wallet/transactions?limit=100')).transactions)
      expect(body.transactions).toHaveLength(4)
      expect(body.rounds).toEqual((await ask('GET /rounds/history?limit=100')).results)
      expect(body.withdrawals).toEqual((await ask('GET /wallet/withdrawals')).withdrawals)
      expect(body.refunds).toEqual((await ask('GET /wallet/refunds')).refunds)
      expect([body.withdrawals.length, body.refunds.length]).toEqual([1, 1])
      const notices: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { notifications: unknown[]; nextCursor: string | null } = await ask(
          `GET /notifications?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        notices.push(...page.notifications)
        cursor = page.nextCursor
      }
      expect(notices.length).toBeGreaterThan(1100)
      expect(body.notifications).toEqual(notices)
    }
  })

  test('is open to a suspended member too', async () => {
    const { id } = await member()
    await database.db.query(sql`update member set suspended_at = roz_now() where id = ${id}::bigint`)
    expect((await calls.ask('GET /user/export', { as: id })).body).toMatchObject({ transactions: [], withdrawals: [], refunds: [] })
  })
})

describe('preferences', () => {
  test('are mail without push at first; a field left out stays', async () => {
    const { id } = await member()
    const read = async () => (await calls.ask('GET /notifications/preferences', { as: id })).body
    const set = async (body: unknown) => (await calls.ask('PUT /notifications/preferences', { as: id, body })).body
    expect(await read()).toEqual({ preferences: { mail: true, push: false } })
    expect(await set({ mail: false })).toEqual({ preferences: { mail: false, push: false } })
    expect(await set({ push: true })).toEqual({ preferences: { mail: false, push: true } })
    expect(await read()).toEqual({ preferences: { mail: false, push: true } })
    expect(await set({ mail: 'no' })).toMatchObject({ code: 'invalid_input' })
  })

  test('without mail still allow mails about money and safety', async () => {
    const { id } = await member(2_000)
    await calls.ask('PUT /notifications/preferences', { as: id, body: { mail: false } })
    await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })
    const mails = await database.db.query<{ template: string }>(sql`
      select payload ->> 'template' as template from job
       where kind = 'mail' and payload ->> 'to' = (select email from member where id = ${id}::bigint) order by 1`)
    expect(mails.map(({ template }) => template)).toEqual(['new_bank_account'])
  })
})

describe('POST /user/close', () => {
  test('requests a withdrawal of the whole balance, even below ₹10, once for a key, and switches Auto Participate off', async () => {
    const { id } = await member(350)
    await calls.ask('PUT /user', { as: id, body: { autoParticipate: true } })
    const first = await close(id, { bankDetail: BANK }, 'leaving')
    expect(first.body).toMatchObject({ withdrawal: { amount: 3.5, status: 'pending', bank: { lastFour: '9012' } } })
    expect(first.body.message).toContain('₹3.50')
    expect((await close(id, { bankDetail: BANK }, 'leaving')).body).toEqual(first.body)
    expect((await close(id, { gift: true }, 'leaving')).body.code).toBe('idempotency_mismatch')
    expect((await close(id, { bankDetail: BANK })).body.withdrawal).toBeNull()
    expect([await balanceOf(id), (await row(id)).autoJoin]).toEqual([0, false])
    expect((await calls.ask('GET /wallet/withdrawals', { as: id })).body.withdrawals).toHaveLength(1)
  })

  test('gives the whole balance to the help fund, with a message in the language asked for', async () => {
    const { id } = await member(60)
    const { body } = await calls.ask('POST /user/close', { as: id, body: { gift: true }, language: 'hi' })
    expect(body).toMatchObject({ withdrawal: null, message: expect.stringMatching(/[\u0900-\u097F].*₹0\.60|₹0\.60.*[\u0900-\u097F]/) })
    expect(await balanceOf(id)).toBe(0)
    const { transactions } = (await calls.ask('GET /wallet/transactions', { as: id })).body
    expect(transactions[0]).toMatchObject({ type: 'debit', amount: 0.6, description: 'Donation to the help fund' })
  })

  test.each([
    {},
    { gift: true, bankDetail: BANK },
    { gift: true, upiDetail: UPI },
    { bankDetail: BANK, upiDetail: UPI },
    { gift: false },
    { bankDetail: { ...BANK, ifscCode: 'x' } },
  ])('requires exactly one of the two choices: %j', async (body) => {
    const { id } = await member(100)
    expect(await close(id, body)).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await balanceOf(id)).toBe(1)
  })

  test('is refused without a confirmed address or for a suspended account', async () => {
    const { id } = await member(100)
    await database.db.query(sql`update member set suspended_at = roz_now() where id = ${id}::bigint`)
    expect(await gift(id)).toMatchObject({ status: 403, body: { code: 'on_hold' } })
    const stranger = await makeMember(database.db, { verified: false })
    expect(await gift(stranger)).toMatchObject({ status: 403, body: { code: 'email_unverified' } })
  })
})

describe('DELETE /user', () => {
  test('is refused while money is left, a payout, a refund or a round is pending, or the account is suspended', async () => {
    const { id, orderId } = await member(2_000)
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'money_left' } })
    const withdrawn = await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })
    expect((await remove(id)).body.code).toBe('payout_pending')
    await told(withdrawn.body.withdrawal.id, 'paid')
    const asked = await calls.ask('POST /wallet/refunds', { as: id, body: { order_id: orderId, amount: 2, reason: 'Not needed.' } })
    expect((await remove(id)).body.code).toBe('refund_pending')
    await inTransaction(database.db, (tx) => bookRefund(tx, { id: asked.body.refund.id, word: 'paid' }))
    await calls.ask('POST /rounds/join', { as: id, body: {} })
    expect((await remove(id)).body.code).toBe('round_pending')
    await database.db.query(sql`update member set suspended_at = roz_now() where id = ${id}::bigint`)
    expect(await remove(id)).toMatchObject({ status: 403, body: { code: 'on_hold' } })
    expect(await row(id)).toMatchObject({ isClosed: false, isDeleted: false })
  })

  test('leaves nothing in any table that names the person, and keeps the books', async () => {
    const { id } = await member(3_000)
    const { email, name } = (await calls.ask('GET /user/me', { as: id })).body.user
    await database.db.query(sql`
      update member set avatar = '/uploads/avatars/0123.webp', google_sub = 'google-77', password_hash = 'hash-77', phone = '9123450077' where id = ${id}::bigint`)
    await database.db.query(sql`
      insert into session (token_hash, member_id, kind, expires_at) values (sha256('s'), ${id}::bigint, 'member', roz_now() + interval '1 day')`)
    await database.db.query(sql`insert into known_browser (member_id, digest) values (${id}::bigint, sha256('b'))`)
    await calls.ask('PUT /user/ticket-key', { as: id, body: { ticketKey: 'ef'.repeat(32) } })
    await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK }, headers: { 'idempotency-key': 'k' } })
    const { withdrawal } = (await close(id, { upiDetail: UPI })).body
    for (const { id: each } of (await calls.ask('GET /wallet/withdrawals', { as: id })).body.withdrawals) await told(each, 'paid')
    await services.worker.runDue()
    expect((await remove(id)).status).toBe(204)
    // For a process that ends before it has removed the picture.
    expect(await database.db.query(sql`select payload from job where kind = 'remove_file' and key = 'avatars/0123.webp'`)).toHaveLength(1)
    await services.worker.runDue()
    expect(world.removed).toContain('avatars/0123.webp')
    expect(await row(id)).toEqual({ isClosed: true, balance: 0n, mayMove: false, autoJoin: false, isDeleted: true })
    const { mailed } = await database.db.one<{ mailed: string }>(
      sql`select subject as mailed from caught_mail where recipient = ${email}::text order by id desc limit 1`,
    )
    expect(mailed).toBe('Your Roz account is deleted')
    const tables = await database.db.query<{ name: string }>(sql`
      select relname as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace and has_table_privilege(oid, 'select')`)
    // Jobs keep sent mails for their own time; the catcher stands in for a mail server.
    for (const table of tables.map((each) => each.name).filter((each) => each !== 'job' && each !== 'caught_mail')) {
      const found = await database.db.query<{ n: number }>(
        sql([
          `select count(*)::int as n from "${table}" t where t::text ~ '${name}|${email}|as…|google-77|hash-77|9123450077'`,
        ] as unknown as TemplateStringsArray),
      )
      expect([table, found[0]?.n]).toEqual([table, 0])
    }
    for (const table of ['session', 'mail_token', 'known_browser', 'notice', 'ticket_key', 'idempotency_key']) {
      const found = await database.db.query<{ n: number }>(
        sql([`select count(*)::int as n from ${table} where member_id = ${id}`] as unknown as TemplateStringsArray),
      )
      expect([table, found[0]?.n]).toEqual([table, 0])
    }
    const accounts = await database.db.query(sql`
      select octet_length(sealed) as sealed, last_four as "lastFour" from bank_account where member_id = ${id}::bigint order by id`)
    expect(accounts).toEqual([
      { sealed: 0, lastFour: '9012' },
      { sealed: 0, lastFour: '…@okbank' },
    ])
    expect(withdrawal.amount).toBe(20)
    // The address is free again for a new account.
    expect(await makeMember(database.db)).toBeGreaterThan(id)
  })

  test('closes the account once for two requests at once', async () => {
    const { id } = await member()
    const both = await Promise.all([remove(id), remove(id)])
    expect(both.map(({ status }) => status)).toEqual([204, 204])
    const { n } = await database.db.one<{ n: number }>(
      sql`select count(*)::int as n from audit_log where action = 'member.close' and actor_id = ${id}::bigint`,
    )
    expect(n).toBe(1)
  })
})

test('the answers that the keys of the team remember name the member, and are forgotten with the account', async () => {
  const { id } = await member(2_000)
  const { email } = (await calls.ask('GET /user/me', { as: id })).body.user
  const { withdrawal } = (await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })).body
  const rejected = await calls.ask(`POST /admin/withdrawals/${withdrawal.id}/reject`, {
    as: await makeStaff(database.db, 'finance'),
    headers: { 'idempotency-key': `reject ${withdrawal.id}` },
    body: { status: 'requested', reason: 'Please name another account.' },
  })
  expect(rejected.body.withdrawal.member.email).toBe(email)
  await gift(id)
  expect((await remove(id)).status).toBe(204)
  const { n } = await database.db.one<{ n: number }>(
    sql`select count(*)::int as n from idempotency_key where position(${email}::text in answer::text) > 0`,
  )
  expect(n).toBe(0)
})

describe('an account that somebody looks into is not deleted', () => {
  const refusalOf = async (id: bigint) => {
    const { status, body } = await remove(id)
    return [status, body.code]
  }
  const notesOf = (id: bigint) => database.db.query(sql`select 1 from member_note where member_id = ${id}::bigint`)

  test('while its withdrawals are on hold: notes and signals stay, and so does the address', async () => {
    const { id } = await member()
    await database.db.query(sql`update member set held_at = roz_now(), held_about = 'staff' where id = ${id}::bigint`)
    await database.db.query(
      sql`insert into member_note (member_id, author_id, text) values (${id}::bigint, ${await makeStaff(database.db)}::bigint, 'asks')`,
    )
    expect(await refusalOf(id)).toEqual([409, 'account_checked'])
    const hindi = await calls.ask('DELETE /user', { as: id, headers: { 'accept-language': 'hi' } })
    expect(hindi.body.message).toMatch(/जाँच कर रहे हैं/)
    expect([await notesOf(id), (await row(id)).isDeleted]).toEqual([[expect.anything()], false])
    await database.db.query(sql`update member set held_at = null, held_about = null where id = ${id}::bigint`)
    expect((await remove(id)).status).toBe(204)
  })

  test('while a payment is disputed', async () => {
    const { id } = await member()
    const orderId = await order(id, 1_000)
    await database.db.query(sql`
      insert into dispute (id, order_id, payment_id, amount, type, status, state)
      values (${`d-${orderId}`}::text, ${orderId}::text, 'p', 1000, 'CHARGEBACK', 'OPEN', 'open')`)
    expect(await refusalOf(id)).toEqual([409, 'dispute_open'])
    await database.db.query(sql`update dispute set state = 'won' where id = ${`d-${orderId}`}::text`)
    expect((await remove(id)).status).toBe(204)
  })

  test('while a payment is disputed that was credited to it from suspense', async () => {
    const { id } = await member()
    const decidedBy = await makeStaff(database.db, 'finance')
    const orderId = randomUUID().replaceAll('-', '')
    await capture(orderId, 1_000)
    const { itemId } = await database.db.one<{ itemId: bigint }>(
      sql`select id as "itemId" from suspense_item where order_id = ${orderId}::text`,
    )
    await inTransaction(database.db, (tx) => creditSuspense(tx, { itemId, memberId: id, decidedBy }))
    await gift(id)
    await database.db.query(sql`
      insert into dispute (id, order_id, payment_id, amount, type, status, state)
      values (${`d-${orderId}`}::text, ${orderId}::text, ${`pay_${orderId}`}::text, 1000, 'CHARGEBACK', 'OPEN', 'open')`)
    expect(await refusalOf(id)).toEqual([409, 'dispute_open'])
    await database.db.query(sql`update dispute set state = 'won' where id = ${`d-${orderId}`}::text`)
    expect((await remove(id)).status).toBe(204)
  })
})

test('the export has what was written to support from the confirmed address, with its answers, and nothing of another', async () => {
  const { id } = await member()
  const { email } = (await calls.ask('GET /user/me', { as: id })).body.user
  const message = 'My rupee is missing since yesterday.'
  for (const from of [email.toUpperCase(), 'other@x.test'])
    expect((await calls.ask('POST /contact', { body: { name: 'Leela', email: from, message } })).status).toBe(201)
  await database.db.query(sql`
    insert into contact_reply (message_id, author_id, text)
    select id, ${await makeStaff(database.db)}::bigint, 'We found it.' from contact_message where lower(email) = lower(${email}::text)`)
  const exported = async () => (await calls.ask('GET /user/export', { as: id })).body.messages
  expect(await exported()).toEqual([
    {
      ticket: expect.stringMatching(/^ROZ-/),
      name: 'Leela',
      message,
      createdAt: expect.stringMatching(/\+05:30$/),
      replies: [{ text: 'We found it.', createdAt: expect.stringMatching(/\+05:30$/) }],
    },
  ])
  await database.db.query(sql`update member set email_verified_at = null where id = ${id}::bigint`)
  expect(await exported()).toEqual([])
})

test('the export has what was sent logged in, from any address; with the account it loses its writer', async () => {
  const { id } = await member()
  const write = (email: string, as?: bigint) =>
    calls.ask('POST /contact', {
      ...(as === undefined ? {} : { as, asMember: true }),
      body: { name: 'Leela', email, message: `From ${email}` },
    })
  expect((await write('office@x.test', id)).status).toBe(201)
  expect((await write('office@x.test')).status).toBe(201)
  expect((await write('team@x.test', await makeStaff(database.db))).status).toBe(401)
  const exported = async () => (await calls.ask('GET /user/export', { as: id })).body.messages
  expect(await exported()).toEqual([expect.objectContaining({ message: 'From office@x.test', replies: [] })])
  await database.db.query(sql`update member set email_verified_at = null where id = ${id}::bigint`)
  expect(await exported()).toHaveLength(1)
  await database.db.query(sql`update member set email_verified_at = roz_now() where id = ${id}::bigint`)
  expect((await remove(id)).status).toBe(204)
  const writers = await database.db.query(sql`select member_id from contact_message where email = 'office@x.test'`)
  expect(writers).toEqual([{ member_id: null }, { member_id: null }])
})

test('an answer mailed to another address than the account’s own is in no export: it is for whoever reads that mailbox', async () => {
  const [writer, other] = [await member(), await member()]
  const { email } = (await calls.ask('GET /user/me', { as: other.id })).body.user
  const body = { name: 'Leela', email, message: 'What is my balance, please?' }
  expect((await calls.ask('POST /contact', { as: writer.id, asMember: true, body })).status).toBe(201)
  await database.db.query(sql`
    insert into contact_reply (message_id, author_id, text)
    select id, ${await makeStaff(database.db)}::bigint, 'It is ₹12.00.' from contact_message where email = ${email}::text`)
  const repliesFor = async (as: bigint) => (await calls.ask('GET /user/export', { as })).body.messages[0].replies
  expect([await repliesFor(writer.id), await repliesFor(other.id)]).toEqual([[], [expect.objectContaining({ text: 'It is ₹12.00.' })]])
})

describe('money for a closed account is booked to SUSPENSE', () => {
  test('when a late top-up is paid', async () => {
    const { id } = await member()
    const late = await order(id, 1_000)
    await remove(id)
    expect(await capture(late, 1_000)).toEqual({ result: 'suspense', reason: 'closed_account' })
    expect(await capture(late, 1_000)).toEqual({ result: 'duplicate' })
    expect(await suspended(late)).toEqual([{ reason: 'closed_account', amount: 1_000n, status: 'open' }])
    expect((await row(id)).balance).toBe(0n)
  })

  test('when the bank returns a payout', async () => {
    const { id } = await member(1_500)
    const { withdrawal } = (await close(id, { bankDetail: BANK })).body
    await told(withdrawal.id, 'paid')
    expect((await remove(id)).status).toBe(204)
    expect(await told(withdrawal.id, 'reversed')).toMatchObject({ result: 'reversed' })
    expect(await told(withdrawal.id, 'reversed')).toMatchObject({ result: 'unchanged' })
    expect(await suspended(withdrawal.id.replaceAll('-', ''))).toEqual([{ reason: 'closed_account', amount: 1_500n, status: 'open' }])
    expect((await row(id)).balance).toBe(0n)
  })

  test('when a refund comes back', async () => {
    const { id, orderId } = await member(1_000)
    const { refund } = (await calls.ask('POST /wallet/refunds', { as: id, body: { order_id: orderId, amount: 10, reason: 'Not needed.' } }))
      .body
    const word = (each: 'paid' | 'failed') => inTransaction(database.db, (tx) => bookRefund(tx, { id: refund.id, word: each }))
    await word('paid')
    expect((await remove(id)).status).toBe(204)
    expect(await word('failed')).toMatchObject({ result: 'reversed' })
    expect(await suspended(orderId)).toEqual([{ reason: 'closed_account', amount: 1_000n, status: 'open' }])
  })

  test('when the payer’s bank takes a payment back and returns it', async () => {
    const { id, orderId } = await member(1_000)
    await calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })
    await topUp(id, 400)
    const dispute = (isTaken: boolean) => chargeBack(database.db, `of-${orderId}`, orderId, paise(1_000n), isTaken)
    await dispute(true)
    for (const { id: each } of (await calls.ask('GET /wallet/withdrawals', { as: id })).body.withdrawals) await told(each, 'paid')
    expect((await remove(id)).status).toBe(204)
    await dispute(false)
    // ₹4 were taken from the member; the rest was our loss.
    expect(await suspended(orderId)).toEqual([{ reason: 'closed_account', amount: 400n, status: 'open' }])
  })

  test('and an administrator cannot credit it to the closed account', async () => {
    const { id } = await leave()
    const late = await order(id, 1_000)
    await capture(late, 1_000)
    const publicId = await publicIdOf(database.db, id)
    const [staff] = await database.db.query<{ id: bigint }>(sql`
      insert into member (name, email, role, staff_role, email_verified_at)
      values ('Staff', ${`${id}@staff.test`}::text, 'admin', 'owner', roz_now()) returning id`)
    const [item] = await database.db.query<{ id: bigint }>(sql`select id from suspense_item where order_id = ${late}::text`)
    const body = { status: 'open', memberId: publicId }
    const given = await calls.ask(`POST /admin/suspense/${item?.id}/credit`, { as: staff?.id ?? 0n, body })
    expect(given.body.code).toBe('member_not_found')
  })
})

describe('at once', () => {
  const ROUNDS = 8
  const both = async (work: (memberId: bigint) => Promise<unknown>, fund = 0) => {
    const people = await Promise.all(Array.from({ length: ROUNDS }, () => member(fund)))
    return Promise.all(
      people.map(async ({ id }, turn) => {
        const [first, second] = turn % 2 === 0 ? [remove(id), work(id)] : [undefined, work(id)]
        const [deleted] = await Promise.all([first ?? remove(id), second])
        return { id, deleted, after: await row(id) }
      }),
    )
  }

  test('a deletion and a top-up leave the money in an open wallet or in SUSPENSE', async () => {
    const orders = new Map<bigint, string>()
    const ended = await both(async (id) => {
      const orderId = await order(id, 1_000)
      orders.set(id, orderId)
      await capture(orderId, 1_000)
    })
    for (const { id, deleted, after } of ended) {
      const items = await suspended(orders.get(id) ?? '')
      if (deleted.status === 204) expect([after.isDeleted, after.balance, items.length]).toEqual([true, 0n, 1])
      else expect([deleted.body.code, after.isDeleted, after.balance, items.length]).toEqual(['money_left', false, 1_000n, 0])
    }
  })

  test('a deletion and a join keep the account open until its round has ended', async () => {
    const ended = await both((id) => calls.ask('POST /rounds/join', { as: id, body: {} }), 100)
    for (const { id, deleted, after } of ended) {
      expect(['money_left', 'round_pending']).toContain(deleted.body.code)
      expect([after.isDeleted, after.balance]).toEqual([false, 0n])
      expect((await remove(id)).body.code).toBe('round_pending')
    }
  })

  test('a deletion does not lose a gift or a withdrawal', async () => {
    for (const { id, deleted, after } of await both(gift, 500)) {
      if (deleted.status !== 204) expect((await remove(id)).status).toBe(204)
      expect(after.balance).toBe(0n)
    }
    const asked = (id: bigint) => calls.ask('POST /wallet/withdraw', { as: id, body: { amount: 10, bankDetail: BANK } })
    for (const { deleted, after } of await both(asked, 1_000)) {
      expect(['money_left', 'payout_pending']).toContain(deleted.body.code)
      expect(after.isDeleted).toBe(false)
    }
  })
})

test('a winner whose account is closed is named A member, and the amount won stays', async () => {
  const winner = await member(100)
  await calls.ask('POST /rounds/join', { as: winner.id, body: {} })
  const other = await member(100)
  await database.setClock(new Date(startOfDayMs(DAY) + 25 * 3_600_000))
  await services.worker.runDue()
  const [won] = await database.db.query<{ id: bigint }>(sql`select member_id as id from draw_winner where day = ${DAY}::date`)
  const lucky = won?.id ?? 0n
  // The winner may be any member who joined above: first end everything that is pending there.
  await database.db.query(sql`update member set suspended_at = null where id = ${lucky}::bigint`)
  const open = (table: 'withdrawals' | 'refunds') => calls.ask(`GET /wallet/${table}`, { as: lucky })
  for (const { id, status } of (await open('withdrawals')).body.withdrawals) if (status === 'pending') await told(id, 'paid')
  for (const { id, status } of (await open('refunds')).body.refunds)
    if (status === 'pending') await inTransaction(database.db, (tx) => bookRefund(tx, { id, word: 'paid' }))
  await gift(lucky)
  expect((await remove(lucky)).status).toBe(204)
  const { lastWinner } = (await calls.ask('GET /rounds/current', { as: other.id })).body
  expect(lastWinner).toMatchObject({ name: 'A member', date: DAY })
  expect(lastWinner.amount).toBeGreaterThan(0)
})
