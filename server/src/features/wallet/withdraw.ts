/**
 * Requests a withdrawal.
 *
 * - The amount is held in the transaction that answers, under the wallet's lock, so that parallel requests never overdraw.
 * - A bank account first used within 24 h and money younger than 72 h are flagged for the administrator, never refused.
 * - The member gets one mail. It says if the bank account is new, and if the withdrawal waits for the end of a hold.
 * - Jobs after the commit note signs for the review list (withdrawal-signals.ts) and ask for the name of a UPI ID, if the member agrees (payee-name.ts).
 * - No account and no UPI ID names the reference of a bank transfer.
 * - The same Idempotency-Key gets the same answer, refusals included.
 */
import { randomUUID } from 'node:crypto'
import type { walletCalls, withdrawal } from '@roz/contract/wallet.ts'
import { withdrawalProblem } from '@roz/core/money-fields.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import { transferReferencesIn } from '@roz/core/reference-fields.ts'
import type { z } from 'zod'
import type { PayeeNames } from '../../adapters/payee-names/port.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Cursor } from '../../lists/cursor.ts'
import type { Idempotency, KeyedCall } from '../../http/idempotency.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { type Answer, type Call, invalid, type Refusal } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { isOnHold } from '../../ledger/holds.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { drawsOnYoungTopup } from '../../ledger/unused-topups.ts'
import { holdWithdrawal } from '../../ledger/withdrawals.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { tellMember } from '../../members/notices.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import {
  isUpi,
  type KnownAccount,
  nameMatchOf,
  type PayoutDetail,
  type ShownAccount,
  shownAccount,
  useBankAccount,
} from '../../members/bank-accounts.ts'
import { noteUnasked } from './payee-name.ts'

type WithdrawCall = Call<typeof walletCalls.withdraw>
type WithdrawAnswer = Answer<typeof walletCalls.withdraw>
type Withdrawal = z.infer<typeof withdrawal>

type WithdrawDeps = {
  readonly idempotency: Idempotency
  readonly secrets: Secrets
  readonly cashoutOn: boolean
  /** Undefined without its keys: no name is checked, and none is missing. */
  readonly payeeNames?: PayeeNames | undefined
}

export async function withdraw(deps: WithdrawDeps, call: WithdrawCall): Promise<WithdrawAnswer> {
  const amount = paiseFromRupees(call.body.amount) as Paise
  // Checks only the least amount here; the balance is checked under the lock.
  const problem = withdrawalProblem(amount, amount)
  if (problem !== undefined) return invalid({ amount: problem })
  const { bankDetail, upiDetail } = call.body
  const detail = bankDetail ?? upiDetail
  if (detail === undefined) return invalid({ bankDetail: 'holder_required' })
  if (bankDetail !== undefined && upiDetail !== undefined) return invalid({ upiDetail: 'choice_invalid' })
  const { memberId } = call.session
  const keyed: KeyedCall = { memberId, key: call.idempotencyKey, route: 'withdraw', body: call.body }
  const id = randomUUID()
  return deps.idempotency.once<WithdrawAnswer>(keyed, id, async (tx) => {
    if (!deps.cashoutOn) return { ok: false, code: 'withdrawals_paused' }
    const named = await judgeNames(tx, detail)
    if (named !== undefined) return named
    const wallet = await lockWallet(tx, memberId)
    // The member was suspended after the request was admitted.
    if (wallet?.mayMove === false) return { ok: false, code: 'on_hold' }
    if (wallet === undefined || wallet.balance < amount) return { ok: false, code: 'insufficient_funds' }
    const asked = { id, memberId, amount, origin: call.origin, detail, nameCheck: call.body.nameCheck }
    const { balance, withdrawal } = await hold(tx, deps, asked)
    return { ok: true, value: { balance: rupeesFromPaise(balance), withdrawal } }
  })
}

/**
 * Refuses details that name the reference of a bank transfer. If the payout came back, the words of the bank would have it, and the money
 * would be listed as the transfer of that order.
 */
async function judgeNames(from: Queryable, detail: PayoutDetail): Promise<Refusal<'invalid_input'> | undefined> {
  const parts = Object.values(detail)
  // A bank may write any two of them side by side.
  const found = parts.flatMap((one) => parts.flatMap((other) => transferReferencesIn(one + other)))
  if (found.length === 0) return undefined
  const order = await from.maybeOne(sql`select from bank_transfer_order where reference = any (${found}::text[]) limit 1`)
  if (order === undefined) return undefined
  return isUpi(detail) ? invalid({ 'upiDetail.upiId': 'upi_invalid' }) : invalid({ 'bankDetail.accountHolderName': 'holder_letters' })
}

type Held = {
  readonly id: string
  readonly memberId: bigint
  readonly origin: string
  readonly detail: PayoutDetail
  /** The member agreed that the bank is asked for the name of the UPI ID. */
  readonly nameCheck?: boolean | undefined
}

