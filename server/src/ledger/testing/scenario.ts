/**
 * Scenarios for two operations that meet: members, orders, withdrawals, refunds, items and rounds in every state that an operation may find.
 * - Each meeting gets a new scenario.
 * - The rows of a scenario are printed with names in place of ids, so that two scenarios can be compared.
 */
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { ACCOUNTS } from '../accounts.ts'
import { giveAccounts, makeDay } from './fixtures.ts'
import { readPayable } from '../house-entries.ts'
import { createJoinBatcher } from '../join-batcher.ts'
import { openWallet } from '../wallets.ts'
import { answerOf, type Inside, inside, type Ledger, ledgerLines, type Op, type OpOf, plain, type Since } from './model-ops.ts'

/** The day of every scenario without rounds of its own. */
const SHARED_DAY = '2040-01-01' as IstDay
const FIRST_YEAR = 2050
const DAYS_PER_SCENARIO = 5
const SCENARIOS_PER_YEAR = 60
const HOUR_MS = 3_600_000
const FIRST_MEMBER = 5_000_000n
/** Of two joined, the platform has 20 paise, of which 8 pay the loss first, and 18 of the prize of 60 are tax. */
const HOUSE_LOSS = 8n
const HOUSE_TAX_PERCENT = 30n

export type Need =
  | 'unpaid order'
  | 'waiting payment'
  | 'item'
  | 'item refund'
  | 'taken dispute'
  | 'debt'
  | 'suspension'
  | 'open round'
  | 'own day'
  | 'closed round'
  | 'drawn round'
  | 'filled fund'
  | 'filled house'
  | 'disbursed'
  | 'emptied wallet'
  | 'chargeback returned after leaving'
  | 'shown withdrawal'
  | `${'requested' | 'approved' | 'sending' | 'paid' | 'rejected'} ${'withdrawal' | 'refund'}`

/** Far from New Year, where the yearly counts of two scenarios would differ. */
const ownDay = (number: number): IstDay =>
  addDays(`${FIRST_YEAR + Math.floor(number / SCENARIOS_PER_YEAR)}-01-10` as IstDay, (number % SCENARIOS_PER_YEAR) * DAYS_PER_SCENARIO)

export class Scenario {
  readonly number: number
  readonly member: bigint
  readonly other: bigint
  /** Has left: the wallet is closed. */
  readonly gone: bigint
  readonly today: IstDay
  readonly needs: ReadonlySet<Need>
  since: Since = { day: SHARED_DAY, transfer: 0n, item: 0n, disputes: '' }
  balance = 0n

  constructor(number: number, needs: readonly Need[]) {
    this.number = number
    this.needs = new Set(needs)
    this.member = FIRST_MEMBER + BigInt(number) * 3n
    this.other = this.member + 1n
    this.gone = this.member + 2n
    this.today = this.hasOwnDays ? ownDay(number) : SHARED_DAY
  }

  get hasOwnDays(): boolean {
    return (['own day', 'closed round', 'drawn round', 'filled fund', 'filled house'] as const).some((need) => this.needs.has(need))
  }
  get closedDay(): IstDay {
    return addDays(this.today, -1)
  }
  get settledDay(): IstDay {
    return addDays(this.today, -3)
  }
  get drawnDay(): IstDay {
    return addDays(this.today, -2)
  }
  at(day: IstDay): Date {
    return new Date(startOfDayMs(day) + 12 * HOUR_MS)
  }

  /** A UUID for a name: the same name means the same thing on every scenario. */
  id(name: string): string {
    return `${this.number.toString(16).padStart(8, '0')}-0000-4000-8000-${Buffer.from(name.padEnd(6, '.').slice(-6)).toString('hex')}`
  }
  orderId(name: string): string {
    return this.id(name).replaceAll('-', '')
  }
  payment(name: string): string {
    return `pay-${this.orderId(name)}`
  }
  get dispute(): string {
    return `dp${this.number}-`
  }
  /** The dispute that took more than the wallet had. */
  get debtDispute(): string {
    return `${this.dispute}debt`
  }
  get goneDispute(): string {
    return `${this.dispute}gone`
  }
  /** The suspense item of the member who left. */
  get goneItem(): string {
    return `chargeback_back:${this.goneDispute}`
  }
  get members(): readonly bigint[] {
    return this.needs.has('chargeback returned after leaving') ? [this.member, this.other, this.gone] : [this.member, this.other]
  }

