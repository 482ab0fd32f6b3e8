/**
 * Imports the statement of a bank account.
 * - An account's lines are one chain. A file is laid over the stored lines of its days, and only its lines before and after are stored: the same
 *   file, or one that overlaps, stores nothing twice.
 * - A file that leaves a gap, or says something else of a stored day, is refused.
 * - The words of a line are encrypted. The staff log has counts and days.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { StatementMapping } from '@roz/core/statement-fields.ts'
import { maybeOne, one, type Queryable, sql } from '../../../db/sql.ts'
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
  readonly firstDay: IstDay | null
  readonly lastDay: IstDay | null
  readonly opening: Paise | null
  readonly closing: Paise | null
}
/** A file's lines before and after what is stored. */
type Fresh = { readonly before: readonly StatementLine[]; readonly after: readonly StatementLine[] }
/** A file laid over the stored lines of its account. */
type Laid = { readonly account: Account; readonly statement: Statement; readonly fresh: Fresh; readonly seen: string }
type LayRefusal = FileRefusal | 'bank_account_not_found' | 'statement_gap' | 'statement_gap_before' | 'statement_differs'
type Laying = { readonly ok: true; readonly value: Laid } | Refusal<LayRefusal>

export const statementHandlers = (deps: AccountsDeps): Handlers<'previewStatement' | 'importStatement'> => ({
  previewStatement: async ({ session, params: { id }, upload }) => {
    const sent = await upload(await take(deps.db, memberLimits.statements(session.memberId)))
    if (!sent.ok) return sent
    const laid = await layFile(deps.db, id, sent.bytes)
    if (!laid.ok) return laid
    const { statement, fresh, seen } = laid.value
    const { lines, opening, closing } = statement
    const after = { lines: lines.length, known: lines.length - countFresh(fresh) }
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
        sample: [...fresh.before, ...fresh.after].slice(0, SAMPLE).map(({ day, amount, balance, words }) => ({
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
  const account = await maybeOne<Account>(
    from,
    sql`select id, mapping, lines, first_day as "firstDay", last_day as "lastDay", opening, closing from statement_account where id = ${id}::uuid`,
  )
  if (account === undefined) return { ok: false, code: 'bank_account_not_found' }
  const read = readStatement(bytes, account.mapping)
  if (!read.ok) return read
  const [first, other] = read.value
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

type Stored = Pick<StatementLine, 'day' | 'amount' | 'balance'>
type FreshLines = { readonly ok: true; readonly value: Fresh } | Refusal<'statement_gap' | 'statement_gap_before' | 'statement_differs'>

/** Files and stored lines have whole days, so the lines of the days that both have are the same from the first on. */
async function freshLines(from: Queryable, account: Account, { lines, opening: fileOpening }: Statement): Promise<FreshLines> {
  const { id, firstDay, lastDay, opening, closing } = account
  if (firstDay === null || lastDay === null || opening === null || closing === null)
    return { ok: true, value: { before: [], after: lines } }
  const before = lines.filter(({ day }) => day < firstDay)
  const ends = before.at(-1)?.balance ?? opening
  if (ends !== opening) {
    const values = { ends: formatPaise(paise(ends)), day: firstDay, begins: formatPaise(opening) }
    return { ok: false, code: 'statement_gap_before', values }
  }
  const rest = lines.slice(before.length)
  const since = before.length > 0 ? firstDay : lines[0].day
  const stored = await from.query<Stored>(sql`
    select day::text as day, amount, balance from bank_line where account_id = ${id}::uuid and day >= ${since}::date order by position`)
  if (stored.length === 0 && fileOpening !== closing) {
    const values = { begins: formatPaise(paise(fileOpening)), day: lastDay, ends: formatPaise(closing) }
    return { ok: false, code: 'statement_gap', values }
  }
  const other = rest.find((line, index) => {
    const known = stored[index]
    return known !== undefined && (known.day !== line.day || known.amount !== line.amount || known.balance !== line.balance)
  })
  if (other !== undefined) return { ok: false, code: 'statement_differs', values: { row: String(other.row) } }
  return { ok: true, value: { before, after: rest.slice(stored.length) } }
}

const countFresh = ({ before, after }: Fresh): number => before.length + after.length

async function isCovered(from: Queryable, { statement }: Laid, until: IstDay): Promise<boolean> {
  const { today } = await one<{ today: IstDay }>(from, sql`select ist_day(roz_now())::text as today`)
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
  const last = lines.at(-1) as StatementLine
  const stored = countFresh(fresh)
  const known = lines.length - stored
  // A file that ends inside what is stored says nothing about later days.
  const reachesEnd = fresh.after.length > 0 || (last.day === account.lastDay && closing === account.closing)
  await tx.query(sql`
    update statement_account set lines = lines + ${stored}::int,
           opening = case when ${fresh.before.length > 0}::boolean then ${opening}::bigint else coalesce(opening, ${opening}::bigint) end,
           first_day = least(first_day, ${lines[0].day}::date),
           closing = case when ${reachesEnd}::boolean then ${closing}::bigint else closing end,
           last_day = greatest(last_day, ${last.day}::date),
           complete_until = case when ${reachesEnd}::boolean then greatest(complete_until, ${until}::date) else complete_until end
     where id = ${account.id}::uuid`)
  const { first, end } = await one<{ first: number; end: number }>(
    tx,
    sql`select coalesce(min(position), 1) as first, coalesce(max(position), 0) + 1 as end from bank_line where account_id = ${account.id}::uuid`,
  )
  await insertLines(tx, deps, { accountId: account.id, position: first - fresh.before.length, lines: fresh.before })
  await insertLines(tx, deps, { accountId: account.id, position: end, lines: fresh.after })
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

type Placed = { readonly accountId: string; readonly position: number; readonly lines: readonly StatementLine[] }

async function insertLines(tx: Tx, { secrets }: AccountsDeps, { accountId, position, lines }: Placed): Promise<void> {
  const ids = lines.map(() => randomUUID())
  const words = lines.map((line, index) => secrets.encrypt(Buffer.from(line.words), wordsContext(ids[index] as string)))
  await tx.query(sql`
    insert into bank_line (id, account_id, position, day, amount, balance, sealed_words)
    select l.id, ${accountId}::uuid, ${position - 1}::int + l.place::int, l.day, l.amount, l.balance, l.words
      from unnest(${ids}::uuid[], ${lines.map(({ day }) => day)}::date[], ${lines.map(({ amount }) => amount)}::bigint[],
             ${lines.map(({ balance }) => balance)}::bigint[], ${words}::bytea[]) with ordinality as l (id, day, amount, balance, words, place)
     order by l.place`)
}
