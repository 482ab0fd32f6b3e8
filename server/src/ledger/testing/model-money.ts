/** The model's rules of orders, payments, withdrawals and refunds. */
import { type Books, type RefundBook, SYSTEM, unusedOf, type WithdrawalBook } from './model-books.ts'
import { FAULT, type OpOf } from './model-ops.ts'
import { coverLosses, isTaken } from './model-suspense.ts'

const no = (code: string) => ({ ok: false, code })
const yes = (value: unknown) => ({ ok: true, value })
const { GATEWAY, BANK, PAYOUTS_PENDING, REFUNDS_PENDING, SUSPENSE, LOSSES } = SYSTEM

export function order(books: Books, { orderId, memberId, amount }: OpOf<'order'>): unknown {
  if (books.orders.has(orderId)) return FAULT
  books.orders.set(orderId, {
    orderId,
    memberId,
    amount,
    status: 'created',
    paymentId: undefined,
    capturedOn: undefined,
    chargedBack: false,
  })
  return undefined
}

export function mark(books: Books, { orderId, status }: OpOf<'mark'>): boolean {
  const found = books.orders.get(orderId)
  if (found === undefined || found.status === status || !['created', 'pending', 'failed'].includes(found.status)) return false
  found.status = status
  return true
}

const isBooked = (books: Books, paymentId: string): boolean =>
  books.transfers.some(
    (line) => line.startsWith(`transfer topup ${paymentId} `) || line.startsWith(`transfer topup_suspense ${paymentId} `),
  )

function suspend(books: Books, { orderId, paymentId, amount }: OpOf<'capture'>, reason: string, ownerId?: bigint): unknown {
  if (isBooked(books, paymentId)) return { result: 'duplicate' }
  books.move('topup_suspense', paymentId, GATEWAY, SUSPENSE, amount)
  const item = { paymentId, orderId, amount, reason, status: 'open' }
  if (ownerId === undefined) books.items.set(paymentId, item)
  else books.wait(item, ownerId)
  return { result: 'suspense', reason }
}

export function capture(books: Books, op: OpOf<'capture'>): unknown {
  const { orderId, paymentId, amount } = op
  const found = books.orders.get(orderId)
  if (found === undefined) return suspend(books, op, 'unknown_order')
  if (found.paymentId === paymentId) return { result: 'duplicate' }
  if (found.paymentId !== undefined) return suspend(books, op, 'second_payment')
  if (found.amount !== amount) return suspend(books, op, 'other_amount')
  if (books.member(found.memberId).isClosed) return suspend(books, op, 'closed_account', found.memberId)
  const item = books.items.get(paymentId)
  if (item !== undefined && (item.status !== 'open' || coverLosses(books, item))) return { result: 'duplicate' }
  // The gateway names a payment that paid another order: its owner is unknown.
  if (item === undefined && isBooked(books, paymentId)) return FAULT
  const { memberId } = found
  const waited = item === undefined ? 0n : item.amount
  const fromSuspense = waited < amount ? waited : amount
  if (item !== undefined) {
    item.status = 'credited'
    item.creditedTo = memberId
    books.move('suspense_credit', paymentId, SUSPENSE, memberId, fromSuspense, orderId)
    const rest = `${paymentId}#rest`
    if (waited > amount)
      books.items.set(rest, { paymentId: rest, orderId: item.orderId, amount: waited - amount, reason: item.reason, status: 'open' })
  }
  if (fromSuspense < amount)
    books.move('topup', item === undefined ? paymentId : `${paymentId}#rest`, GATEWAY, memberId, amount - fromSuspense, orderId)
  found.status = 'captured'
  found.paymentId = paymentId
  found.capturedOn = books.day
  const member = books.member(memberId)
  const missedAutoJoin =
    books.skipped.get(`${books.day} ${memberId}`) === 'insufficient_balance' &&
    member.autoJoin &&
    member.mayMove &&
    member.joined.at(-1) !== books.day
  return { result: 'credited', memberId, amount, balance: member.balance, missedAutoJoin }
}

