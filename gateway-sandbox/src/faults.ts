/**
 * Everything that can go wrong on purpose. All off by default; the gateway's own behaviour is never
 * changed by a fault: `lose` loses the letter, not the payment.
 */
import { z } from 'zod'

/** Strict: a misspelt switch must not pass for one that is set. A field left out returns to its default. */
export const faultSwitches = z.strictObject({
  /** Extra copies of every webhook; `true` is one. */
  duplicate: z.union([z.boolean().transform(Number), z.int().min(0).max(50)]).default(0),
  /** Real milliseconds between an event and its webhook. */
  delayMs: z.int().min(0).max(600_000).default(0),
  /** Webhooks leave after a random part of the delay (of half a second without one), so that they overtake each other. */
  shuffle: z.boolean().default(false),
  /** The body is changed after it was signed. */
  tamper: z.boolean().default(false),
  /** The webhook never leaves, as if the network had lost it: it is tried again when its time comes. */
  lose: z.boolean().default(false),
  /** What the API does instead of answering well: 429, or 502 of the bank, before doing anything; or the work done and the answer lost. */
  api: z.enum(['ok', 'rate_limit', 'bank_failure', 'error_after_commit', 'no_answer']).default('ok'),
  /** Rupees that an attempt charges on top of its order's amount. */
  surcharge: z.number().min(0).max(1000).multipleOf(0.01).default(0),
  /** The currency that every amount is told in, by the API and by webhooks. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('INR'),
  /** Webhooks carry the time, and the signature, of so many milliseconds ago: letters that lay somewhere. */
  agedMs: z.int().min(0).max(315_360_000_000).default(0),
})

export type Faults = z.output<typeof faultSwitches>
/** An answer or a letter as it is told under the fault. */
export const inCurrency = (text: string, currency: string): string => text.replaceAll(/("\w+_currency"):"INR"/g, `$1:"${currency}"`)

export const NO_FAULTS: Faults = faultSwitches.parse({})
