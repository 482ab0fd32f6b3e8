/**
 * Lines of statements and numbers of the bank that are one transfer: each is booked once, by the line or by the number that was typed.
 * - A number is compared without separators and leading zeros, which banks add, and whatever the amounts are.
 * - The caller holds the lock of the bank.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { squeezed } from '@roz/core/reference-fields.ts'
import { maybeOne, one, type Queryable, type Sql, sql } from '../../../db/sql.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { wordsOf } from './match.ts'

/** The line `l` has no entry, is no transfer that was confirmed or waits, and was not closed with a reason. */
export const IS_FREE_LINE: Sql = sql`(l.subject is null
  and not exists (select from bank_transfer b where b.line_id = l.id and b.status <> 'rejected')
  and not exists (select from money_finding f where f.kind = 'bank_line' and f.subject = 'bank_line:' || l.id and f.closed_at is not null and f.ended_at is null))`

export type Line = { readonly id: string; readonly day: IstDay; readonly amount: Paise; readonly words: string; readonly isTaken: boolean }
type Row = Omit<Line, 'words'> & { readonly words: Buffer }

/** Money that came in. */
export async function findLine(from: Queryable, secrets: Secrets, id: string): Promise<Line | undefined> {
  const row = await maybeOne<Row>(
    from,
    sql`select l.id, l.day::text as day, l.amount, l.sealed_words as words, not ${IS_FREE_LINE} as "isTaken"
          from bank_line l where l.id = ${id}::uuid and l.amount > 0`,
  )
  return row && { ...row, words: wordsOf(secrets, row) }
}

/** Whether somebody typed a number that the line has. */
export async function isTypedAlready(from: Queryable, { words }: Pick<Line, 'words'>): Promise<boolean> {
  const { isTyped } = await one<{ isTyped: boolean }>(
    from,
    sql`select exists (
          select from bank_transfer where status <> 'rejected' and position(bank_number in ${squeezed(words)}::text) > 0) as "isTyped"`,
  )
  return isTyped
}

/** Whether a transfer or a settlement of the gateway has this number. */
export async function isKnownNumber(from: Queryable, bankNumber: string): Promise<boolean> {
  const { isKnown } = await one<{ isKnown: boolean }>(
    from,
    sql`select exists (select from bank_transfer where bank_number = ${bankNumber}::text and status <> 'rejected')
            or exists (select from gateway_settlement where reference = ${bankNumber}::text) as "isKnown"`,
  )
  return isKnown
}

/** Numbers older than this are not looked for: typing one is no easier than inventing it. */
const LOOKED_BACK_DAYS = 400
/** Whether a line that came in has this number, also one that has an entry already. */
export async function isInStatement(from: Queryable, secrets: Secrets, bankNumber: string): Promise<boolean> {
  const lines = await from.query<Pick<Row, 'id' | 'words'>>(sql`
    select id, sealed_words as words from bank_line where amount > 0 and day > ist_day(roz_now()) - ${LOOKED_BACK_DAYS}::int`)
  return lines.some((line) => squeezed(wordsOf(secrets, line)).includes(bankNumber))
}

type Waiting = { readonly lineId: string | null; readonly bankNumber: string | null }
/** While a transfer waited for the second person, its line got an entry, or its number a line. */
export async function isTakenElsewhere(from: Queryable, secrets: Secrets, { lineId, bankNumber }: Waiting): Promise<boolean> {
  if (bankNumber !== null) return isInStatement(from, secrets, bankNumber)
  return (await maybeOne(from, sql`select from bank_line where id = ${lineId}::uuid and subject is not null`)) !== undefined
}
