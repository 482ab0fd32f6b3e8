/**
 * The model's books in plain memory: members, orders, rounds, withdrawals, refunds, items and every movement of money.
 * - The model shares no line with the ledger: it states the rules of money once more, in the simplest way.
 */
import { type IstDay, yearOf } from '@roz/core/ist-day.ts'
import type { SplitPolicy } from '@roz/core/split.ts'

export const SYSTEM = {
  GATEWAY: 1n,
  BANK: 2n,
  PAYOUTS_PENDING: 3n,
  REFUNDS_PENDING: 4n,
  SUSPENSE: 5n,
  HELP_FUND: 6n,
  PLATFORM: 7n,
  GATEWAY_FEES: 8n,
  LOSSES: 9n,
  TAX_WITHHELD: 10n,
} as const
export const FEE = 100n

/** A movement in a member's history; `lot` names the lot that the movement fills, if any. */
type Moved = { readonly kind: string; readonly ref: string; readonly amount: bigint; readonly lot?: string }
export type MemberBook = {
  readonly memberId: bigint
  balance: bigint
  held: bigint
  readonly history: Moved[]
  readonly joined: IstDay[]
  key: { readonly text: string; readonly day: IstDay; readonly balance: bigint } | undefined
  mayMove: boolean
  isSuspended: boolean
  autoJoin: boolean
  passesOn: boolean
  isClosed: boolean
}
type OrderBook = {
  readonly orderId: string
  readonly memberId: bigint
  readonly amount: bigint
  status: string
  paymentId: string | undefined
  capturedOn: IstDay | undefined
  chargedBack: boolean
}
export type RoundBook = {
  readonly day: IstDay
  readonly policy: SplitPolicy
  status: string
  readonly entries: bigint[]
  winners: { readonly memberId: bigint; readonly amount: bigint; readonly tax: bigint }[]
  cut: { readonly need: bigint; readonly reward: bigint; readonly platform: bigint; readonly tax: bigint } | undefined
}
/** `kept`: the part that paid no debt. */
type PrizeBook = { readonly memberId: bigint; readonly kept: bigint; readonly paidOn: IstDay; given: bigint | undefined }
export type WithdrawalBook = {
  readonly id: string
  readonly memberId: bigint
  readonly amount: bigint
  readonly bankAccountId: bigint
  readonly balanceAfter: bigint
  status: string
  /** An administrator was shown the bank account, and paid. */
  isShown: boolean
  isPaidByHand?: boolean
  problem: string | undefined
  /** Conflicts booked, and how many of them came back. */
  conflicts: number
  conflictsBack: number
}
export type RefundBook = {
  readonly id: string
  readonly memberId: bigint | undefined
  readonly paymentId: string | undefined
  readonly orderId: string
  readonly amount: bigint
  status: string
  problem: string | undefined
  conflicts: number
  conflictsBack: number
}
export type DisputeBook = {
  readonly id: string
  readonly orderId: string
  readonly paymentId: string
  amount: bigint
  isTaken: boolean
  problem: string | undefined
  turns: number
  /** The parts that the payer's bank has now; `giver` is a member or an account. */
  out: { readonly ref: string; readonly giver: bigint; readonly amount: bigint }[]
}
/** The part of a chargeback that the wallet could not pay; `ref` names the turn of its dispute. */
type DebtBook = {
  readonly ref: string
  readonly memberId: bigint
  readonly amount: bigint
  readonly payments: { readonly ref: string; readonly amount: bigint }[]
  isReturned: boolean
}
export type ItemBook = {
  readonly paymentId: string
  readonly orderId: string
  readonly amount: bigint
  readonly reason: string
  status: string
  /** Credited by an administrator, or by its order's payment. */
  creditedTo?: bigint
  /** The chargeback or the payment of a debt that took it. */
  takenBy?: string | undefined
}

/** A disbursement, its correction or a platform entry; `parts`: the days that gave, or got back. */
export type OutlayBook = {
  readonly kind: string
  readonly id: string
  readonly amount: bigint
  readonly receipts: readonly string[]
  readonly corrects: string | undefined
  readonly parts: readonly { readonly day: IstDay; readonly paise: bigint }[] | undefined
}
/** Left by other histories: the ledger's own accounts, and the open days of the help fund. */
export type Before = {
  readonly accounts: readonly { readonly account: bigint; readonly balance: bigint }[]
  readonly open: readonly { readonly day: IstDay; readonly paise: bigint }[]
}

