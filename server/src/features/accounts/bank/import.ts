/**
 * Imports the statement of a bank account.
 * - An account's lines are one chain. A file is laid over the stored lines of its days, and only the lines that are new are stored: the same
 *   file, or one that overlaps, stores nothing twice.
 * - A file that leaves a gap, or says something else of a stored day, is refused. A gap whose days come to zero cannot be seen; its file is
 *   still taken later.
 * - The words of a line are encrypted. The staff log has counts and days.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { StatementMapping } from '@roz/core/statement-fields.ts'
import { type Queryable, sql } from '../../../db/sql.ts'
import { inTransaction, type Tx } from '../../../db/transaction.ts'
import { type Handlers, invalid, type Refusal } from '../../../http/route.ts'
import { memberLimits, take } from '../../../protection/limits.ts'
import { fingerprintOf } from '../../../staff/decision.ts'
import { logStaff } from '../../../staff/staff-log.ts'
import type { AccountsDeps } from '../deps.ts'
import { compareBank } from './compare.ts'
import { lockBank } from './lock.ts'
import { matchByReference, wordsContext } from './match.ts'
import { type FileRefusal, readStatement, type Statement, type StatementLine } from './statement-file.ts'

const SAMPLE = 20

type Account = {
  readonly id: string
  readonly mapping: StatementMapping
  readonly lines: number
}
/** `position`: within its day, from 1. */
type Placed = StatementLine & { readonly position: number }
/** A file's lines that are not stored yet; whether nothing stored is before or after the file. */
type Fresh = { readonly lines: readonly Placed[]; readonly isFirst: boolean; readonly isLast: boolean }
/** A file laid over the stored lines of its account. */
type Laid = { readonly account: Account; readonly statement: Statement; readonly fresh: Fresh; readonly seen: string }
type GapRefusal = 'statement_gap' | 'statement_gap_before' | 'statement_differs'
type LayRefusal = FileRefusal | 'bank_account_not_found' | 'statement_either_way' | GapRefusal
type Laying = { readonly ok: true; readonly value: Laid } | Refusal<LayRefusal>

export const statementHandlers = (deps: AccountsDeps): Handlers<'previewStatement' | 'importStatement'> => ({
  previewStatement: async ({ session, params: { id }, upload }) => {
    const sent = await upload(await take(deps.db, memberLimits.statements(session.memberId)))
    if (!sent.ok) return sent
    const laid = await layFile(deps.db, id, sent.bytes)
    if (!laid.ok) return laid
    const { statement, fresh, seen } = laid.value
    const { lines, opening, closing } = statement
    const after = { lines: lines.length, known: lines.length - fresh.lines.length }
    await inTransaction(deps.db, (tx) =>
      logStaff(tx, { actorId: session.memberId, action: 'bank_statement.preview', subject: `bank_account:${id}`, after }),
    )
    return {
      ok: true,
      value: {
        ...after,
        from: lines[0].day,
        until: (lines.at(-1) as StatementLine).day,
        opening: rupeesFromPaise(paise(opening)),
        closing: rupeesFromPaise(paise(closing)),
        sample: fresh.lines.slice(0, SAMPLE).map(({ day, amount, balance, words }) => ({
          day,
          amount: rupeesFromPaise(paise(amount)),
          balance: rupeesFromPaise(paise(balance)),
          words,
        })),
        seen,
      },
    }
  },
  importStatement: async ({ session, params: { id }, query, upload }) => {
    const sent = await upload(await take(deps.db, memberLimits.statements(session.memberId)))
    if (!sent.ok) return sent
    const until = parseDay(query.until)
    if (until === undefined) return invalid({ until: 'day_invalid' })
    return inTransaction(deps.db, async (tx) => {
      await lockBank(tx)
      const laid = await layFile(tx, id, sent.bytes)
      if (!laid.ok) return laid
      if (laid.value.seen !== query.seen) return { ok: false, code: 'changed_since_seen' }
      if (!(await isCovered(tx, laid.value, until))) return invalid({ until: 'statement_until' })
      return { ok: true, value: await store(tx, deps, laid.value, { until, by: session.memberId, bytes: sent.bytes }) }
    })
  },
})

async function layFile(from: Queryable, id: string, bytes: Buffer): Promise<Laying> {
  const account = await from.maybeOne<Account>(sql`select id, mapping, lines from statement_account where id = ${id}::uuid`)
  if (account === undefined) return { ok: false, code: 'bank_account_not_found' }
  const read = readStatement(bytes, account.mapping)
  if (!read.ok) return read
  const [first, other] = read.value
  // Nothing is stored that could tell which end is the older one.
  if (account.lines === 0 && other !== undefined && other.opening !== first.opening) return { ok: false, code: 'statement_either_way' }
  const laid = await layOver(from, account, first)
  if (laid.ok || other === undefined) return laid
  const turned = await layOver(from, account, other)
  return turned.ok ? turned : laid
}

async function layOver(from: Queryable, account: Account, statement: Statement): Promise<Laying> {
  const fresh = await freshLines(from, account, statement)
  if (!fresh.ok) return fresh
  const seen = fingerprintOf([
    account.id,
    ...statement.lines.map(({ day, amount, balance, words }) => [day, String(amount), String(balance), words]),
  ])
  return { ok: true, value: { account, statement, fresh: fresh.value, seen } }
}

