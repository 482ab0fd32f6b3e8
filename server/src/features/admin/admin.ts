/**
 * The administrator's overview.
 *
 * - Every figure is computed from the books. Revenue is ₹1 for each entry of all rounds; donated is the need share of settled rounds.
 * - A round is active from its opening until it is settled or void.
 * - Staff accounts are not counted as members.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { listAlarms } from '../../operation/alarms.ts'
import type { Handlers } from '../../http/route.ts'
import { listFindings } from '../../ledger/audit-findings.ts'
import { memberDays } from '../../members/member-days.ts'

type AdminDeps = { readonly db: Db }

type Overview = { users: bigint; entries: bigint; donated: Paise; today: bigint; active: bigint }

export function createAdmin({ db }: AdminDeps) {
  const handlers: Handlers<'adminStats'> = {
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
  }
  return { handlers }
}

/** A closed round stores its number of entries; an open round's is the sum of its batches. */
const readOverview = (db: Db) =>
  db.one<Overview>(sql`
    with live as materialized (
      select r.day, r.status, r.opens_at, coalesce(r.need_paise, 0) as need,
        coalesce(r.entries, (select sum(b.n) from join_batch b where b.day = r.day), 0)::bigint as entries
      from round r)
    select (select coalesce(sum(joined - gone), 0)::bigint from (${memberDays}) counted) as users,
      coalesce(sum(entries), 0)::bigint as entries,
      coalesce(sum(need) filter (where status = 'settled'), 0)::bigint as donated,
      coalesce(sum(entries) filter (where day = ist_day(roz_now())), 0)::bigint as today,
      count(*) filter (where status in ('open', 'closed', 'drawn') and opens_at <= roz_now()) as active
    from live`)

/** The time of the newest finished audit, and the open findings. */
async function readAudit(db: Db) {
  const [run, findings] = await Promise.all([
    db.maybeOne<{ at: Date }>(sql`select finished_at as at from audit_run where finished_at is not null order by started_at desc limit 1`),
    listFindings(db),
  ])
  const at = run?.at ?? findings[0]?.at
  if (at === undefined) return null
  const broken = findings.map(({ sentence, rows, first }) => ({ sentence, rows, first }))
  return { checkedAt: isoIst(at.getTime()), ok: broken.length === 0, broken }
}
