/**
 * Random histories as steps: a step is a name and four numbers.
 * - A step becomes operations when its turn comes, from the model's state at that time. A shrunk history keeps its meaning.
 * - Any earlier operation can be repeated.
 */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import fc from 'fast-check'
import { type Books, type MemberBook, SYSTEM } from './model-books.ts'
import { anyoneOf, type History, memberOf, paymentOf, pick, STRANGER } from './model-history.ts'
import type { Op } from './model-ops.ts'
import { hasOpenRound } from './model-rounds.ts'

const WEIGHTS = {
  'top up': 10,
  'odd payment': 5,
  'disputed surplus': 2,
  'order alone': 1,
  mark: 1,
  join: 7,
  'join after top-up': 2,
  'auto-join': 4,
  withdraw: 6,
  'withdrawal step': 4,
  refund: 4,
  'refund step': 4,
  item: 4,
  dispute: 4,
  disburse: 3,
  correct: 4,
  house: 2,
  'gateway settlement': 2,
  standing: 4,
  leave: 3,
  'pass on': 5,
  late: 6,
  'end round': 5,
  'round step': 2,
  midnight: 4,
  again: 8,
} as const
type StepName = keyof typeof WEIGHTS
type Step = { readonly do: StepName; readonly n: readonly [number, number, number, number] }

const nat = fc.nat({ max: 999 })
export const step: fc.Arbitrary<Step> = fc.oneof(
  ...(Object.keys(WEIGHTS) as StepName[]).map((name) => ({
    weight: WEIGHTS[name],
    arbitrary: fc.record({ do: fc.constant(name), n: fc.tuple(nat, nat, nat, nat) }),
  })),
)

const HOUSE = [
  ['platform_out', SYSTEM.PLATFORM],
  ['tds_remitted', SYSTEM.TAX_WITHHELD],
  ['losses_covered', SYSTEM.LOSSES],
] as const

/** Its own bills, or sometimes a bill that may already prove another entry. */
const receiptsOf = (history: History, index: number, other: number): readonly string[] =>
  [other % 5 === 0 ? other % 24 : index, ...(other % 3 === 0 ? [24 + index] : [])].map((n) => history.receipt(n))