/** Holds the amount in a locked wallet that has it, and tells the member. */
async function hold(tx: Tx, deps: Pick<WithdrawDeps, 'secrets' | 'payeeNames'>, asked: Held & { readonly amount: Paise }) {
  const { id, memberId, amount } = asked
  const account = await useBankAccount(tx, deps.secrets, memberId, asked.detail)
  const isYoung = await drawsOnYoungTopup(tx, memberId, amount)
  const flags = [...(account.isRecent ? ['new_account'] : []), ...(isYoung ? ['young_money'] : [])]
  const held = await holdWithdrawal(tx, { id, memberId, amount, bankAccountId: account.id, flags })
  // The locked wallet was checked before: a refusal here is a bug, and rolls back.
  if (!held.ok) throw new Error(`withdrawal refused by the ledger: ${held.code}`)
  await tell(tx, deps.secrets, asked, account)
  await enqueue(tx, { kind: 'note_signals', key: id, payload: { withdrawalId: id } })
  if (isUpi(asked.detail)) {
    if (asked.nameCheck === true) await enqueue(tx, { kind: 'check_payee_name', key: id, payload: { withdrawalId: id } })
    else if (deps.payeeNames !== undefined) await noteUnasked(tx, account.id)
  }
  return { balance: held.value.balance, withdrawal: await getWithdrawal(tx, id) }
}

type Rest = { readonly ok: true; readonly value: Withdrawal | undefined } | Refusal<'on_hold' | 'withdrawals_paused' | 'invalid_input'>

/** Withdraws the whole balance, whatever its amount, for a member who closes the account; undefined when it is zero. */
export async function withdrawRest(deps: Omit<WithdrawDeps, 'idempotency'>, tx: Tx, asked: Held): Promise<Rest> {
  if (!deps.cashoutOn) return { ok: false, code: 'withdrawals_paused' }
  const named = await judgeNames(tx, asked.detail)
  if (named !== undefined) return named
  const wallet = await lockWallet(tx, asked.memberId)
  if (wallet === undefined || !wallet.mayMove) return { ok: false, code: 'on_hold' }
  if (wallet.balance === 0n) return { ok: true, value: undefined }
  return { ok: true, value: (await hold(tx, deps, { ...asked, amount: wallet.balance })).withdrawal }
}

async function tell(tx: Tx, secrets: Secrets, asked: Held & { readonly amount: Paise }, account: KnownAccount): Promise<void> {
  const { isNew, lastFour, bankName } = account
  const { memberId, origin } = asked
  const amount = formatPaise(asked.amount)
  const key = `withdrawal_requested:${asked.id}`
  const data = { amount, account: lastFour, ...((await isOnHold(tx, memberId)) ? { held: 'yes' } : {}) }
  if (isNew) await mailAlert(tx, secrets, { memberId, template: 'new_bank_account', key, data: { ...data, bank: bankName }, origin })
  else await mailAlert(tx, secrets, { memberId, template: 'withdrawal_requested', key, data, origin })
  await tellMember(tx, { memberId, kind: 'withdrawal_requested', key, data })
}

/** The status that the member sees for each state of a withdrawal. */
export const SHOWN_STATUS = {
  requested: 'pending',
  approved: 'processing',
  sending: 'processing',
  paid: 'completed',
  rejected: 'rejected',
  failed: 'failed',
  reversed: 'failed',
} as const satisfies Record<string, Withdrawal['status']>

type WithdrawalRow = ShownAccount & {
  readonly id: string
  readonly amount: Paise
  readonly status: keyof typeof SHOWN_STATUS
  readonly createdAt: Date
  readonly reference: string | null
  readonly reason: string | null
  readonly sortedAt: string
}

const rows = sql`
  select w.id, w.amount, w.status, w.created_at as "createdAt", b.bank_name as "bankName", b.last_four as "lastFour", ${nameMatchOf(sql`b`)} as "nameMatch", w.reference, w.reason,
    ${microsOf(sql`w.created_at`)} as "sortedAt"
  from withdrawal w join bank_account b on b.id = w.bank_account_id`

const withdrawalOf = (row: WithdrawalRow): Withdrawal => ({
  id: row.id,
  amount: rupeesFromPaise(row.amount),
  status: SHOWN_STATUS[row.status],
  createdAt: isoIst(row.createdAt.getTime()),
  bank: shownAccount(row),
  reference: row.reference,
  reason: row.reason,
})

const getWithdrawal = async (from: Queryable, id: string): Promise<Withdrawal> =>
  withdrawalOf(await from.one<WithdrawalRow>(sql`${rows} where w.id = ${id}::uuid`))

/** Newest first; one row more than `limit` when there is a next page. */
export async function listWithdrawals(
  db: Db,
  memberId: bigint,
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: Withdrawal; readonly key: Cursor }[]> {
  const older = olderThan({ at: sql`w.created_at`, id: sql`w.id` }, page.after)
  const found = await db.query<WithdrawalRow>(sql`
    ${rows} where w.member_id = ${memberId}::bigint and ${older} order by w.created_at desc, w.id desc limit ${page.limit + 1}::int`)
  return found.map((row) => ({ shown: withdrawalOf(row), key: [row.sortedAt, row.id] }))
}
