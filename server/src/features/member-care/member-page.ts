/** One member's page for the staff: account, devices, flags, notes, mails, and the newest of their money and rounds. */
import type { Output } from '@roz/contract/api.ts'
import type { memberAdminCalls } from '@roz/contract/members-admin.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { instantOf } from '../../lists/listing.ts'
import type { Answer, Handlers } from '../../http/route.ts'
import { isSuspect } from '../../members/signals.ts'
import { logStaff, nameAt } from '../../staff/staff-log.ts'
import { findMemberId, MEMBER_NOT_FOUND } from './found-member.ts'
import { getListed } from './member-list.ts'

type Page = Output<(typeof memberAdminCalls)['adminUser']>
export type PageCalls = 'adminUser' | 'adminUserTransactions'
export type PageDeps = {
  readonly db: Db
  /** A page of a member's transactions, as the member sees them. */
  readonly transactionsOf: (
    memberId: bigint,
    query: { readonly cursor?: string | undefined; readonly limit: number },
    language: Language,
  ) => Promise<Answer<(typeof memberAdminCalls)['adminUserTransactions']>>
}

/** The greatest length of each list. */
const SHOWN = sql`20`
const MAILS_SHOWN = sql`50`

export function pageHandlers({ db, transactionsOf }: PageDeps): Handlers<PageCalls> {
  return {
    adminUser: async ({ session, params }) => {
      const memberId = await findMemberId(db, params.id)
      if (memberId === undefined) return MEMBER_NOT_FOUND
      await inTransaction(db, (tx) => noteView(tx, session.memberId, memberId))
      return { ok: true, value: await readMemberPage(db, memberId) }
    },
    adminUserTransactions: async ({ session, params, query, language }) => {
      const memberId = await findMemberId(db, params.id)
      if (memberId === undefined) return MEMBER_NOT_FOUND
      const page = await transactionsOf(memberId, query, language)
      if (page.ok) await inTransaction(db, (tx) => noteView(tx, session.memberId, memberId))
      return page
    },
  }
}

/** Records who looked at whom. The page is read again after each act on it: one entry in ten minutes is enough. */
async function noteView(tx: Tx, actorId: bigint, memberId: bigint): Promise<void> {
  const subject = `member:${memberId}`
  const earlier = await tx.maybeOne(sql`
    select from audit_log where subject = ${subject}::text and actor_id = ${actorId}::bigint and action = 'member.view'
          and at > (select roz_now()) - interval '10 minutes' limit 1`)
  if (earlier === undefined) await logStaff(tx, { actorId, action: 'member.view', subject })
}

async function readMemberPage(db: Db, memberId: bigint): Promise<Page> {
  const id = sql`${memberId}::bigint`
  const [user, devices, flags, notes, mails, withdrawals, refunds, debts, days] = await Promise.all([
    getListed(db, memberId),
    db.query<{ browser: string | null; system: string | null; signedInAt: Date; lastUsedAt: Date }>(sql`
      select browser, system, created_at as "signedInAt", last_used_at as "lastUsedAt" from session
       where member_id = ${id} and expires_at > (select roz_now()) and last_at > (select roz_now()) order by last_used_at desc limit ${SHOWN}`),
    db.query<{ kind: string; about: string; createdAt: Date }>(sql`
      select kind, subject as about, created_at as "createdAt" from member_flag where member_id = ${id}
      union all
      select case when not ${isSuspect} then 'phone_set_by_another' when s.kind = 'young_money' then 'young_account' else 'shared_' || s.kind end,
             'flag:' || s.id, case when not ${isSuspect} then s.changed_at when s.kind = 'phone' then coalesce(u.since, u.seen_at) else u.seen_at end
        from signal_use u join signal s using (kind, key) where u.member_id = ${id} and s.is_shared and u.ended_at is null
      union all
      select 'had_phone_of_another', 'flag:' || s.id, u.ended_at
        from signal_use u join signal s using (kind, key) where u.member_id = ${id} and u.ended_at is not null and exists (
          select from signal_use o where o.kind = u.kind and o.key = u.key and o.member_id <> u.member_id
             and coalesce(o.since, '-infinity') <= coalesce(u.since, '-infinity') and coalesce(o.ended_at, 'infinity') > u.since)
      order by 3 desc limit ${SHOWN}`),
    db.query<{ id: bigint; text: string; author: string; createdAt: Date }>(sql`
      select n.id, n.text, ${nameAt(sql`a`, sql`n.created_at`)} as author, n.created_at as "createdAt" from member_note n join member a on a.id = n.author_id
       where n.member_id = ${id} order by n.id desc limit ${MAILS_SHOWN}`),
    db.query<{ kind: string; outcome: 'sent' | 'refused'; at: Date }>(sql`
      select template as kind, outcome, at from member_mail where member_id = ${id} order by at desc, job_id desc limit ${MAILS_SHOWN}`),
    db.query<MoneyRow>(sql`
      select id, amount, status, created_at as "createdAt", flags, problem from withdrawal
       where member_id = ${id} order by created_at desc, id desc limit ${SHOWN}`),
    db.query<MoneyRow>(sql`
      select id, amount, status, created_at as "createdAt", '{}'::text[] as flags, problem from refund
       where member_id = ${id} order by created_at desc, id desc limit ${SHOWN}`),
    db.query<{ amount: Paise; paid: Paise; isOpen: boolean; createdAt: Date }>(sql`
      select amount, paid, paid < amount and returned_at is null as "isOpen", created_at as "createdAt" from debt
       where member_id = ${id} order by id desc limit ${SHOWN}`),
    readDays(db, memberId),
  ])
  return {
    user,
    devices: devices.map((row) => ({ ...row, signedInAt: instantOf(row.signedInAt), lastUsedAt: instantOf(row.lastUsedAt) })),
    flags: flags.map((row) => ({ ...row, createdAt: instantOf(row.createdAt) })),
    notes: notes.map((row) => ({ ...row, id: String(row.id), createdAt: instantOf(row.createdAt) })),
    mails: mails.map((row) => ({ ...row, at: instantOf(row.at) })),
    withdrawals: withdrawals.map(moneyOf),
    refunds: refunds.map(moneyOf),
    debts: debts.map((row) => ({
      ...row,
      amount: rupeesFromPaise(row.amount),
      paid: rupeesFromPaise(row.paid),
      createdAt: instantOf(row.createdAt),
    })),
    days,
  }
}

type MoneyRow = {
  readonly id: string
  readonly amount: Paise
  readonly status: string
  readonly createdAt: Date
  readonly flags: string[]
  readonly problem: string | null
}
const moneyOf = (row: MoneyRow) => ({ ...row, amount: rupeesFromPaise(row.amount), createdAt: instantOf(row.createdAt) })

/** The rounds since the registration. Each is looked up by its day: the table of joins has no index by member. */
async function readDays(db: Db, memberId: bigint): Promise<Page['days']> {
  const rows = await db.query<{ day: IstDay; status: string; joined: boolean; won: Paise | null }>(sql`
    select r.day, r.status, j.member_id is not null as joined, d.amount as won
      from (select day, status from round where opens_at <= (select roz_now())
              and day >= (select ist_day(created_at) from member where id = ${memberId}::bigint) order by day desc limit 30) r
      left join round_join j on j.day = r.day and j.member_id = ${memberId}::bigint
      left join draw_winner d on d.day = r.day and d.member_id = ${memberId}::bigint
     order by r.day desc`)
  return rows.map((row) => ({ ...row, won: row.won === null ? null : rupeesFromPaise(row.won) }))
}