type Maker = (books: Books, history: History, n: Step['n']) => readonly (Op | undefined)[]
const MAKERS: Readonly<Record<StepName, Maker>> = {
  'top up': (books, history, [who, much]) => {
    const [orderId, amount] = [history.orderId(), BigInt(150 + 2 * much)]
    return [
      { do: 'order', orderId, memberId: memberOf(books, who), amount },
      { do: 'capture', orderId, paymentId: paymentOf(orderId), amount },
    ]
  },
  'order alone': (books, history, [who, much, status]) => {
    const orderId = history.orderId()
    return [
      { do: 'order', orderId, memberId: memberOf(books, who), amount: BigInt(50 + much) },
      status % 2 === 0 ? undefined : { do: 'mark', orderId, status: status % 3 === 0 ? 'expired' : 'failed' },
    ]
  },
  'odd payment': oddPayment,
  'disputed surplus': disputedSurplus,
  mark: (books, _, [which, status]) => {
    const found = pick([...books.orders.keys()], which)
    return found === undefined
      ? []
      : [{ do: 'mark', orderId: found, status: pick(['pending', 'failed', 'expired'] as const, status) ?? 'failed' }]
  },
  join: (books, _, [first, second, many, keyed]) => {
    const members = Array.from({ length: 1 + (many % 7) }, (_none, index) => anyoneOf(books, first + index * (1 + (second % 3))))
    return [{ do: 'join', members, key: keyed % 2 === 0 ? undefined : `key${keyed % 3}` }]
  },
  'join after top-up': (books, _, [who, on]) => [
    on % 2 === 0 ? { do: 'auto participate', memberId: memberOf(books, who), on: true } : undefined,
    { do: 'join after top-up', memberId: on % 2 === 0 ? memberOf(books, who) : anyoneOf(books, who) },
  ],
  'auto-join': (books, _, [who, size, on]) => [
    on % 2 === 0 ? { do: 'auto participate', memberId: memberOf(books, who), on: true } : undefined,
    { do: size % 5 === 4 ? 'auto-join all' : 'auto-join page', day: books.day, size: 1 + (size % 4) },
  ],
  withdraw: (books, history, [who, much, until, last]) => {
    const id = history.uuid()
    const memberId = anyoneOf(books, who)
    const amount = BigInt(1 + (much % 300))
    const path: readonly Op[] = [{ do: 'hold', id, memberId, amount, bankAccountId: 1n }, ...decided(id, last)]
    return (books.members.get(memberId)?.balance ?? 0n) < amount ? path.slice(0, 1) : path.slice(0, 1 + (until % 4))
  },
  'withdrawal step': (books, _, [which, what, on]) => {
    const id = pick([...books.withdrawals.keys()], which)
    return id === undefined ? [] : [withdrawalStep(id, what, on)]
  },
  refund: (books, history, [which, much, until, last]) => {
    const order = pick([...books.orders.values()], which)
    if (order === undefined) return []
    const id = history.uuid()
    const amount = last % 3 === 0 ? order.amount : BigInt(70 + (much % 300))
    const path: readonly Op[] = [
      { do: 'ask refund', id, orderId: order.orderId, memberId: last % 10 === 9 ? memberOf(books, much) : order.memberId, amount },
      { do: last % 7 === 6 ? 'reject refund' : 'approve refund', id },
      { do: 'send refund', id, again: false },
      { do: 'refund word', id, word: last % 2 === 0 ? 'paid' : 'failed' },
    ]
    return path.slice(0, 1 + (until % 4))
  },
  'refund step': (books, _, [which, what, on]) => {
    const id = pick([...books.refunds.keys()], which)
    return id === undefined ? [] : [refundStep(id, what, on)]
  },
  leave,
  late,
  item: (books, history, [which, who, what]) => {
    const paymentId = pick([...books.items.keys()], which)
    if (paymentId === undefined) return []
    if (what % 3 === 2) return [{ do: 'pay item', paymentId }]
    if (what % 3 === 0) return [{ do: 'credit item', paymentId, memberId: anyoneOf(books, who) }]
    return [{ do: 'refund item', paymentId, id: history.uuid() }]
  },
  dispute: (books, history, [which, much, what, index]) => {
    const disputeId = history.dispute(index % 5)
    const known = books.disputes.get(disputeId)
    const paid = [...books.orders.values()].filter(({ paymentId }) => paymentId !== undefined)
    const payments = [...paid.map(({ orderId, paymentId = '' }) => ({ orderId, paymentId })), ...books.items.values()]
    const of = known ?? pick(payments, which) ?? { orderId: history.orderId(), paymentId: 'never' }
    const amount = BigInt(1 + (much % 600))
    return [{ do: 'dispute', disputeId, orderId: of.orderId, paymentId: of.paymentId, amount, isTaken: what % 3 !== 0 }]
  },
  disburse: (books, history, [index, much, all, other]) => {
    const fund = books.accounts.get(SYSTEM.HELP_FUND) ?? 0n
    const amount = all % 4 === 0 ? fund + BigInt(other % 2) : BigInt(1 + (much % 80))
    return amount === 0n
      ? []
      : [{ do: 'disburse', id: history.disbursement(index % 8), amount, receipts: receiptsOf(history, index % 8, other) }]
  },
  correct: (books, history, [index, much, of, other]) => {
    const given = [...books.outlays.values()].filter(({ kind }) => kind === 'disbursement')
    const corrects = given[of % Math.max(1, given.length)]
    // Often all of it, sometimes a paisa more, sometimes of nothing that there is.
    const amount = much % 3 === 0 ? (corrects?.amount ?? 1n) + BigInt(other % 2) : BigInt(1 + (much % 40))
    const id = history.disbursement((other % 9 === 0 ? 0 : 8) + (index % 8))
    return [{ do: 'correct', id, corrects: corrects?.id ?? 'nobody', amount, receipts: receiptsOf(history, 8 + (index % 8), other) }]
  },
  house: (books, history, [index, much, all, other]) => {
    const filled = HOUSE.filter(([, account]) => (books.accounts.get(account) ?? 0n) !== 0n)
    const [kind, account] = pick(filled.length > 0 ? filled : HOUSE, index) as (typeof HOUSE)[number]
    const has = books.accounts.get(account) ?? 0n
    const whole = (has < 0n ? -has : has) + BigInt(other % 2)
    const amount = all % 2 === 0 && whole > 0n ? whole : BigInt(1 + (much % 30))
    return [{ do: 'house', kind, id: history.disbursement(16 + (much % 8)), amount, receipts: receiptsOf(history, 16 + (much % 8), other) }]
  },
  'gateway settlement': (books, history, [index, much, all, other]) => {
    const fee = BigInt(much % 3)
    // Sometimes all that the gateway owes, or a paisa more; sometimes a number that may be booked.
    const whole = -(books.accounts.get(SYSTEM.GATEWAY) ?? 0n) - fee + BigInt(other % 2)
    const amount = all % 4 === 0 && whole > 0n ? whole : BigInt(1 + (much % 90))
    const n = 48 + (index % 8)
    const reference = history.disbursement(other % 6 === 0 ? 48 + (other % 8) : n).toUpperCase()
    return [{ do: 'gateway settlement', id: history.disbursement(n), reference, amount, fee, receipts: receiptsOf(history, n, other) }]
  },
  standing: (books, _, [who, which, on]) => {
    const memberId = memberOf(books, who)
    if (which % 2 !== 0) return [{ do: 'auto participate', memberId, on: on % 3 !== 0 }]
    if (on % 3 === 0) return [{ do: 'suspend', memberId }]
    const suspended = [...books.members.keys()].filter((id) => books.member(id).isSuspended)
    return [{ do: 'reinstate', memberId: pick(suspended, who) ?? memberId }]
  },
  'pass on': passOnSteps,
  'end round': endRound,
  'round step': roundStep,
  midnight: (books, history, [far, policy]) => [history.newDay(addDays(books.day, far % 5 === 4 ? 7 : 1), policy)],
  again: (_, history, [which, other]) => {
    const op = history.done[history.done.length - 1 - (which % Math.max(1, history.done.length))]
    if (op === undefined || op.do === 'new day') return []
    // The same id with another amount is another request, which must be refused.
    return [op.do === 'hold' && other % 4 === 0 ? { ...op, amount: op.amount + 1n } : op]
  },
}