export class Books {
  readonly members: ReadonlyMap<bigint, MemberBook>
  readonly orders = new Map<string, OrderBook>()
  readonly rounds = new Map<IstDay, RoundBook>()
  readonly withdrawals = new Map<string, WithdrawalBook>()
  readonly refunds = new Map<string, RefundBook>()
  readonly items = new Map<string, ItemBook>()
  readonly disputes = new Map<string, DisputeBook>()
  /** Paid prizes by day and rank. */
  readonly prizes = new Map<string, PrizeBook>()
  /** The oldest first. */
  readonly debts: DebtBook[] = []
  /** By kind and id. */
  readonly outlays = new Map<string, OutlayBook>()
  /** The settlements of the gateway, by id. */
  readonly settlements = new Map<string, { readonly reference: string; readonly fee: bigint }>()
  /** The income of the help fund, by the day whose share it is. */
  readonly cameIn: { readonly day: IstDay; readonly paise: bigint }[] = []
  readonly sealed = new Set<IstDay>()
  /** Each day's cursor of auto-join; `done` if no member follows. */
  readonly auto = new Map<IstDay, { last: bigint; done: boolean }>()
  readonly skipped = new Map<string, string>()
  readonly accounts = new Map<bigint, bigint>()
  readonly transfers: string[] = []
  readonly joins: string[] = []
  day: IstDay

  constructor(members: readonly bigint[], day: IstDay, before: Before) {
    this.day = day
    for (const { account, balance } of before.accounts) this.accounts.set(account, balance)
    this.cameIn.push(...before.open)
    this.members = new Map(
      members.map((memberId) => [
        memberId,
        {
          memberId,
          balance: 0n,
          held: 0n,
          history: [],
          joined: [],
          key: undefined,
          mayMove: true,
          isSuspended: false,
          autoJoin: false,
          passesOn: false,
          isClosed: false,
        },
      ]),
    )
  }

  member(memberId: bigint): MemberBook {
    const found = this.members.get(memberId)
    if (found === undefined) throw new Error(`the model has no member ${memberId}`)
    return found
  }

  /** Books one balanced transfer. `lot`: for money that is spent like a top-up. */
  move(kind: string, ref: string, debit: bigint, credit: bigint, amount: bigint, lot?: string): void {
    this.#add(debit, -amount)
    this.#add(credit, amount)
    if (kind === 'need' || kind === 'gift') this.cameIn.push({ day: kind === 'need' ? (ref as IstDay) : this.day, paise: amount })
    const member = this.members.get(debit) ?? this.members.get(credit)
    if (member === undefined) {
      this.transfers.push(`transfer ${kind} ${ref} ${debit} ${credit} ${amount} ${this.day}`)
      return
    }
    this.#remember(member, { kind, ref, amount: member.memberId === credit ? amount : -amount, ...(lot === undefined ? {} : { lot }) })
    this.transfers.push(`transfer ${kind} ${ref} ${debit} ${credit} ${amount} ${this.day} ${member.history.length} ${member.balance}`)
  }

  /** Books a join, which is not one of the transfers. */
  enter(member: MemberBook, round: RoundBook): void {
    this.#add(member.memberId, -FEE)
    this.#add(poolOf(round.day), FEE)
    this.#remember(member, { kind: 'join', ref: round.day, amount: -FEE })
    member.joined.push(round.day)
    round.entries.push(member.memberId)
    this.joins.push(`join ${round.day} ${member.memberId} ${member.history.length} ${member.balance}`)
  }

  owed(memberId: bigint): bigint {
    return this.debts.reduce((sum, debt) => (debt.memberId === memberId ? sum + leftOf(debt) : sum), 0n)
  }

  /** Gives released, won or returned money, which pays the member's debts first. */
  give(kind: string, ref: string, from: bigint, memberId: bigint, amount: bigint, lot?: string): bigint {
    this.move(kind, ref, from, memberId, amount, lot)
    return this.payDebts(memberId, amount)
  }

