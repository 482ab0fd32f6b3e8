/**
 * Stages for two operations that meet: members, orders, withdrawals, refunds, items and rounds in every
 * state that an operation may find, made anew for each meeting, and a list of the operations. What a
 * stage holds after it is told in names, so that two stages can be compared.
 */
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { makeDay } from '../fixtures.ts'
import { createJoinBatcher } from '../join-batcher.ts'
import { openWallet } from '../wallets.ts'
import { answerOf, type Inside, inside, type Ledger, ledgerLines, type Op, type OpOf, plain, type Since } from './model-ops.ts'

/** Where every stage without rounds of its own has its day. */
const SHARED_DAY = '2040-01-01' as IstDay
const FIRST_YEAR = 2050
const DAYS_PER_STAGE = 5
const STAGES_PER_YEAR = 60
const HOUR_MS = 3_600_000
const FIRST_MEMBER = 5_000_000n

export type Need =
  | 'unpaid order'
  | 'waiting payment'
  | 'item'
  | 'item refund'
  | 'taken dispute'
  | 'open round'
  | 'own day'
  | 'closed round'
  | 'drawn round'
  | 'filled fund'
  | 'emptied wallet'
  | 'returned to who left'
  | `${'requested' | 'approved' | 'sending' | 'paid' | 'rejected'} ${'withdrawal' | 'refund'}`

/** Far from the turn of a year, on which the counts of a year would differ. */
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
    return (['own day', 'closed round', 'drawn round', 'filled fund'] as const).some((need) => this.needs.has(need))
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

  /** A UUID by its name: the same name is the same thing on every stage. */
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
  get goneDispute(): string {
    return `${this.dispute}gone`
  }
  /** What waits for who left. */
  get goneItem(): string {
    return `chargeback_back:${this.goneDispute}`
  }
  get members(): readonly bigint[] {
    return this.needs.has('returned to who left') ? [this.member, this.other, this.gone] : [this.member, this.other]
  }

  /** Without what differs between two stages of the same kind. */
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

