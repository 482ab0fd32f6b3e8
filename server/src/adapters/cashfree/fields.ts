/**
 * Fields that Cashfree's bodies share, parsed once at the edge.
 * - Ids are text; numbers are accepted too, because ids were numbers before 2023-08-01.
 * - Amounts are parsed to paise here.
 */
import { type Paise, paiseFromRupees, CURRENCY } from '@roz/core/money.ts'
import { z } from 'zod'

export const wireId = z.union([z.string().min(1), z.int().transform(String)])

export const amount = z.number().transform((rupees, context): Paise => {
  const exact = paiseFromRupees(rupees)
  if (exact !== undefined && exact >= 0n) return exact
  context.addIssue({ code: 'custom', message: 'not an amount of rupees' })
  return z.NEVER
})

export const wireInstant = z
  .string()
  .transform((text) => Date.parse(text))
  .transform((ms) => (Number.isNaN(ms) ? undefined : ms))

/** The currency of the amounts beside it; if absent, the currency of our request. */
export const currency = z
  .string()
  .nullish()
  .transform((code) => code ?? CURRENCY)

type Listed = Pick<ReadonlySet<string>, 'has'>
/** The words that the gateway's documents do not list, given beside those that they do; undefined: there are none. */
export function unlisted(...told: readonly (readonly [words: readonly string[], listed: Listed])[]): readonly string[] | undefined {
  const strange = told.flatMap(([words, listed]) => words.filter((word) => !listed.has(word)))
  return strange.length === 0 ? undefined : strange
}

/** Optional text: absent, null and empty are undefined. */
export const words = z
  .string()
  .nullish()
  .transform((text) => (text === '' ? undefined : (text ?? undefined)))
