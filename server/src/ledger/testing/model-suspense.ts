/** The model's rules of items in SUSPENSE, and of disputes that take payments and return them. */
import { type Books, type DisputeBook, type ItemBook, SYSTEM } from './model-books.ts'
import { FAULT, type OpOf } from './model-ops.ts'

const no = (code: string) => ({ ok: false, code })
const yes = (value: unknown) => ({ ok: true, value })
const { GATEWAY, BANK, REFUNDS_PENDING, SUSPENSE, LOSSES } = SYSTEM
const LOSS = '#loss'

/**
 * Losses of disputes that have the item's payment or, for a closed account, the payment of its order. The oldest first. A debt is its
 * member's: only an item of a closed account pays it.
 */
function lossesOf(books: Books, item: ItemBook) {
  const isClosed = item.reason === 'closed_account'
  const source = isClosed ? books.orders.get(item.orderId)?.paymentId : undefined
  const of = [...books.disputes.values()].filter((each) => each.isTaken && [item.paymentId.split('#')[0], source].includes(each.paymentId))
  const isOthers = (ref: string): boolean => {
    const debt = books.debts.find((each) => `${each.ref}${LOSS}` === ref)
    return debt !== undefined && !(isClosed && debt.payments.reduce((sum, { amount }) => sum + amount, 0n) < debt.amount)
  }
  const bookedAt = (ref: string): number => books.transfers.findIndex((line) => line.startsWith(`transfer chargeback ${ref} `))
  return of
    .flatMap((found) => found.out.flatMap(({ ref, giver, amount }) => (giver === LOSSES && !isOthers(ref) ? [{ found, ref, amount }] : [])))
    .sort((one, other) => bookedAt(one.ref) - bookedAt(other.ref))
}