  /** Replaces the ids and days that differ between two scenarios of the same kind. */
  named(text: string): string {
    const scenario = this.number.toString(16).padStart(8, '0')
    let told = text
      .replaceAll(`${scenario}-0000`, 'S-0000')
      .replaceAll(`${scenario}0000`, 'S0000')
      .replaceAll(this.dispute, 'dp-')
      .replaceAll(this.member.toString(), 'MEMBER')
      .replaceAll(this.other.toString(), 'OTHER')
      .replaceAll(this.gone.toString(), 'GONE')
    for (let days = -3; days <= 2; days++) {
      const day = addDays(this.today, days)
      told = told.replaceAll(day, `day${days}`).replaceAll(day.replaceAll('-', ''), `pool${days}`)
    }
    return told.replaceAll(`year ${this.today.slice(0, 4)}`, 'year Y')
  }
}

/** In the order of their making; each is a path of operations in one transaction. */
const SUBJECTS: readonly (readonly [Need, (scenario: Scenario) => readonly Inside[]])[] = [
  ['unpaid order', (scenario) => [{ do: 'order', orderId: scenario.orderId('unpaid'), memberId: scenario.member, amount: 300n }]],
  [
    'waiting payment',
    (scenario) => [
      { do: 'order', orderId: scenario.orderId('waits'), memberId: scenario.member, amount: 300n },
      { do: 'capture', orderId: scenario.orderId('waits'), paymentId: scenario.payment('waits'), amount: 307n },
    ],
  ],
  ['item', (scenario) => [{ do: 'capture', orderId: scenario.orderId('item'), paymentId: scenario.payment('item'), amount: 200n }]],
  [
    'item refund',
    (scenario) => [
      { do: 'capture', orderId: scenario.orderId('back'), paymentId: scenario.payment('back'), amount: 210n },
      { do: 'refund item', paymentId: scenario.payment('back'), id: scenario.id('itemrf') },
      { do: 'send refund', id: scenario.id('itemrf'), again: false },
    ],
  ],
  [
    'taken dispute',
    (scenario) => [
      {
        do: 'dispute',
        disputeId: scenario.dispute,
        orderId: scenario.orderId('fund'),
        paymentId: scenario.payment('fund'),
        amount: 400n,
        isTaken: true,
      },
    ],
  ],
  [
    'chargeback returned after leaving',
    (scenario) => [
      ...paidOrder(scenario, 'gone', scenario.gone, 500n),
      told(scenario, 'gone', 500n, true, scenario.goneDispute),
      { do: 'close wallet', memberId: scenario.gone },
      told(scenario, 'gone', 500n, false, scenario.goneDispute),
    ],
  ],
  ...(['requested', 'approved', 'shown', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} withdrawal`, (scenario: Scenario) => withdrawalPath(scenario, state)] as const,
  ),
  ...(['requested', 'approved', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} refund`, (scenario: Scenario) => refundPath(scenario, state)] as const,
  ),
  [
    'debt',
    (scenario) => [
      { do: 'give rest', memberId: scenario.member, id: scenario.id('before') },
      told(scenario, 'fund', 400n, true, scenario.debtDispute),
      ...paidOrder(scenario, 'after', scenario.member, 300n),
    ],
  ],
]

const withdrawalPath = (scenario: Scenario, state: string): readonly Inside[] => {
  const id = scenario.id(`w${state}`)
  const path: readonly Inside[] = [
    { do: 'hold', id, memberId: scenario.member, amount: 110n, bankAccountId: 1n },
    { do: 'approve withdrawal', id },
    { do: 'send withdrawal', id, again: false },
    { do: 'payout word', id, word: 'paid' },
  ]
  if (state === 'rejected') return [...path.slice(0, 1), { do: 'reject withdrawal', id }]
  if (state === 'shown') return [...path.slice(0, 2), { do: 'show withdrawal', id }]
  return path.slice(0, 1 + ['requested', 'approved', 'sending', 'paid'].indexOf(state))
}
const refundPath = (scenario: Scenario, state: string): readonly Inside[] => {
  const id = scenario.id(`r${state}`)
  const path: readonly Inside[] = [
    { do: 'ask refund', id, orderId: scenario.orderId('paid'), memberId: scenario.member, amount: 90n },
    { do: 'approve refund', id },
    { do: 'send refund', id, again: false },
    { do: 'refund word', id, word: 'paid' },
  ]
  if (state === 'rejected') return [...path.slice(0, 1), { do: 'reject refund', id }]
  return path.slice(0, 1 + ['requested', 'approved', 'sending', 'paid'].indexOf(state))
}

