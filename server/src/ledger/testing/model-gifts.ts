/** The model's rules of passing a prize on to the help fund. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { type Books, SYSTEM } from './model-books.ts'
import type { OpOf } from './model-ops.ts'

const no = (code: string) => ({ ok: false, code })
const DAYS = 30

export function passOn(books: Books, { memberId, day }: OpOf<'pass on'>): unknown {
  const member = books.members.get(memberId)
  const found = [...books.prizes.entries()].find(([ref, prize]) => ref.startsWith(`${day}:`) && prize.memberId === memberId)
  if (member === undefined || found === undefined) return no('not_found')
  const [ref, prize] = found
  if (!member.mayMove) return no('may_not_move')
  if (prize.given !== undefined) return no('prize_passed_on')
  if (books.day > addDays(prize.paidOn, DAYS)) return no('prize_too_old')
  if (books.owed(memberId) > 0n) return no('debt_first')
  const given = prize.kept < member.balance ? prize.kept : member.balance
  if (given === 0n) return no('nothing_left')
  give(books, ref, given)
  return { ok: true, value: { given, balance: member.balance } }
}

function give(books: Books, ref: string, given: bigint): void {
  const prize = books.prizes.get(ref)
  if (prize === undefined) throw new Error(`the model has no prize ${ref}`)
  prize.given = given
  books.move('gift', ref, prize.memberId, SYSTEM.HELP_FUND, given)
}

/** At the settlement, once all prizes and debts are paid. */
export function passOnAhead(books: Books, day: IstDay): void {
  for (const [ref, { memberId, kept }] of books.prizes) {
    const member = books.member(memberId)
    if (ref.startsWith(`${day}:`) && member.passesOn && member.mayMove && kept > 0n) give(books, ref, kept)
  }
}

export function switchPassOn(books: Books, { memberId, on }: OpOf<'switch pass on'>): undefined {
  const member = books.members.get(memberId)
  if (member?.isClosed === false) member.passesOn = on
}
