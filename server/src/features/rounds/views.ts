/**
 * Rounds as members see them.
 *
 * - A winner's name is joined when a page is read, by the winner's present choice and the reader's language.
 * - No name is stored with a round.
 */
import { draftWords } from '@roz/core/draft-words.ts'
import { type IstDay, endOfDayMs, isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type PublicName, publicNameOf } from '@roz/core/names.ts'
import { chanceOf, splitShown } from '@roz/core/modes.ts'
import { winChance } from '@roz/core/round.ts'
import { type Translations, wordsFor } from '@roz/core/story-words.ts'
import type { Output } from '@roz/contract/api.ts'
import type { roundCalls } from '@roz/contract/rounds.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { hasEntry } from '../../ledger/entries.ts'
import { firstTaxSql, isDemoSql, otherWinnersSql, ROUND_COLUMNS, type Round } from '../../ledger/rounds.ts'
import { trailFor, type TrailColumn, trailOf } from '../../members/own-rupee.ts'
import { type Assurance, assuranceSql } from '../../transparency-log/checkpoints.ts'

type RoundView = Output<typeof roundCalls.triggerDraw>['round']
type HistoryItem = Output<typeof roundCalls.roundHistory>['results'][number]
type LastWinner = NonNullable<Output<typeof roundCalls.currentRound>['lastWinner']>

/** The columns of a public name; null where there is no winner. */
type Named = { readonly name: string | null; readonly publicName: PublicName; readonly isDeleted: boolean }
const NAMED: Sql = sql`m.name, m.public_name as "publicName", m.deleted_at is not null as "isDeleted"`

const nameOf = (row: Named, language: Language): string | undefined =>
  row.name === null ? undefined : publicNameOf({ name: row.name, publicName: row.publicName, isDeleted: row.isDeleted }, language)

/** `entries` is counted now while the round is open. `own`: count one more entry, the reader's, in the chance to win. */
export function roundView(round: Round, entries: number, own: boolean): RoundView {
  const { winners } = round.policy
  const rivals = entries + (own ? 1 : 0)
  return {
    id: round.day,
    status: round.status,
    totalParticipants: entries,
    totalAmount: rupeesFromPaise(paise(BigInt(entries) * ENTRY_FEE)),
    // The day's end, even after an early close: the next round opens then.
    endTime: isoIst(endOfDayMs(round.day)),
    split: splitShown(round.policy),
    winChance: winChance(rivals, winners),
    chance: winners === 0 ? null : chanceOf(rivals, winners),
    drawAt: round.drawAt === null ? null : isoIst(round.drawAt.getTime()),
  }
}

type CurrentRow = Round & { readonly now: Date; readonly entrants: readonly bigint[] }

/** Today's round by the one clock, and which of these members are in it, both as of this moment. */
export const findCurrent = (db: Db, memberIds: readonly bigint[]): Promise<CurrentRow | undefined> =>
  db.maybeOne<CurrentRow>(sql`select ${ROUND_COLUMNS}, roz_now() as now,
               array(select member_id from unnest((select ${memberIds}::bigint[])) as asked(member_id) join wallet using (member_id)
                      where last_round = round.day) as entrants
          from round where day = ist_day(roz_now())`)

type LastStoryRow = {
  readonly day: IstDay
  readonly title: string
  readonly writtenIn: Language
  readonly translations: Translations
  readonly videoUrl: string | null
  readonly participants: bigint
  readonly need: Paise
  /** It is or was about a helped person. */
  readonly isOfPerson: boolean
}

export const findLastStory = (db: Db): Promise<LastStoryRow | undefined> =>
  db.maybeOne(sql`
    select day, title, written_in as "writtenIn", translations, video_url as "videoUrl", participants, amount_paise as need,
      exists (select from story_subject where story_id = story.id) as "isOfPerson"
    from story where is_active order by published_at desc, id desc limit 1`)

/** The latest story for a reader; null if there is none. `forCaches`: they show it for a while, so it neither names nor shows a person. */
export function lastStoryView(row: LastStoryRow | undefined, language: Language, forCaches: boolean) {
  if (row === undefined) return null
  const { day, videoUrl } = row
  if (forCaches && row.isOfPerson) return { date: day, title: draftWords(row, language).title, language, videoUrl: null }
  const { words, languages } = wordsFor({ title: row.title, writtenIn: row.writtenIn, translations: row.translations }, row, language)
  return { date: day, title: words.title, language: languages.title ?? language, videoUrl }
}

