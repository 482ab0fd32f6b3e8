/**
 * Tests every call that moves money with an Idempotency-Key.
 * - A retry of a refused call gets the same refusal, even after the cause of the refusal is gone.
 * - Retries of an accepted call, concurrent ones too, get the first answer.
 * - The same key on another call answers 409.
 * - An accepted call of an administrator leaves one entry in the staff log, however often it is sent.
 */
import { randomUUID } from 'node:crypto'
import { type Api, api, type CallName } from '@roz/contract/api.ts'
import { type IstDay, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise, wholeRupees } from '@roz/core/money.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { beforeAll, expect, test } from 'vitest'
import { bankTransferGateway } from '../adapters/payments/bank-transfer.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { closeWallet } from '../ledger/closing.ts'
import { addMoney, DAY } from '../ledger/testing/fixtures.ts'
import { captureTopup } from '../ledger/topups.ts'
import { bookPayout } from '../ledger/withdrawals.ts'
import { makeMember, makeStaff, publicIdOf } from '../testing/calls.ts'
import { scriptedRefunds } from '../testing/payouts-world.ts'
import { useServicesWorld } from '../testing/services-world.ts'
import { type HelpKeyed, helpCases } from '../testing/keyed-help.ts'
import { ADD, BANK, TRANSFER_ACCOUNT } from '../testing/wallet-world.ts'

const WITHDRAW = { amount: 10, bankDetail: BANK }

type Keyed =
  | HelpKeyed
  | 'addMoney'
  | 'askTransfer'
  | 'approveRefund'
  | 'approveRefunds'
  | 'approveWithdrawal'
  | 'approveWithdrawals'
  | 'closeAccount'
  | 'completeWithdrawal'
  | 'creditSuspense'
  | 'joinRound'
  | 'passOn'
  | 'paySuspense'
  | 'refundSuspense'
  | 'rejectRefund'
  | 'rejectWithdrawal'
  | 'requestRefund'
  | 'setUpAutopay'
  | 'retryWithdrawal'
  | 'takeOverWithdrawal'
  | 'triggerDraw'
  | 'withdraw'
  | 'withdrawalCameBack'
  | 'withdrawalNotPaid'

type Prepared = {
  readonly as: bigint
  /** The id, or the day, in the path of the call. */
  readonly id?: string
  readonly body?: unknown
  /** The call is refused with this code until `mend` has run. */
  readonly refused?: readonly [code: RefusalCode, mend: () => Promise<unknown>]
}

/** One program pays out through the gateway (`world`), the other by hand, and is paid by bank transfers (`byHand`). */
const { gateway } = scriptedRefunds()
const opens: typeof gateway = { ...gateway, createOrder: async ({ orderId }) => ({ sessionId: `session_${orderId}` }) }
const world = useServicesWorld({ gateway: opens, settings: { AUTOPAY: 'on' } })
const byHand = useServicesWorld({
  payouts: undefined,
  gateway: (db) => bankTransferGateway({ db }),
  settings: { PAYMENTS: 'bank-transfer', ...TRANSFER_ACCOUNT },
})
let admin: bigint
/** Staff account of the program that pays out by hand. */
let payer: bigint
let today: IstDay = DAY
beforeAll(async () => {
  admin = await makeStaff(world.database.db)
  payer = await makeStaff(byHand.database.db)
})

const topUp = (memberId: bigint, rupees: number, { database: { db } } = world): Promise<string> =>
  addMoney(db, memberId, wholeRupees(rupees))