const paidOrder = (scenario: Scenario, name: string, memberId: bigint, amount: bigint): readonly Inside[] => [
  { do: 'order', orderId: scenario.orderId(name), memberId, amount },
  { do: 'capture', orderId: scenario.orderId(name), paymentId: scenario.payment(name), amount },
]

export async function setScenario(ledger: Ledger, number: number, needs: readonly Need[]): Promise<Scenario> {
  const scenario = new Scenario(number, needs)
  const { db } = ledger
  await makeDay(db, scenario.today, POLICY_A)
  // An outlay is never dated before the last one, so outlays that clear other scenarios' remains come before the scenario's own.
  await ledger.setClock(scenario.at(scenario.settledDay))
  if (scenario.needs.has('filled house')) await levelHouse(ledger, scenario)
  if (scenario.needs.has('filled fund')) await emptyFund(ledger, scenario)
  await ledger.setClock(scenario.at(scenario.today))
  const before = await db.one<{ transfer: bigint; item: bigint }>(
    sql`select coalesce((select max(transfer_id) from transfer), 0)::bigint as transfer, coalesce((select max(id) from suspense_item), 0)::bigint as item`,
  )
  scenario.since = { ...before, day: scenario.hasOwnDays ? scenario.settledDay : ('9998-01-01' as IstDay), disputes: scenario.dispute }
  await inTransaction(db, async (tx) => {
    await openWallet(tx, scenario.member, { mayMove: true, autoJoin: true })
    await openWallet(tx, scenario.other, { mayMove: true })
    await giveAccounts(tx, [scenario.member])
    if (scenario.needs.has('chargeback returned after leaving')) await openWallet(tx, scenario.gone, { mayMove: true })
    const ops = [
      ...paidOrder(scenario, 'other', scenario.other, 1000n),
      ...paidOrder(scenario, 'fund', scenario.member, 1000n),
      ...paidOrder(scenario, 'paid', scenario.member, 2000n),
      ...SUBJECTS.flatMap(([need, path]) => (scenario.needs.has(need) ? path(scenario) : [])),
    ]
    for (const op of ops) await inside(tx, op)
  })
  if (scenario.hasOwnDays) await setRounds(ledger, scenario)
  if (scenario.needs.has('emptied wallet')) await answerOf(ledger, { do: 'give rest', memberId: scenario.member, id: scenario.id('empty') })
  // The last: a suspended member joins no round and gives nothing.
  if (scenario.needs.has('suspension')) await answerOf(ledger, { do: 'suspend', memberId: scenario.member })
  scenario.balance = (
    await db.one<{ balance: bigint }>(sql`select balance from wallet where member_id = ${scenario.member}::bigint`)
  ).balance
  return scenario
}

/** Empties the help fund of the money that other scenarios left in it. */
async function emptyFund(ledger: Ledger, scenario: Scenario): Promise<void> {
  const { fund } = await ledger.db.one<{ fund: bigint }>(
    sql`select coalesce(sum(amount), 0)::bigint as fund from leg where account = (select id from account where name = 'HELP_FUND')`,
  )
  if (fund > 0n)
    await answerOf(ledger, { do: 'disburse', id: `before ${scenario.number}`, amount: fund, receipts: [`before ${scenario.number}`] })
}

/**
 * Brings the house's accounts to the same amounts whatever other scenarios left: no platform's share, no tax, and 8 paise lost.
 * - Every loss of another scenario comes back. What was covered of it stays in LOSSES, and is lost again here.
 */