/** A withdrawal is rejected, or approved and then shown and paid by hand, stopped, or sent. */
function decided(id: string, how: number): readonly Op[] {
  const approve: Op = { do: 'approve withdrawal', id }
  switch (how % 5) {
    case 0:
      return [{ do: 'reject withdrawal', id }]
    case 1:
      return [approve, { do: 'show withdrawal', id }, { do: 'complete withdrawal', id }]
    case 2:
      return [approve, { do: 'stop withdrawal', id }]
    default:
      return [
        approve,
        { do: 'send withdrawal', id, again: how % 2 === 0 },
        { do: 'payout word', id, word: (['paid', 'failed', 'reversed'] as const)[how % 3] ?? 'paid' },
      ]
  }
}

/** A winner passes a prize on, somebody tries who won nothing, or the switch is turned. */
function passOnSteps(books: Books, _history: History, [which, who, what]: Step['n']): readonly Op[] {
  const [ref, prize] = pick([...books.prizes.entries()], which) ?? []
  if (what % 3 === 0 || ref === undefined || prize === undefined)
    return [{ do: 'switch pass on', memberId: memberOf(books, who), on: what % 4 !== 3 }]
  const memberId = what % 7 === 0 ? anyoneOf(books, who) : prize.memberId
  return [{ do: 'pass on', memberId, day: ref.slice(0, 10) as IstDay }]
}

/** At most this many leave: some members must stay. */
const LEAVERS_MAX = 2