export function hold(books: Books, { id, memberId, amount, bankAccountId }: OpOf<'hold'>): unknown {
  const known = books.withdrawals.get(id)
  if (known !== undefined)
    return known.memberId === memberId && known.amount === amount && known.bankAccountId === bankAccountId
      ? yes({ balance: known.balanceAfter, replayed: true })
      : no('idempotency_mismatch')
  const member = books.members.get(memberId)
  if (member === undefined || !member.mayMove) return no('may_not_move')
  if (member.balance < amount) return no('insufficient_funds')
  books.move('wd_hold', id, memberId, PAYOUTS_PENDING, amount)
  member.held += amount
  books.withdrawals.set(id, {
    id,
    memberId,
    amount,
    bankAccountId,
    balanceAfter: member.balance,
    status: 'requested',
    isShown: false,
    problem: undefined,
    conflicts: 0,
    conflictsBack: 0,
  })
  return yes({ balance: member.balance, replayed: false })
}

type Decision = OpOf<'approve withdrawal' | 'reject withdrawal' | 'stop withdrawal' | 'show withdrawal' | 'complete withdrawal'>
export function decideWithdrawal(books: Books, op: Decision): unknown {
  const found = books.withdrawals.get(op.id)
  if (op.do === 'stop withdrawal') {
    if (found?.status === 'sending' || found?.status === 'approved')
      Object.assign(found, { status: 'approved', problem: 'beneficiary_invalid' })
    return undefined
  }
  if (found === undefined) return no('withdrawal_not_found')
  const from = {
    'approve withdrawal': ['requested'],
    'reject withdrawal': ['requested', 'approved'],
    'show withdrawal': ['approved'],
    'complete withdrawal': ['approved'],
  }[op.do]
  const isByHand = op.do === 'show withdrawal' || op.do === 'complete withdrawal'
  if (isByHand && found.status === 'requested') return no('withdrawal_not_approved')
  if (!from.includes(found.status)) return no('withdrawal_final')
  const { memberId, amount } = found
  if (op.do === 'reject withdrawal' && found.isShown) return no('being_paid_by_hand')
  if (op.do === 'complete withdrawal' && !found.isShown) return no('bank_not_shown')
  if (op.do !== 'reject withdrawal' && books.member(memberId).isSuspended) return no('member_on_hold')
  if ((op.do === 'approve withdrawal' || op.do === 'show withdrawal') && books.owed(memberId) > 0n) return no('member_in_debt')
  if (op.do === 'approve withdrawal') found.status = 'approved'
  if (op.do === 'show withdrawal') found.isShown = true
  if (op.do === 'complete withdrawal') {
    endWithdrawal(books, found, 'paid')
    found.isPaidByHand = true
  }
  if (op.do !== 'reject withdrawal') return yes({ memberId, amount })
  endWithdrawal(books, found, 'rejected')
  return yes({ memberId, amount, balance: books.member(memberId).balance })
}

export function sendWithdrawal(books: Books, { id, again }: OpOf<'send withdrawal'>): boolean {
  const found = books.withdrawals.get(id)
  if (found?.status !== 'approved' && !(found?.status === 'sending' && again)) return false
  if (found.isShown) return false
  if (books.member(found.memberId).isSuspended) {
    found.problem = 'member_on_hold'
    return false
  }
  if (books.owed(found.memberId) > 0n) {
    Object.assign(found, { status: 'approved', problem: 'member_in_debt' })
    return false
  }
  if (found.status === 'sending') return sentAgain(found)
  found.status = 'sending'
  found.problem = undefined
  return true
}

/** Requests that only a hold stopped continue. */
function sentAgain(found: WithdrawalBook | RefundBook): true {
  if (found.problem === 'member_on_hold') found.problem = undefined
  return true
}

function endWithdrawal(books: Books, found: WithdrawalBook, status: 'paid' | 'failed' | 'rejected'): void {
  const { id, memberId, amount } = found
  books.member(memberId).held -= amount
  if (status === 'paid') books.move('wd_paid', id, PAYOUTS_PENDING, BANK, amount)
  else books.give('wd_back', id, PAYOUTS_PENDING, memberId, amount)
  found.status = status
  found.problem = undefined
}