type Drawn = Named & {
  readonly day: IstDay
  readonly assurance: Assurance
  readonly isDemo: boolean
  readonly others: number
  readonly tax: Paise
}
type WinnerRow = Drawn & { readonly amount: Paise | null }

const drawnOf = (day: Sql): Sql =>
  sql`${assuranceSql(day)} as assurance, ${isDemoSql(day)} as "isDemo", ${otherWinnersSql(day)} as others, ${firstTaxSql(day)} as tax`

/** The first winner of the latest settled round. */
export const findLastWinner = (db: Db): Promise<WinnerRow | undefined> =>
  db.maybeOne<WinnerRow>(sql`select r.day, ${drawnOf(sql`r.day`)}, d.amount, ${NAMED}
          from (select day from round where status = 'settled' order by day desc limit 1) r
          left join draw_winner d on d.day = r.day and d.rank = 1 left join member m on m.id = d.member_id`)

/** Undefined where that day's draw was switched off. */
export function lastWinnerView(row: WinnerRow | undefined, language: Language): LastWinner | undefined {
  const name = row === undefined ? undefined : nameOf(row, language)
  if (row === undefined || row.amount === null || name === undefined) return undefined
  const { day, assurance, isDemo, others } = row
  return { name, amount: rupeesFromPaise(row.amount), date: day, assurance, isDemo, others, tax: rupeesFromPaise(row.tax) }
}

type HistoryRow = Drawn & {
  readonly status: 'settled' | 'void'
  readonly entries: number
  readonly pool: Paise
  readonly reward: Paise
  readonly need: Paise
  readonly participated: boolean
  readonly isWinner: boolean
  readonly rupee: TrailColumn | null
}

type Reader = { readonly memberId: bigint; readonly language: Language }

/** Settled and void rounds since the day the member registered, newest first. */
export const listHistory = (
  db: Db,
  { memberId, language }: Reader,
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<HistoryRow[]> =>
  db.query<HistoryRow>(sql`
    select r.day, r.status, ${drawnOf(sql`r.day`)}, r.entries::float8 as entries, r.pool,
           coalesce(r.reward_paise, 0)::bigint as reward, coalesce(r.need_paise, 0)::bigint as need,
           joined.it as participated, case when joined.it then ${trailFor(language)} end as rupee,
           exists (select from draw_winner d where d.day = r.day and d.member_id = ${memberId}::bigint) as "isWinner", ${NAMED}
      from round r left join draw_winner w on w.day = r.day and w.rank = 1 left join member m on m.id = w.member_id
      cross join lateral (select ${hasEntry(sql`${memberId}::bigint`, sql`r.day`)} as it) joined
     where r.status in ('settled', 'void') and r.day < ${page.after?.[0] ?? 'infinity'}::date
       and r.day >= (select ist_day(created_at) from member where id = ${memberId}::bigint)
     order by r.day desc limit ${page.limit + 1}::int`)

/** Undefined for a day without the member's entry. */
export const findRupee = (db: Db, { memberId, language }: Reader, day: IstDay): Promise<{ rupee: TrailColumn | null } | undefined> =>
  db.maybeOne(
    sql`select ${trailFor(language)} as rupee from round r where r.day = ${day}::date and ${hasEntry(sql`${memberId}::bigint`, sql`r.day`)}`,
  )

export function historyItemOf(row: HistoryRow, language: Language): HistoryItem {
  const name = nameOf(row, language)
  return {
    id: row.day,
    date: row.day,
    status: row.status,
    participated: row.participated,
    isWinner: row.isWinner,
    totalParticipants: row.entries,
    totalAmount: rupeesFromPaise(row.pool),
    prizeAmount: rupeesFromPaise(row.reward),
    charityAmount: rupeesFromPaise(row.need),
    winner:
      name === undefined ? null : { name, assurance: row.assurance, isDemo: row.isDemo, others: row.others, tax: rupeesFromPaise(row.tax) },
    rupee: trailOf(row.rupee),
  }
}

export async function readStats(db: Db, memberId: bigint): Promise<Output<typeof roundCalls.roundStats>> {
  const { joins, wins, won } = await db.one<{ joins: number; wins: number; won: Paise }>(sql`
    select coalesce((select joins from wallet where member_id = ${memberId}::bigint), 0) as joins,
               count(*)::int as wins, coalesce(sum(amount), 0)::bigint as won
          from draw_winner where member_id = ${memberId}::bigint`)
  return { totalParticipated: joins, totalWon: rupeesFromPaise(won), winRate: joins === 0 ? 0 : Math.round((wins * 1000) / joins) / 10 }
}
