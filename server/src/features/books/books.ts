/**
 * Makes the books and liabilities of the days that are over, and serves them.
 *
 * - Days follow each other without a gap, each after its ledger is sealed and the log has its list (`close`) or its end (`void`).
 * - The file, its hash in the log and the sealed parts become visible in one transaction.
 * - A day's books are made once, also by several processes or after a kill.
 * - Unsound books are not published. Their day is held, an alarm is raised, and the next days wait. The same holds for books that
 *   cannot be made, unless the database is down: then the day is tried again.
 * - A member whose ticket key cannot be read joins no round until it can be read.
 */
import { createHash } from 'node:crypto'
import { booksBytes } from '@roz/core/books.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { tryLockInTransaction } from '../../db/advisory-locks.ts'
import { DatabaseUnavailableError, type Db, type Queryable, sql, TransactionTimeoutError } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { errorText } from '../../jobs/parking.ts'
import { BooksHeldError, holdBooks, isCovered } from '../../ledger/held-books.ts'
import { answerFile, answerPages, FILE_NOT_FOUND, ofDay } from '../../transparency-log/published-file.ts'
import { appendRecord } from '../../transparency-log/records.ts'
import type { LogProofs } from '../../transparency-log/log-tree.ts'
import { LEAF_BYTES } from '../../transparency-log/sum-tree.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { UnreadableKeyError } from '../../tickets/unreadable-keys.ts'
import { inTrace } from '../../tracing/spans.ts'
import { coverAccounts, findBooks, makeBooks, readDayLedger } from './day-file.ts'
import { findDay, findFigures, listDays, readDays } from './days.ts'
import { forgetParts, type Liabilities, type RunOptions, stepLiabilities } from './liabilities.ts'
import { findOwnParts } from './own-parts.ts'

type BooksDeps = {
  readonly db: Db
  readonly ticketKeys: TicketKeys
  readonly proofs: LogProofs
  readonly alarm: Alarm
  readonly pages?: RunOptions
}
type Alarm = (details: object, message: string) => void

/** Time limit of a portion. A small day needs one portion; a large day releases the lock between its portions. */
const PORTION_MS = 200
const WAITS = { statementTimeoutMs: 60_000, transactionTimeoutMs: 120_000 }

type Calls = 'booksFile' | 'liabilitiesFile' | 'userLiabilities' | 'publicDays' | 'publicDay'

export function createBooks(deps: BooksDeps) {
  const { db, ticketKeys, proofs, pages = {} } = deps
  const holding = createHolding(deps)
  const handlers: Handlers<Calls> = {
    booksFile: ({ params }) =>
      ofDay(params.day, async (day) => {
        const row = await db.maybeOne<{ bytes: Buffer }>(sql`select bytes from books_day where day = ${day}::date`)
        return row === undefined ? FILE_NOT_FOUND : answerFile(row.bytes, 'json', true)
      }),
    liabilitiesFile: ({ params }) => ofDay(params.day, (day) => liabilitiesFile(db, day)),
    userLiabilities: ({ session, params, query }) => findOwnParts({ db, ticketKeys, proofs }, session.memberId, { params, query }),
    publicDays: (call) => listDays(db, call),
    publicDay: (call) => findDay(db, call),
  }

  /** Continues a day in this transaction: portions until the time is up, then the day's end if all are made. */
  async function proceed(tx: Tx, day: IstDay): Promise<'portion' | 'day'> {
    const startedMs = performance.now()
    const covers = await isCovered(tx, day)
    let sealed: Liabilities | undefined
    while (sealed === undefined) {
      sealed = await stepLiabilities(tx, { ticketKeys, day, options: pages, covers })
      if (sealed === undefined && performance.now() - startedMs >= (pages.portionMs ?? PORTION_MS)) return 'portion'
    }
    if (covers) await coverAccounts(tx, day)
    const books = await makeBooks(tx, await readDayLedger(tx, day), sealed)
    const bytes = Buffer.from(booksBytes(books))
    const sum = (entries: readonly { readonly paise: number }[]): number => entries.reduce((total, { paise }) => total + paise, 0)
    const back = sum(books.help.corrections)
    const spent = sum(books.help.disbursements) - back
    // Days are made without a gap, so the newest row has the totals before this day.
    await tx.query(sql`
      insert into books_day (day, bytes, help_in, help_out)
      select ${day}::date, ${bytes}::bytea, coalesce(max(help_in), 0) + ${books.help.in - back}::bigint, coalesce(max(help_out), 0) + ${spent}::bigint
        from (select help_in, help_out from books_day order by day desc limit 1) newest`)
    await appendRecord(tx, { v: 1, kind: 'books', day, books: createHash('sha256').update(bytes).digest('hex') })
    return 'day'
  }

  // A day of several portions leaves working rows, perhaps from a process that was killed: they are deleted here.
  let hasLeft = true

  return {
    handlers,

    /** The newest days, as the public pages show them. */
    newestDays: (language: Language, limit: number) => readDays(db, { limit, language }),
    figuresOfDay: (day: string) => findFigures(db, day),

    /** Makes one portion or a whole day; undefined when nothing is due. */
    due: async (): Promise<'portion' | 'day' | undefined> => {
      const next = await findNext(db)
      if (next === undefined) {
        hasLeft = hasLeft && (await forgetParts(db))
        return hasLeft ? 'portion' : undefined
      }
      return holding(next, () =>
        inTransaction(
          db,
          async (tx) => {
            // Another process may have held the lock: read the next day again under it.
            if (!(await tryLockInTransaction(tx, 'books')) || (await findNext(tx)) !== next) return undefined
            const done = await proceed(tx, next)
            hasLeft ||= done === 'portion'
            return done
          },
          { ...WAITS, ...(pages.transactionTimeoutMs === undefined ? {} : { transactionTimeoutMs: pages.transactionTimeoutMs }) },
        ),
      )
    },
  }
}

