/**
 * The administrator's overview, the list of members, and the release of a held member.
 *
 * - Every figure is computed from the books. Revenue is ₹1 for each entry of all rounds; donated is the need share of settled rounds.
 * - A round is active from its opening until it is settled or void.
 * - Staff accounts are not counted or listed as members.
 * - A hold ends once; the audit log records who ended it and why.
 */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { audit } from '../../staff/audit-log.ts'
import { type Db, maybeOne, one, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor, cutPage, readPage } from '../../http/cursor.ts'
import { listAlarms } from '../../http/alarms.ts'
import type { Handlers } from '../../http/route.ts'
import { userColumns, userOf, type UserRow, userSource } from '../../members/user-row.ts'

export type AdminDeps = { readonly db: Db }

type Listed = Output<(typeof communityCalls)['adminUsers']>['users'][number]
type Overview = { users: bigint; entries: bigint; donated: Paise; today: bigint; active: bigint }
type ListedRow = UserRow & { readonly joins: number; readonly won: Paise; readonly heldAt: Date | null; readonly heldAbout: string | null }

export function createAdmin({ db }: AdminDeps) {
  const handlers: Handlers<'adminStats' | 'adminUsers' | 'releaseUser'> = {
    adminStats: async () => {
      const [figures, audit, alarms] = await Promise.all([readOverview(db), readAudit(db), listAlarms(db)])
      return {
        ok: true,
        value: {
          totalUsers: Number(figures.users),
          totalRevenue: rupeesFromPaise(paise(figures.entries * ENTRY_FEE)),
          totalDonated: rupeesFromPaise(figures.donated),
          todayParticipants: Number(figures.today),
          todayRevenue: rupeesFromPaise(paise(figures.today * ENTRY_FEE)),
          activeRounds: Number(figures.active),
          audit,
          alarms,
        },
      }
    },
    releaseUser: ({ session, params: { id }, body }) =>
      inTransaction(db, (tx) => release(tx, { actorId: session.memberId, id, reason: body.reason })),
    adminUsers: async ({ query }) => {
      const page = readPage(query, [CURSOR_PARTS.id])
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(await listMembers(db, { ...page, q: query.q }), page.limit, (row) => [String(row.id)])
      return { ok: true, value: { users: rows.map(listedOf), nextCursor } }
    },
  }
  return { handlers }
}

async function release(tx: Tx, asked: { readonly actorId: bigint; readonly id: string; readonly reason: string }) {
  const { actorId, id, reason } = asked
  const held = CURSOR_PARTS.uuid(id)
    ? await maybeOne<{ id: bigint; at: Date | null; about: string | null }>(
        tx,
        sql`select id, held_at as at, held_about as about from member
            where public_id = ${id}::uuid and role = 'member' and deleted_at is null for no key update`,
      )
    : undefined
  if (held === undefined) return { ok: false, code: 'member_not_found' } as const
  if (held.at === null) return { ok: false, code: 'not_held' } as const
  await tx.query(sql`update member set held_at = null, held_about = null where id = ${held.id}::bigint`)
  const before = { heldAt: isoIst(held.at.getTime()), about: held.about }
  await audit(tx, { actorId, action: 'member.release', subject: `member:${held.id}`, before, after: { reason } })
  return { ok: true, value: { id } } as const
}

/** A closed round stores its number of entries; an open round's is the sum of its batches. */
const readOverview = (db: Db) =>
  one<Overview>(
    db,
    sql`
    with live as materialized (
      select r.day, r.status, r.opens_at, coalesce(r.need_paise, 0) as need,
        coalesce(r.entries, (select sum(b.n) from join_batch b where b.day = r.day), 0)::bigint as entries
      from round r)
    select (select count(*) from member where role = 'member' and deleted_at is null) as users,
      coalesce(sum(entries), 0)::bigint as entries,
      coalesce(sum(need) filter (where status = 'settled'), 0)::bigint as donated,
      coalesce(sum(entries) filter (where day = ist_day(roz_now())), 0)::bigint as today,
      count(*) filter (where status in ('open', 'closed', 'drawn') and opens_at <= roz_now()) as active
    from live`,
  )

type Broken = { readonly sentence: string; readonly rows: readonly { readonly subject: string; readonly found: string }[] }

/** The newest finished audit of the books. */
async function readAudit(db: Db) {
  const run = await maybeOne<{ at: Date; broken: Broken[] }>(
    db,
    sql`select finished_at as at, broken from audit_run where finished_at is not null order by started_at desc limit 1`,
  )
  if (run === undefined) return null
  const broken = run.broken.map(({ sentence, rows }) => ({ sentence, rows: rows.length, first: `${rows[0]?.subject}: ${rows[0]?.found}` }))
  return { checkedAt: isoIst(run.at.getTime()), ok: broken.length === 0, broken }
}

/** Lists the newest members first: ids follow registration. `q` matches name, mail and phone as plain text, without wildcards. */
function listMembers(
  db: Db,
  { after, limit, q }: { readonly after: Cursor | undefined; readonly limit: number; readonly q: string | undefined },
): Promise<ListedRow[]> {
  const pattern = `%${(q ?? '').trim().replace(/[\\%_]/g, '\\$&')}%`
  const older = after === undefined ? sql`true` : sql`m.id < ${after[0]}::bigint`
  return db.query<ListedRow>(sql`
    select ${userColumns}, coalesce(w.joins, 0) as joins, m.held_at as "heldAt", m.held_about as "heldAbout",
      coalesce((select sum(d.amount) from draw_winner d where d.member_id = m.id), 0)::bigint as won
    from ${userSource}
    where m.role = 'member' and m.deleted_at is null and ${older}
      and (m.name ilike ${pattern}::text or m.email ilike ${pattern}::text or m.phone ilike ${pattern}::text)
    order by m.id desc limit ${limit + 1}::int`)
}

const listedOf = (row: ListedRow): Listed => {
  const user = userOf(row)
  const hold = row.heldAt === null ? null : { at: isoIst(row.heldAt.getTime()), about: row.heldAbout ?? '' }
  return { ...user, walletBalance: user.wallet.balance, totalParticipated: row.joins, totalWon: rupeesFromPaise(row.won), hold }
}
