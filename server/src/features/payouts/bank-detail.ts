/** Opens the sealed details of a bank account: for the gateway, or for finance paying by hand. Never logged, never stored again. */
import { bankDetail } from '@roz/contract/wallet.ts'
import type { z } from 'zod'
import type { Secrets } from '../../secrets/secrets.ts'

export type BankDetail = z.output<typeof bankDetail>
export type StoredAccount = { readonly memberId: bigint; readonly sealed: Buffer }

export const readBankDetail = (secrets: Secrets, { memberId, sealed }: StoredAccount): BankDetail =>
  bankDetail.parse(JSON.parse(secrets.open(sealed, `bank_account:${memberId}`).toString('utf8')))
