/** A bank's answers about a UPI ID, an account or an IFSC, and the checks that were made. */
export type BankWord = {
  /** The account's name at the bank. Null: the name that is asked for. */
  readonly name: string | null
  readonly status: string
  /** Takes the place of the comparison's own word. */
  readonly result: string | null
}
export type UpiId = BankWord & { readonly vpa: string }
/** `code` tells why. Null: the code of the status. */
export type BankAccount = BankWord & { readonly account: string; readonly ifsc: string; readonly code: string | null }
export const accountKey = ({ account, ifsc }: Pick<BankAccount, 'account' | 'ifsc'>): string => `${ifsc}/${account}`
export type Ifsc = { readonly ifsc: string; readonly status: string }

export type BankCheck = {
  /** The shop's id. A call without one is kept under the gateway's. */
  readonly verificationId: string
  readonly referenceId: string
  /** The UPI ID, `IFSC/account` or IFSC that was checked. */
  readonly subject: string
  /** The reference of the rupee that was sent. Null: the check sends none. */
  readonly utr: string | null
  readonly atMs: number
}
