/** Decrypts a bank account's details for the gateway, or for finance paying by hand. They are never logged or stored again. */
import { bankDetail } from '@roz/contract/wallet.ts'
import type { z } from 'zod'
import type { Secrets } from '../../secrets/secrets.ts'

export type BankDetail = z.output<typeof bankDetail>
export type StoredAccount = { readonly memberId: bigint; readonly sealed: Buffer }

export const readBankDetail = (secrets: Secrets, { memberId, sealed }: StoredAccount): BankDetail =>
  bankDetail.parse(JSON.parse(secrets.open(sealed, `bank_account:${memberId}`).toString('utf8')))
