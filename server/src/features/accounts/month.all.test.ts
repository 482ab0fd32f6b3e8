/**
 * A month of payments: orders, AutoPay, refunds and disputes through a gateway that fails in every way, settled and read each day.
 * - At the end GATEWAY owes nothing but what was closed with a reason, BANK has what the bank was paid, and nothing is left to do.
 * - No line of the month's log has a payer's phone, mail address, UPI ID or name, or a secret.
 * - ROZ_MONTH_PAYMENTS and ROZ_MONTH_MANDATES make the month larger (150 and 30 take five minutes); a failure prints its seed, and ROZ_SEED repeats it.
 */
import { randomInt } from 'node:crypto'
import { addDays, startOfDayMs } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { readBalances } from '../../ledger/balances.ts'
import { makeMember } from '../../testing/calls.ts'
import { useSettlementWorld } from '../../testing/settlement-world.ts'
import { settleMorning } from './testing/morning.ts'

const PAYMENTS = Number(process.env['ROZ_MONTH_PAYMENTS'] ?? 150)
const MANDATES = Number(process.env['ROZ_MONTH_MANDATES'] ?? 30)
const DAYS = 30
const SEED = Number(process.env['ROZ_SEED'] ?? randomInt(2 ** 31))
const HOUR_MS = 3_600_000

/** One switch or more for each day; after the last the gateway is well. */
const FAULTS: readonly object[] = [
  {},
  { surcharge: 1 },
  { settlement_off: true },
  { debits: 'pay', debit_twice: true },
  { debits: 'refuse' },
  { debits: 'pay', late_success: true },
  { same_numbers: true, debits: 'pay' },
  { auth_one_rupee: true },
  { cancel_ignored: true },
  { notice_fails: true, debits: 'pay' },
  { api: 'error_after_commit' },
  { api: 'no_answer' },
  { api: 'bank_failure' },
  { api: 'rate_limit' },
  { edge: 'page' },
  { edge: 'other_shape' },
  { edge: 'other_id' },
  { edge: 'yesterday' },
  { currency: 'USD' },
  { rate: 5 },
]

const lines: string[] = []
const world = useSettlementWorld(
  { AUTOPAY: 'on', AUTOPAY_BELOW: '100', TOPUP_MAX: '30', APPROVAL_ABOVE: '100' },
  (line) => void lines.push(line),
  500,
)

/** Random numbers below a bound, the same for a seed (a linear congruential generator). */
let state = SEED
const below = (bound: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * bound)
}
/** A step that a failing gateway may refuse. */
const perhaps = <T>(step: Promise<T>): Promise<T | undefined> => step.catch(() => undefined)

const members: bigint[] = []
const orders: { orderId: string; memberId: bigint; rupees: number }[] = []

async function pay(memberId: bigint): Promise<void> {
  const rupees = 10 + below(21)
  const { body } = await world.ask('POST /wallet/add', memberId, { amount: rupees, phoneNumber: '9876543210' })
  const orderId: unknown = body.order_id
  if (typeof orderId !== 'string') return
  const outcome = ['success', 'success', 'success', 'failed', 'pending'][below(5)]
  await perhaps(world.control(`/orders/${orderId}/pay`, { outcome, webhooks: 0 }))
  orders.push({ orderId, memberId, rupees })
  if (below(3) > 0) await world.ask(`GET /wallet/verify/${orderId}`, memberId)
}

async function setUpAutopay(memberId: bigint): Promise<void> {
  await world.ask('POST /autopay', memberId, { phoneNumber: '9876543210', consent: true })
  const mandate = await world.db.query<{ id: string }>(
    sql`select replace(id::text, '-', '') as id from autopay_mandate where member_id = ${memberId}::bigint and state = 'setup'`,
  )
  if (mandate[0] === undefined) return
  await perhaps(world.control(`/subscriptions/${mandate[0].id}`, { step: 'approve', webhooks: 0 }))
  await world.ask('GET /autopay', memberId)
}

async function refund(): Promise<void> {
  const order = orders[below(orders.length)]
  if (order === undefined) return
  const asked = await world.ask('POST /wallet/refunds', order.memberId, { order_id: order.orderId, amount: 5, reason: 'Paid too much' })
  const { id, seen } = asked.body.refund ?? {}
  if (id === undefined) return
  await world.ask(`POST /admin/refunds/${id}/approve`, world.finance, { status: 'requested', ...(seen === undefined ? {} : { seen }) })
}

async function dispute(): Promise<void> {
  const order = orders[below(orders.length)]
  const raised = order && (await perhaps(world.control(`/orders/${order.orderId}/dispute`, { stage: 'CHARGEBACK', webhooks: 0 })))
  if (raised === undefined) return
  const about = { dispute: { dispute_id: raised['dispute_id'] }, order_details: { order_id: order?.orderId } }
  await world.webhook('DISPUTE_CREATED', about)
  await perhaps(
    world.control(`/disputes/${String(raised['dispute_id'])}`, { step: below(2) === 0 ? 'MERCHANT_LOST' : 'MERCHANT_WON', webhooks: 0 }),
  )
  await world.webhook('DISPUTE_CLOSED', about)
}

/** The gateway's bank pays what was refunded, and sometimes sends a settlement back. */
async function playBanks(): Promise<void> {
  const sending = await world.db.query<{ id: string }>(sql`select replace(id::text, '-', '') as id from refund where status = 'sending'`)
  for (const { id } of sending) await perhaps(world.control(`/refunds/${id}`, { status: 'SUCCESS', webhooks: 0 }))
  const more = below(4) === 0 ? { adjustment: -1, remarks: 'Rental' } : {}
  const settled = await perhaps(world.settle({ status: below(8) === 0 ? 'FAILED' : 'SUCCESS', ...more }))
  if (settled !== undefined && below(6) === 0) await perhaps(world.control(`/settlements/${settled}`, { status: 'REVERSED', webhooks: 0 }))
}

