/** The model's rules of joining, closing, drawing, settling, returning and sealing, and the table of the rules of every operation. */
import { type IstDay, nextDay, yearOf } from '@roz/core/ist-day.ts'
import { type Books, FEE, type MemberBook, poolOf, type RoundBook, SYSTEM } from './model-books.ts'
import { passOn, passOnAhead, switchPassOn } from './model-gifts.ts'
import { correct, disburse, gatewaySettlement, house } from './model-help.ts'
import {
  askRefund,
  capture,
  decideRefund,
  decideWithdrawal,
  hold,
  mark,
  order,
  payoutWord,
  refundWord,
  sendRefund,
  sendWithdrawal,
} from './model-money.ts'
import { FAULT, type Op, type OpOf } from './model-ops.ts'
import { creditItem, dispute, payItem, refundItem } from './model-suspense.ts'

const no = (code: string) => ({ ok: false, code })
const yes = (value: unknown) => ({ ok: true, value })
const JOINS_PER_YEAR = 365

/** `byItself`: Auto Participate, at midnight or after a top-up; it joins no member who has it off. */
function join(books: Books, memberId: bigint, key: string | undefined, byItself = false): string {
  const member = books.members.get(memberId)
  if (member === undefined) return 'may_not_move'
  const { day } = books
  const round = books.rounds.get(day)
  const kept = member.key
  if (key !== undefined && kept?.text === key && (kept.day === day || nextDay(kept.day) === day))
    return `replayed ${kept.day} ${kept.balance}`
  if (round?.status !== 'open') return 'round_closed'
  if (member.joined.includes(day)) return 'already_joined'
  if (!member.mayMove || (byItself && !member.autoJoin)) return 'may_not_move'
  if (member.joined.filter((each) => yearOf(each) === yearOf(day)).length >= JOINS_PER_YEAR) return 'yearly_maximum'
  if (member.balance < FEE) return 'insufficient_balance'
  books.enter(member, round)
  member.key = key === undefined ? undefined : { text: key, day, balance: member.balance }
  return `joined ${day} ${member.balance}`
}

type Page = { readonly state: 'page' | 'done' | 'closed'; readonly scanned?: number; readonly joined?: number }

/** Runs pages until none is left. */
function autoJoinAll(books: Books, op: OpOf<'auto-join all'>): unknown {
  let joined = 0
  for (;;) {
    const page = autoJoinPage(books, op)
    if (page.state !== 'page') return { state: page.state, joined }
    joined += page.joined ?? 0
  }
}

function autoJoinPage(books: Books, { day, size }: OpOf<'auto-join page' | 'auto-join all'>): Page {
  const cursor = books.auto.get(day) ?? { last: 0n, done: false }
  books.auto.set(day, cursor)
  if (cursor.done) return { state: 'done' }
  if (day !== books.day || books.rounds.get(day)?.status !== 'open') return { state: 'closed' }
  const page = [...books.members.values()].filter(({ autoJoin, memberId }) => autoJoin && memberId > cursor.last).slice(0, size)
  let joined = 0
  for (const { memberId } of page) {
    const answer = join(books, memberId, undefined, true)
    if (answer.startsWith('joined')) joined++
    const place = `${day} ${memberId}`
    if ((answer === 'insufficient_balance' || answer === 'yearly_maximum') && !books.skipped.has(place)) books.skipped.set(place, answer)
  }
  cursor.last = page.at(-1)?.memberId ?? cursor.last
  cursor.done = page.length < size
  return { state: 'page', scanned: page.length, joined }
}

function close(books: Books, { day, early }: OpOf<'close'>): unknown {
  const round = books.rounds.get(day)
  if (round === undefined) return no('round_not_found')
  const entries = round.entries.length
  const counted = (already: boolean) => yes({ entries, pool: BigInt(entries) * FEE, already })
  if (round.status !== 'open') return counted(true)
  if (day >= books.day && !early) return no('too_early')
  if (day >= books.day && entries === 0) return no('no_participants')
  round.status = 'closed'
  return counted(false)
}