export function payoutWord(books: Books, { id, word }: OpOf<'payout word'>): unknown {
  const found = books.withdrawals.get(id)
  if (found === undefined) return undefined
  const { memberId, amount, status } = found
  const says = (result: string, contradicts: boolean) => ({ memberId, amount, status, result, contradicts })
  // A person paid by hand, or may have: the word is of another payment.
  if (status === 'paid' ? found.isPaidByHand === true : status === 'approved' && found.isShown && word !== 'paid')
    return says('unchanged', true)
  if (['requested', 'approved', 'sending'].includes(status)) {
    endWithdrawal(books, found, word === 'paid' ? 'paid' : 'failed')
    return says(word === 'paid' ? 'paid' : 'failed', status !== 'sending')
  }
  if (status === 'paid') {
    if (word === 'paid') return says('unchanged', false)
    if (books.member(memberId).isClosed) books.suspendReturn('wd_reversed', id, BANK, { orderId: id.replaceAll('-', ''), amount, memberId })
    else books.give('wd_reversed', id, BANK, memberId, amount)
    found.status = 'reversed'
    return says('reversed', word === 'failed')
  }
  const moved = conflict(books, found, { word, out: 'wd_conflict', asset: BANK })
  return says(moved ?? 'unchanged', moved !== undefined)
}

/** The money was given back here: LOSSES bears it if it left as well. */
function conflict(
  books: Books,
  found: WithdrawalBook | RefundBook,
  { word, out, asset }: { readonly word: string; readonly out: string; readonly asset: bigint },
): string | undefined {
  const lost = found.conflicts > found.conflictsBack
  if (lost === (word === 'paid')) return undefined
  const nth = lost ? found.conflicts : found.conflicts + 1
  const ref = nth === 1 ? found.id : `${found.id}#${nth}`
  if (lost) books.move(`${out}_back`, ref, asset, LOSSES, found.amount)
  else books.move(out, ref, LOSSES, asset, found.amount)
  found[lost ? 'conflictsBack' : 'conflicts']++
  return lost ? 'conflict_back' : 'conflict'
}

export function askRefund(books: Books, { id, memberId, orderId, amount }: OpOf<'ask refund'>): unknown {
  const found = books.orders.get(orderId)
  if (found?.memberId !== memberId) return no('order_not_found')
  const member = books.member(memberId)
  if (!member.mayMove) return no('may_not_move')
  const topup = unusedOf(books, memberId).find((each) => each.orderId === orderId)
  if (found.paymentId === undefined || topup?.isRefundable === false) return no('refund_not_possible')
  if (topup === undefined || topup.unused < amount) return no('refund_exceeds_unused')
  if (amount < 100n && amount !== topup.unused) return no('refund_too_small')
  const isOpen = ({ memberId: of, status }: RefundBook) => of === memberId && ['requested', 'approved', 'sending'].includes(status)
  if ([...books.refunds.values()].filter(isOpen).length >= 5) return no('refunds_open')
  if (books.refunds.has(id)) return FAULT
  books.move('refund_hold', id, memberId, REFUNDS_PENDING, amount)
  member.held += amount
  books.refunds.set(id, {
    id,
    memberId,
    paymentId: undefined,
    orderId,
    amount,
    status: 'requested',
    problem: undefined,
    conflicts: 0,
    conflictsBack: 0,
  })
  return yes({ balance: member.balance, day: books.day })
}

/** A refund before the operation, in the shape of the ledger's answer. */
const rowOf = ({ memberId, orderId, amount, status, problem }: RefundBook) => ({
  memberId: memberId?.toString() ?? null,
  orderId,
  amount: amount.toString(),
  status,
  problem: problem ?? null,
})

/** The reason why the refund cannot be sent now. */
function obstacleOf(books: Books, found: RefundBook): string | undefined {
  if (isChargedBack(books, found)) return 'payment_taken_back'
  return found.memberId !== undefined && books.owed(found.memberId) > 0n ? 'member_in_debt' : undefined
}

/** Whether the owner is suspended: the refund's member, or the member of the order behind a suspense item. */
function isOnHold(books: Books, { memberId, orderId }: Pick<RefundBook, 'memberId' | 'orderId'>): boolean {
  const owner = memberId ?? books.orders.get(orderId)?.memberId
  return owner !== undefined && books.members.get(owner)?.isSuspended === true
}

