import { randomUUID } from 'node:crypto'
import { type IstDay, nextDay, startOfDayMs, yearOf } from '@roz/core/ist-day.ts'
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { enter, type RoundStatus } from '@roz/core/round.ts'
import { POLICY_A, policyB, type SplitPolicy, shares } from '@roz/core/split.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { runAudit } from './audit.ts'
import { autoJoinPage, startAutoJoin } from './auto-join.ts'
import { recordDraw } from './draw.ts'
import { hashOf, makeDay, newMember, newOrderId } from './fixtures.ts'
import { createJoinBatcher, type JoinBatcher } from './join-batcher.ts'
import { closeRound, recordSeal } from './rounds.ts'
import { sealDay } from './seal-day.ts'
import { settleRound, voidRound } from './settlement.ts'
import { captureTopup, createTopup } from './topups.ts'
import { setAutoJoin, setMayMove } from './wallets.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

/**
 * Random histories against a model in plain TypeScript that shares only the rules of core with the
 * ledger. After every step the answer and every wallet must be the model's.
 */
const MEMBERS = 5

type Step =
  | {
      readonly do: 'topup'
      readonly who: number
      readonly amount: bigint
      readonly twist: 'plain' | 'twice' | 'other amount' | 'second payment'
    }
  | { readonly do: 'join'; readonly who: readonly number[]; readonly keyed: boolean }
  | { readonly do: 'auto'; readonly size: number }
  | { readonly do: 'hold'; readonly who: number; readonly amount: bigint }
  | { readonly do: 'reject'; readonly which: number }
  | { readonly do: 'flag'; readonly who: number; readonly flag: 'mayMove' | 'autoJoin'; readonly on: boolean }
  | { readonly do: 'close early' }
  | { readonly do: 'midnight'; readonly policy: SplitPolicy }
  | { readonly do: 'settle'; readonly pick: number }
  | { readonly do: 'void' }

type Account = {
  balance: Paise
  held: Paise
  joined: Set<IstDay>
  mayMove: boolean
  autoJoin: boolean
  key: { text: string; day: IstDay; balance: Paise } | undefined
}
type ModelRound = { status: RoundStatus; policy: SplitPolicy; entries: number[] }
type Hold = { readonly id: string; readonly who: number; readonly amount: Paise; status: 'requested' | 'rejected' }

/** The model: what the ledger should be, told in the simplest way. */
class Model {
  readonly accounts: Account[] = Array.from({ length: MEMBERS }, () => ({
    balance: ZERO,
    held: ZERO,
    joined: new Set(),
    mayMove: true,
    autoJoin: false,
    key: undefined,
  }))
  readonly rounds = new Map<IstDay, ModelRound>()
  readonly holds: Hold[] = []
  readonly autoDone = new Map<IstDay, number>()
  day: IstDay

  constructor(day: IstDay) {
    this.day = day
  }

  account(who: number): Account {
    return this.accounts[who] as Account
  }

  get today(): ModelRound {
    return this.rounds.get(this.day) as ModelRound
  }

  join(who: number, key: string | undefined): string {
    const account = this.account(who)
    const recent = account.key !== undefined && (account.key.day === this.day || nextDay(account.key.day) === this.day)
    if (key !== undefined && account.key?.text === key && recent) return `replayed ${account.key.balance}`
    const roundOpen = this.today.status === 'open'
    const joinedToday = account.joined.has(this.day)
    if (roundOpen && !joinedToday && !account.mayMove) return 'may_not_move'
    const joinsThisYear = [...account.joined].filter((day) => yearOf(day) === yearOf(this.day)).length
    const entered = enter({ roundOpen, joinedToday, joinsThisYear, balance: account.balance })
    if (!entered.ok) return entered.code
    account.balance = paise(account.balance - entered.value.fee)
    account.joined.add(this.day)
    account.key = key === undefined ? undefined : { text: key, day: this.day, balance: account.balance }
    this.today.entries.push(who)
    return `joined ${account.balance}`
  }

  oldest(...statuses: RoundStatus[]): IstDay | undefined {
    return [...this.rounds.keys()].sort().find((day) => statuses.includes(this.rounds.get(day)?.status as RoundStatus))
  }
}

/** Runs each step on the ledger and on the model. */
class World {
  readonly model: Model
  readonly ids: readonly bigint[]
  readonly database: TestDatabase
  readonly batcher: JoinBatcher

  constructor(database: TestDatabase, ids: readonly bigint[], day: IstDay) {
    this.database = database
    this.ids = ids
    this.model = new Model(day)
    this.batcher = createJoinBatcher({ db: database.db })
  }

  id(who: number): bigint {
    return this.ids[who] as bigint
  }