async function funded(rupees: number, where = world): Promise<bigint> {
  const memberId = await makeMember(where.database.db)
  await topUp(memberId, rupees, where)
  return memberId
}
async function withdrawal(memberId: bigint, { calls } = world): Promise<string> {
  return (await calls.ask('POST /wallet/withdraw', { as: memberId, body: WITHDRAW })).body.withdrawal.id
}
async function refund(): Promise<{ readonly id: string; readonly memberId: bigint }> {
  const memberId = await makeMember(world.database.db)
  const body = { order_id: await topUp(memberId, 20), amount: 5, reason: 'Added too much' }
  return { id: (await world.calls.ask('POST /wallet/refunds', { as: memberId, body })).body.refund.id, memberId }
}
async function hold(memberId: bigint): Promise<readonly ['member_on_hold', () => Promise<unknown>]> {
  const { db } = world.database
  await db.query(sql`update member set suspended_at = roz_now() where id = ${memberId}::bigint`)
  return ['member_on_hold', () => db.query(sql`update member set suspended_at = null where id = ${memberId}::bigint`)]
}
/** A payout of a closed account that was returned and paid again, so its suspense item is empty until it is returned once more. */
async function returned(): Promise<Pick<Prepared, 'id' | 'refused'>> {
  const { db } = world.database
  const member = await funded(10)
  const id = await withdrawal(member)
  const told = (word: 'paid' | 'reversed') => inTransaction(db, (tx) => bookPayout(tx, { id, word }))
  await told('paid')
  await inTransaction(db, async (tx) => {
    await closeWallet(tx, member)
    await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${member}::bigint`)
  })
  await told('reversed')
  await told('paid')
  const item = await db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${`wd_reversed:${id}`}::text`)
  return { id: String(item.id), refused: ['payment_taken_back', () => told('reversed')] }
}
const approve = (id: string, { calls } = world, as = admin) =>
  calls.ask(`POST /admin/withdrawals/${id}/approve`, { as, body: { status: 'requested' } })
const see = (id: string, as: bigint) => byHand.calls.ask(`POST /admin/withdrawals/${id}/bank`, { as, body: { status: 'approved' } })
/** A withdrawal whose bank account this staff member has opened, in order to pay it by hand. */
async function shownTo(as: bigint): Promise<string> {
  const id = await withdrawal(await funded(10, byHand), byHand)
  await approve(id, byHand, as)
  expect((await see(id, as)).status).toBe(200)
  return id
}
/** Closes and settles the day before. */
async function goToNextDay(): Promise<void> {
  today = nextDay(today)
  await world.database.setClock(new Date(startOfDayMs(today) + 12 * 3_600_000))
  await world.services.catchUp()
}
const BY_HAND: ReadonlySet<Keyed> = new Set([
  'askTransfer',
  'completeWithdrawal',
  'withdrawalNotPaid',
  'takeOverWithdrawal',
  'withdrawalCameBack',
])

const CASES: { readonly [N in Keyed]: () => Promise<Prepared> } = {
  triggerDraw: async () => ({
    as: admin,
    body: { day: today },
    refused: ['no_participants', async () => world.calls.ask('POST /rounds/join', { as: await funded(10), body: {} })],
  }),
  joinRound: async () => {
    await goToNextDay()
    return { as: await funded(10), body: {} }
  },
  passOn: async () => {
    await goToNextDay()
    const as = await funded(10)
    const won = today
    expect((await world.calls.ask('POST /rounds/join', { as, body: {} })).status).toBe(200)
    await goToNextDay()
    return { as, id: won, body: { amount: 0.3 } }
  },
  askTransfer: async () => ({ as: await makeMember(byHand.database.db), body: { amount: 10 } }),
  addMoney: async () => ({ as: await makeMember(world.database.db), body: ADD }),
  setUpAutopay: async () => ({ as: await makeMember(world.database.db), body: { phoneNumber: '9876543210', consent: true } }),
  withdraw: async () => {
    const as = await funded(10)
    return { as, body: { amount: 20, bankDetail: BANK }, refused: ['insufficient_funds', () => topUp(as, 10)] }
  },
  closeAccount: async () => ({ as: await funded(10), body: { gift: true } }),
  ...helpCases(() => ({ world, admin })),
  approveWithdrawal: async () => {
    const member = await funded(10)
    return { as: admin, id: await withdrawal(member), body: { status: 'requested' }, refused: await hold(member) }
  },
  approveWithdrawals: async () => ({ as: admin, body: { rows: [{ id: await withdrawal(await funded(10)), status: 'requested' }] } }),
  approveRefunds: async () => ({ as: admin, body: { rows: [{ id: (await refund()).id, status: 'requested' }] } }),
  rejectWithdrawal: async () => ({
    as: admin,
    id: await withdrawal(await funded(10)),
    body: { status: 'requested', reason: 'A wrong account' },
  }),
  retryWithdrawal: async () => {
    const id = await withdrawal(await funded(10))
    return { as: admin, id, body: { status: 'approved' }, refused: ['changed_since_seen', () => approve(id)] }
  },
  completeWithdrawal: async () => {
    const id = await withdrawal(await funded(10, byHand), byHand)
    await approve(id, byHand, payer)
    const body = { status: 'approved', bankReference: 'UTR0000000042' }
    return { as: payer, id, body, refused: ['bank_not_shown', () => see(id, payer)] }
  },
  withdrawalNotPaid: async () => {
    const id = await shownTo(payer)
    return { as: payer, id, body: { status: 'approved', reason: 'The bank did not take it' } }
  },
  withdrawalCameBack: async () => {
    const id = await shownTo(payer)
    const complete = () =>
      byHand.calls.ask(`POST /admin/withdrawals/${id}/complete`, {
        as: payer,
        body: { status: 'approved', bankReference: 'UTR0000000043' },
      })
    const body = { status: 'paid', reason: 'The account is closed', line: null }
    return { as: payer, id, body, refused: ['changed_since_seen', complete] }
  },
  takeOverWithdrawal: async () => {
    const holder = await makeStaff(byHand.database.db)
    const id = await shownTo(holder)
    const { from } = await byHand.database.db.one<{ from: string }>(
      sql`select public_id as "from" from member where id = ${holder}::bigint`,
    )
    return { as: payer, id, body: { status: 'approved', reason: 'She has left us', from } }
  },
  requestRefund: async () => {
    const as = await makeMember(world.database.db)
    const order_id = await topUp(as, 20)
    const held = await withdrawal(as)
    const letGo = () =>
      world.calls.ask(`POST /admin/withdrawals/${held}/reject`, { as: admin, body: { status: 'requested', reason: 'Not wanted any more' } })
    return { as, body: { order_id, amount: 15, reason: 'Added too much' }, refused: ['refund_exceeds_unused', letGo] }
  },
  approveRefund: async () => {
    const { id, memberId } = await refund()
    return { as: admin, id, body: { status: 'requested' }, refused: await hold(memberId) }
  },
  rejectRefund: async () => ({ as: admin, id: (await refund()).id, body: { status: 'requested', reason: 'Used already' } }),
  creditSuspense: async () => ({
    as: admin,
    ...(await returned()),
    body: { status: 'open', memberId: await publicIdOf(world.database.db, await funded(10)) },
  }),
  paySuspense: async () => ({ as: admin, ...(await returned()), body: { status: 'open', bankReference: 'UTR0000000042' } }),
  refundSuspense: async () => {
    const orderId = randomUUID().replaceAll('-', '')
    const { db } = world.database
    await inTransaction(db, (tx) => captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: paise(1000n) }))
    const item = await db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
    return { as: admin, id: String(item.id), body: { status: 'open' } }
  },
}

