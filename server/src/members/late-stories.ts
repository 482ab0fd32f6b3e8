/** Stories that wait for an editor: one condition each for the count of the to-do list and for the list of stories. */
import { type Sql, sql } from '../db/sql.ts'

/** Yesterday's story is promised for 18:00 of the day after its round. `story` is the row's name. */
export const storyDue = (story: Sql): Sql => sql`(start_of_ist_day(${story}.round_day + 1) + interval '18 hours')`

/**
 * Drafts and scheduled stories of the last week whose hour has passed.
 * - A day is told as soon as one published story tells of its help, although the day's own draft stays.
 */
export const isLateStory = (story: Sql): Sql => sql`
  (${story}.round_day >= ist_day(roz_now()) - 7 and not ${story}.is_active and ${story}.published_at is null and ${storyDue(story)} <= roz_now()
    and not exists (select from help_allotment a join story told on told.outlay_id::text = a.disbursement_id and told.is_active
                     where a.day = ${story}.round_day group by a.disbursement_id having sum(a.paise) > 0))`

/** Public or scheduled stories of which a language lacks a text. */
export const lacksLanguage = (story: Sql): Sql => sql`(${story}.lacks <> '{}' and (${story}.is_active or ${story}.publish_at is not null))`
