/** Fixture: all features with AutoPay on, a gateway of mandates in memory, and days that pass. */
import { addDays, dayAt, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { type Paise, paise, wholeRupees } from '@roz/core/money.ts'
import { pino } from 'pino'
import { expect } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { DAY, addMoney } from '../ledger/testing/fixtures.ts'
import { debitMember, lockWallet } from '../ledger/transfer.ts'
import { makeMember } from './calls.ts'
import { endRests } from './database.ts'
import { perFile } from './fixture.ts'
import type { PaymentGateway } from '../adapters/payments/port.ts'
import { scriptedRefunds } from './payouts-world.ts'
import { createModelMandates, type ModelCharge, type ModelMandate } from './model-mandates.ts'
import { openServicesWorld } from './services-world.ts'

export const SET_UP = { phoneNumber: '9876543210', consent: true }
type Debit = { orderId: string; kind: string; day: IstDay; status: string; failureReason: string | null }
type AutopayWorld = Awaited<ReturnType<typeof openAutopayWorld>>
/** One for all tests of a file. */
export const useAutopayWorld = (...given: Parameters<typeof openAutopayWorld>): AutopayWorld => perFile(() => openAutopayWorld(...given))

/** `settings`: of the environment, beside AUTOPAY=on. Nobody wins: balances follow from debits and days alone. */
export async function openAutopayWorld(
  settings: Readonly<Record<string, string>> = {},
  gateway: PaymentGateway = scriptedRefunds().gateway,
) {
  let nowMs = startOfDayMs(DAY) + 12 * 3_600_000
  const model = createModelMandates(() => nowMs)
  /** Messages of errors in the log. */
  const alarms: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void alarms.push(String((JSON.parse(line) as { msg: unknown }).msg)) })
  const world = await openServicesWorld({ mandates: model.gateway, gateway, log, settings: { AUTOPAY: 'on', DRAW: 'off', ...settings } })
  const { db } = world.database
  const runDue = (): Promise<void> => world.services.worker.runDue()

  /** Moves the clock and runs what is due. */
  async function moveTo(ms: number): Promise<void> {
    nowMs = ms
    await world.database.setClock(new Date(ms))
    await world.clock.read()
    await endRests(db)
    await runDue()
  }
  const today = (): IstDay => dayAt(nowMs)
  const at = (day: IstDay, time: string): Promise<void> => moveTo(startOfDayMs(day) + Date.parse(`1970-01-01T${time}Z`))
  /** Lets the spacing between two questions pass. */
  const later = async (seconds = 6): Promise<void> => {
    const { now } = await db.one<{ now: Date }>(sql`select roz_now() as now`)
    await moveTo(now.getTime() + seconds * 1000)
  }

  const balanceOf = async (memberId: bigint): Promise<number> =>
    Number((await db.one<{ balance: Paise }>(sql`select balance from wallet where member_id = ${memberId}::bigint`)).balance) / 100

  /** Leaves so many rupees in the wallet: the rest is given away. */
  async function leave(memberId: bigint, rupees: number): Promise<void> {
    const left = BigInt(rupees) * 100n
    await inTransaction(db, async (tx) => {
      const wallet = await lockWallet(tx, memberId)
      const amount = paise((wallet?.balance ?? 0n) - left)
      if (amount > 0n) await debitMember(tx, { kind: 'gift', ref: crypto.randomUUID(), memberId, amount, to: 'HELP_FUND' })
    })
  }

  const call = (name: string, as: bigint, body?: unknown) => world.calls.ask(name, { as, ...(body === undefined ? {} : { body }) })
  const own = async (as: bigint) => (await call('GET /autopay', as)).body['autopay']
  const stateOf = async (as: bigint): Promise<string | undefined> => (await own(as)).mandate?.state

  /** A member whose AutoPay is on, with its first debit in the wallet. */
  async function setUp(): Promise<{ memberId: bigint; mandate: ModelMandate }> {
    const memberId = await makeMember(db)
    const begun = await call('POST /autopay', memberId, SET_UP)
    expect([begun.status, begun.body]).toMatchObject([200, { sessionId: expect.any(String) }])
    const mandate = model.newest()
    model.authorise(mandate)
    await later(16)
    expect([await stateOf(memberId), await balanceOf(memberId)]).toEqual(['on', 30])
    return { memberId, mandate }
  }

  /** Set up so long ago that a debit may be raised, with ₹4 in the wallet, at 07:00. */
  async function low(): Promise<{ memberId: bigint; mandate: ModelMandate }> {
    const made = await setUp()
    await db.query(sql`update autopay_mandate set not_before = ${today()}::date where member_id = ${made.memberId}::bigint`)
    await leave(made.memberId, 5)
    return made
  }
  const nextMorning = (): Promise<void> => at(addDays(dayAt(nowMs), 1), '07:00:00')
  const only = (mandate: ModelMandate): ModelCharge => {
    const [charge, other] = model.chargesOf(mandate)
    expect(other).toBe(undefined)
    if (charge === undefined) throw new Error('no debit was raised')
    return charge
  }
  /** The next morning, with the debit that was raised. */
  async function raised() {
    const made = await low()
    await nextMorning()
    return { ...made, charge: only(made.mandate) }
  }

  const webhook = (mandate: ModelMandate, type = 'SUBSCRIPTION_STATUS_CHANGED') =>
    sendWebhook(world.calls.url, { type, mandateId: mandate.asked.mandateId, nonce: crypto.randomUUID() })
  /** A webhook, and the questions that it makes due. */
  async function hearOf(mandate: ModelMandate): Promise<void> {
    await webhook(mandate)
    await later()
  }

  return {
    ...world,
    db,
    /** Ends every mandate here alone: the next test has the gateway's pace to itself. */
    async forget(): Promise<void> {
      await db.query(sql`update autopay_mandate set state = 'stopped' where state not in ('stopped', 'payer_stopped', 'ended', 'lapsed')`)
      await db.query(sql`update autopay_check set ask_at = null where ask_at is not null`)
    },
    model,
    alarms,
    moveTo,
    at,
    later,
    today,
    nowMs: () => nowMs,
    runDue,
    balanceOf,
    addMoney: (memberId: bigint, rupees: number) => addMoney(db, memberId, wholeRupees(rupees)),
    leave,
    call,
    own,
    stateOf,
    setUp,
    low,
    raised,
    nextMorning,
    debits: (memberId: bigint): Promise<Debit[]> =>
      db.query<Debit>(sql`
        select c.order_id as "orderId", c.kind, c.day::text as day, c.status, c.failure_reason as "failureReason"
          from autopay_charge c join autopay_mandate m on m.id = c.mandate_id
         where m.member_id = ${memberId}::bigint and c.kind = 'charge' order by c.created_at`),
    async topups(memberId: bigint): Promise<string[]> {
      const rows = await db.query<{ status: string }>(
        sql`select status from topup where member_id = ${memberId}::bigint order by created_at`,
      )
      return rows.map(({ status }) => status)
    },
    suspended: (memberId: bigint) =>
      db.query<{ reason: string; amount: Paise }>(sql`
        select s.reason, s.amount from suspense_item s join topup t using (order_id) where t.member_id = ${memberId}::bigint order by s.id`),
    /** Kinds of the notices, oldest first. */
    async told(memberId: bigint): Promise<string[]> {
      const rows = await db.query<{ kind: string }>(
        sql`select kind from notice where member_id = ${memberId}::bigint and kind like 'autopay%' order by id`,
      )
      return rows.map(({ kind }) => kind)
    },
    mails: async (memberId: bigint): Promise<string[]> => {
      const rows = await db.query<{ template: string }>(sql`
        select split_part(key, ':', 1) as template from job where kind = 'mail' and key like 'autopay%'
           and exists (select from autopay_mandate m where m.member_id = ${memberId}::bigint and (key like '%' || m.id || '%'
             or exists (select from autopay_charge c where c.mandate_id = m.id and key like '%' || c.order_id || '%'))) order by id`)
      return rows.map(({ template }) => template)
    },
    webhook,
    sendWebhook: (body: object) => sendWebhook(world.calls.url, body),
    hearOf,
    end: (charge: ModelCharge, state: ModelCharge['state']) => model.end(charge, state),
    only,
  }
}

async function sendWebhook(url: string, body: object, signature = 'genuine'): Promise<number> {
  const answer = await fetch(`${url}/api/webhooks/cashfree-autopay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    body: JSON.stringify(body),
  })
  return answer.status
}