/** A member leaves after a gift or a withdrawal of everything; some try too early. */
function leave(books: Books, history: History, [who, how, early, part]: Step['n']): readonly Op[] {
  const members = [...books.members.values()]
  if (members.filter(({ isClosed }) => isClosed).length >= LEAVERS_MAX) return []
  const free = members.filter((member) => !member.isClosed && !hasOpenRound(books, member))
  const memberId = early % 6 === 5 || free.length === 0 ? anyoneOf(books, who) : (free[who % free.length] as MemberBook).memberId
  const id = history.uuid()
  const amount = books.members.get(memberId)?.balance ?? 0n
  const withdrawn: readonly Op[] = [
    { do: 'hold', id, memberId, amount, bankAccountId: 1n },
    { do: 'payout word', id, word: 'paid' },
  ]
  const out = how % 2 === 0 && amount > 0n ? withdrawn.slice(0, 1 + (part % 4 === 3 ? 0 : 1)) : [{ do: 'give rest', memberId, id } as const]
  return [...out, { do: 'close wallet', memberId }]
}

/** Money and words that arrive for a member who has left. */
function late(books: Books, history: History, [who, which, what, much]: Step['n']): readonly (Op | undefined)[] {
  const left = [...books.members.values()].filter(({ isClosed }) => isClosed)
  const memberId = left[who % Math.max(1, left.length)]?.memberId
  if (memberId === undefined) return []
  const of = <T extends { readonly memberId: bigint | undefined }>(all: ReadonlyMap<string, T>): T | undefined =>
    pick(
      [...all.values()].filter((each) => each.memberId === memberId),
      which,
    )
  const [withdrawal, refund, order] = [of(books.withdrawals), of(books.refunds), of(books.orders)]
  const item = pick(
    [...books.items.values()].filter(({ reason, status }) => reason === 'closed_account' && status === 'open'),
    which,
  )
  const steps: readonly (Op | undefined)[] = [
    withdrawal && { do: 'payout word', id: withdrawal.id, word: much % 3 === 0 ? 'paid' : 'reversed' },
    refund && { do: 'refund word', id: refund.id, word: much % 3 === 0 ? 'paid' : 'failed' },
    order && { do: 'capture', orderId: order.orderId, paymentId: paymentOf(order.orderId), amount: order.amount },
    order && {
      do: 'dispute',
      disputeId: history.dispute(5 + (which % 2)),
      orderId: order.orderId,
      paymentId: order.paymentId ?? paymentOf(order.orderId),
      amount: BigInt(1 + (much % 400)),
      isTaken: much % 2 === 0,
    },
    item && { do: 'pay item', paymentId: item.paymentId },
  ]
  const possible = steps.filter((step) => step !== undefined)
  return [possible[what % Math.max(1, possible.length)]]
}

function withdrawalStep(id: string, what: number, on: number): Op {
  const steps: readonly Op[] = [
    { do: 'approve withdrawal', id },
    { do: 'reject withdrawal', id },
    { do: 'stop withdrawal', id },
    { do: 'show withdrawal', id },
    { do: 'complete withdrawal', id },
    { do: 'send withdrawal', id, again: on % 2 === 0 },
    { do: 'payout word', id, word: 'paid' },
    { do: 'payout word', id, word: 'failed' },
    { do: 'payout word', id, word: 'reversed' },
  ]
  return steps[what % steps.length] as Op
}

function refundStep(id: string, what: number, on: number): Op {
  const steps: readonly Op[] = [
    { do: 'approve refund', id },
    { do: 'reject refund', id },
    { do: 'stop refund', id },
    { do: 'send refund', id, again: on % 2 === 0 },
    { do: 'refund word', id, word: 'paid' },
    { do: 'refund word', id, word: 'failed' },
  ]
  return steps[what % steps.length] as Op
}

