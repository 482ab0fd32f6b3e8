/**
 * Tax withheld from rewards: the PAN under which it is reported, the quarter's list for the accountant, and the certificates' numbers.
 * - A PAN is asked for only after tax was withheld. It is encrypted; it is decrypted for the accountant's table alone.
 * - A reward belongs to the quarter in which it was paid (Income-tax Act, 1961, s. 194B; rule 31A: statements by quarter).
 */
import type { Output } from '@roz/contract/api.ts'
import type { MemberYear, paperCalls } from '@roz/contract/papers.ts'
import { parseQuarter, type Quarter, quarterNameOf, recentQuarters } from '@roz/core/financial-year.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { pageOf } from '../../lists/listing.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { exportList, noteRead } from '../../staff/exported-list.ts'
import { logStaff } from '../../staff/staff-log.ts'

type OwnTax = MemberYear['tax']
type Taxed = Output<typeof paperCalls.taxWithheld>['members'][number]
type TaxDeps = { readonly db: Db; readonly secrets: Secrets }

const contextOf = (memberId: bigint): string => `member_pan:${memberId}`

export async function readOwnTax(from: Queryable, memberId: bigint): Promise<OwnTax> {
  const member = sql`${memberId}::bigint`
  const { isWithheld, pan } = await from.one<Pick<OwnTax, 'isWithheld' | 'pan'>>(sql`
    select exists (select from draw_winner where member_id = ${member} and tax > 0) as "isWithheld",
          (select last_four from member_pan where member_id = ${member}) as pan`)
  const certificates = await from.query<{ day: IstDay; number: string }>(
    sql`select quarter::text as day, number from tax_certificate where member_id = ${member} order by quarter desc`,
  )
  return { isWithheld, pan, certificates: certificates.map(({ day, number }) => ({ quarter: quarterNameOf(day), number })) }
}

/** Rewards with tax that were paid in a quarter, as `w` with its member `m`. */
const paidIn = ({ from, to }: Quarter): Sql => sql`
  draw_winner w join round r on r.day = w.day and r.status = 'settled' join member m on m.id = w.member_id
   where w.tax > 0 and ist_day(r.settled_at) between ${from}::date and ${to}::date`

type Row = {
  readonly id: string
  readonly memberId: bigint
  readonly name: string
  readonly rewards: number
  readonly prize: Paise
  readonly tax: Paise
  readonly pan: string | null
  readonly sealed: Buffer | null
  readonly certificate: string | null
}
const taxedOf = ({ id, name, rewards, prize, tax, pan, certificate }: Row): Taxed => ({
  id,
  name,
  rewards,
  prize: rupeesFromPaise(prize),
  tax: rupeesFromPaise(tax),
  pan,
  certificate,
})

/** By the member's public id; one row more than `limit` when there is a next page. */
async function listTaxed(
  db: Db,
  quarter: Quarter,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: Row; readonly key: Cursor }[]> {
  const rows = await db.query<Row>(sql`
    select m.public_id as id, m.id as "memberId", m.name, t.rewards, t.prize, t.tax, p.last_four as pan, p.sealed, c.number as certificate
      from (select w.member_id, count(*)::int as rewards, sum(w.amount + w.tax)::bigint as prize, sum(w.tax)::bigint as tax
              from ${paidIn(quarter)} group by w.member_id) t
      join member m on m.id = t.member_id
      left join member_pan p on p.member_id = m.id
      left join tax_certificate c on c.member_id = m.id and c.quarter = ${quarter.from}::date
     where ${after === undefined ? sql`true` : sql`m.public_id > ${after[0]}::uuid`}
     order by m.public_id limit ${limit + 1}::int`)
  return rows.map((row) => ({ shown: row, key: [row.id] }))
}

const QUARTERS = 12
const quartersNow = async (db: Db): Promise<Quarter[]> =>
  recentQuarters((await db.one<{ today: IstDay }>(sql`select ist_day(roz_now())::text as today`)).today, QUARTERS)

