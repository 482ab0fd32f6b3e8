/**
 * How old a genuine webhook is. Invariant: age refuses nothing. A webhook that comes after the gateway's own
 * last retry, or from the future, came another way: it is kept and marked, and its question to the gateway
 * waits as long as the first one of the sweep.
 */
import { type Sql, sql } from '../db/sql.ts'

/** When the gateway signed it, where that can be read, and how long its own retries go on. */
export type WebhookAge = { readonly signedAtMs: number | undefined; readonly lifeMs: number }

/** A value for the column `is_late`. */
export const isLate = ({ signedAtMs, lifeMs }: WebhookAge): Sql =>
  sql`coalesce(abs(extract(epoch from roz_now())::float8 * 1000 - ${signedAtMs ?? null}::float8) > ${lifeMs}::float8, true)`

/** When the gateway is asked because of it. */
export const askAt: Sql = sql`case when is_late then roz_now() + interval '15 seconds' else roz_now() end`