/** Each share is rounded down to the paisa; need takes the remainder. */
function cutOf({ entries, policy }: RoundBook, winners: number) {
  const pool = BigInt(entries.length) * FEE
  const due = Math.min(policy.winners, entries.length)
  const platform = (pool * BigInt(policy.platform)) / 100n
  const prize = winners === 0 ? 0n : (pool * BigInt(policy.reward)) / 100n / BigInt(winners)
  const reward = prize * BigInt(winners)
  return { due, prize, reward, platform, need: pool - reward - platform }
}

function draw(books: Books, { day, winners, taxPercent }: OpOf<'draw'>): unknown {
  const round = books.rounds.get(day)
  if (round?.status === 'drawn' || round?.status === 'settled') return undefined
  if (round?.status !== 'closed' || round.entries.length === 0) return FAULT
  const { due, prize } = cutOf(round, winners.length)
  if (winners.length !== 0 && winners.length !== due) return FAULT
  if (new Set(winners).size !== winners.length || winners.some((memberId) => !round.entries.includes(memberId))) return FAULT
  const tax = (prize * taxPercent) / 100n
  round.winners = winners.map((memberId) => ({ memberId, amount: prize - tax, tax }))
  round.status = 'drawn'
  return undefined
}

function settle(books: Books, day: IstDay): unknown {
  const round = books.rounds.get(day)
  if (round === undefined) return no('round_not_found')
  if (round.status !== 'drawn' && round.status !== 'settled') return no('not_drawn')
  const { need, reward, platform } = cutOf(round, round.winners.length)
  const tax = round.winners.reduce((sum, winner) => sum + winner.tax, 0n)
  const winners = round.winners.map((winner, index) => ({ rank: index + 1, ...winner }))
  const answer = yes({ winners, need, reward, platform, tax, already: round.status === 'settled' })
  if (round.status === 'settled') return answer
  const pool = poolOf(day)
  for (const { rank, memberId, amount } of winners) {
    const ref = `${day}:${rank}`
    const paid = books.give('prize', ref, pool, memberId, amount)
    books.prizes.set(ref, { memberId, kept: amount - paid, paidOn: books.day, given: undefined })
  }
  passOnAhead(books, day)
  if (tax > 0n) books.move('tax', day, pool, SYSTEM.TAX_WITHHELD, tax)
  if (platform > 0n) books.move('platform', day, pool, SYSTEM.PLATFORM, platform)
  if (need > 0n) books.move('need', day, pool, SYSTEM.HELP_FUND, need)
  round.cut = { need, reward, platform, tax }
  round.status = 'settled'
  return answer
}

function giveBack(books: Books, day: IstDay): unknown {
  const round = books.rounds.get(day)
  if (round === undefined) return no('round_not_found')
  if (round.status === 'void') return yes({ isOver: true, already: true })
  if (round.status !== 'closed') return no('not_closed')
  for (const memberId of round.entries) books.give('round_refund', `${day}:${memberId}`, poolOf(day), memberId, FEE, `round ${day}`)
  round.status = 'void'
  return yes({ isOver: round.entries.length === 0, already: false })
}

function seal(books: Books, day: IstDay): unknown {
  if (books.sealed.has(day)) return yes({ sealedNow: false })
  if (day >= books.day) return no('day_not_over')
  if (books.rounds.get(day)?.status === 'open') return no('round_open')
  books.sealed.add(day)
  return yes({ sealedNow: true })
}

function autoParticipate(books: Books, { memberId, on }: OpOf<'auto participate'>): undefined {
  const member = books.members.get(memberId)
  if (member?.isClosed === false) member.autoJoin = on
}