/** Whether money of the item is LOSSES' own, or the money that came back was paid after all. */
export function isTaken(books: Books, paymentId: string): boolean {
  const id = /^(?:wd|refund)_reversed:([^#]+)/.exec(paymentId)?.[1] ?? ''
  const sent = books.withdrawals.get(id) ?? books.refunds.get(id)
  if (sent !== undefined && sent.conflicts > sent.conflictsBack) return true
  const item = books.items.get(paymentId)
  return item !== undefined && lossesOf(books, item).length > 0
}

/** An open item gives what disputes left to LOSSES. True: the item is taken. */
export function coverLosses(books: Books, item: ItemBook): boolean {
  if (item.reason === 'closed_account') {
    const owner = ownerOf(books, item.orderId)
    return owner !== undefined && books.payFrom(item, owner) > 0n
  }
  let rest: ItemBook | undefined = item
  for (const { found, ref, amount } of lossesOf(books, item)) {
    if (rest === undefined || rest.amount < amount) break
    const parts = books.transfers.filter((line) => line.startsWith('transfer chargeback ') && line.split(/[ #]/)[2] === found.id).length
    const part = ref.replace(LOSS, `#part${parts}`)
    books.move('chargeback_back', ref, GATEWAY, LOSSES, amount)
    rest = books.takeFrom(rest, 'chargeback', part, GATEWAY, amount)
    found.out = [...found.out.filter((one) => one.ref !== ref), { ref: part, giver: SUSPENSE, amount }]
  }
  return rest !== item
}

export function creditItem(books: Books, { paymentId, memberId }: OpOf<'credit item'>): unknown {
  const item = books.items.get(paymentId)
  if (item === undefined) return no('suspense_not_found')
  if (item.status !== 'open') return no('suspense_decided')
  if (coverLosses(books, item)) return no('suspense_decided')
  if (isTaken(books, paymentId)) return no('payment_taken_back')
  const member = books.members.get(memberId)
  if (member === undefined || member.isClosed) return no('member_not_found')
  item.status = 'credited'
  item.creditedTo = memberId
  // Spent like a top-up, but it cannot be refunded as one.
  books.give('suspense_credit', paymentId, SUSPENSE, memberId, item.amount, `item ${paymentId}`)
  return yes({ amount: item.amount, balance: member.balance })
}

export function refundItem(books: Books, { paymentId, id }: OpOf<'refund item'>): unknown {
  const item = books.items.get(paymentId)
  if (item === undefined) return no('suspense_not_found')
  if (item.status !== 'open') return no('suspense_decided')
  if (coverLosses(books, item)) return no('suspense_decided')
  if (isTaken(books, paymentId)) return no('payment_taken_back')
  if (books.refunds.has(id)) return FAULT
  if (paymentId.startsWith('wd_reversed:')) return no('suspense_no_source')
  const owner = books.orders.get(item.orderId)?.memberId
  if (owner !== undefined && books.members.get(owner)?.isSuspended === true) return no('member_on_hold')
  item.status = 'refunded'
  const { orderId, amount } = item
  books.refunds.set(id, {
    id,
    memberId: undefined,
    paymentId,
    orderId,
    amount,
    status: 'approved',
    problem: undefined,
    conflicts: 0,
    conflictsBack: 0,
  })
  books.move('suspense_refund', id, SUSPENSE, REFUNDS_PENDING, amount)
  return yes({ amount })
}

export function payItem(books: Books, { paymentId }: OpOf<'pay item'>): unknown {
  const item = books.items.get(paymentId)
  if (item === undefined) return no('suspense_not_found')
  if (item.status !== 'open') return no('suspense_decided')
  if (coverLosses(books, item)) return no('suspense_decided')
  if (isTaken(books, paymentId)) return no('payment_taken_back')
  if (item.reason !== 'closed_account') return no('suspense_by_wallet')
  item.status = 'paid'
  books.move('suspense_paid', paymentId, SUSPENSE, BANK, item.amount)
  return yes({ amount: item.amount })
}

/** The bank took the money or returned it: the newest status is booked. */
export function dispute(books: Books, op: OpOf<'dispute'>): unknown {
  const { disputeId, orderId, paymentId, isTaken } = op
  const known = books.disputes.get(disputeId)
  if (known !== undefined && (known.orderId !== orderId || known.paymentId !== paymentId)) {
    const isNews = known.problem !== 'unknown_payment'
    known.problem = 'unknown_payment'
    return { moved: undefined, problem: isNews ? 'unknown_payment' : undefined, isNew: false }
  }
  const found = known ?? { id: disputeId, orderId, paymentId, amount: op.amount, isTaken, problem: undefined, turns: 0, out: [] }
  books.disputes.set(disputeId, found)
  if (!found.isTaken) found.amount = op.amount
  if (known === undefined) found.isTaken = false
  const { moved, problem } = isTaken ? take(books, found, op) : giveBackDisputed(books, found, op)
  const isNews = problem !== found.problem
  found.problem = problem
  found.isTaken = isTaken && problem === undefined
  return { moved, problem: isNews ? problem : undefined, isNew: known === undefined }
}
type Booked = { readonly moved?: unknown; readonly problem?: string }

/** The payment and the member who gives it; no member if the payment is nobody's. */
function paymentOf(books: Books, { orderId, paymentId }: OpOf<'dispute'>) {
  const topup = books.orders.get(orderId)
  if (topup?.paymentId === paymentId) return { amount: topup.amount, memberId: topup.memberId, topup, items: [] }
  const item = books.items.get(paymentId)
  if (item === undefined) return undefined
  const owner = item.reason === 'closed_account' ? books.orders.get(item.orderId)?.memberId : undefined
  const items = [...books.items.values()].filter((each) => each.paymentId === paymentId || each.paymentId.startsWith(`${paymentId}#`))
  const credit = books.transfers
    .map((line) => line.split(' '))
    .find(([, kind, ref]) => kind === 'suspense_credit' && items.some((each) => each.paymentId === ref))
  const memberId = credit === undefined ? owner : BigInt(credit[4] ?? 0)
  return { amount: item.amount, memberId, topup: undefined, items: items.filter(({ reason }) => reason !== 'closed_account') }
}

/** The owner of an item's order id: of an order, or of a withdrawal whose dashes are removed. */
const ownerOf = (books: Books, orderId: string): bigint | undefined =>
  books.orders.get(orderId)?.memberId ?? [...books.withdrawals.values()].find(({ id }) => id.replaceAll('-', '') === orderId)?.memberId

function take(books: Books, found: DisputeBook, op: OpOf<'dispute'>): Booked {
  const payment = paymentOf(books, op)
  if (payment === undefined) return { problem: 'unknown_payment' }
  const { amount } = found
  const { memberId } = payment
  const others = [...books.disputes.values()].filter(
    (each) => each !== found && each.isTaken && each.orderId === op.orderId && each.paymentId === op.paymentId,
  )
  if (others.reduce((sum, each) => sum + each.amount, amount) > payment.amount) return { problem: 'more_than_paid' }
  if (found.out.length > 0) return {}
  found.turns++
  const ref = found.turns === 1 ? found.id : `${found.id}#${found.turns}`
  const waiting = [...books.items.values()].filter(
    ({ reason, orderId }) => memberId !== undefined && reason === 'closed_account' && ownerOf(books, orderId) === memberId,
  )
  let lost = amount
  for (const [index, item] of [...payment.items, ...waiting].filter(({ status }) => status === 'open').entries()) {
    if (lost === 0n) break
    const taken = item.amount < lost ? item.amount : lost
    const part = `${ref}#part${index + 1}`
    books.takeFrom(item, 'chargeback', part, GATEWAY, taken)
    found.out.push({ ref: part, giver: SUSPENSE, amount: taken })
    lost -= taken
  }
  const suspended = amount - lost
  const balance = memberId === undefined ? 0n : books.member(memberId).balance
  const fromMember = balance < lost ? balance : lost
  if (memberId !== undefined && fromMember > 0n) {
    books.move('chargeback', ref, memberId, GATEWAY, fromMember)
    found.out.push({ ref, giver: memberId, amount: fromMember })
    lost -= fromMember
  }
  if (lost > 0n) {
    books.move('chargeback', `${ref}${LOSS}`, LOSSES, GATEWAY, lost)
    found.out.push({ ref: `${ref}${LOSS}`, giver: LOSSES, amount: lost })
    if (memberId !== undefined) books.debts.push({ ref, memberId, amount: lost, payments: [], isReturned: false })
  }
  if (payment.topup !== undefined) payment.topup.chargedBack = true
  return { moved: { what: 'taken', memberId, fromMember, suspended, lost, debtPaid: 0n } }
}

function giveBackDisputed(books: Books, found: DisputeBook, op: OpOf<'dispute'>): Booked {
  const { orderId } = op
  const memberId = paymentOf(books, op)?.memberId
  if (found.out.length === 0) return {}
  const loss = found.out.find(({ giver }) => giver === LOSSES)
  const debt = books.debts.find((each) => `${each.ref}${LOSS}` === loss?.ref && !each.isReturned)
  if (debt !== undefined) debt.isReturned = true
  const moved = { what: 'returned', memberId, fromMember: 0n, suspended: 0n, lost: 0n, debtPaid: 0n }
  const giveBack = (kind: string, ref: string, from: bigint, amount: bigint): void => {
    const member = books.member(memberId ?? 0n)
    if (member.isClosed) {
      books.suspendReturn(kind, ref, from, { orderId, amount, memberId: member.memberId })
      moved.suspended += amount
    } else {
      moved.debtPaid += books.give(kind, ref, from, member.memberId, amount)
      moved.fromMember += amount
    }
  }
  for (const { ref, giver, amount } of found.out) {
    const nobodys = [...books.items.values()].find(({ takenBy, reason }) => takenBy === ref && reason !== 'closed_account')
    if (giver === LOSSES) books.move('chargeback_back', ref, GATEWAY, LOSSES, amount)
    else if (nobodys !== undefined) {
      const back = `${nobodys.paymentId}#back`
      books.move('chargeback_back', ref, GATEWAY, SUSPENSE, amount)
      books.items.set(back, { paymentId: back, orderId: nobodys.orderId, amount, reason: nobodys.reason, status: 'open' })
      moved.suspended += amount
    } else giveBack('chargeback_back', ref, GATEWAY, amount)
    if (giver === LOSSES) moved.lost += amount
  }
  for (const { ref, amount } of debt?.payments ?? []) {
    giveBack('debt_back', ref, LOSSES, amount)
    moved.lost -= amount
  }
  found.out = []
  const topup = books.orders.get(orderId)
  if (topup !== undefined)
    topup.chargedBack = [...books.disputes.values()].some(
      (each) => each !== found && each.orderId === orderId && each.paymentId === topup.paymentId && each.isTaken,
    )
  return { moved }
}
