/** What a bank says of a UPI ID, and the checks that were made. */
export type UpiId = {
  readonly vpa: string
  /** The account's name at the bank. Null: the name that is asked for. */
  readonly name: string | null
  readonly status: string
  /** Takes the place of the comparison's own word. */
  readonly result: string | null
}

export type NameCheck = {
  readonly verificationId: string
  readonly referenceId: string
  readonly vpa: string
  readonly utr: string
  readonly atMs: number
}
