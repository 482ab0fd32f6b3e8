/**
 * A column for statements about rounds: the help that the member's rupee of a day paid for, or how long the rupee has waited.
 * - After a correction only the rest of the allotment counts. The returned part waits again.
 * - After a revoked consent the column has no name, no bill, no story and no words of the person.
 * - The column names no other member. Statements read it only for days that the reader has joined.
 */
import type { Received, RupeeTrail, Voice } from '@roz/contract/rupee.ts'
import type { Language } from '@roz/core/language.ts'
import { paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Sql, sql } from '../db/sql.ts'
import { outlayOf } from '../ledger/evidence.ts'
import { HAS_SHARE } from './own-stories.ts'
import { languageOfPurpose, purposeIn } from './reader-purpose.ts'

/** As the database writes it; paise are numbers and belong to a day's share. */
export type TrailColumn = {
  readonly need: number
  readonly gifts: number
  readonly entries: number
  readonly days: number
  readonly help: readonly {
    readonly paise: number
    readonly on: string
    readonly purpose: string | null
    readonly language: Language | null
    readonly name: string | null
    readonly receipts: readonly string[] | null
    readonly received: Received | null
    readonly voice: Omit<Voice, 'isWhole'> | null
    readonly storyId: string | null
    readonly videoUrl: string | null
  }[]
  readonly back: readonly {
    readonly paise: number
    readonly on: string
    readonly purpose: string | null
    readonly language: Language | null
    readonly receipts: readonly string[] | null
  }[]
}

const VOICE_CHARACTERS = 140
/** One character more than is shown tells whether there is more. */
const NEWEST_WORDS = sql`(
  select jsonb_build_object('weeks', f.weeks, 'words', left(f.words, ${VOICE_CHARACTERS + 1}::int), 'language', f.written_in)
    from follow_up f where f.outlay_id = s.outlay_id and f.withheld is null order by f.weeks desc limit 1)`

/** The column, for a row `r` of `round`; null without a help share. */
export function trailFor(language: Language): Sql {
  const reader = sql`${language}::text`
  return sql`
  case when ${HAS_SHARE} then jsonb_build_object(
    'need', r.need_paise, 'entries', r.entries, 'days', ist_day(roz_now()) - r.day,
    'gifts', (select coalesce(sum(g.amount), 0) from transfer g where g.kind = 'gift' and g.day = r.day),
    'help', (
      select coalesce(jsonb_agg(jsonb_build_object('paise', a.paise, 'on', a.posted_on, 'purpose', ${purposeIn(reader)}, 'language', ${languageOfPurpose(reader)}, 'name', o.public_name,
               'receipts', o.receipts, 'received', o.received, 'voice', ${NEWEST_WORDS}, 'storyId', s.id, 'videoUrl', s.video_url) order by a.posted_on, a.paise desc, a.disbursement_id), '[]')
        from (select disbursement_id, sum(paise) as paise, max(posted_on) filter (where paise > 0) as posted_on
                from help_allotment where day = r.day group by disbursement_id having sum(paise) > 0) a
        left join outlay_public o on o.id = ${outlayOf(sql`a.disbursement_id`)}
        left join story s on s.outlay_id = o.id and s.is_active and not o.is_revoked),
    'back', (
      select coalesce(jsonb_agg(jsonb_build_object('paise', -a.paise, 'on', a.posted_on, 'purpose', ${purposeIn(reader)},
               'language', ${languageOfPurpose(reader)}, 'receipts', o.receipts)
               order by a.posted_on, a.entry_id), '[]')
        from help_allotment a left join outlay_public o on o.id = ${outlayOf(sql`a.entry_id`)}
       where a.day = r.day and a.paise < 0)) end`
}

/** Cut after a word, where there is one. */
function shortened({ words, ...told }: Omit<Voice, 'isWhole'>): Voice {
  const isWhole = Array.from(words).length <= VOICE_CHARACTERS
  return { ...told, isWhole, words: isWhole ? words : words.replace(/\s+\S*$/, '') }
}

const rupees = (amount: number): number => rupeesFromPaise(paise(BigInt(amount)))

export function trailOf(column: TrailColumn | null): RupeeTrail | null {
  if (column === null) return null
  const { need, gifts, entries, days, help, back } = column
  const given = help.reduce((sum, part) => sum + part.paise, 0)
  return {
    paise: Math.floor(need / entries),
    others: entries - 1,
    share: rupees(need + gifts),
    waiting: rupees(need + gifts - given),
    days,
    help: help.map((part) => ({
      amount: rupees(part.paise),
      purpose: part.purpose ?? '',
      language: part.language,
      name: part.name,
      on: part.on,
      receipts: [...(part.receipts ?? [])],
      received: part.received,
      voice: part.voice && shortened(part.voice),
      storyId: part.storyId,
      videoUrl: part.videoUrl,
    })),
    back: back.map((part) => ({
      amount: rupees(part.paise),
      purpose: part.purpose ?? '',
      language: part.language,
      on: part.on,
      receipts: [...(part.receipts ?? [])],
    })),
  }
}