export function taxHandlers({ db, secrets }: TaxDeps): Handlers<'setPan' | 'taxWithheld' | 'taxWithheldCsv' | 'setCertificate'> {
  const chosen = async (name: string | undefined): Promise<{ readonly quarter: Quarter; readonly quarters: readonly Quarter[] }> => {
    const quarters = await quartersNow(db)
    return { quarter: (name === undefined ? undefined : parseQuarter(name)) ?? (quarters[0] as Quarter), quarters }
  }
  return {
    setPan: async ({ session: { memberId }, body: { pan } }) => {
      const sealed = secrets.encrypt(Buffer.from(pan), contextOf(memberId))
      const written = await db.query(sql`
        insert into member_pan (member_id, sealed, last_four)
        select ${memberId}::bigint, ${sealed}::bytea, ${pan.slice(-4)}::text
         where exists (select from draw_winner where member_id = ${memberId}::bigint and tax > 0)
        on conflict (member_id) do update set sealed = excluded.sealed, last_four = excluded.last_four, changed_at = roz_now()
        returning member_id`)
      if (written.length === 0) return { ok: false, code: 'pan_not_needed' }
      return { ok: true, value: { tax: await readOwnTax(db, memberId) } }
    },
    taxWithheld: async (call) => {
      const { quarter, quarters } = await chosen(call.query.quarter)
      const page = await pageOf(call.query, (part) => listTaxed(db, quarter, part), [CURSOR_PARTS.uuid])
      if (!page.ok) return page
      await noteRead(db, call, { name: 'tax', rows: page.rows.length })
      const sum = await db.one<{ prize: Paise; tax: Paise }>(
        sql`select coalesce(sum(w.amount + w.tax), 0)::bigint as prize, coalesce(sum(w.tax), 0)::bigint as tax from ${paidIn(quarter)}`,
      )
      return {
        ok: true,
        value: {
          quarter: quarter.name,
          quarters: quarters.map(({ name }) => name),
          sum: { prize: rupeesFromPaise(sum.prize), tax: rupeesFromPaise(sum.tax) },
          members: page.rows.map(taxedOf),
          nextCursor: page.nextCursor,
        },
      }
    },
    taxWithheldCsv: async (call) => {
      const { quarter } = await chosen(call.query.quarter)
      const panOf = ({ memberId, sealed }: Row) => (sealed === null ? null : secrets.decrypt(sealed, contextOf(memberId)).toString('utf8'))
      return exportList<Row>(db, call, {
        name: 'tax',
        read: (page) => listTaxed(db, quarter, page),
        columns: {
          quarter: () => quarter.name,
          member: ({ id }) => id,
          name: ({ name }) => name,
          pan: panOf,
          rewards: ({ rewards }) => rewards,
          prize: ({ prize }) => rupeesFromPaise(prize),
          tax: ({ tax }) => rupeesFromPaise(tax),
          certificate: ({ certificate }) => certificate,
        },
      })
    },
    setCertificate: async ({ session, params, body: { number } }) => {
      const quarter = parseQuarter(params.quarter)
      if (quarter === undefined || !CURSOR_PARTS.uuid(params.id)) return { ok: false, code: 'not_found' }
      return inTransaction(db, async (tx) => {
        const found = await tx.maybeOne<{ id: bigint }>(
          sql`select m.id from ${paidIn(quarter)} and m.public_id = ${params.id}::uuid limit 1`,
        )
        if (found === undefined) return { ok: false, code: 'not_found' }
        const [row] = await tx.query<{ before: string | null }>(sql`
          insert into tax_certificate (member_id, quarter, number, written_by)
          values (${found.id}::bigint, ${quarter.from}::date, ${number}::text, ${session.memberId}::bigint)
          on conflict (member_id, quarter) do update
            set number = excluded.number, written_by = excluded.written_by, written_at = roz_now()
          returning old.number as before`)
        await logStaff(tx, {
          actorId: session.memberId,
          action: 'tax.certificate',
          subject: `member:${found.id}`,
          before: { number: row?.before ?? null },
          after: { quarter: quarter.name, number },
        })
        return { ok: true, value: { number } }
      })
    },
  }
}
