/**
 * Asks the bank of a UPI ID whether its account has a name.
 * - Without keys there is no `PayeeNames`, and nothing is asked.
 * - A check sends one rupee to the UPI ID, so each needs an id of its own and the payee's consent, and none is sent again by itself.
 * - Of the bank's answer nothing but the result leaves the adapter: never the name.
 * - `GatewayUnavailableError`: the outcome is unknown; the rupee may have been sent. `GatewayRefusedError`: nothing was asked of the bank.
 */

/** `no_such_id`: the bank has no account for the UPI ID. */
export type KnownResult = 'match' | 'no_match' | 'no_such_id'
/** `unknown`: the answer has words that the gateway's documents do not list; `said` are these words. */
export type NameAnswer = { readonly result: KnownResult } | { readonly result: 'unknown'; readonly said: string }

export type NameQuestion = {
  /** 32 lower-case hex digits. */
  readonly checkId: string
  readonly upiId: string
  /** In Latin letters, as banks write names. At most 100 characters. */
  readonly name: string
  readonly consentedAtMs: number
}

export type PayeeNames = { checkName(question: NameQuestion): Promise<NameAnswer> }