const isChargedBack = (books: Books, { paymentId, orderId }: RefundBook): boolean =>
  paymentId === undefined ? books.orders.get(orderId)?.chargedBack === true : isTaken(books, paymentId)

export function decideRefund(books: Books, op: OpOf<'approve refund' | 'reject refund' | 'stop refund'>): unknown {
  const found = books.refunds.get(op.id)
  if (op.do === 'stop refund') {
    if (found?.status === 'sending' || found?.status === 'approved')
      Object.assign(found, { status: 'approved', problem: 'refund_amount_invalid' })
    return undefined
  }
  if (found === undefined) return no('refund_not_found')
  const before = rowOf(found)
  if (op.do === 'approve refund') {
    if (found.status !== 'requested' && !(found.status === 'approved' && found.problem !== undefined)) return no('refund_final')
    if (isOnHold(books, found)) return no('member_on_hold')
    const obstacle = obstacleOf(books, found)
    if (obstacle !== undefined) return no(obstacle)
    found.status = 'approved'
    found.problem = undefined
    return yes(before)
  }
  if (found.status !== 'requested' && found.status !== 'approved') return no('refund_final')
  endRefund(books, found, 'rejected')
  return yes(before)
}

export function sendRefund(books: Books, { id, again }: OpOf<'send refund'>): boolean {
  const found = books.refunds.get(id)
  if (found?.status !== 'approved' && !(found?.status === 'sending' && again)) return false
  const obstacle = obstacleOf(books, found)
  if (obstacle !== undefined) {
    Object.assign(found, { status: 'approved', problem: obstacle })
    return false
  }
  if (isOnHold(books, found)) {
    found.problem = 'member_on_hold'
    return false
  }
  if (found.status === 'sending') return sentAgain(found)
  found.status = 'sending'
  found.problem = undefined
  return true
}

/** Gives the amount back: from the hold, or from the gateway that had paid it. */
function giveBackRefund(books: Books, found: RefundBook, kind: 'refund_failed' | 'refund_reversed'): void {
  const { id, memberId, amount } = found
  if (kind === 'refund_reversed' && memberId !== undefined && books.member(memberId).isClosed)
    return books.suspendReturn(kind, id, GATEWAY, { ...found, memberId })
  const from = kind === 'refund_failed' ? REFUNDS_PENDING : GATEWAY
  if (memberId === undefined) books.move(kind, id, from, SUSPENSE, amount)
  else books.give(kind, id, from, memberId, amount)
  const item = books.items.get(found.paymentId ?? '')
  if (item !== undefined) item.status = 'open'
}

function endRefund(books: Books, found: RefundBook, status: 'paid' | 'failed' | 'rejected'): void {
  const { id, memberId, amount, orderId } = found
  found.status = status
  found.problem = undefined
  if (memberId !== undefined) books.member(memberId).held -= amount
  if (status !== 'paid') return giveBackRefund(books, found, 'refund_failed')
  books.move('refund_paid', id, REFUNDS_PENDING, GATEWAY, amount)
  const topup = books.orders.get(orderId)
  if (memberId === undefined || topup === undefined) return
  const paid = [...books.refunds.values()].filter(
    (each) => each.orderId === orderId && each.memberId !== undefined && each.status === 'paid',
  )
  if (paid.reduce((sum, each) => sum + each.amount, 0n) >= topup.amount) topup.status = 'refunded'
}

export function refundWord(books: Books, { id, word }: OpOf<'refund word'>): unknown {
  const found = books.refunds.get(id)
  if (found === undefined) return null
  const before = rowOf(found)
  const says = (result: string, contradicts: boolean) => ({ ...before, result, contradicts })
  if (found.status === 'failed' || found.status === 'rejected') {
    const moved = conflict(books, found, { word, out: 'refund_conflict', asset: GATEWAY })
    return says(moved ?? 'unchanged', moved !== undefined)
  }
  if (found.status !== 'paid') {
    endRefund(books, found, word)
    return says(word, before.status !== 'sending')
  }
  if (word === 'paid') return says('unchanged', false)
  giveBackRefund(books, found, 'refund_reversed')
  found.status = 'failed'
  const topup = books.orders.get(found.orderId)
  if (found.memberId !== undefined && topup?.status === 'refunded') topup.status = 'captured'
  return says('reversed', true)
}