/** A day is held after this many tries beyond the time limit; a single one may be a moment's load. */
const TIMEOUTS_MAX = 3

/** Holds a day whose books are unsound or cannot be made, and raises the alarm. */
function createHolding({ db, ticketKeys, alarm }: BooksDeps) {
  let timeouts = 0
  return async <T>(day: IstDay, make: () => Promise<T>): Promise<T | undefined> => {
    try {
      const made = await inTrace({ name: 'due books', kind: 'internal', attributes: { 'roz.day': day } }, () =>
        ticketKeys.keepingUnreadable(db, make),
      )
      timeouts = 0
      return made
    } catch (error) {
      const isTooLong = error instanceof TransactionTimeoutError && ++timeouts >= TIMEOUTS_MAX
      if (error instanceof DatabaseUnavailableError && !isTooLong) throw error
      const isUnsound = error instanceof BooksHeldError
      const memberId = isUnsound ? error.memberId : error instanceof UnreadableKeyError ? error.memberIds[0] : undefined
      const found = isUnsound ? error.message : errorText(error)
      // Unsound data of an ended day do not mend themselves: a person must. Any other cause may pass by itself.
      await holdBooks(db, day, { found, memberId, mayPass: !isUnsound })
      const told = { day, memberId: memberId?.toString(), found, ...(isUnsound ? {} : { err: error }) }
      alarm(told, 'the books of a day are held, and the next days wait for it')
      return undefined
    }
  }
}

/** The next day whose books can be made: it is over, its ledger is sealed, its round is closed or void. */
async function findNext(from: Queryable): Promise<IstDay | undefined> {
  const row = await from.maybeOne<{ day: IstDay }>(sql`
    select n.day from (select coalesce((select max(day) + 1 from books_day), (select min(day) from round)) as day) n
         where n.day < ist_day(roz_now())
           and not exists (select from books_hold h where h.day = n.day and h.next_try_at > roz_now() and h.next_try_at <= roz_now() + interval '1 hour')
           and exists (select from ledger_day d where d.day = n.day and d.sealed_at is not null)
           and exists (select from log_entry e where e.day = n.day and e.kind in ('close', 'void'))`)
  return row?.day
}

async function liabilitiesFile(db: Db, day: IstDay) {
  const books = await findBooks(db, day)
  if (books === undefined) return FILE_NOT_FOUND
  async function* pages(): AsyncGenerator<Uint8Array> {
    for (let page = 0; ; page++) {
      const row = await db.maybeOne<{ leaves: Buffer }>(
        sql`select leaves from liability_page where day = ${day}::date and page = ${page}::int`,
      )
      if (row === undefined) return
      yield row.leaves
    }
  }
  return answerPages(books.liabilities.root, books.liabilities.count * LEAF_BYTES, pages())
}