  /** Pays debts, by default from the wallet. Returns the amount paid. */
  payDebts(
    memberId: bigint,
    atMost: bigint,
    pay = (ref: string, amount: bigint): void => this.move('debt_paid', ref, memberId, SYSTEM.LOSSES, amount),
  ): bigint {
    let left = atMost
    for (const debt of this.debts.filter((each) => each.memberId === memberId)) {
      const amount = leftOf(debt) < left ? leftOf(debt) : left
      if (amount === 0n) continue
      const ref = `${debt.ref}#debt${debt.payments.length + 1}`
      debt.payments.push({ ref, amount })
      pay(ref, amount)
      left -= amount
    }
    return atMost - left
  }

  /** Books returned money of a member who left as an item, which pays the member's debts. `ref` names the movement. */
  suspendReturn(kind: string, ref: string, from: bigint, of: { orderId: string; amount: bigint; memberId: bigint }): void {
    this.move(kind, ref, from, SYSTEM.SUSPENSE, of.amount)
    this.wait(
      { paymentId: `${kind}:${ref}`, orderId: of.orderId, amount: of.amount, reason: 'closed_account', status: 'open' },
      of.memberId,
    )
  }

  /** Adds an item of a closed account, which pays the member's debts. */
  wait(item: ItemBook, memberId: bigint): void {
    this.items.set(item.paymentId, item)
    this.payFrom(item, memberId)
  }

  /** Pays the member's debts from the item; returns the amount paid. */
  payFrom(item: ItemBook, memberId: bigint): bigint {
    let rest: ItemBook | undefined = item
    return this.payDebts(memberId, item.amount, (ref, amount) => {
      if (rest !== undefined) rest = this.takeFrom(rest, 'debt_paid', ref, SYSTEM.LOSSES, amount)
    })
  }

  /** Takes from an item; the rest becomes an item of its own. */
  takeFrom(item: ItemBook, kind: string, ref: string, to: bigint, amount: bigint): ItemBook | undefined {
    item.status = 'taken'
    item.takenBy = ref
    this.move(kind, ref, SYSTEM.SUSPENSE, to, amount)
    if (amount === item.amount) return undefined
    const rest: ItemBook = {
      ...item,
      paymentId: `${item.paymentId}#rest`,
      amount: item.amount - amount,
      status: 'open',
      takenBy: undefined,
    }
    this.items.set(rest.paymentId, rest)
    return rest
  }

  #add(account: bigint, amount: bigint): void {
    this.accounts.set(account, (this.accounts.get(account) ?? 0n) + amount)
  }

  #remember(member: MemberBook, moved: Moved): void {
    member.balance += moved.amount
    if (member.balance < 0n) throw new Error(`the model's member ${member.memberId} is below zero`)
    member.history.push(moved)
  }
}

const leftOf = ({ amount, payments, isReturned }: DebtBook): bigint =>
  isReturned ? 0n : payments.reduce((left, payment) => left - payment.amount, amount)

const postedOn = (books: Books, kind: string, id: string): string =>
  books.transfers
    .find((line) => line.startsWith(`transfer ${kind} ${id} `))
    ?.split(' ')
    .at(-1) ?? ''

export const poolOf = (day: IstDay): bigint => -BigInt(day.replaceAll('-', ''))