type ByAdmin = { [N in Keyed]: Api[N]['access'] extends 'admin' ? N : never }[Keyed]
/** The staff log's action of each administrator's call. e2e/scenario/audit-watch.ts relies on the names in this table. */
const LOGGED: Readonly<Record<ByAdmin, string>> = {
  triggerDraw: 'round.trigger_draw',
  approveWithdrawal: 'withdrawal.approve',
  approveWithdrawals: 'withdrawal.approve',
  rejectWithdrawal: 'withdrawal.reject',
  retryWithdrawal: 'withdrawal.retry',
  completeWithdrawal: 'withdrawal.complete',
  withdrawalNotPaid: 'withdrawal.not_paid',
  takeOverWithdrawal: 'withdrawal.take_over',
  withdrawalCameBack: 'withdrawal.came_back',
  approveRefund: 'refund.approve',
  approveRefunds: 'refund.approve',
  rejectRefund: 'refund.reject',
  creditSuspense: 'suspense.credit',
  refundSuspense: 'suspense.refund',
  paySuspense: 'suspense.pay',
  askDisbursement: 'disbursement.book',
  approveDisbursement: 'disbursement.approve',
  rejectDisbursement: 'disbursement.reject',
  correctDisbursement: 'disbursement_back.book',
  translateDisbursement: 'disbursement.translate',
  recordArrival: 'disbursement.arrive',
  askHouseEntry: 'platform_out.book',
  approveHouseEntry: 'entry.approve',
  rejectHouseEntry: 'entry.reject',
  askSettlement: 'gateway_settled.book',
  recordSettlement: 'gateway_settled.book',
  closeFinding: 'finding.close',
}
const loggedOf = (name: Keyed): readonly string[] => (name in LOGGED ? [LOGGED[name as ByAdmin]] : [])