  async begin(policy: SplitPolicy): Promise<void> {
    const { day } = this.model
    await makeDay(this.database.db, day, policy)
    await this.database.setClock(new Date(startOfDayMs(day) + 1000))
    this.model.rounds.set(day, { status: 'open', policy, entries: [] })
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'topup':
        return this.topup(step)
      case 'join':
        return this.join(step)
      case 'auto':
        return this.auto(step.size)
      case 'hold':
        return this.hold(step)
      case 'reject':
        return this.reject(step.which)
      case 'flag':
        return this.flag(step)
      case 'close early':
        return this.closeEarly()
      case 'midnight':
        return this.midnight(step.policy)
      case 'settle':
        return this.settle(step.pick)
      case 'void':
        return this.void()
    }
  }

  async topup({ who, amount, twist }: Extract<Step, { do: 'topup' }>): Promise<void> {
    const { db } = this.database
    const orderId = newOrderId()
    await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId: this.id(who), amount: paise(amount) }))
    const capture = async (paymentId: string, orderAmount: bigint) =>
      (await inTransaction(db, (tx) => captureTopup(tx, { orderId, paymentId, orderAmount: paise(orderAmount) }))).result
    if (twist === 'other amount') expect(await capture(orderId, amount + 7n)).toBe('suspense')
    expect(await capture(orderId, amount)).toBe('credited')
    if (twist === 'twice') expect(await capture(orderId, amount)).toBe('duplicate')
    if (twist === 'second payment') expect(await capture(`${orderId}-2`, amount)).toBe('suspense')
    const account = this.model.account(who)
    account.balance = paise(account.balance + amount)
  }

  async join({ who, keyed }: Extract<Step, { do: 'join' }>): Promise<void> {
    const key = keyed ? 'k' : undefined
    const outcomes = await Promise.all(who.map((each) => this.batcher.join({ memberId: this.id(each), idempotencyKey: key })))
    const got = outcomes.map((outcome) =>
      outcome.ok ? `${outcome.value.replayed ? 'replayed' : 'joined'} ${outcome.value.balance}` : outcome.code,
    )
    expect(got).toEqual(who.map((each) => this.model.join(each, key)))
  }

  async auto(size: number): Promise<void> {
    const { model } = this
    await startAutoJoin(this.database.db, model.day, 1)
    const page = await autoJoinPage(this.database.db, model.day, 0, size)
    const done = model.autoDone.get(model.day) ?? 0
    if (done === MEMBERS + 1) return expect(page).toEqual({ state: 'done' })
    if (model.today.status !== 'open') return expect(page).toEqual({ state: 'closed' })
    const willing = model.accounts.map((account, who) => ({ account, who })).filter(({ account, who }) => account.autoJoin && who >= done)
    const scanned = willing.slice(0, size)
    const joined = scanned.filter(({ who }) => model.join(who, undefined).startsWith('joined')).length
    // A page that is not full ends the day's joining.
    model.autoDone.set(model.day, scanned.length < size ? MEMBERS + 1 : (scanned.at(-1)?.who ?? -1) + 1)
    expect(page).toEqual({ state: 'page', scanned: scanned.length, joined })
  }

  async hold({ who, amount }: Extract<Step, { do: 'hold' }>): Promise<void> {
    const id = randomUUID()
    const account = this.model.account(who)
    const got = await inTransaction(this.database.db, (tx) =>
      holdWithdrawal(tx, { id, memberId: this.id(who), amount: paise(amount), bankAccountId: 1n }),
    )
    if (!account.mayMove) return expect(got).toEqual({ ok: false, code: 'may_not_move' })
    if (account.balance < amount) return expect(got).toEqual({ ok: false, code: 'insufficient_funds' })
    account.balance = paise(account.balance - amount)
    account.held = paise(account.held + amount)
    this.model.holds.push({ id, who, amount: paise(amount), status: 'requested' })
    expect(got).toEqual({ ok: true, value: { balance: account.balance, replayed: false } })
  }

  async reject(which: number): Promise<void> {
    const hold = this.model.holds[which % Math.max(1, this.model.holds.length)]
    if (hold === undefined) return
    const got = await inTransaction(this.database.db, (tx) => rejectWithdrawal(tx, { id: hold.id, reason: 'no' }))
    if (hold.status === 'rejected') return expect(got).toEqual({ ok: false, code: 'withdrawal_final' })
    hold.status = 'rejected'
    const account = this.model.account(hold.who)
    account.balance = paise(account.balance + hold.amount)
    account.held = paise(account.held - hold.amount)
    expect(got.ok && got.value.balance).toBe(account.balance)
  }

  async flag({ who, flag, on }: Extract<Step, { do: 'flag' }>): Promise<void> {
    const set = flag === 'mayMove' ? setMayMove : setAutoJoin
    await inTransaction(this.database.db, (tx) => set(tx, this.id(who), on))
    this.model.account(who)[flag] = on
  }

  async closeEarly(): Promise<void> {
    const { day, today } = this.model
    const got = await inTransaction(this.database.db, (tx) => closeRound(tx, day, { early: true }))
    if (today.status === 'open' && today.entries.length === 0) return expect(got).toEqual({ ok: false, code: 'no_participants' })
    const pool = BigInt(today.entries.length) * 100n
    expect(got).toEqual({ ok: true, value: { entries: today.entries.length, pool, already: today.status !== 'open' } })
    if (today.status === 'open') today.status = 'closed'
  }

  async midnight(policy: SplitPolicy): Promise<void> {
    const { model } = this
    const { day, today } = model
    model.day = nextDay(day)
    await this.begin(policy)
    const got = await inTransaction(this.database.db, (tx) => closeRound(tx, day))
    expect(got).toMatchObject({ ok: true, value: { entries: today.entries.length, already: today.status !== 'open' } })
    if (today.status === 'open') today.status = 'closed'
    expect((await inTransaction(this.database.db, (tx) => sealDay(tx, day))).ok).toBe(true)
  }

  async settle(pick: number): Promise<void> {
    const { model } = this
    const { db } = this.database
    const day = model.oldest('closed')
    const round = day === undefined ? undefined : model.rounds.get(day)
    if (day === undefined || round === undefined || round.entries.length === 0) return
    const cut = shares(paise(BigInt(round.entries.length) * 100n), round.entries.length, round.policy)
    const winners = Array.from({ length: cut.winners }, (_, n) => round.entries[(pick + n) % round.entries.length] as number)
    await inTransaction(db, async (tx) => {
      await recordSeal(tx, day, { root: hashOf(day), drawAt: new Date() })
      await recordDraw(tx, { day, randomness: hashOf('r'), seed: hashOf('s'), winners: winners.map((who) => this.id(who)) })
    })
    const got = await Promise.all([1, 2].map(() => inTransaction(db, (tx) => settleRound(tx, day))))
    expect(got.map((outcome) => outcome.ok && outcome.value.already).sort()).toEqual([false, true])
    expect(got[0]).toMatchObject({ ok: true, value: { need: cut.need, platform: cut.platform, reward: cut.reward } })
    for (const who of winners) model.account(who).balance = paise(model.account(who).balance + cut.prize)
    round.status = 'settled'
  }

  async void(): Promise<void> {
    const { model } = this
    const day = model.oldest('closed') ?? model.day
    const round = model.rounds.get(day) as ModelRound
    const got = await inTransaction(this.database.db, (tx) => voidRound(tx, day))
    if (round.status === 'void') return expect(got).toEqual({ ok: true, value: { returned: round.entries.length, already: true } })
    if (round.status !== 'closed') return expect(got).toEqual({ ok: false, code: 'not_closed' })
    expect(got).toEqual({ ok: true, value: { returned: round.entries.length, already: false } })
    for (const who of round.entries) model.account(who).balance = paise(model.account(who).balance + 100n)
    round.status = 'void'
  }

  async compare(): Promise<void> {
    const wallets = await this.database.db.query(
      sql`select balance, held, joins from wallet where member_id = any(${this.ids}::bigint[]) order by member_id`,
    )
    expect(wallets).toEqual(this.model.accounts.map(({ balance, held, joined }) => ({ balance, held, joins: joined.size })))
  }
}