/** A second payment, another amount, an unknown order, or an event before its order; sometimes the right event follows. */
function oddPayment(books: Books, history: History, [which, what, amount, then]: Step['n']): readonly (Op | undefined)[] {
  const order = pick([...books.orders.values()], which)
  if (order === undefined || what % 5 === 4) {
    const [orderId, sum] = [history.orderId(), BigInt(50 + amount)]
    const early: Op = { do: 'capture', orderId, paymentId: paymentOf(orderId), amount: sum }
    if (then % 2 === 0) return [early]
    return [
      early,
      { do: 'order', orderId, memberId: memberOf(books, then), amount: then % 3 === 0 ? sum + 9n : sum },
      { ...early, amount: then % 3 === 0 ? sum + 9n : sum },
    ]
  }
  const { orderId } = order
  const own = paymentOf(orderId)
  const payments = [
    own,
    own,
    `second-${orderId}`,
    pick(
      [...books.orders.values()].map((each) => each.paymentId ?? own),
      amount,
    ) ?? own,
  ]
  const amounts = [order.amount, order.amount, order.amount + 7n, order.amount - 7n]
  const event: Op = { do: 'capture', orderId, paymentId: payments[what % 4] ?? own, amount: amounts[amount % 4] ?? order.amount }
  return [event, then % 3 === 0 ? { ...event, amount: order.amount } : undefined]
}

/**
 * A payment credits its order and leaves a surplus. Its member spends nearly all before the bank takes the credit back: a debt beside an
 * open item, which is then decided. The dispute may be won.
 */
function disputedSurplus(books: Books, history: History, [who, much, left, then]: Step['n']): readonly (Op | undefined)[] {
  const [orderId, memberId, amount] = [history.orderId(), memberOf(books, who), BigInt(100 + (much % 100))]
  const [paymentId, surplus] = [paymentOf(orderId), BigInt(1 + (then % 60))]
  const disputeId = [0, 1, 2, 3, 4].map((index) => history.dispute(index)).find((id) => !books.disputes.has(id))
  if (disputeId === undefined) return []
  const spent = (books.members.get(memberId)?.balance ?? 0n) + amount - BigInt(left % 100)
  const rest = `${paymentId}#rest`
  const turn: Op = { do: 'dispute', disputeId, orderId, paymentId, amount, isTaken: true }
  return [
    { do: 'order', orderId, memberId, amount },
    { do: 'capture', orderId, paymentId, amount: amount + surplus },
    { do: 'capture', orderId, paymentId, amount },
    { do: 'hold', id: history.uuid(), memberId, amount: spent, bankAccountId: 1n },
    turn,
    then % 3 === 0
      ? { do: 'refund item', paymentId: rest, id: history.uuid() }
      : { do: 'credit item', paymentId: rest, memberId: then % 3 === 1 ? memberId : anyoneOf(books, much) },
    left % 3 === 0 ? { ...turn, isTaken: false } : undefined,
  ]
}

/** Advances the oldest round that has not ended, as far as the numbers say. */
function endRound(books: Books, _history: History, [winner, until, tax, odd]: Step['n']): readonly (Op | undefined)[] {
  const round = [...books.rounds.values()].find(({ status }) => status !== 'settled' && status !== 'void')
  if (round === undefined) return []
  const { day, entries, policy } = round
  const due = Math.min(policy.winners, entries.length)
  const right = Array.from({ length: due }, (_none, index) => entries[(winner + index) % entries.length] as bigint)
  const winners = odd % 8 === 0 ? [] : odd % 8 === 1 ? [STRANGER, ...right.slice(1)] : odd % 8 === 2 ? [...right, ...right] : right
  const path: readonly Op[] = [
    { do: 'close', day, early: tax % 2 === 0 },
    { do: 'draw', day, winners, taxPercent: tax % 3 === 0 ? 30n : 0n },
    { do: 'settle', day },
    { do: 'seal', day },
  ]
  if (entries.length === 0) return [path[0], { do: 'void', day }, path[3]]
  return path.slice(0, 1 + (until % 5))
}

function roundStep(books: Books, _history: History, [which, what, early]: Step['n']): readonly (Op | undefined)[] {
  const day = pick([...books.rounds.keys()], which)
  if (day === undefined) return []
  const steps: readonly Op[] = [
    { do: 'close', day, early: early % 2 === 0 },
    { do: 'settle', day },
    { do: 'void', day },
    { do: 'seal', day },
    { do: 'auto-join page', day, size: 2 },
  ]
  return [steps[what % steps.length]]
}

/** The operations of this step, from the model's present state. */
export const opsOf = (books: Books, history: History, { do: name, n }: Step): readonly Op[] =>
  MAKERS[name](books, history, n).filter((op) => op !== undefined)
