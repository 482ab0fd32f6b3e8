/**
 * A financial year of a member: what moved in the wallet, prizes with the tax withheld, and the help that the rupees paid for.
 * - One statement reads the money, so opening balance, movements and closing balance belong together.
 * - The balances are computed back from today's: the entries of archived months have none.
 */
import type { MemberYear } from '@roz/contract/papers.ts'
import type { FinancialYear } from '@roz/core/financial-year.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { TransferKind } from '../../ledger/accounts.ts'
import { hasEntry } from '../../ledger/entries.ts'
import { outlayOf } from '../../ledger/evidence.ts'
import { giftsOf, HAS_SHARE, partOfEntry } from '../../members/own-stories.ts'
import { languageOfPurpose, purposeIn } from '../../members/reader-purpose.ts'

type Line = keyof MemberYear['movements']

/** The line of each kind of transfer that has a member on one side. A join is no transfer. */
export const LINE_OF: Readonly<Partial<Record<TransferKind, Line>>> = {
  topup: 'added',
  suspense_credit: 'added',
  prize: 'won',
  round_refund: 'returned',
  gift: 'given',
  wd_hold: 'withdrawn',
  wd_back: 'withdrawn',
  wd_reversed: 'withdrawn',
  refund_hold: 'refunded',
  refund_failed: 'refunded',
  refund_reversed: 'refunded',
  chargeback: 'takenBack',
  chargeback_back: 'takenBack',
  debt_paid: 'takenBack',
  debt_back: 'takenBack',
}

type Money = {
  readonly balance: Paise
  readonly joined: number
  readonly joinedLater: number
  /** By kind, of the year and after it; positive into the wallet. */
  readonly moved: Readonly<Record<string, { readonly year: number; readonly later: number }>>
}

const sideOf = (member: Sql, side: Sql, sign: Sql, from: Sql): Sql => sql`
  select kind, day, ${sign} * amount as paise from transfer where ${side} = ${member} and day >= ${from}`

function readMoney(from: Queryable, memberId: bigint, year: FinancialYear): Promise<Money> {
  const member = sql`${memberId}::bigint`
  const first = sql`${year.from}::date`
  const last = sql`${year.to}::date`
  return from.one<Money>(sql`
    with joined as (
      select count(*) filter (where d::date <= ${last})::int as year, count(*) filter (where d::date > ${last})::int as later
        from generate_series(${first}::timestamp, ist_day(roz_now())::timestamp, interval '1 day') d where ${hasEntry(member, sql`d::date`)}),
    moved as (
      select kind, coalesce(sum(paise) filter (where day <= ${last}), 0) as year, coalesce(sum(paise) filter (where day > ${last}), 0) as later
        from (${sideOf(member, sql`credit`, sql`1`, first)} union all ${sideOf(member, sql`debit`, sql`-1`, first)}) t group by kind)
    select coalesce((select balance from wallet where member_id = ${member}), 0) as balance,
      (select year from joined) as joined, (select later from joined) as "joinedLater",
      (select coalesce(jsonb_object_agg(kind, jsonb_build_object('year', year, 'later', later)), '{}') from moved) as moved`)
}

type Prize = { readonly day: IstDay; readonly paidOn: IstDay; readonly paid: Paise; readonly tax: Paise }
/** A prize belongs to the year in which it was paid, the day after its round. */
const readPrizes = (from: Queryable, memberId: bigint, year: FinancialYear): Promise<Prize[]> =>
  from.query<Prize>(sql`
    select w.day::text as day, ist_day(r.settled_at)::text as "paidOn", w.amount as paid, w.tax
      from draw_winner w join round r on r.day = w.day and r.status = 'settled'
     where w.member_id = ${memberId}::bigint and ist_day(r.settled_at) between ${year.from}::date and ${year.to}::date
     order by w.day desc`)

type Reader = { readonly memberId: bigint; readonly language: Language }
type Help = {
  readonly on: IstDay
  readonly purpose: string | null
  readonly language: Language | null
  readonly name: string | null
  readonly days: number
  readonly paise: Paise
  readonly storyId: string | null
}
/** Per disbursement the member's days of the year among the days that paid for it; the part is rounded as on a story. */
const readHelp = (from: Queryable, { memberId, language }: Reader, year: FinancialYear): Promise<Help[]> =>
  from.query<Help>(sql`
    with given as (
      select spent.disbursement_id, spent.day, sum(spent.paise) as paise, max(spent.posted_on) filter (where spent.paise > 0) as posted_on
        from help_allotment spent
       where spent.day between ${year.from}::date and ${year.to}::date and ${hasEntry(sql`${memberId}::bigint`, sql`spent.day`)}
       group by spent.disbursement_id, spent.day having sum(spent.paise) > 0),
    part as (
      select g.disbursement_id, count(*)::int as days, max(g.posted_on) as posted_on,
        sum(${partOfEntry(sql`g.paise`)})::bigint as paise
        from given g join round r on r.day = g.day and ${HAS_SHARE}
       cross join ${giftsOf(sql`g.day`)}
       group by g.disbursement_id)
    select part.posted_on::text as on, ${purposeIn(sql`${language}::text`)} as purpose, ${languageOfPurpose(sql`${language}::text`)} as language,
      o.public_name as name, part.days, part.paise,
      (select s.id from story s where s.outlay_id = o.id and s.is_active and not o.is_revoked) as "storyId"
      from part join outlay_public o on o.id = ${outlayOf(sql`part.disbursement_id`)}
     order by part.posted_on desc, o.id`)

const rupees = (amount: bigint | number): number => rupeesFromPaise(paise(BigInt(amount)))

export async function readYear(from: Queryable, reader: Reader, year: FinancialYear): Promise<Omit<MemberYear, 'years' | 'tax'>> {
  const { memberId } = reader
  const money = await readMoney(from, memberId, year)
  const sums: Record<Line, number> = { added: 0, joined: 0, returned: 0, won: 0, withdrawn: 0, refunded: 0, given: 0, takenBack: 0 }
  sums.joined = -money.joined * Number(ENTRY_FEE)
  let later = -money.joinedLater * Number(ENTRY_FEE)
  for (const [kind, moved] of Object.entries(money.moved)) {
    const line = LINE_OF[kind as TransferKind]
    if (line === undefined) throw new Error(`a member's transfer of kind ${kind} has no line`)
    sums[line] += moved.year
    later += moved.later
  }
  const closing = Number(money.balance) - later
  const opening = closing - Object.values(sums).reduce((total, amount) => total + amount, 0)
  const prizes = await readPrizes(from, memberId, year)
  const help = await readHelp(from, reader, year)
  return {
    year: year.name,
    from: year.from,
    to: year.to,
    opening: rupees(opening),
    closing: rupees(closing),
    movements: {
      added: rupees(sums.added),
      joined: rupees(sums.joined),
      returned: rupees(sums.returned),
      won: rupees(sums.won),
      withdrawn: rupees(sums.withdrawn),
      refunded: rupees(sums.refunded),
      given: rupees(sums.given),
      takenBack: rupees(sums.takenBack),
    },
    rounds: money.joined,
    prizes: prizes.map(({ day, paidOn, paid, tax }) => ({ day, paidOn, prize: rupees(paid + tax), tax: rupees(tax), paid: rupees(paid) })),
    help: help.map(({ on, purpose, language, name, days, paise: part, storyId }) => ({
      on,
      purpose: purpose ?? '',
      language,
      name,
      days,
      amount: rupees(part),
      storyId,
    })),
  }
}