type Stored = Pick<Placed, 'day' | 'position' | 'amount' | 'balance'>
type FreshLines = { readonly ok: true; readonly value: Fresh } | Refusal<GapRefusal>

/** Files have whole days, but the newest day may still have grown: of a day, the stored lines are the file's first ones, or on its last day all of it. */
async function freshLines(from: Queryable, { id }: Account, { lines, opening, closing }: Statement): Promise<FreshLines> {
  const [first, last] = [lines[0].day, (lines.at(-1) as StatementLine).day]
  const before = await from.maybeOne<{ day: IstDay; ends: Paise }>(sql`
    select day::text as day, balance as ends from bank_line where account_id = ${id}::uuid and day < ${first}::date
         order by day desc, position desc limit 1`)
  if (before !== undefined && before.ends !== opening) {
    const values = { begins: formatPaise(paise(opening)), day: before.day, ends: formatPaise(before.ends) }
    return { ok: false, code: 'statement_gap', values }
  }
  const after = await from.maybeOne<{ day: IstDay; begins: Paise }>(sql`
    select day::text as day, balance - amount as begins from bank_line where account_id = ${id}::uuid and day > ${last}::date
         order by day, position limit 1`)
  const stored = await from.query<Stored>(sql`
    select day::text as day, position, amount, balance from bank_line
     where account_id = ${id}::uuid and day between ${first}::date and ${last}::date order by day, position`)
  const days = Map.groupBy(lines, ({ day }) => day)
  const isBeyond = ({ day, position }: Stored): boolean => position > (days.get(day)?.length ?? 0)
  const isCut = stored.some((line) => line.day === last && isBeyond(line))
  if (after !== undefined && !isCut && after.begins !== closing) {
    const values = { ends: formatPaise(paise(closing)), day: after.day, begins: formatPaise(after.begins) }
    return { ok: false, code: 'statement_gap_before', values }
  }
  const placed = [...days.values()].flatMap((all) => all.map((line, index) => ({ ...line, position: index + 1 })))
  const known = new Map(stored.map((line) => [`${line.day} ${line.position}`, line]))
  const knownAs = ({ day, position }: Placed): Stored | undefined => known.get(`${day} ${position}`)
  const lacking = stored.find((line) => line.day !== last && isBeyond(line))
  const other = placed.find((line) => {
    const { amount, balance } = knownAs(line) ?? line
    return amount !== line.amount || balance !== line.balance || (lacking !== undefined && line.day >= lacking.day)
  })
  if (other !== undefined) return { ok: false, code: 'statement_differs', values: { row: String(other.row) } }
  const fresh = placed.filter((line) => knownAs(line) === undefined)
  return { ok: true, value: { lines: fresh, isFirst: before === undefined, isLast: after === undefined && !isCut } }
}

async function isCovered(from: Queryable, { statement }: Laid, until: IstDay): Promise<boolean> {
  const { today } = await from.one<{ today: IstDay }>(sql`select ist_day(roz_now())::text as today`)
  return until >= (statement.lines.at(-1) as StatementLine).day && until <= today
}

type Storing = { readonly until: IstDay; readonly by: bigint; readonly bytes: Buffer }

async function store(
  tx: Tx,
  deps: AccountsDeps,
  { account, statement, fresh }: Laid,
  { until, by, bytes }: Storing,
): Promise<{ readonly stored: number; readonly known: number; readonly matched: number }> {
  const { lines, opening, closing } = statement
  const stored = fresh.lines.length
  const known = lines.length - stored
  // A file that ends inside what is stored says nothing about later days.
  await tx.query(sql`
    update statement_account set lines = lines + ${stored}::int,
           opening = case when ${fresh.isFirst}::boolean then ${opening}::bigint else opening end,
           first_day = least(first_day, ${lines[0].day}::date),
           closing = case when ${fresh.isLast}::boolean then ${closing}::bigint else closing end,
           last_day = greatest(last_day, ${(lines.at(-1) as StatementLine).day}::date),
           complete_until = case when ${fresh.isLast}::boolean then greatest(complete_until, ${until}::date) else complete_until end
     where id = ${account.id}::uuid`)
  await insertLines(tx, deps, account.id, fresh.lines)
  const matched = await matchByReference(tx, deps.secrets)
  await compareBank(tx)
  await logStaff(tx, {
    actorId: by,
    action: 'bank_statement.import',
    subject: `bank_account:${account.id}`,
    after: { stored, known, from: lines[0].day, until, file: createHash('sha256').update(bytes).digest('hex') },
  })
  return { stored, known, matched }
}

async function insertLines(tx: Tx, { secrets }: AccountsDeps, accountId: string, lines: readonly Placed[]): Promise<void> {
  const ids = lines.map(() => randomUUID())
  const words = lines.map((line, index) => secrets.encrypt(Buffer.from(line.words), wordsContext(ids[index] as string)))
  await tx.query(sql`
    insert into bank_line (id, account_id, position, day, amount, balance, sealed_words)
    select l.id, ${accountId}::uuid, l.position, l.day, l.amount, l.balance, l.words
      from unnest(${ids}::uuid[], ${lines.map(({ position }) => position)}::int[], ${lines.map(({ day }) => day)}::date[],
             ${lines.map(({ amount }) => amount)}::bigint[], ${lines.map(({ balance }) => balance)}::bigint[], ${words}::bytea[])
             as l (id, position, day, amount, balance, words)`)
}