/** In the order in which they are made; each a path of operations in one transaction. */
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
    'returned to who left',
    (stage) => [
      ...paidOrder(stage, 'gone', stage.gone, 500n),
      told(stage, 'gone', 500n, true, stage.goneDispute),
      { do: 'close wallet', memberId: stage.gone },
      told(stage, 'gone', 500n, false, stage.goneDispute),
    ],
  ],
  ...(['requested', 'approved', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} withdrawal`, (stage: Stage) => withdrawalPath(stage, state)] as const,
  ),
  ...(['requested', 'approved', 'sending', 'paid', 'rejected'] as const).map(
    (state) => [`${state} refund`, (stage: Stage) => refundPath(stage, state)] as const,
  ),
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
  await ledger.setClock(stage.at(stage.today))
  if (stage.needs.has('filled fund')) await emptyFund(ledger, stage)
  const before = await one<{ transfer: bigint; item: bigint }>(
    db,
    sql`select coalesce((select max(transfer_id) from transfer), 0)::bigint as transfer, coalesce((select max(id) from suspense_item), 0)::bigint as item`,
  )
  stage.since = { ...before, day: stage.hasOwnDays ? stage.settledDay : ('9998-01-01' as IstDay), disputes: stage.dispute }
  await inTransaction(db, async (tx) => {
    await openWallet(tx, stage.member, { mayMove: true, autoJoin: true })
    await openWallet(tx, stage.other, { mayMove: true })
    if (stage.needs.has('returned to who left')) await openWallet(tx, stage.gone, { mayMove: true })
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
  stage.balance = (await one<{ balance: bigint }>(db, sql`select balance from wallet where member_id = ${stage.member}::bigint`)).balance
  return stage
}

/** What other stages left in the help fund is none of this one's. */
async function emptyFund(ledger: Ledger, stage: Stage): Promise<void> {
  const { fund } = await one<{ fund: bigint }>(
    ledger.db,
    sql`select coalesce(sum(amount), 0)::bigint as fund from leg where account = (select id from account where name = 'HELP_FUND')`,
  )
  if (fund > 0n) await answerOf(ledger, { do: 'disburse', id: `before ${stage.number}`, amount: fund, evidence: `before ${stage.number}` })
}

async function setRounds(ledger: Ledger, stage: Stage): Promise<void> {
  const play = async (...ops: readonly Op[]): Promise<void> => {
    for (const op of ops) await answerOf(ledger, op)
  }
  const both = [stage.member, stage.other]
  const past = (day: IstDay): readonly Op[] => [
    { do: 'new day', day, at: stage.at(day), policy: POLICY_A },
    { do: 'join', members: both, key: undefined },
    { do: 'close', day, early: true },
  ]
  const drawn = (day: IstDay): Op => ({ do: 'draw', day, winners: [stage.member], taxPercent: 0n })
  if (stage.needs.has('filled fund'))
    await play(...past(stage.settledDay), drawn(stage.settledDay), { do: 'settle', day: stage.settledDay })
  if (stage.needs.has('drawn round')) await play(...past(stage.drawnDay), drawn(stage.drawnDay))
  if (stage.needs.has('closed round')) await play(...past(stage.closedDay))
  await makeDay(ledger.db, addDays(stage.today, 1), POLICY_A)
  await ledger.setClock(stage.at(stage.today))
  await play({ do: 'join', members: [stage.other], key: undefined })
}

/** Nobody of this stage joins by himself in the next one. */
export const clearStage = (db: Db, { member }: Stage): Promise<unknown> =>
  db.query(sql`update wallet set auto_join = false where member_id = ${member}::bigint`)

/** Everything that came of it, in names. */
export async function linesOf(db: Db, stage: Stage): Promise<string[]> {
  const lines = await ledgerLines(db, { members: stage.members, since: stage.since })
  return lines.map((line) => stage.named(line)).sort()
}
export const answerIn = (stage: Stage, answer: unknown): string =>
  stage.named(JSON.stringify({ answer }, (_name, value: unknown) => plain(value)))

export type Operation = { readonly name: string; readonly needs: readonly Need[]; readonly ops: (stage: Stage) => readonly Op[] }
const operation = (name: string, needs: readonly Need[], op: (stage: Stage) => Op): Operation => ({
  name,
  needs,
  ops: (stage) => [op(stage)],
})

const ofWithdrawal = (state: 'requested' | 'approved' | 'sending' | 'paid' | 'rejected', name: string, op: (id: string) => Op): Operation =>
  operation(`${name} a ${state} withdrawal`, [`${state} withdrawal`], (stage) => op(stage.id(`w${state}`)))
const ofRefund = (state: 'requested' | 'approved' | 'sending' | 'paid' | 'rejected', name: string, op: (id: string) => Op): Operation =>
  operation(`${name} a ${state} refund`, [`${state} refund`], (stage) => op(stage.id(`r${state}`)))
const told = (stage: Stage, of: string, amount: bigint, isTaken: boolean, disputeId = stage.dispute): OpOf<'dispute'> => ({
  do: 'dispute',
  disputeId,
  orderId: stage.orderId(of),
  paymentId: stage.payment(of),
  amount,
  isTaken,
})

/** Everything that moves money or decides about it. Amounts leave too little for two. */
export const OPERATIONS: readonly Operation[] = [
  operation('pay an order', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 300n,
  })),
  operation('pay it a second time', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: 'second'.concat(s.payment('unpaid')),
    amount: 300n,
  })),
  operation('pay it another amount', ['unpaid order'], (s) => ({
    do: 'capture',
    orderId: s.orderId('unpaid'),
    paymentId: s.payment('unpaid'),
    amount: 307n,
  })),
  operation('pay what waits in suspense', ['waiting payment'], (s) => ({
    do: 'capture',
    orderId: s.orderId('waits'),
    paymentId: s.payment('waits'),
    amount: 300n,
  })),
  operation('an order fails', ['unpaid order'], (s) => ({ do: 'mark', orderId: s.orderId('unpaid'), status: 'failed' })),
  operation('join', ['open round'], (s) => ({ do: 'join', members: [s.member], key: 'k' })),
  operation('join two', ['open round', 'own day'], (s) => ({ do: 'join', members: [s.other, s.member], key: undefined })),
  operation('join after a top-up', ['open round'], (s) => ({ do: 'join after top-up', memberId: s.member })),
  operation('auto-join', ['own day'], (s) => ({ do: 'auto-join all', day: s.today, size: 5 })),
  operation('hold', [], (s) => ({
    do: 'hold',
    id: s.id('hold'),
    memberId: s.member,
    amount: s.balance > 50n ? s.balance - 50n : 50n,
    bankAccountId: 1n,
  })),
  operation('hold another', [], (s) => ({ do: 'hold', id: s.id('hold2'), memberId: s.member, amount: 500n, bankAccountId: 1n })),
  ofWithdrawal('requested', 'approve', (id) => ({ do: 'approve withdrawal', id })),
  ofWithdrawal('requested', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('approved', 'send', (id) => ({ do: 'send withdrawal', id, again: false })),
  ofWithdrawal('approved', 'pay by hand', (id) => ({ do: 'complete withdrawal', id })),
  ofWithdrawal('approved', 'reject', (id) => ({ do: 'reject withdrawal', id })),
  ofWithdrawal('sending', 'stop', (id) => ({ do: 'stop withdrawal', id })),
  ofWithdrawal('sending', 'hear paid of', (id) => ({ do: 'payout word', id, word: 'paid' })),
  ofWithdrawal('sending', 'hear failed of', (id) => ({ do: 'payout word', id, word: 'failed' })),
  ofWithdrawal('paid', 'hear reversed of', (id) => ({ do: 'payout word', id, word: 'reversed' })),
  ofWithdrawal('rejected', 'hear paid of', (id) => ({ do: 'payout word', id, word: 'paid' })),
  operation('ask a refund', [], (s) => ({
    do: 'ask refund',
    id: s.id('refund'),
    orderId: s.orderId('paid'),
    memberId: s.member,
    amount: 1300n,
  })),
  ofRefund('requested', 'approve', (id) => ({ do: 'approve refund', id })),
  ofRefund('requested', 'reject', (id) => ({ do: 'reject refund', id })),
  ofRefund('approved', 'send', (id) => ({ do: 'send refund', id, again: false })),
  ofRefund('approved', 'reject', (id) => ({ do: 'reject refund', id })),
  ofRefund('sending', 'stop', (id) => ({ do: 'stop refund', id })),
  ofRefund('sending', 'hear paid of', (id) => ({ do: 'refund word', id, word: 'paid' })),
  ofRefund('sending', 'hear failed of', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('paid', 'hear failed of', (id) => ({ do: 'refund word', id, word: 'failed' })),
  ofRefund('rejected', 'hear paid of', (id) => ({ do: 'refund word', id, word: 'paid' })),
  operation('credit an item', ['item'], (s) => ({ do: 'credit item', paymentId: s.payment('item'), memberId: s.member })),
  operation('credit what waits in suspense', ['waiting payment'], (s) => ({
    do: 'credit item',
    paymentId: s.payment('waits'),
    memberId: s.member,
  })),
  operation('refund an item', ['item'], (s) => ({ do: 'refund item', paymentId: s.payment('item'), id: s.id('refitm') })),
  operation('hear failed of an item refund', ['item refund'], (s) => ({ do: 'refund word', id: s.id('itemrf'), word: 'failed' })),
  operation('give the rest', [], (s) => ({ do: 'give rest', memberId: s.member, id: s.id('gift') })),
  operation('close an account', ['emptied wallet'], (s) => ({ do: 'close wallet', memberId: s.member })),
  operation('pay by hand what came back', ['returned to who left'], (s) => ({ do: 'pay item', paymentId: s.goneItem })),
  operation('credit what came back', ['returned to who left'], (s) => ({ do: 'credit item', paymentId: s.goneItem, memberId: s.member })),
  operation('refund what came back', ['returned to who left'], (s) => ({ do: 'refund item', paymentId: s.goneItem, id: s.id('refgon') })),
  operation('a dispute takes again what came back', ['returned to who left'], (s) => told(s, 'gone', 500n, true, s.goneDispute)),
  operation('a dispute takes', [], (s) => told(s, 'paid', 2000n, true)),
  operation('a dispute returns', ['taken dispute'], (s) => told(s, 'fund', 400n, false)),
  operation('disburse', ['filled fund'], (s) => ({ do: 'disburse', id: s.id('need'), amount: 100n, evidence: s.id('need') })),
  operation('disburse another', ['filled fund'], (s) => ({ do: 'disburse', id: s.id('need2'), amount: 70n, evidence: s.id('need2') })),
  operation('a member is stopped', [], (s) => ({ do: 'flag', memberId: s.member, flag: 'mayMove', on: false })),
  operation('close early', ['own day'], (s) => ({ do: 'close', day: s.today, early: true })),
  operation('draw', ['closed round'], (s) => ({ do: 'draw', day: s.closedDay, winners: [s.member], taxPercent: 0n })),
  operation('give a round back', ['closed round'], (s) => ({ do: 'void', day: s.closedDay })),
  operation('settle', ['drawn round'], (s) => ({ do: 'settle', day: s.drawnDay })),
  {
    name: 'midnight, and the day is sealed',
    needs: ['own day'],
    ops: (s) => [
      { do: 'new day', day: addDays(s.today, 1), at: new Date(startOfDayMs(addDays(s.today, 1)) + 60_000), policy: POLICY_A },
      { do: 'close', day: s.today, early: false },
      { do: 'seal', day: s.today },
    ],
  },
]

/** One after the other; the first that throws ends it. */
export async function play(ledger: Omit<Ledger, 'batcher'>, stage: Stage, { ops }: Operation): Promise<unknown> {
  const batcher = createJoinBatcher({ db: ledger.db })
  const answers: unknown[] = []
  for (const op of ops(stage)) answers.push(await answerOf({ ...ledger, batcher }, op))
  return answers
}
