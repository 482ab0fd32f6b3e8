/**
 * The faults that a test or a person can switch on. All are off by default.
 *
 * - A fault spoils answers and webhooks, not the state behind them: `lose` loses the webhook, not the payment.
 * - Exceptions: `rate_limit`, `bank_failure`, `rate` and `limits` refuse a call before it changes anything; `surcharge` raises the amount paid;
 *   faults of subscriptions and settlements spoil the work of the gateway and the banks.
 */
import { z } from 'zod'

/** The stranger that answers instead of the gateway (edge.ts). */
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
  /** The payers' banks on the day of a debit: wait until somebody presses, or pay or refuse in the debit windows. */
  debits: z.enum(['wait', 'pay', 'refuse']).default('wait'),
  /** The issuer cannot tell the payer before the debit, so the debit fails. */
  notice_fails: z.boolean().default(false),
  /** A successful debit is made twice, under one payment id. */
  debit_twice: z.boolean().default(false),
  /** A failed debit turns out to have succeeded, an hour later. */
  late_success: z.boolean().default(false),
  /** CANCEL of a charge or a mandate is answered with 200 and changes nothing. */
  cancel_ignored: z.boolean().default(false),
  /** The first debit of a mandate takes ₹1, whatever was asked for. */
  auth_one_rupee: z.boolean().default(false),
  /** A charge gets the cf_payment_id of a payment of an order: the two number ranges meet. */
  same_numbers: z.boolean().default(false),
  /** A settlement pays ₹1 less than its events add up to. */
  settlement_off: z.boolean().default(false),
  /** Calls a minute of each call of subscriptions and settlements; 0 is no limit for subscriptions and the published 30 for settlements. */
  rate: z.int().min(0).max(10_000).default(0),
  /** The published limits of calls a minute, of the gateway's sandbox or of production. */
  limits: z.enum(['none', 'sandbox', 'production']).default('none'),
  /** An idempotency key with another body is 400 `idempotency_key_mismatch`, as a part of the documents says, and not 422. */
  mismatch_400: z.boolean().default(false),
  /** Webhooks carry a timestamp, and a signature over it, that is this many milliseconds old: stale webhooks. */
  agedMs: z.int().min(0).max(315_360_000_000).default(0),
})

export type Faults = z.output<typeof faultSwitches>
/** Rewrites the currency of an answer or a webhook body. */
export const inCurrency = (text: string, currency: string): string => text.replaceAll(/("\w+_currency"):"INR"/g, `$1:"${currency}"`)

export const NO_FAULTS: Faults = faultSwitches.parse({})
