/**
 * Lines of statements as the portal lists and matches them.
 * - The list has no words of the bank. One line is shown with them after a step-up, and the staff log records who read it.
 * - A match needs the same amount to the paisa; it moves no money, so one person decides.
 */
import type { bankCalls } from '@roz/contract/bank.ts'
import type { Output } from '@roz/contract/api.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Queryable, type Sql, sql } from '../../../db/sql.ts'
import { inTransaction, type Tx } from '../../../db/transaction.ts'
import type { Handlers } from '../../../http/route.ts'
import { CURSOR_PARTS, type Cursor } from '../../../lists/cursor.ts'
import { pageOf } from '../../../lists/listing.ts'
import { microsOf, olderThan } from '../../../lists/newest-first.ts'
import { IS_CLOSED_LINE, MAY_BE_RETURN } from '../../../staff/open-work.ts'
import { changedSince, fingerprintOf } from '../../../staff/decision.ts'
import { logStaff } from '../../../staff/staff-log.ts'
import type { AccountsDeps } from '../deps.ts'
import { compareBank } from './compare.ts'
import { lockBank } from './lock.ts'
import { findChosen, listProposals, type MatchProposal, wordsOf } from './match.ts'

type Shown = Output<(typeof bankCalls)['bankLines']>['lines'][number]
type Row = Pick<Shown, 'id' | 'account' | 'status' | 'subject'> & {
  readonly day: IstDay
  readonly amount: Paise
  readonly balance: Paise
  readonly sortedAt: string
}

const ROWS = sql`
  select l.id, a.name as account, l.day::text as day, l.amount, l.balance, l.subject,
         case when l.subject is null then case when ${IS_CLOSED_LINE} then 'closed' else 'open' end
              when l.decided_by is null then 'matched' else 'decided' end as status,
         ${microsOf(sql`l.stored_at`)} as "sortedAt"
    from bank_line l join statement_account a on a.id = l.account_id`

function viewOf({ id, account, day, amount, balance, status, subject }: Row): Shown {
  const money = { amount: rupeesFromPaise(amount), balance: rupeesFromPaise(balance) }
  return { id, account, day, ...money, status, subject, seen: fingerprintOf([subject]) }
}
const view = async (from: Queryable, id: string): Promise<Shown> => viewOf(await from.one<Row>(sql`${ROWS} where l.id = ${id}::uuid`))

type Wanted = { readonly status?: 'open' | undefined; readonly returnOf?: string | undefined }

function mayBeReturnOf(id: string | undefined): Sql {
  if (id === undefined) return sql`true`
  return CURSOR_PARTS.uuid(id) ? sql`exists (select from withdrawal w where w.id = ${id}::uuid and ${MAY_BE_RETURN})` : sql`false`
}

async function listLines(
  db: Db,
  { status, returnOf }: Wanted,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: Shown; readonly key: Cursor }[]> {
  const rows = await db.query<Row>(sql`
    ${ROWS} where ${olderThan({ at: sql`l.stored_at`, id: sql`l.id` }, after)}
       and ${status === undefined ? sql`true` : sql`(l.subject is null and not ${IS_CLOSED_LINE})`} and ${mayBeReturnOf(returnOf)}
     order by l.stored_at desc, l.id desc limit ${limit + 1}::int`)
  return rows.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}

const viewProposal = ({ subject, kind, day, amount, refs, hasReference }: MatchProposal) => ({
  subject,
  kind,
  day,
  amount: rupeesFromPaise(paise(amount)),
  reference: refs[0] ?? null,
  hasReference,
})

export const bankLineHandlers = (deps: AccountsDeps): Handlers<'bankLines' | 'bankLine' | 'matchBankLine'> => ({
  bankLines: async ({ query }) => {
    const page = await pageOf(query, (part) => listLines(deps.db, query, part))
    return page.ok ? { ok: true, value: { lines: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  bankLine: ({ session, params: { id } }) =>
    inTransaction(deps.db, async (tx) => {
      const line = CURSOR_PARTS.uuid(id) ? await findLine(tx, id) : undefined
      if (line === undefined) return { ok: false, code: 'bank_line_not_found' }
      const words = wordsOf(deps.secrets, line)
      await logStaff(tx, { actorId: session.memberId, action: 'bank_line.read', subject: `bank_line:${id}` })
      const candidates = line.subject === null ? await listProposals(tx, line, words) : []
      return { ok: true, value: { line: await view(tx, id), words, candidates: candidates.map(viewProposal) } }
    }),
  matchBankLine: ({ session, params: { id }, body: { subject, ...body } }) =>
    inTransaction(deps.db, async (tx) => {
      await lockBank(tx)
      if (!CURSOR_PARTS.uuid(id) || (await findLine(tx, id)) === undefined) return { ok: false, code: 'bank_line_not_found' }
      const before = await view(tx, id)
      const changed = await changedSince({ body }, before.status, async () => before)
      if (changed !== undefined) return changed
      if (!(await decide(tx, id, { subject, by: session.memberId }))) return { ok: false, code: 'bank_match_refused' }
      await compareBank(tx)
      const bankLine = await view(tx, id)
      await logStaff(tx, {
        actorId: session.memberId,
        action: subject === null ? 'bank_line.part' : 'bank_line.match',
        subject: `bank_line:${id}`,
        before: { subject: before.subject },
        after: { subject, amount: bankLine.amount },
      })
      return { ok: true, value: { bankLine } }
    }),
})

type Found = { readonly id: string; readonly day: IstDay; readonly amount: bigint; readonly words: Buffer; readonly subject: string | null }
const findLine = (from: Queryable, id: string): Promise<Found | undefined> =>
  from.maybeOne<Found>(sql`select id, day::text as day, amount, sealed_words as words, subject from bank_line where id = ${id}::uuid`)

/** False: the line has no match to take back, or the movement is another line's, another amount or none. */
async function decide(tx: Tx, id: string, { subject, by }: { readonly subject: string | null; readonly by: bigint }): Promise<boolean> {
  const line = await findLine(tx, id)
  if (line === undefined || (line.subject === null) === (subject === null)) return false
  const chosen = subject === null ? undefined : await findChosen(tx, line, subject)
  if (subject !== null && chosen === undefined) return false
  await tx.query(sql`
    update bank_line set subject = ${chosen?.subject ?? null}::text, matched_day = ${chosen?.day ?? null}::date,
           matched_at = case when ${chosen !== undefined}::boolean then roz_now() end, decided_by = ${by}::bigint
     where id = ${id}::uuid`)
  return true
}
