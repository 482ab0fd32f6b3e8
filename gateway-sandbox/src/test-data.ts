/**
 * The accounts and UPI IDs of the gateway's own sandbox that decide by themselves. Every other one waits for a control call.
 * - A later state follows 25 seconds after the transfer was accepted.
 */
import type { Beneficiary, TransferStatus } from './model.ts'

export const LATER_MS = 25_000

type Decided = { readonly now: TransferStatus; readonly later?: TransferStatus }

const TRANSFERS: ReadonlyMap<string, Decided> = new Map<string, Decided>([
  ['success@upi', { now: 'SUCCESS' }],
  ['invalid@upi', { now: 'FAILED' }],
  ['incorrect@upi', { now: 'FAILED' }],
  ['YESB0000262/026291800001191', { now: 'SUCCESS' }],
  ['YESB0000262/026291800001190', { now: 'FAILED' }],
  ['YESB0000001/00224412311300', { now: 'PENDING', later: 'SUCCESS' }],
  ['YESB0000001/7766666351000', { now: 'PENDING', later: 'FAILED' }],
  ['CITI0000001/02014457596969', { now: 'SUCCESS', later: 'REVERSED' }],
  ['KKBK0000001/34978321547298', { now: 'PENDING', later: 'SUCCESS' }],
])

type Payee = Partial<Pick<Beneficiary, 'accountNumber' | 'ifsc' | 'vpa'>>

export const decidedTransfer = ({ accountNumber, ifsc, vpa }: Payee): Decided | undefined =>
  TRANSFERS.get(vpa ?? `${ifsc ?? ''}/${accountNumber ?? ''}`)

/** A check of these answers INVALID. */
export const isTestFailure = (payee: Payee): boolean => decidedTransfer(payee)?.now === 'FAILED'

/** A collect request to these ends at once. */
export const DECIDED_COLLECTS: ReadonlyMap<string, 'SUCCESS' | 'FAILED'> = new Map([
  ['testsuccess@gocash', 'SUCCESS'],
  ['testfailure@gocash', 'FAILED'],
])
