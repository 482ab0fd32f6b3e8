/**
 * Fields that Cashfree's bodies share, read once at the edge: ids may come as text or number (they were
 * numbers before 2023-08-01), amounts become paise here and stay paise.
 */
import { type Paise, paiseFromRupees, CURRENCY } from '@roz/core/money.ts'
import { z } from 'zod'

export const id = z.union([z.string().min(1), z.int().transform(String)])

export const amount = z.number().transform((rupees, context): Paise => {
  const exact = paiseFromRupees(rupees)
  if (exact !== undefined && exact >= 0n) return exact
  context.addIssue({ code: 'custom', message: 'not an amount of rupees' })
  return z.NEVER
})

export const instant = z
  .string()
  .transform((text) => Date.parse(text))
  .transform((ms) => (Number.isNaN(ms) ? undefined : ms))

/** The currency of the amounts beside it. Where none is told it is the one that we asked in. */
export const currency = z
  .string()
  .nullish()
  .transform((code) => code ?? CURRENCY)

/** Text that may be absent, null or empty: then there is none. */
export const words = z
  .string()
  .nullish()
  .transform((text) => (text === '' ? undefined : (text ?? undefined)))
