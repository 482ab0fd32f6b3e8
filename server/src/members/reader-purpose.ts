/** The public words of an outlay `o` (or of a row of `outlay_public`) in SQL; core/src/purpose-words.ts is the same rule. */
import { type Sql, sql } from '../db/sql.ts'

/** The words for a reader: their language's, otherwise as they were written. */
export const purposeIn = (language: Sql): Sql => sql`coalesce(o.translations ->> ${language}, o.purpose)`
/** The language of these words. */
export const languageOfPurpose = (language: Sql): Sql =>
  sql`(case when o.translations ->> ${language} is null then o.written_in else ${language} end)`

/** The words in every language, a line each: for the search, and for the rule that they name nobody. */
export const EVERY_PURPOSE: Sql = sql`concat_ws(chr(10), o.purpose, (select string_agg(t.value, chr(10)) from jsonb_each_text(o.translations) t))`