/** The lines that `ledgerLines` gives for the same history. */
export function modelLines(books: Books): string[] {
  const line = (...parts: readonly (string | bigint | number | false | undefined)[]): string =>
    parts.filter((part) => part !== undefined && part !== false).join(' ')
  const lines = [...books.transfers, ...books.joins]
  for (const member of books.members.values()) {
    const last = member.joined.at(-1)
    const year = last === undefined ? 0 : yearOf(last)
    const ofYear = member.joined.filter((day) => yearOf(day) === year).length
    const { memberId, balance, held } = member
    lines.push(
      line('member', memberId, 'balance', balance, 'held', held, 'seq', member.history.length, 'joins', member.joined.length).concat(
        ` last ${last ?? '-infinity'} year ${year} ${ofYear}`,
        member.mayMove ? ' may move' : '',
        member.autoJoin ? ' auto' : '',
        member.passesOn ? ' passes on' : '',
        member.isClosed ? ' closed' : '',
      ),
    )
  }
  for (const order of books.orders.values())
    lines.push(line('order', order.orderId, order.status, order.paymentId, order.chargedBack && 'charged back'))
  for (const each of books.withdrawals.values())
    lines.push(line('withdrawal', each.id, each.memberId, each.amount, each.status, each.problem, each.isShown ? 'shown' : undefined))
  for (const each of books.refunds.values())
    lines.push(line('refund', each.id, each.orderId, each.memberId ?? each.paymentId, each.amount, each.status, each.problem))
  for (const each of books.disputes.values())
    lines.push(line('dispute', each.id, each.orderId, each.paymentId, each.amount, each.isTaken && 'taken', each.problem))
  for (const { ref, memberId, amount, payments, isReturned } of books.debts) {
    const paid = payments.reduce((sum, payment) => sum + payment.amount, 0n)
    lines.push(line('debt', ref, memberId, amount, 'paid', paid, isReturned && 'returned'))
  }
  for (const { kind, id, receipts, corrects, parts } of books.outlays.values()) {
    lines.push(line('receipts', kind, id, receipts.length))
    for (const { day, paise } of parts ?? [])
      lines.push(line('allotment', id, corrects ?? id, day, corrects === undefined ? paise : -paise, postedOn(books, kind, id)))
  }
  for (const item of books.items.values()) lines.push(line('item', item.paymentId, item.orderId, item.amount, item.reason, item.status))
  for (const round of books.rounds.values()) {
    const counted = round.status !== 'open'
    const { cut } = round
    lines.push(
      line('round', round.day, round.status, counted && round.entries.length, counted && BigInt(round.entries.length) * FEE).concat(
        cut === undefined ? '' : ` ${cut.need} ${cut.reward} ${cut.platform} ${cut.tax}`,
      ),
    )
    for (const [index, winner] of round.winners.entries())
      lines.push(line('winner', round.day, index + 1, winner.memberId, winner.amount, winner.tax))
  }
  for (const [ref, { given }] of books.prizes) if (given !== undefined) lines.push(`passed on ${ref} ${given}`)
  for (const day of books.sealed) lines.push(`sealed ${day}`)
  for (const [place, reason] of books.skipped) lines.push(`skipped ${place} ${reason}`)
  return lines.sort()
}

type Unused = { readonly orderId: string; readonly unused: bigint; readonly isRefundable: boolean }

/** The days in which a top-up may be refunded. */
const REFUND_DAYS = 7
const DAY_MS = 86_400_000

/** First in, first out: spending empties the oldest lots first; spending beyond all lots used winnings. */
export function unusedOf(books: Books, memberId: bigint): Unused[] {
  const member = books.member(memberId)
  const cameBack = new Set(
    member.history.filter(({ kind }) => ['wd_back', 'wd_reversed', 'chargeback_back', 'debt_back'].includes(kind)).map(({ ref }) => ref),
  )
  const refunded = new Map<string, bigint>()
  for (const { memberId: of, orderId, amount, status } of books.refunds.values())
    if (of === memberId && status !== 'rejected' && status !== 'failed') refunded.set(orderId, (refunded.get(orderId) ?? 0n) + amount)
  const whole = new Map<string, bigint>()
  for (const { lot, amount } of member.history) if (lot !== undefined) whole.set(lot, (whole.get(lot) ?? 0n) + amount)
  const lots = new Map<string, bigint>()
  for (const { kind, ref, amount, lot } of member.history) {
    if (lot !== undefined) {
      // The first part of a payment in two parts opens the lot with the whole amount.
      const left = (whole.get(lot) ?? 0n) - (refunded.get(lot) ?? 0n)
      if (!lots.has(lot)) lots.set(lot, left > 0n ? left : 0n)
    } else if (amount < 0n && kind !== 'refund_hold' && !cameBack.has(ref)) spend(lots, -amount)
  }
  // The unused total is never above the balance: the oldest lots give first.
  const sum = [...lots.values()].reduce((total, left) => total + left, 0n)
  if (sum > member.balance) spend(lots, sum - member.balance)
  return [...lots].flatMap(([lot, unused]) => {
    const order = books.orders.get(lot)
    if (unused === 0n || order?.capturedOn === undefined) return []
    const days = (Date.parse(books.day) - Date.parse(order.capturedOn)) / DAY_MS
    return [{ orderId: lot, unused, isRefundable: !order.chargedBack && days <= REFUND_DAYS }]
  })
}

function spend(lots: Map<string, bigint>, amount: bigint): void {
  let due = amount
  for (const [lot, left] of lots) {
    const taken = left < due ? left : due
    lots.set(lot, left - taken)
    due -= taken
  }
}