/** Another call that the same account may make. */
function anotherCall(name: Keyed): readonly [path: string, body: unknown] {
  if (!api[name].path.startsWith('/admin/')) return name === 'withdraw' ? ['/wallet/add', ADD] : ['/wallet/withdraw', WITHDRAW]
  return [`/admin/withdrawals/${randomUUID()}/reject`, { status: 'requested', reason: 'Something else' }]
}

/** As if an earlier release had stored this answer, before the fields of today were made. */
async function withoutFields(db: Db, memberId: bigint, key: string, work: () => Promise<unknown>): Promise<void> {
  const where = sql`where member_id = ${memberId}::bigint and key = ${key}::text`
  const { answer } = await db.one<{ answer: string }>(sql`select answer::text as answer from idempotency_key ${where}`)
  await db.query(sql`update idempotency_key set answer = jsonb_set(answer, '{value}', '{}') ${where}`)
  await work()
  await db.query(sql`update idempotency_key set answer = ${answer}::jsonb ${where}`)
}

test.each(Object.keys(CASES) as Keyed[])('%s answers the same for the same Idempotency-Key', async (name) => {
  const { as, id = '', body, refused } = await CASES[name]()
  const {
    calls,
    database: { db },
  } = BY_HAND.has(name) ? byHand : world
  const path = api[name].path.replace(/\{(?:id|day)\}/, id)
  const ask = async (key: string, at = path, sent = body) => {
    const { status, text } = await calls.ask(`POST ${at}`, {
      as,
      headers: { 'idempotency-key': key },
      ...(sent === undefined ? {} : { body: sent }),
    })
    return { status, text }
  }
  const before = `${name} before`
  if (refused !== undefined) {
    const [code, mend] = refused
    const first = await ask(before)
    expect(JSON.parse(first.text)).toMatchObject({ code })
    await mend()
    expect(await ask(before)).toEqual(first)
  }
  const { last } = await db.one<{ last: bigint }>(sql`select coalesce(max(id), 0)::bigint as last from audit_log`)
  const key = `${name} ${id}`.trim()
  const [first, ...others] = await Promise.all([ask(key), ask(key), ask(key)])
  expect(first.status, first.text).toBe(200)
  for (const other of [...others, await ask(key)]) expect(other).toEqual(first)
  // A join stores its key in the entry's own row and stores no key of a refused join.
  if (name === 'joinRound') return
  await withoutFields(db, as, key, async () => expect(await ask(key)).toEqual({ status: first.status, text: '{}' }))
  const [another, sent] = anotherCall(name)
  expect(JSON.parse((await ask(key, another, sent)).text)).toMatchObject({ code: 'idempotency_mismatch' })
  const entries = await db.query(
    sql`select action, from_address as address from audit_log where id > ${last}::bigint and actor_id = ${as}::bigint`,
  )
  expect(entries).toEqual(loggedOf(name).map((action) => ({ action, address: '127.0.0.1' })))
})

test('every call that takes an Idempotency-Key has a case here', () => {
  const keyed = (Object.keys(api) as CallName[]).filter((name) =>
    (api[name].refusals as readonly string[]).includes('idempotency_mismatch'),
  )
  expect(keyed.toSorted()).toEqual(Object.keys(CASES).toSorted())
})
