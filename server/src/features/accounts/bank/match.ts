/**
 * Matches lines of the statement with movements of the books.
 * - By itself: the amount is the same, the line's words have the movement's reference, and neither has a second candidate.
 * - Everything else is proposed to a person. Where a person decided, the matching by itself stays away.
 * - The caller holds the lock of the bank.
 */
import { addDays, daysBetween, type IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../../../db/sql.ts'
import type { Tx } from '../../../db/transaction.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { listUnmatched, type BankMovement } from './movements.ts'

/** The books have a movement up to this many days before its line; one without a reference also after it. */
export const DAYS_APART = 30
/** Shorter numbers are no reference of a bank. */
const REFERENCE_MIN = 6
const PROPOSED = 50
/** The context in which the words of a line are encrypted. */
export const wordsContext = (lineId: string): string => `bank_line:${lineId}`

type Line = { readonly id: string; readonly day: IstDay; readonly amount: bigint; readonly words: Buffer }

export const wordsOf = (secrets: Secrets, { id, words }: Pick<Line, 'id' | 'words'>): string =>
  secrets.decrypt(words, wordsContext(id)).toString()

/** Numbers and words without separators, case and leading zeros, which banks add. */
const tokensOf = (text: string): string[] =>
  text
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((token) => token.replace(/^0+(?=.)/, ''))
    .filter((token) => token !== '')

/** Whether the words have one of the references whole. */
function hasReference(words: string, refs: readonly string[]): boolean {
  const text = ` ${tokensOf(words).join(' ')} `
  return refs.some((ref) => isReference(ref) && text.includes(` ${tokensOf(ref).join(' ')} `))
}
const isReference = (ref: string): boolean => tokensOf(ref).join('').length >= REFERENCE_MIN

export async function matchByReference(tx: Tx, secrets: Secrets): Promise<number> {
  const lines = await tx.query<Line>(sql`
    select id, day::text as day, amount, sealed_words as words from bank_line where subject is null and decided_by is null order by day, id`)
  const [first] = lines
  if (first === undefined) return 0
  const candidates = byToken(await listUnmatched(tx, addDays(first.day, -DAYS_APART)))
  const pairs = lines.map((line) => ({ line, found: candidatesOf(line, wordsOf(secrets, line), candidates) }))
  const claims = new Map<string, number>()
  for (const { found } of pairs) for (const { subject } of found) claims.set(subject, (claims.get(subject) ?? 0) + 1)
  const sure = pairs.flatMap(({ line, found: [only, another] }) =>
    only !== undefined && another === undefined && claims.get(only.subject) === 1 ? [{ id: line.id, ...only }] : [],
  )
  await tx.query(sql`
    update bank_line l set subject = m.subject, matched_day = m.day, matched_at = roz_now()
      from unnest(${sure.map(({ id }) => id)}::uuid[], ${sure.map(({ subject }) => subject)}::text[], ${sure.map(({ day }) => day)}::date[])
             as m (id, subject, day)
     where l.id = m.id`)
  return sure.length
}

/** Movements by the first part of each reference. */
function byToken(movements: readonly BankMovement[]): ReadonlyMap<string, readonly BankMovement[]> {
  const found = new Map<string, BankMovement[]>()
  for (const movement of movements)
    for (const token of new Set(movement.refs.filter(isReference).map((ref) => tokensOf(ref)[0] as string)))
      found.set(token, [...(found.get(token) ?? []), movement])
  return found
}

function candidatesOf({ day, amount }: Line, words: string, candidates: ReadonlyMap<string, readonly BankMovement[]>): BankMovement[] {
  const near = tokensOf(words).flatMap((token) => candidates.get(token) ?? [])
  return [...new Set(near)].filter((one) => one.amount === amount && one.day >= addDays(day, -DAYS_APART) && hasReference(words, one.refs))
}

type Like = Pick<Line, 'day' | 'amount'>
const listLike = (from: Queryable, { day, amount }: Like): Promise<BankMovement[]> =>
  listUnmatched(
    from,
    addDays(day, -DAYS_APART),
    sql`m.amount = ${amount}::bigint and (m.day <= ${addDays(day, DAYS_APART)}::date or cardinality(m.refs) > 0)`,
  )

export type MatchProposal = BankMovement & { readonly hasReference: boolean }

/** Movements that a line may be, for a person: the same amount; first those whose reference it has, then the nearest days. */
export async function listProposals(from: Queryable, like: Like, words: string): Promise<MatchProposal[]> {
  const found = (await listLike(from, like)).map((one) => ({ ...one, hasReference: hasReference(words, one.refs) }))
  const distance = ({ day }: BankMovement): number => Math.abs(daysBetween(like.day, day))
  return found.sort((a, b) => Number(b.hasReference) - Number(a.hasReference) || distance(a) - distance(b)).slice(0, PROPOSED)
}

/** The movement that a person chose; undefined if it cannot be the line's. */
export const findChosen = async (from: Queryable, like: Like, subject: string): Promise<BankMovement | undefined> =>
  (await listLike(from, like)).find((one) => one.subject === subject)
