/**
 * The faults that a test or a person can switch on. All are off by default.
 *
 * - A fault spoils answers and webhooks, not the state behind them: `lose` loses the webhook, not the payment.
 * - Exceptions: `rate_limit` and `bank_failure` refuse a call before it changes anything; `surcharge` raises the amount paid.
 */
import { z } from 'zod'

/** Who answers in the gateway's place (edge.ts). */
export const EDGES = [
  'none',
  'page',
  'page_404',
  'page_403',
  'proxy_404',
  'other_shape',
  'null_body',
  'redirect',
  'wrong_type',
  'cut',
  'cut_whole',
  'enormous',
  'other_id',
  'stale',
  'yesterday',
] as const
export type Edge = (typeof EDGES)[number]

/** Strict: a misspelt switch is refused. A field left out returns to its default. */
export const faultSwitches = z.strictObject({
  /** Extra copies of every webhook; `true` is one. */
  duplicate: z.union([z.boolean().transform(Number), z.int().min(0).max(50)]).default(0),
  /** Real milliseconds between an event and its webhook. */
  delayMs: z.int().min(0).max(600_000).default(0),
  /** Each webhook waits a random time up to `delayMs`, or up to 500 ms if `delayMs` is less, so webhooks overtake each other. */
  shuffle: z.boolean().default(false),
  /** Changes the body after signing it. */
  tamper: z.boolean().default(false),
  /** Drops the webhook as a lossy network would. It is retried on schedule. */
  lose: z.boolean().default(false),
  /**
   * `rate_limit`: 429 before any work. `bank_failure`: 502 before any work.
   * `error_after_commit`: 500 after the work. `no_answer`: silence after the work.
   */
  api: z.enum(['ok', 'rate_limit', 'bank_failure', 'error_after_commit', 'no_answer']).default('ok'),
  /** A stranger's answer in place of the gateway's, after the work. */
  edge: z.enum(EDGES).default('none'),
  /** Rupees that an attempt charges on top of its order's amount. */
  surcharge: z.number().min(0).max(1000).multipleOf(0.01).default(0),
  /** Currency of every amount in API answers and webhooks. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('INR'),
  /** Webhooks carry a timestamp, and a signature over it, that is this many milliseconds old: stale webhooks. */
  agedMs: z.int().min(0).max(315_360_000_000).default(0),
})

export type Faults = z.output<typeof faultSwitches>
/** Rewrites the currency of an answer or a webhook body. */
export const inCurrency = (text: string, currency: string): string => text.replaceAll(/("\w+_currency"):"INR"/g, `$1:"${currency}"`)

export const NO_FAULTS: Faults = faultSwitches.parse({})
