/**
 * Lines of statements and numbers of the bank that are one transfer: each is booked once, by the line or by the number that was typed.
 * - A line whose finding was closed with a reason can still be confirmed: that ends the finding.
 * - A number is compared without separators and leading zeros, which banks add, and whatever the amounts are.
 * - The caller holds the lock of the bank, but for the first look for a number.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { squeezed } from '@roz/core/reference-fields.ts'
import { type Queryable, type Sql, sql } from '../../../db/sql.ts'
import { SEEN_NUMBERS, squeezedNumber } from '../../../ledger/gateway-settlements.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { IS_CLOSED_LINE, IS_UNBOOKED_LINE } from '../../../staff/open-work.ts'
import { wordsOf } from './match.ts'

type Line = {
  readonly id: string
  readonly day: IstDay
  readonly amount: Paise
  readonly words: string
  readonly isTaken: boolean
  readonly isClosed: boolean
}
type Row = Omit<Line, 'words'> & { readonly words: Buffer }

/** Money that came in. */
export async function findLine(from: Queryable, secrets: Secrets, id: string): Promise<Line | undefined> {
  const row = await from.maybeOne<Row>(sql`
    select l.id, l.day::text as day, l.amount, l.sealed_words as words, not ${IS_UNBOOKED_LINE} as "isTaken", ${IS_CLOSED_LINE} as "isClosed"
          from bank_line l where l.id = ${id}::uuid and l.amount > 0`)
  return row && { ...row, words: wordsOf(secrets, row) }
}

/** Whether somebody typed a number that the line has. */
export async function isTypedAlready(from: Queryable, { words }: Pick<Line, 'words'>): Promise<boolean> {
  const { isTyped } = await from.one<{ isTyped: boolean }>(sql`select exists (
          select from bank_transfer where status <> 'rejected' and position(bank_number in ${squeezed(words)}::text) > 0) as "isTyped"`)
  return isTyped
}

/** Lines and payouts older than this are not looked at: typing the number of one is no easier than inventing it. */
const LOOKED_BACK_DAYS = 400
/** No number of a transfer is shorter (core/src/reference-fields.ts). */
const NUMBER_MIN = 9

/**
 * Whether another transfer, a settlement of the gateway or a payout of ours has this number: a payout that came back has it in its line.
 * Somebody may type more of a number than another person, so one may contain the other.
 */
export async function isKnownNumber(from: Queryable, bankNumber: string, own?: string): Promise<boolean> {
  const isSame = (other: Sql): Sql =>
    sql`(position(${bankNumber}::text in ${other}) > 0 or length(${other}) >= ${NUMBER_MIN}::int and position(${other} in ${bankNumber}::text) > 0)`
  const { isKnown } = await from.one<{ isKnown: boolean }>(sql`
    with paid as (
      select reference, ended_at as at from withdrawal union all select reference, decided_at from suspense_item where status = 'paid'
      union all select reference, roz_now() from gateway_settlement union all select of.number, s.seen_at from ${SEEN_NUMBERS})
    select exists (select from bank_transfer b where b.status <> 'rejected' and b.id is distinct from ${own ?? null}::uuid and ${isSame(sql`b.bank_number`)})
            or exists (select from (select ${squeezedNumber(sql`reference`)} as number from paid
                                     where at > roz_now() - make_interval(days => ${LOOKED_BACK_DAYS}::int)) p where ${isSame(sql`p.number`)}) as "isKnown"`)
  return isKnown
}

export const CAME_IN = sql`amount > 0 and day > ist_day(roz_now()) - ${LOOKED_BACK_DAYS}::int`
/** Between two pages other requests have their turn: decrypting one takes some ms. */
const PAGE = 1000

/** The result of a look at the lines. Lines are never removed, so it stays true. */
type Looked = { readonly hasNumber: boolean; readonly lines: ReadonlySet<string> }
const NOTHING: Looked = { hasNumber: false, lines: new Set() }

/**
 * Looks whether a line that came in has this number, also one that has an entry already.
 * - Before the lock of the bank: 400 days of lines are decrypted. Under the lock, with what the look `before` it found: only newer lines.
 */
export async function lookForNumber(from: Queryable, secrets: Secrets, bankNumber: string, before = NOTHING): Promise<Looked> {
  const lines = new Set(before.lines)
  if (before.hasNumber) return before
  const fresh = (await from.query<Pick<Row, 'id'>>(sql`select id from bank_line where ${CAME_IN}`)).filter(({ id }) => !lines.has(id))
  for (let start = 0; start < fresh.length; start += PAGE) {
    const ids = fresh.slice(start, start + PAGE).map(({ id }) => id)
    const page = await from.query<Pick<Row, 'id' | 'words'>>(
      sql`select id, sealed_words as words from bank_line where id = any(${ids}::uuid[])`,
    )
    if (page.some((line) => squeezed(wordsOf(secrets, line)).includes(bankNumber))) return { hasNumber: true, lines }
    for (const id of ids) lines.add(id)
  }
  return { hasNumber: false, lines }
}

type Waiting = { readonly id: string; readonly lineId: string | null; readonly bankNumber: string | null }
/** While a transfer waited for the second person, its line got an entry, or its number a line or an entry. `looked`: before the lock. */
export async function isTakenElsewhere(
  from: Queryable,
  secrets: Secrets,
  { id, lineId, bankNumber }: Waiting,
  looked: Looked,
): Promise<boolean> {
  if (bankNumber !== null)
    return (await isKnownNumber(from, bankNumber, id)) || (await lookForNumber(from, secrets, bankNumber, looked)).hasNumber
  return (await from.maybeOne(sql`select from bank_line where id = ${lineId}::uuid and subject is not null`)) !== undefined
}

/** The look at the lines for the number of a transfer that waits. */
export async function lookForTransfer(from: Queryable, secrets: Secrets, id: string): Promise<Looked> {
  const typed = await from.maybeOne<{ bankNumber: string }>(
    sql`select bank_number as "bankNumber" from bank_transfer where id = ${id}::uuid and bank_number is not null and status = 'asked'`,
  )
  return typed === undefined ? NOTHING : lookForNumber(from, secrets, typed.bankNumber)
}
