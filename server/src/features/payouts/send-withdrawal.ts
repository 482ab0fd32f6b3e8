/**
 * Gives an approved withdrawal to the gateway.
 *
 * - The gateway is asked outside any transaction, after the commit that records the sending.
 * - The transfer's id is the withdrawal's for ever, so that it never pays twice.
 * - A missing answer changes nothing; the sweep asks about it.
 * - A withdrawal of a member on hold is not sent; it continues when the hold ends.
 * - Only a definite refusal, with no earlier sending in doubt, returns the withdrawal to approved, with the reason for
 *   the administrator.
 */
import type { KnownBeneficiary, NewTransfer, PayoutGateway, Transfer } from '../../adapters/payouts/port.ts'
import { GatewayMismatchError, GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { IS_ON_HOLD, ON_HOLD } from '../../ledger/holds.ts'
import { startSending, stopSending } from '../../ledger/withdrawals.ts'
import { isUpi, type PayoutDetail, readPayoutDetail, type StoredAccount } from '../../members/bank-accounts.ts'
import { bookTransfer, flagOtherAmount } from './book-transfer.ts'
import { endChecks, isAbsent, isNewest, noteSending, type Sending } from './checks.ts'
import type { PayoutsDeps } from './deps.ts'

type Payable = StoredAccount & {
  readonly amount: Paise
  readonly email: string | null
  readonly accountId: bigint
  readonly beneficiaryId: string
  readonly isOnHold: boolean
}

/** `again`: the gateway certainly has no transfer of an earlier sending. */
export async function sendWithdrawal(deps: PayoutsDeps, id: string, { again }: { readonly again: boolean }): Promise<void> {
  const { db, payouts } = deps
  if (payouts === undefined) return
  const payable = await readPayable(db, id)
  if (payable === undefined) return
  if (payable.isOnHold) return noteProblem(db, id, ON_HOLD)
  const detail = readPayoutDetail(deps.secrets, payable)
  const beneficiary = await makeBeneficiary(payouts, detail, payable)
  if (typeof beneficiary === 'string') {
    await inTransaction(db, (tx) => stopBefore(tx, id, beneficiary))
    return
  }
  const sending = await inTransaction(db, async (tx) => {
    await tx.query(sql`
      update bank_account set beneficiary_id = ${beneficiary.beneficiaryId}::text
       where id = ${payable.accountId}::bigint and octet_length(sealed) > 0 and beneficiary_id is distinct from ${beneficiary.beneficiaryId}::text`)
    return (await startSending(tx, id, { again })) ? noteSending(tx, { id, kind: 'withdrawal' }) : undefined
  })
  if (sending === undefined) return
  const method = isUpi(detail) ? 'upi' : 'bank'
  const sent = await trySend(deps, payouts, { id, amount: payable.amount, beneficiaryId: beneficiary.beneficiaryId, method })
  if (sent === 'unknown') return
  const alarm = await inTransaction(db, async (tx) => {
    await lockRow(tx, id)
    if (!(await isNewest(tx, id, sending.ask))) return undefined
    if (sent === 'other_amount') return flagOtherAmount(tx, id)
    return 'refused' in sent ? refuse(tx, id, sending, sent.refused) : bookTransfer(tx, id, sent)
  })
  if (alarm !== undefined) deps.alarm(alarm.details, alarm.message)
}

/** Lock order: the withdrawal's row before the row of its check. */
const lockRow = (tx: Tx, id: string) => tx.query(sql`select from withdrawal where id = ${id}::uuid for update`)

/** No usable account. If an earlier sending is surely lost, the administrator decides again; if it may be under way, it continues. */
async function stopBefore(tx: Tx, id: string, problem: string): Promise<void> {
  await lockRow(tx, id)
  await noteProblem(tx, id, problem)
  if (!(await isAbsent(tx, id))) return
  await stopSending(tx, id, problem)
  await endChecks(tx, id)
}

/** Records why nothing was sent this time; an earlier sending continues. */
async function noteProblem(from: Queryable, id: string, problem: string): Promise<void> {
  await from.query(sql`update withdrawal set problem = ${problem}::text where id = ${id}::uuid and status in ('approved', 'sending')`)
}

async function refuse(tx: Tx, id: string, sending: Sending, problem: string): Promise<undefined> {
  if (sending.isDoubtful) {
    await noteProblem(tx, id, problem)
    return
  }
  await stopSending(tx, id, problem)
  await endChecks(tx, id)
}

type Sent = Transfer | { readonly refused: string } | 'unknown' | 'other_amount'

async function trySend(
  { warn }: PayoutsDeps,
  payouts: PayoutGateway,
  { id, ...transfer }: { readonly id: string } & Pick<NewTransfer, 'amount' | 'beneficiaryId' | 'method'>,
): Promise<Sent> {
  try {
    return await payouts.send({ transferId: gatewayIdOf(id), ...transfer, remarks: 'Withdrawal' })
  } catch (error) {
    if (error instanceof GatewayRefusedError) return { refused: error.code }
    if (error instanceof GatewayMismatchError) return 'other_amount'
    if (!(error instanceof GatewayUnavailableError)) throw error
    warn({ err: error, withdrawalId: id }, 'the gateway did not answer a transfer; the sweep asks again')
    return 'unknown'
  }
}

/** Returns the gateway's beneficiary, or why nothing can be sent. Throws while the gateway checks the account: the job is retried. */
async function makeBeneficiary(payouts: PayoutGateway, detail: PayoutDetail, payable: Payable): Promise<KnownBeneficiary | string> {
  try {
    const known = await payouts.ensureBeneficiary({
      beneficiaryId: payable.beneficiaryId,
      name: detail.accountHolderName,
      instrument: isUpi(detail)
        ? { kind: 'upi', vpa: detail.upiId }
        : { kind: 'bank', accountNumber: detail.accountNumber, ifsc: detail.ifscCode },
      ...(payable.email === null ? {} : { email: payable.email }),
    })
    if (known.state === 'checking') throw new GatewayUnavailableError('the gateway still checks the bank account')
    return known.state === 'ready' ? known : 'beneficiary_unusable'
  } catch (error) {
    if (error instanceof GatewayRefusedError) return error.code
    throw error
  }
}

const readPayable = (db: Db, id: string): Promise<Payable | undefined> =>
  db.maybeOne<Payable>(sql`select w.amount, w.member_id as "memberId", b.id as "accountId", b.sealed, m.email, ${IS_ON_HOLD} as "isOnHold",
               -- An account keeps one id for ever, also with another key, and the id reveals nothing of the account.
               coalesce((select o.beneficiary_id from bank_account o where o.account_mac = b.account_mac and o.beneficiary_id is not null limit 1),
                 'b' || left(encode(b.account_mac, 'hex'), 40)) as "beneficiaryId"
          from withdrawal w join bank_account b on b.id = w.bank_account_id join member m on m.id = w.member_id
         where w.id = ${id}::uuid and w.status in ('approved', 'sending') and w.shown_to is null`)