const who = fc.nat({ max: MEMBERS - 1 })
const policy = fc.constantFrom(POLICY_A, policyB(2), policyB(3))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('topup' as const),
      who,
      amount: fc.bigInt(100n, 600n),
      twist: fc.constantFrom('plain', 'plain', 'twice', 'other amount', 'second payment'),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('join' as const), who: fc.array(who, { minLength: 1, maxLength: 8 }), keyed: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('auto' as const), size: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hold' as const), who, amount: fc.bigInt(1n, 500n) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reject' as const), which: fc.nat({ max: 20 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('flag' as const),
      who,
      flag: fc.constantFrom('mayMove', 'autoJoin', 'autoJoin'),
      on: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'close early' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('midnight' as const), policy }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), pick: fc.nat({ max: 50 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'void' as const }) },
)

let database: TestDatabase
/** Each history has days and members of its own, one year after another. */
let year = 2100
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('any history gives the answers and balances of the model, and the audit finds nothing', async () => {
  await fc.assert(
    fc.asyncProperty(policy, fc.array(step, { minLength: 5, maxLength: 60 }), async (first, steps) => {
      const ids: bigint[] = []
      for (let n = 0; n < MEMBERS; n++) ids.push(await newMember(database.db))
      year++
      const world = new World(database, ids, `${year}-02-26` as IstDay)
      await world.begin(first)
      try {
        for (const each of steps) {
          await world.run(each)
          await world.compare()
        }
        expect(await runAudit(database.db)).toEqual([])
      } finally {
        // The next history's auto-join must not find these members.
        for (const memberId of ids) await inTransaction(database.db, (tx) => setAutoJoin(tx, memberId, false))
      }
    }),
    { numRuns: 40, endOnFailure: false, interruptAfterTimeLimit: 25_000 },
  )
})
