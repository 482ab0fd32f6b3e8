/**
 * Stages for two operations that meet: members, orders, withdrawals, refunds, items and rounds in every state that an operation may find.
 * - Each meeting gets a new stage.
 * - The rows of a stage are printed with names in place of ids, so that two stages can be compared.
 */
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { ACCOUNTS } from '../accounts.ts'
import { giveAccounts, makeDay } from './fixtures.ts'
import { readPayable } from '../house-entries.ts'
import { createJoinBatcher } from '../join-batcher.ts'
import { openWallet } from '../wallets.ts'
import { answerOf, type Inside, inside, type Ledger, ledgerLines, type Op, type OpOf, plain, type Since } from './model-ops.ts'

/** The day of every stage without rounds of its own. */
const SHARED_DAY = '2040-01-01' as IstDay
const FIRST_YEAR = 2050
const DAYS_PER_STAGE = 5
const STAGES_PER_YEAR = 60
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

/** Far from New Year, where the yearly counts of two stages would differ. */
const ownDay = (number: number): IstDay =>
  addDays(`${FIRST_YEAR + Math.floor(number / STAGES_PER_YEAR)}-01-10` as IstDay, (number % STAGES_PER_YEAR) * DAYS_PER_STAGE)

export class Stage {
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

  /** A UUID for a name: the same name means the same thing on every stage. */
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