async function noon(day: number): Promise<void> {
  await world.moveTo(startOfDayMs(world.today()) + 12 * HOUR_MS)
  await world.control('/faults', FAULTS[day % FAULTS.length] ?? {})
  for (let n = 0; n < Math.ceil(PAYMENTS / DAYS); n++) {
    const member = members.length < 20 || below(3) === 0 ? await makeMember(world.db) : (members[below(members.length)] as bigint)
    members.push(member)
    await pay(member)
  }
  for (let n = 0; n < Math.ceil(MANDATES / DAYS); n++) await setUpAutopay(await makeMember(world.db))
  // A debit waits 27 days for the one before it: here it does not.
  await world.db.query(
    sql`update autopay_mandate set not_before = ist_day(roz_now()) where state = 'on' and id::text < ${'0123456789abcdef'[below(16)]}::text`,
  )
  await refund()
  if (day % 3 === 0) await dispute()
  await playBanks()
  await world.moveTo(world.now() + 6 * HOUR_MS)
}

const morning = async (): Promise<void> => {
  await world.moveTo(startOfDayMs(addDays(world.today(), 1)) + 6 * HOUR_MS)
  for (let round = 0; round < 12; round++) await world.moveTo(world.now() + 6 * 60_000)
}

/** The sum of the settlements that reached the bank and did not go back. */
async function paidToBank(): Promise<bigint> {
  const { paid } = await world.db.one<{ paid: bigint }>(
    sql`select coalesce(sum(amount), 0)::bigint as paid from gateway_settlement_seen where state = 'paid'`,
  )
  return paid
}

test(`a month of ${PAYMENTS} payments and ${MANDATES} mandates ends with nothing left to explain (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  for (let day = 0; day < DAYS; day++) {
    await noon(day)
    await morning()
    if (day % 5 === 4) {
      await world.control('/faults', {})
      await settleMorning(world)
    }
  }
  // The gateway is well again: what is open ends, is settled, and is looked at.
  await world.control('/faults', { debits: 'pay' })
  for (let day = 0; day < 9; day++) {
    await playBanksWell()
    await world.nextMorning()
    await settleMorning(world)
  }
  expect(await world.settlements('?status=to_record')).toEqual([])
  expect(await world.findings()).toEqual([])
  const seen = await whatWasSeen()
  // A month without refunds, disputes, debits or a settlement that went back would prove nothing about them.
  expect(seen.matched, `seed ${SEED}`).toEqual(expect.arrayContaining(['debit', 'payment', 'refund']))
  expect(seen.findings, `seed ${SEED}`).toEqual(expect.arrayContaining(['adjustment', 'sums']))
  const { GATEWAY, BANK } = await readBalances(world.db)
  const { explained, unsettled } = await world.db.one<{ explained: bigint; unsettled: bigint }>(sql`
    select (select coalesce(sum(difference), 0)::bigint from money_finding where closed_at is not null and ended_at is null
                  and kind not in ('missing', 'came_back', 'failed')) as explained,
          (select coalesce(sum(case when entry.is_taken then -entry.amount else entry.amount end), 0)::bigint from (
             select 'payment:' || payment_id as subject, amount, false as is_taken from topup where payment_id is not null
             union select 'payment:' || payment_id, amount, false from suspense_item s where not exists (select from topup t where t.payment_id = s.payment_id)
                      and exists (select from transfer t where t.kind = 'topup_suspense' and t.ref = s.payment_id)
             union select 'refund:' || id, amount, true from refund where status = 'paid'
             union select 'dispute:' || id, amount, true from dispute where is_taken) entry
            where not exists (select from gateway_settlement_event e join gateway_settlement_seen s using (settlement_id)
                               where e.subject = entry.subject and s.state = 'paid')) as unsettled`)
  expect({ gateway: -GATEWAY, seed: SEED }).toEqual({ gateway: unsettled - explained, seed: SEED })
  expect({ bank: -BANK, seed: SEED }).toEqual({ bank: await paidToBank(), seed: SEED })
})

/** The kinds of entries that settlements were matched with, and the kinds of findings. */
const whatWasSeen = (): Promise<{ readonly matched: string[]; readonly findings: string[] }> =>
  world.db.one<{ matched: string[]; findings: string[] }>(sql`
    select array(select distinct case when subject like 'payment:sub\\_%' then 'debit' else split_part(subject, ':', 1) end
                       from gateway_settlement_event where subject is not null order by 1) as matched,
          array(select distinct kind from money_finding order by 1) as findings`)

async function playBanksWell(): Promise<void> {
  await world.moveTo(startOfDayMs(world.today()) + 12 * HOUR_MS)
  const sending = await world.db.query<{ id: string }>(sql`select replace(id::text, '-', '') as id from refund where status = 'sending'`)
  for (const { id } of sending) await perhaps(world.control(`/refunds/${id}`, { status: 'SUCCESS', webhooks: 0 }))
  for (let hour = 0; hour < 3; hour++) await world.moveTo(world.now() + HOUR_MS)
  await perhaps(world.settle())
}

test('no line of its log has a datum of a person or a secret', () => {
  const text = lines.join('\n')
  expect(lines.length).toBeGreaterThan(50)
  for (const secret of [/9876543210/, /settle-secret-\d+/, /[\w.]+@(example|ok|gocash|ybl)/, /Asha Verma/]) expect(text).not.toMatch(secret)
})
