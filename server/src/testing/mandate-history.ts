/**
 * One member's history with AutoPay, and the rules that must hold after each step of it, whatever the order:
 * - a mandate has at most one debit without an end at the gateway, and each debit is the amount of the consent;
 * - 27 days lie between two paid debits, 3 or 7 after failed ones, and after three failures none follows until the member tries again;
 * - nothing is raised for a wallet with ₹5 or more, without Auto Participate, suspended, paused or stopped, nor outside 06:00–20:30;
 * - what is booked was paid, each payment once; in the end everything that was paid is booked.
 */
import { addDays, dayAt, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { type Paise, paise } from '@roz/core/money.ts'
import { expect } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { eraseIdentity } from '../features/rights/erase.ts'
import { cancelOpenCharge, mustWaitForStop } from '../ledger/autopay.ts'
import { closeWallet } from '../ledger/closing.ts'
import { reinstateMember, suspendMember } from '../ledger/suspension.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'
import { debitMember, lockWallet } from '../ledger/transfer.ts'
import { setAutoJoin } from '../ledger/wallets.ts'
import { makeMember } from './calls.ts'
import { BELOW, type MandateWorld } from './mandate-world.ts'

export type Op =
  | { readonly do: 'set up' | 'hand top-up' | 'spend' | 'suspend' | 'reinstate' | 'close' | 'late success' }
  | { readonly do: 'press'; readonly wish: 'pause' | 'resume' | 'retry' | 'stop' }
  | { readonly do: 'payer'; readonly step: string }
  | { readonly do: 'bank'; readonly status: 'PENDING' | 'SUCCESS' | 'FAILED' }
  | { readonly do: 'webhook'; readonly which: number; readonly copies: number }
  | { readonly do: 'move'; readonly ms: number }
  | { readonly do: 'fault'; readonly faults: Readonly<Record<string, unknown>> }
  /** `statements`: the process is killed after so many. */
  | { readonly do: 'run'; readonly process: 0 | 1; readonly statements?: number }
  | { readonly do: 'run both' }

type Payment = {
  readonly id: string
  readonly cf: string
  readonly kind: 'AUTH' | 'CHARGE'
  readonly status: string
  readonly day: IstDay
  readonly amount: number
}
type Row = { readonly id: string; readonly state: string; readonly amount: Paise }
type Seen = {
  readonly mandates: readonly (Row & { readonly status: string; readonly payments: readonly Payment[] })[]
  readonly booked: ReadonlySet<string>
  readonly wallet: { readonly balance: Paise; readonly mayMove: boolean; readonly autoJoin: boolean }
}

const OPEN = new Set(['INITIALIZED', 'PENDING'])
const WORKING = new Set(['on', 'payer_paused', 'bank', 'setup'])
const FINAL = new Set(['CANCELLED', 'CUSTOMER_CANCELLED', 'COMPLETED', 'EXPIRED', 'LINK_EXPIRED'])
const ENDED = ['stopped', 'payer_stopped', 'ended', 'lapsed']
const daysBetween = (from: IstDay, to: IstDay): number => (startOfDayMs(to) - startOfDayMs(from)) / 86_400_000
const keyOf = ({ id, cf }: Payment): string => `${id} ${cf}`

export class MandateHistory {
  readonly #world: MandateWorld
  readonly #memberId: bigint
  readonly #done: string[] = []
  #before: Seen
  /** Paid after they had failed: known to nobody here until they are asked about. */
  readonly #late = new Set<string>()
  /** Failures that the member has answered with "try again". */
  readonly #forgiven = new Set<string>()
  readonly #counts: Record<string, number>

  private constructor(world: MandateWorld, memberId: bigint, before: Seen, counts: Record<string, number>) {
    this.#world = world
    this.#memberId = memberId
    this.#before = before
    this.#counts = counts
  }

  /** Noon of the next day: the clock of all histories runs on. `counts`: what happened, over all histories. */
  static async begin(world: MandateWorld, counts: Record<string, number>): Promise<MandateHistory> {
    await world.control('/faults', {})
    await world.moveTo(startOfDayMs(addDays(dayAt(world.nowMs()), 1)) + 12 * 3_600_000)
    world.kept.length = 0
    const memberId = await makeMember(world.db)
    return new MandateHistory(world, memberId, await see(world, memberId), counts)
  }

  async run(op: Op): Promise<void> {
    this.#done.push(JSON.stringify(op))
    await this.#perform(op)
    await this.#check(op)
  }

  async #perform(op: Op): Promise<void> {
    const { db, calls, control, processes, kept, deliver } = this.#world
    const memberId = this.#memberId
    switch (op.do) {
      case 'set up':
        return void (await calls.ask('POST /autopay', { as: memberId, body: { phoneNumber: '9876543210', consent: true } }))
      case 'press': {
        const { status } = await calls.ask(`POST /autopay/${op.wish}`, { as: memberId })
        if (op.wish === 'retry' && status === 200)
          for (const { payments } of this.#before.mandates) for (const one of payments) this.#forgiven.add(keyOf(one))
        return
      }
      case 'payer':
        return void (await control(`/subscriptions/${this.#newest()}`, { step: op.step, webhooks: 1 }))
      case 'bank':
        for (const { id, kind } of this.#payments(OPEN))
          if (kind === 'CHARGE') await control(`/charges/${id}`, { status: op.status, webhooks: 1 })
        return
      case 'late success': {
        const failed = this.#payments(new Set(['FAILED'])).findLast(({ kind }) => kind === 'CHARGE')
        if (failed === undefined) return
        this.#late.add(keyOf(failed))
        return void (await control(`/charges/${failed.id}`, { status: 'SUCCESS', webhooks: 1, force: true }))
      }
      case 'webhook': {
        const webhook = kept[op.which % Math.max(1, kept.length)]
        if (webhook === undefined) return
        const answers = await Promise.all(Array.from({ length: op.copies }, () => deliver(webhook)))
        return expect(answers).toEqual(answers.map(() => 200))
      }
      case 'move':
        return this.#world.moveTo(this.#world.nowMs() + op.ms)
      case 'fault':
        return void (await control('/faults', op.faults))
      case 'run':
        return processes[op.process].runDue(op.statements)
      case 'run both':
        return void (await Promise.all(processes.map(({ runDue }) => runDue())))
      case 'hand top-up':
        return this.#addMoney(1000n)
      case 'spend':
        return this.#leave(400n)
      case 'suspend':
        return inTransaction(db, async (tx) => void (await suspendMember(tx, memberId)))
      case 'reinstate':
        return inTransaction(db, async (tx) => void (await reinstateMember(tx, memberId)))
      case 'close':
        await this.#leave(0n)
        return inTransaction(db, async (tx) => {
          if (await mustWaitForStop(tx, memberId)) return
          if ((await closeWallet(tx, memberId)).ok) await eraseIdentity(tx, memberId)
        })
    }
  }

  /** As the wallet books a payment that the member made by hand. */
  async #addMoney(amount: bigint): Promise<void> {
    const orderId = crypto.randomUUID().replaceAll('-', '')
    await inTransaction(this.#world.db, async (tx) => {
      await createTopup(tx, { orderId, memberId: this.#memberId, amount: paise(amount) })
      const booked = await captureTopup(tx, { orderId, paymentId: `hand-${orderId}`, orderAmount: paise(amount) })
      if (booked.result === 'credited' && booked.balance >= 1000n) await cancelOpenCharge(tx, this.#memberId)
    })
  }

  /** Gives away what is above `left`. */
  #leave(left: bigint): Promise<void> {
    return inTransaction(this.#world.db, async (tx) => {
      const wallet = await lockWallet(tx, this.#memberId)
      const amount = paise((wallet?.balance ?? 0n) - left)
      if (wallet?.mayMove === true && amount > 0n)
        await debitMember(tx, { kind: 'gift', ref: crypto.randomUUID(), memberId: this.#memberId, amount, to: 'HELP_FUND' })
    })
  }

  #newest(): string {
    return this.#before.mandates.at(-1)?.id ?? 'none'
  }
  #payments(statuses: ReadonlySet<string>): Payment[] {
    return this.#before.mandates.flatMap(({ payments }) => payments.filter(({ status }) => statuses.has(status)))
  }

  async #check(op: Op): Promise<void> {
    const before = this.#before
    const now = await see(this.#world, this.#memberId)
    this.#before = now
    const about = `after ${this.#done.join('\n')}`
    const known = new Set(before.mandates.flatMap(({ payments }) => payments.map(keyOf)))
    const paid = new Set(now.mandates.flatMap(({ payments }) => payments.flatMap(({ status, cf }) => (status === 'SUCCESS' ? [cf] : []))))
    expect(
      [...now.booked].filter((cf) => !paid.has(cf)),
      `booked and not paid ${about}`,
    ).toEqual([])
    for (const mandate of now.mandates) {
      const charges = mandate.payments.filter(({ kind }) => kind === 'CHARGE')
      expect(charges.filter(({ status }) => OPEN.has(status)).length, `open debits of a mandate ${about}`).toBeLessThanOrEqual(1)
      expect(
        charges.filter(({ amount }) => BigInt(amount) * 100n !== mandate.amount),
        `other amounts ${about}`,
      ).toEqual([])
      const raised = charges.filter(
        (charge) => !known.has(keyOf(charge)) && !charges.some((other) => other.id === charge.id && known.has(keyOf(other))),
      )
      expect(raised.length, `raised at once ${about}`).toBeLessThanOrEqual(1)
      for (const charge of raised) this.#checkRaised(charge, { mandate, before, about })
    }
    this.#count(op, before, now)
  }

  #checkRaised(charge: Payment, { mandate, before, about }: { mandate: Seen['mandates'][number]; before: Seen; about: string }): void {
    const { wallet } = before
    const was = before.mandates.find(({ id }) => id === mandate.id)
    expect([WORKING.has(was?.state ?? ''), was?.state], `raised ${about}`).toEqual([true, was?.state])
    expect([wallet.mayMove, wallet.autoJoin, wallet.balance < BELOW], `raised for ${wallet.balance} paise ${about}`).toEqual([
      true,
      true,
      true,
    ])
    // One payment of a debit that is taken twice stands for it.
    const earlier = (was?.payments ?? []).filter((one) => one.id !== charge.id)
    const first = earlier.find(({ kind, status }) => kind === 'AUTH' && status === 'SUCCESS')
    const isKnown = (one: Payment): boolean => before.booked.has(one.cf) || !this.#late.has(keyOf(one))
    for (const one of earlier) {
      const isPaid = one.status === 'SUCCESS' && (one.kind === 'CHARGE' || one === first) && isKnown(one)
      if (isPaid) expect(daysBetween(one.day, charge.day), `days after a paid debit ${about}`).toBeGreaterThanOrEqual(27)
    }
    const lastPaid = earlier.findLastIndex((one) => one.status === 'SUCCESS' && isKnown(one))
    const failures = earlier.filter((one, at) => at > lastPaid && one.kind === 'CHARGE' && (one.status === 'FAILED' || !isKnown(one)))
    const counted = failures.filter((one) => !this.#forgiven.has(keyOf(one)))
    expect(counted.length, `failures before a debit ${about}`).toBeLessThan(3)
    const last = failures.at(-1)
    if (last !== undefined)
      expect(daysBetween(last.day, charge.day), `days after a failure ${about}`).toBeGreaterThanOrEqual(
        counted.length === 2 ? 7 : counted.length === 1 ? 3 : 0,
      )
  }

  #count(op: Op, before: Seen, now: Seen): void {
    const all = (seen: Seen): string =>
      JSON.stringify(seen, (_name, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value instanceof Set ? value.size : value,
      )
    if (all(before) !== all(now)) this.#counts[op.do] = (this.#counts[op.do] ?? 0) + 1
    const payments = (seen: Seen) => seen.mandates.flatMap((one) => one.payments)
    const more = (name: string, of: (seen: Seen) => number): void => {
      this.#counts[name] = (this.#counts[name] ?? 0) + Math.max(0, of(now) - of(before))
    }
    more('debit raised', (seen) => payments(seen).filter(({ kind }) => kind === 'CHARGE').length)
    more('debit paid', (seen) => payments(seen).filter(({ kind, status }) => kind === 'CHARGE' && status === 'SUCCESS').length)
    more('debit cancelled', (seen) => payments(seen).filter(({ status }) => status === 'CANCELLED').length)
    more('mandate ended', (seen) => seen.mandates.filter(({ state }) => ENDED.includes(state)).length)
  }

  /** The faults end, every bank answers, and the gateway is asked until nothing is open: then both sides agree. */
  async end(): Promise<void> {
    const { db, control, processes, moveTo, nowMs } = this.#world
    await control('/faults', {})
    await inTransaction(db, (tx) => setAutoJoin(tx, this.#memberId, false))
    for (let n = 0; n < 3; n++) {
      for (const { id, kind } of this.#payments(OPEN))
        if (kind === 'CHARGE') await control(`/charges/${id}`, { status: n % 2 === 0 ? 'SUCCESS' : 'FAILED', webhooks: 0 })
      await this.run({ do: 'move', ms: 2 * 86_400_000 })
      for (let again = 0; again < 3; again++) {
        await Promise.all(processes.map(({ runDue }) => runDue()))
        await moveTo(nowMs() + 3_700_000)
      }
      await this.run({ do: 'run both' })
    }
    await db.query(sql`
      update autopay_check set ask_at = roz_now() where mandate_id in (select id from autopay_mandate where member_id = ${this.#memberId}::bigint)`)
    // A mandate is asked at most every 5 s, and several at the gateway's pace.
    for (let n = 0; n < 4; n++) {
      await this.run({ do: 'move', ms: 15_000 })
      await this.run({ do: 'run both' })
    }
    const { mandates, booked } = this.#before
    const about = `in the end, after ${this.#done.join('\n')}`
    const paid = mandates.flatMap(({ payments }) => payments.filter(({ status }) => status === 'SUCCESS'))
    expect([...booked].toSorted(), `payments ${about}`).toEqual(paid.map(({ cf }) => cf).toSorted())
    const { sum, early, hours } = await db.one<{ sum: bigint; early: number; hours: number }>(sql`
      select (select coalesce(sum(t.amount), 0) from topup t where t.member_id = ${this.#memberId}::bigint and t.payment_id like 'sub_%')::bigint
           + (select coalesce(sum(s.amount), 0) from suspense_item s where s.payment_id like 'sub_%' and s.status = 'open' and s.order_id in (
               select order_id from autopay_charge c join autopay_mandate m on m.id = c.mandate_id where m.member_id = ${this.#memberId}::bigint))::bigint as sum,
        count(*) filter (where c.day <> ist_day(c.created_at) + 2)::int as early,
        count(*) filter (where (c.created_at at time zone 'Asia/Kolkata')::time not between '06:00' and '20:30')::int as hours
        from autopay_charge c join autopay_mandate m on m.id = c.mandate_id where m.member_id = ${this.#memberId}::bigint and c.kind = 'charge'`)
    expect([sum, early, hours], about).toEqual([paid.reduce((total, { amount }) => total + BigInt(amount) * 100n, 0n), 0, 0])
    for (const { state, status } of mandates)
      expect([state, status, ENDED.includes(state)], about).toEqual([
        state,
        status,
        // The gateway never had it: its creation failed.
        FINAL.has(status) || (status === '' && (state === 'lapsed' || state === 'stopped')),
      ])
  }
}

/** Both sides: the rows here, and the gateway's record. */
async function see(world: MandateWorld, memberId: bigint): Promise<Seen> {
  const { db, control } = world
  const rows = await db.query<Row>(sql`
    select replace(id::text, '-', '') as id, state, amount from autopay_mandate where member_id = ${memberId}::bigint order by created_at, id`)
  const mandates = await Promise.all(
    rows.map(async (row) => {
      const { status, body } = await control(`/subscriptions/${row.id}`)
      if (status !== 200) return { ...row, status: '', payments: [] }
      const payments = (body['payments'] as readonly Record<string, unknown>[]).map((payment) => paymentOf(payment))
      return { ...row, status: String(body['subscription_status']), payments }
    }),
  )
  const booked = await db.query<{ cf: string }>(sql`
    select substr(t.payment_id, 5) as cf from topup t where t.member_id = ${memberId}::bigint and t.payment_id like 'sub_%'
     union all
    select substr(s.payment_id, 5) from suspense_item s
      join autopay_charge c using (order_id) join autopay_mandate m on m.id = c.mandate_id
     where m.member_id = ${memberId}::bigint and s.payment_id like 'sub_%' and s.status = 'open'`)
  const numbers = booked.map(({ cf }) => cf)
  expect(new Set(numbers).size, 'payments that are booked twice').toBe(numbers.length)
  const wallet = await db.one<Seen['wallet']>(
    sql`select balance, may_move as "mayMove", auto_join as "autoJoin" from wallet where member_id = ${memberId}::bigint`,
  )
  return { mandates, booked: new Set(numbers), wallet }
}

const paymentOf = (payment: Readonly<Record<string, unknown>>): Payment => ({
  id: String(payment['payment_id']),
  cf: String(payment['cf_payment_id']),
  kind: payment['payment_type'] === 'AUTH' ? 'AUTH' : 'CHARGE',
  status: String(payment['payment_status']),
  day: String(payment['payment_schedule_date'] ?? payment['payment_initiated_date']).slice(0, 10) as IstDay,
  amount: Number(payment['payment_amount']),
})