async function levelHouse(ledger: Ledger, scenario: Scenario): Promise<void> {
  const { db } = ledger
  const taken = await db.query<Omit<OpOf<'dispute'>, 'do' | 'isTaken'>>(
    sql`select id as "disputeId", order_id as "orderId", payment_id as "paymentId", amount from dispute where is_taken`,
  )
  for (const dispute of taken) await answerOf(ledger, { do: 'dispute', ...dispute, isTaken: false })
  const conflicts = await db.query<{ kind: 'wd_conflict' | 'refund_conflict'; id: string }>(sql`
    select kind, subject_of(ref) as id from transfer t where kind in ('wd_conflict', 'refund_conflict')
       and not exists (select from transfer b where b.kind = t.kind || '_back' and b.ref = t.ref)`)
  for (const { kind, id } of conflicts)
    await answerOf(ledger, { do: kind === 'wd_conflict' ? 'payout word' : 'refund word', id, word: 'failed' })
  const payable = await inTransaction(db, (tx) => readPayable(tx, scenario.settledDay))
  for (const kind of ['platform_out', 'tds_remitted'] as const) {
    const id = `before ${scenario.number} ${kind}`
    if (payable[kind] > 0n) await answerOf(ledger, { do: 'house', kind, id, amount: payable[kind], receipts: [id] })
  }
  const { surplus } = await db.one<{ surplus: bigint }>(
    sql`select house_balance(${ACCOUNTS.LOSSES}::bigint, ${scenario.settledDay}::date) as surplus`,
  )
  const lost = { orderId: scenario.orderId('lost'), paymentId: scenario.payment('lost'), amount: surplus + HOUSE_LOSS }
  await answerOf(ledger, { do: 'capture', ...lost })
  // Money that is being refunded cannot be taken from its item.
  await answerOf(ledger, { do: 'refund item', paymentId: lost.paymentId, id: scenario.id('lostrf') })
  await answerOf(ledger, { do: 'dispute', disputeId: `lost ${scenario.number}`, ...lost, isTaken: true })
  const level = await inTransaction(db, (tx) => readPayable(tx, scenario.settledDay))
  if (level.platform_out !== -HOUSE_LOSS || level.tds_remitted !== 0n)
    throw new Error(`scenario ${scenario.number}: the house is not level: ${level.platform_out}, ${level.tds_remitted}`)
}

async function setRounds(ledger: Ledger, scenario: Scenario): Promise<void> {
  const play = async (...ops: readonly Op[]): Promise<void> => {
    for (const op of ops) {
      const answer = await answerOf(ledger, op)
      if (op.do === 'join' && !(answer as readonly string[]).every((joined) => joined.startsWith('joined')))
        throw new Error(`scenario ${scenario.number}, ${scenario.today}: a join of its own was refused: ${String(answer)}`)
    }
  }
  const both = [scenario.member, scenario.other]
  const past = (day: IstDay): readonly Op[] => [
    { do: 'new day', day, at: scenario.at(day), policy: POLICY_A },
    { do: 'join', members: both, key: undefined },
    { do: 'close', day, early: true },
  ]
  const drawn = (day: IstDay, taxPercent = 0n): Op => ({ do: 'draw', day, winners: [scenario.member], taxPercent })
  if (scenario.needs.has('filled fund') || scenario.needs.has('filled house'))
    await play(...past(scenario.settledDay), drawn(scenario.settledDay, scenario.needs.has('filled house') ? HOUSE_TAX_PERCENT : 0n), {
      do: 'settle',
      day: scenario.settledDay,
    })
  if (scenario.needs.has('disbursed'))
    await play({ do: 'disburse', id: scenario.id('given'), amount: 80n, receipts: [scenario.id('given')] })
  if (scenario.needs.has('drawn round')) await play(...past(scenario.drawnDay), drawn(scenario.drawnDay))
  if (scenario.needs.has('closed round')) await play(...past(scenario.closedDay))
  await makeDay(ledger.db, addDays(scenario.today, 1), POLICY_A)
  await ledger.setClock(scenario.at(scenario.today))
  await play({ do: 'join', members: [scenario.other], key: undefined })
}

/** Turns Auto Participate off, so that the next scenario does not join this member. */
export const clearScenario = (db: Db, { member }: Scenario): Promise<unknown> =>
  db.query(sql`update wallet set auto_join = false where member_id = ${member}::bigint`)

/** The resulting rows, with names in place of ids. */
export async function linesOf(db: Db, scenario: Scenario): Promise<string[]> {
  const lines = await ledgerLines(db, { members: scenario.members, since: scenario.since })
  return lines.map((line) => scenario.named(line)).sort()
}
export const answerIn = (scenario: Scenario, answer: unknown): string =>
  scenario.named(JSON.stringify({ answer }, (_name, value: unknown) => plain(value)))

export type Operation = { readonly name: string; readonly needs: readonly Need[]; readonly ops: (scenario: Scenario) => readonly Op[] }
export const told = (scenario: Scenario, of: string, amount: bigint, isTaken: boolean, disputeId = scenario.dispute): OpOf<'dispute'> => ({
  do: 'dispute',
  disputeId,
  orderId: scenario.orderId(of),
  paymentId: scenario.payment(of),
  amount,
  isTaken,
})

/** Runs the operations one after the other; the first that throws ends the run. */
export async function play(ledger: Omit<Ledger, 'batcher'>, scenario: Scenario, { ops }: Operation): Promise<unknown> {
  const batcher = createJoinBatcher({ db: ledger.db })
  const answers: unknown[] = []
  for (const op of ops(scenario)) answers.push(await answerOf({ ...ledger, batcher }, op))
  return answers
}