function setStanding(books: Books, memberId: bigint, isSuspended: boolean): boolean {
  const member = books.members.get(memberId)
  // A closed account is erased: nobody suspends it.
  if (member === undefined || member.isClosed || member.isSuspended === isSuspended) return false
  Object.assign(member, { isSuspended, mayMove: !isSuspended })
  return true
}

function giveRest(books: Books, { memberId, id }: OpOf<'give rest'>): unknown {
  const member = books.members.get(memberId)
  if (member === undefined || !member.mayMove) return no('may_not_move')
  books.payDebts(memberId, member.balance)
  const { balance } = member
  if (balance === 0n) return yes(0n)
  if (books.transfers.some((line) => line.startsWith(`transfer gift ${id} `))) return FAULT
  books.move('gift', id, memberId, SYSTEM.HELP_FUND, balance)
  return yes(balance)
}

const OPEN = ['requested', 'approved', 'sending']
function closeWallet(books: Books, { memberId }: OpOf<'close wallet'>): unknown {
  const member = books.members.get(memberId)
  if (member === undefined) return FAULT
  const isOpen = (each: { readonly memberId: bigint | undefined; readonly status: string }): boolean =>
    each.memberId === memberId && OPEN.includes(each.status)
  if ([...books.withdrawals.values()].some(isOpen)) return no('payout_pending')
  if ([...books.refunds.values()].some(isOpen)) return no('refund_pending')
  if (hasOpenRound(books, member)) return no('round_pending')
  if (member.balance > 0n || member.held > 0n) return no('money_left')
  Object.assign(member, { isClosed: true, isSuspended: false, mayMove: false, autoJoin: false })
  return yes(undefined)
}

export const hasOpenRound = (books: Books, { joined }: MemberBook): boolean =>
  joined.some((day) => ['open', 'closed', 'drawn'].includes(books.rounds.get(day)?.status ?? ''))

function begin(books: Books, { day, policy }: OpOf<'new day'>): undefined {
  if (!books.rounds.has(day)) books.rounds.set(day, { day, policy, status: 'open', entries: [], winners: [], cut: undefined })
  books.day = day
}

type Rules = { readonly [Do in Op['do']]: (books: Books, op: OpOf<Do>) => unknown }
const RULES: Rules = {
  order,
  capture,
  mark,
  hold,
  dispute,
  disburse,
  correct,
  house,
  'gateway settlement': gatewaySettlement,
  'auto participate': autoParticipate,
  suspend: (books, { memberId }) => setStanding(books, memberId, true),
  reinstate: (books, { memberId }) => setStanding(books, memberId, false),
  close,
  draw,
  join: (books, op) => op.members.map((memberId) => join(books, memberId, op.key)),
  'join after top-up': (books, op) => join(books, op.memberId, undefined, true),
  'auto-join page': autoJoinPage,
  'auto-join all': autoJoinAll,
  'approve withdrawal': decideWithdrawal,
  'reject withdrawal': decideWithdrawal,
  'stop withdrawal': decideWithdrawal,
  'show withdrawal': decideWithdrawal,
  'complete withdrawal': decideWithdrawal,
  'send withdrawal': sendWithdrawal,
  'payout word': payoutWord,
  'ask refund': askRefund,
  'approve refund': decideRefund,
  'reject refund': decideRefund,
  'stop refund': decideRefund,
  'send refund': sendRefund,
  'refund word': refundWord,
  'credit item': creditItem,
  'refund item': refundItem,
  'pay item': payItem,
  'give rest': giveRest,
  'pass on': passOn,
  'switch pass on': switchPassOn,
  'close wallet': closeWallet,
  settle: (books, op) => settle(books, op.day),
  void: (books, op) => giveBack(books, op.day),
  seal: (books, op) => seal(books, op.day),
  'new day': begin,
}

/** Changes the books, and returns the operation's answer. */
export const apply = (books: Books, op: Op): unknown => (RULES[op.do] as (books: Books, op: Op) => unknown)(books, op)