  /** Replaces the ids and days that differ between two stages of the same kind. */
  named(text: string): string {
    const stage = this.number.toString(16).padStart(8, '0')
    let told = text
      .replaceAll(`${stage}-0000`, 'S-0000')
      .replaceAll(`${stage}0000`, 'S0000')
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
const SUBJECTS: readonly (readonly [Need, (stage: Stage) => readonly Inside[]])[] = [
  ['unpaid order', (stage) => [{ do: 'order', orderId: stage.orderId('unpaid'), memberId: stage.member, amount: 300n }]],
  [
    'waiting payment',
    (stage) => [
      { do: 'order', orderId: stage.orderId('waits'), memberId: stage.member, amount: 300n },
      { do: 'capture', orderId: stage.orderId('waits'), paymentId: stage.payment('waits'), amount: 307n },
    ],
  ],
  ['item', (stage) => [{ do: 'capture', orderId: stage.orderId('item'), paymentId: stage.payment('item'), amount: 200n }]],
  [
    'item refund',
    (stage) => [
      { do: 'capture', orderId: stage.orderId('back'), paymentId: stage.payment('back'), amount: 210n },
      { do: 'refund item', paymentId: stage.payment('back'), id: stage.id('itemrf') },
      { do: 'send refund', id: stage.id('itemrf'), again: false },
    ],
  ],
  [
    'taken dispute',
    (stage) => [
      {
        do: 'dispute',
        disputeId: stage.dispute,
        orderId: stage.orderId('fund'),
        paymentId: stage.payment('fund'),
        amount: 400n,
        isTaken: true,
      },
    ],
  ],
  [
    'chargeback returned after leaving',
    (stage) => [
      ...paidOrder(stage, 'gone', stage.gone, 500n),
      told(stage, 'gone', 500n, true, stage.goneDispute),
      { do: 'close wallet', memberId: stage.gone },
      told(stage, 'gone', 500n, false, stage.goneDispute),
    ],
  ],
  ...(['requested', 'approved', 'shown', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} withdrawal`, (stage: Stage) => withdrawalPath(stage, state)] as const,
  ),
  ...(['requested', 'approved', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} refund`, (stage: Stage) => refundPath(stage, state)] as const,
  ),
  [
    'debt',
    (stage) => [
      { do: 'give rest', memberId: stage.member, id: stage.id('before') },
      told(stage, 'fund', 400n, true, stage.debtDispute),
      ...paidOrder(stage, 'after', stage.member, 300n),
    ],
  ],
]

const withdrawalPath = (stage: Stage, state: string): readonly Inside[] => {
  const id = stage.id(`w${state}`)
  const path: readonly Inside[] = [
    { do: 'hold', id, memberId: stage.member, amount: 110n, bankAccountId: 1n },
    { do: 'approve withdrawal', id },
    { do: 'send withdrawal', id, again: false },
    { do: 'payout word', id, word: 'paid' },
  ]
  if (state === 'rejected') return [...path.slice(0, 1), { do: 'reject withdrawal', id }]
  if (state === 'shown') return [...path.slice(0, 2), { do: 'show withdrawal', id }]
  return path.slice(0, 1 + ['requested', 'approved', 'sending', 'paid'].indexOf(state))
}
const refundPath = (stage: Stage, state: string): readonly Inside[] => {
  const id = stage.id(`r${state}`)
  const path: readonly Inside[] = [
    { do: 'ask refund', id, orderId: stage.orderId('paid'), memberId: stage.member, amount: 90n },
    { do: 'approve refund', id },
    { do: 'send refund', id, again: false },
    { do: 'refund word', id, word: 'paid' },
  ]
  if (state === 'rejected') return [...path.slice(0, 1), { do: 'reject refund', id }]
  return path.slice(0, 1 + ['requested', 'approved', 'sending', 'paid'].indexOf(state))
}

const paidOrder = (stage: Stage, name: string, memberId: bigint, amount: bigint): readonly Inside[] => [
  { do: 'order', orderId: stage.orderId(name), memberId, amount },
  { do: 'capture', orderId: stage.orderId(name), paymentId: stage.payment(name), amount },
]

export async function setStage(ledger: Ledger, number: number, needs: readonly Need[]): Promise<Stage> {
  const stage = new Stage(number, needs)
  const { db } = ledger
  await makeDay(db, stage.today, POLICY_A)
  // An outlay is never dated before the last one: those that clear away what other stages left come before the stage's own.
  await ledger.setClock(stage.at(stage.settledDay))
  if (stage.needs.has('filled house')) await levelHouse(ledger, stage)
  if (stage.needs.has('filled fund')) await emptyFund(ledger, stage)
  await ledger.setClock(stage.at(stage.today))
  const before = await one<{ transfer: bigint; item: bigint }>(
    db,
    sql`select coalesce((select max(transfer_id) from transfer), 0)::bigint as transfer, coalesce((select max(id) from suspense_item), 0)::bigint as item`,
  )
  stage.since = { ...before, day: stage.hasOwnDays ? stage.settledDay : ('9998-01-01' as IstDay), disputes: stage.dispute }
  await inTransaction(db, async (tx) => {
    await openWallet(tx, stage.member, { mayMove: true, autoJoin: true })
    await openWallet(tx, stage.other, { mayMove: true })
    await giveAccounts(tx, [stage.member])
    if (stage.needs.has('chargeback returned after leaving')) await openWallet(tx, stage.gone, { mayMove: true })
    const ops = [
      ...paidOrder(stage, 'other', stage.other, 1000n),
      ...paidOrder(stage, 'fund', stage.member, 1000n),
      ...paidOrder(stage, 'paid', stage.member, 2000n),
      ...SUBJECTS.flatMap(([need, path]) => (stage.needs.has(need) ? path(stage) : [])),
    ]
    for (const op of ops) await inside(tx, op)
  })
  if (stage.hasOwnDays) await setRounds(ledger, stage)
  if (stage.needs.has('emptied wallet')) await answerOf(ledger, { do: 'give rest', memberId: stage.member, id: stage.id('empty') })
  // The last: a suspended member joins no round and gives nothing.
  if (stage.needs.has('suspension')) await answerOf(ledger, { do: 'suspend', memberId: stage.member })
  stage.balance = (await one<{ balance: bigint }>(db, sql`select balance from wallet where member_id = ${stage.member}::bigint`)).balance
  return stage
}

/** Empties the help fund of the money that other stages left in it. */
async function emptyFund(ledger: Ledger, stage: Stage): Promise<void> {
  const { fund } = await one<{ fund: bigint }>(
    ledger.db,
    sql`select coalesce(sum(amount), 0)::bigint as fund from leg where account = (select id from account where name = 'HELP_FUND')`,
  )
  if (fund > 0n)
    await answerOf(ledger, { do: 'disburse', id: `before ${stage.number}`, amount: fund, receipts: [`before ${stage.number}`] })
}

/**
 * Brings the house's accounts to the same amounts whatever other stages left: no platform's share, no tax, and 8 paise lost.
 * - Every loss of another stage comes back. What was covered of it stays in LOSSES, and is lost again here.
 */
async function levelHouse(ledger: Ledger, stage: Stage): Promise<void> {
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
  const payable = await inTransaction(db, (tx) => readPayable(tx, stage.settledDay))
  for (const kind of ['platform_out', 'tds_remitted'] as const) {
    const id = `before ${stage.number} ${kind}`
    if (payable[kind] > 0n) await answerOf(ledger, { do: 'house', kind, id, amount: payable[kind], receipts: [id] })
  }
  const { surplus } = await one<{ surplus: bigint }>(
    db,
    sql`select house_balance(${ACCOUNTS.LOSSES}::bigint, ${stage.settledDay}::date) as surplus`,
  )
  const lost = { orderId: stage.orderId('lost'), paymentId: stage.payment('lost'), amount: surplus + HOUSE_LOSS }
  await answerOf(ledger, { do: 'capture', ...lost })
  await answerOf(ledger, { do: 'dispute', disputeId: `lost ${stage.number}`, ...lost, isTaken: true })
  const level = await inTransaction(db, (tx) => readPayable(tx, stage.settledDay))
  if (level.platform_out !== -HOUSE_LOSS || level.tds_remitted !== 0n)
    throw new Error(`stage ${stage.number}: the house is not level: ${level.platform_out}, ${level.tds_remitted}`)
}

async function setRounds(ledger: Ledger, stage: Stage): Promise<void> {
  const play = async (...ops: readonly Op[]): Promise<void> => {
    for (const op of ops) {
      const answer = await answerOf(ledger, op)
      if (op.do === 'join' && !(answer as readonly string[]).every((joined) => joined.startsWith('joined')))
        throw new Error(`stage ${stage.number}, ${stage.today}: a join of its own was refused: ${String(answer)}`)
    }
  }
  const both = [stage.member, stage.other]
  const past = (day: IstDay): readonly Op[] => [
    { do: 'new day', day, at: stage.at(day), policy: POLICY_A },
    { do: 'join', members: both, key: undefined },
    { do: 'close', day, early: true },
  ]
  const drawn = (day: IstDay, taxPercent = 0n): Op => ({ do: 'draw', day, winners: [stage.member], taxPercent })
  if (stage.needs.has('filled fund') || stage.needs.has('filled house'))
    await play(...past(stage.settledDay), drawn(stage.settledDay, stage.needs.has('filled house') ? HOUSE_TAX_PERCENT : 0n), {
      do: 'settle',
      day: stage.settledDay,
    })
  if (stage.needs.has('disbursed')) await play({ do: 'disburse', id: stage.id('given'), amount: 80n, receipts: [stage.id('given')] })
  if (stage.needs.has('drawn round')) await play(...past(stage.drawnDay), drawn(stage.drawnDay))
  if (stage.needs.has('closed round')) await play(...past(stage.closedDay))
  await makeDay(ledger.db, addDays(stage.today, 1), POLICY_A)
  await ledger.setClock(stage.at(stage.today))
  await play({ do: 'join', members: [stage.other], key: undefined })
}

/** Turns Auto Participate off, so that the next stage does not join this member. */
export const clearStage = (db: Db, { member }: Stage): Promise<unknown> =>
  db.query(sql`update wallet set auto_join = false where member_id = ${member}::bigint`)

/** The resulting rows, with names in place of ids. */
export async function linesOf(db: Db, stage: Stage): Promise<string[]> {
  const lines = await ledgerLines(db, { members: stage.members, since: stage.since })
  return lines.map((line) => stage.named(line)).sort()
}
export const answerIn = (stage: Stage, answer: unknown): string =>
  stage.named(JSON.stringify({ answer }, (_name, value: unknown) => plain(value)))

export type Operation = { readonly name: string; readonly needs: readonly Need[]; readonly ops: (stage: Stage) => readonly Op[] }
export const told = (stage: Stage, of: string, amount: bigint, isTaken: boolean, disputeId = stage.dispute): OpOf<'dispute'> => ({
  do: 'dispute',
  disputeId,
  orderId: stage.orderId(of),
  paymentId: stage.payment(of),
  amount,
  isTaken,
})

/** Runs the operations one after the other; the first that throws ends the run. */
export async function play(ledger: Omit<Ledger, 'batcher'>, stage: Stage, { ops }: Operation): Promise<unknown> {
  const batcher = createJoinBatcher({ db: ledger.db })
  const answers: unknown[] = []
  for (const op of ops(stage)) answers.push(await answerOf({ ...ledger, batcher }, op))
  return answers
}
