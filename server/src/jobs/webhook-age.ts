/**
 * Judges the age of a webhook whose signature is valid.
 * - Age refuses nothing.
 * - A webhook later than the gateway's last retry, or from the future, did not come from the gateway's own delivery.
 * - Such a webhook is stored and marked late. It is checked at the gateway 15 s later, like the sweep's first check.
 */
import { type Sql, sql } from '../db/sql.ts'

/** `signedAtMs`: when the gateway signed the webhook, if readable. `lifeMs`: how long the gateway retries a delivery. */
export type WebhookAge = { readonly signedAtMs: number | undefined; readonly lifeMs: number }

/** The value of the column `is_late`: true also where the time of signing is unreadable. */
export const isLate = ({ signedAtMs, lifeMs }: WebhookAge): Sql =>
  sql`coalesce(abs(extract(epoch from roz_now())::float8 * 1000 - ${signedAtMs ?? null}::float8) > ${lifeMs}::float8, true)`

/** When the webhook is checked at the gateway. */
export const askAt: Sql = sql`case when is_late then roz_now() + interval '15 seconds' else roz_now() end`

/** Seconds from the signature to now; null if the time of signing is unreadable. */
export const lagSeconds = ({ signedAtMs }: WebhookAge): Sql =>
  sql`extract(epoch from roz_now())::float8 - ${signedAtMs ?? null}::float8 / 1000`
