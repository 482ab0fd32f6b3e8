/**
 * Members' rights: an export of their data, and closing their account.
 *
 * - The export contains everything that the calls themselves show.
 * - Closing withdraws or donates the whole balance, once per idempotency key.
 * - A suspended or held account, or one with an open dispute, is not erased: the erasure would take the notes and signals of an
 *   inquiry with it, and free the address for a new account.
 * - An account is erased in the transaction that closes its wallet, under the account's lock, or not at all.
 */
import { randomUUID } from 'node:crypto'
import type { MemberExport, rightsCalls } from '@roz/contract/rights.ts'
import type { Language } from '@roz/core/language.ts'
import { formatPaise } from '@roz/core/money.ts'
import { formatRupees } from '@roz/core/numbers.ts'
import { texts } from '@roz/core/texts.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { createIdempotency, type KeyedCall } from '../../http/idempotency.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { type Answer, type Call, type Handlers, invalid, type Refusal } from '../../http/route.ts'
import { mustWaitForStop } from '../../ledger/autopay.ts'
import { closeWallet, giveRest } from '../../ledger/closing.ts'
import { DISPUTED_MEMBERS } from '../../ledger/disputes.ts'
import { setAutoJoin } from '../../ledger/wallets.ts'
import { mailMember } from '../../mail/mails.ts'
import type { PayoutDetail } from '../../members/bank-accounts.ts'
import { getUser } from '../../members/user-row.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { eraseIdentity } from './erase.ts'
import { createUnconfirmed, type UnconfirmedDeps } from './unconfirmed.ts'

type Parts = Omit<MemberExport, 'user'>
type Withdrawal = MemberExport['withdrawals'][number]
type Closed = Answer<typeof rightsCalls.closeAccount>

type RightsDeps = UnconfirmedDeps & {
  readonly secrets: Pick<Secrets, 'fingerprints' | 'keyIds'>
  /** Each part as its feature shows it, from the first row to the last. */
  readonly exports: { readonly [P in keyof Parts]: (memberId: bigint, language: Language) => Promise<Parts[P]> }
  /** Requests a withdrawal of the whole balance, whatever its amount; undefined when the balance is zero. */
  readonly withdrawRest: (
    tx: Tx,
    rest: {
      readonly id: string
      readonly memberId: bigint
      readonly origin: string
      readonly detail: PayoutDetail
      readonly nameCheck: boolean | undefined
    },
  ) => Promise<{ readonly ok: true; readonly value: Withdrawal | undefined } | Refusal<'on_hold' | 'withdrawals_paused' | 'invalid_input'>>
}

const NOTHING_LEFT = texts('Nothing is left in your wallet. You can delete your account now.')
const ON_ITS_WAY = texts('Withdrawal of {amount} requested. Once it is paid you can delete your account.')
const GIVEN = texts('Thank you. You donated {amount} to the help fund. You can delete your account now.')

export function createRights(deps: RightsDeps) {
  const { db } = deps
  const idempotency = createIdempotency(deps)

  const handlers: Handlers<'exportData' | 'closeAccount' | 'deleteAccount'> = {
    exportData: async ({ session: { memberId }, language }) => {
      const taken = await take(db, memberLimits.exports(memberId))
      if (!taken.ok) return taken
      const { exports } = deps
      const user = await getUser(db, memberId)
      const transactions = await exports.transactions(memberId, language)
      const rounds = await exports.rounds(memberId, language)
      const withdrawals = await exports.withdrawals(memberId, language)
      const refunds = await exports.refunds(memberId, language)
      const notifications = await exports.notifications(memberId, language)
      const devices = await exports.devices(memberId, language)
      const sessions = await exports.sessions(memberId, language)
      const messages = await exports.messages(memberId, language)
      const autopay = await exports.autopay(memberId, language)
      const tax = await exports.tax(memberId, language)
      const mutedStories = await exports.mutedStories(memberId, language)
      const value = {
        user,
        transactions,
        rounds,
        withdrawals,
        refunds,
        notifications,
        devices,
        sessions,
        messages,
        autopay,
        tax,
        mutedStories,
      }
      return { ok: true, value }
    },
    closeAccount: async (call) => {
      const { bankDetail, upiDetail, gift } = call.body
      const detail = bankDetail ?? upiDetail
      if (detail === undefined && gift === undefined) return invalid({ bankDetail: 'fill_all' })
      if (detail !== undefined && gift !== undefined) return invalid({ gift: 'choice_invalid' })
      if (bankDetail !== undefined && upiDetail !== undefined) return invalid({ upiDetail: 'choice_invalid' })
      const { memberId } = call.session
      const keyed: KeyedCall = { memberId, key: call.idempotencyKey, route: 'closeAccount', body: call.body }
      const id = randomUUID()
      // Before the key is taken: the same request succeeds once AutoPay has stopped.
      if (await inTransaction(db, (tx) => mustWaitForStop(tx, memberId))) return { ok: false, code: 'autopay_stopping' }
      return idempotency.once<Closed>(keyed, id, async (tx) => {
        const left = detail === undefined ? await giveAll(tx, id, call) : await withdrawAll(deps, tx, id, call, detail)
        // Auto Participate must not join a member who is leaving.
        if (left.ok) await setAutoJoin(tx, memberId, false)
        return left
      })
    },
    deleteAccount: async ({ session: { memberId }, origin }) => {
      const done = await inTransaction(db, (tx) => deleteAccount(tx, memberId, origin))
      if (!done.ok) return done
      if (done.picture !== undefined) await deps.storage.remove(done.picture)
      return { ok: true, value: undefined }
    },
  }
  return { handlers, due: createUnconfirmed(deps) }
}

type CloseCall = Call<typeof rightsCalls.closeAccount>
const answer = (withdrawal: Withdrawal | null, message: string): Closed => ({ ok: true, value: { withdrawal, message } })

async function giveAll(tx: Tx, id: string, { session, language }: CloseCall): Promise<Closed> {
  const given = await giveRest(tx, { memberId: session.memberId, ref: id })
  if (!given.ok) return { ok: false, code: 'on_hold' }
  return answer(null, given.value === 0n ? NOTHING_LEFT[language] : GIVEN[language].replace('{amount}', formatPaise(given.value)))
}

async function withdrawAll(deps: RightsDeps, tx: Tx, id: string, call: CloseCall, detail: PayoutDetail): Promise<Closed> {
  const { session, language, origin, body } = call
  const left = await deps.withdrawRest(tx, { id, memberId: session.memberId, origin, detail, nameCheck: body.nameCheck })
  if (!left.ok) return left
  const { value } = left
  if (value === undefined) return answer(null, NOTHING_LEFT[language])
  return answer(value, ON_ITS_WAY[language].replace('{amount}', formatRupees(value.amount)))
}

type Deleted =
  | { readonly ok: true; readonly picture: string | undefined }
  | Extract<Answer<typeof rightsCalls.deleteAccount>, { readonly ok: false }>

/**
 * Locks the account before the wallet, as a confirmation of the address does. `no key`: a settlement that holds the wallet may
 * still write a notice, which refers to the account.
 */
async function deleteAccount(tx: Tx, memberId: bigint, origin: string): Promise<Deleted> {
  const account = await tx.maybeOne<{ isSuspended: boolean; isHeld: boolean; isStaff: boolean }>(sql`
    select suspended_at is not null as "isSuspended", held_at is not null as "isHeld", role = 'admin' as "isStaff" from member
         where id = ${memberId}::bigint and deleted_at is null for no key update`)
  // A concurrent request deleted the account, which is the result that this request wants.
  if (account === undefined) return { ok: true, picture: undefined }
  if (account.isStaff) return { ok: false, code: 'forbidden' }
  if (account.isSuspended) return { ok: false, code: 'on_hold' }
  if (account.isHeld) return { ok: false, code: 'account_checked' }
  if (await isDisputed(tx, memberId)) return { ok: false, code: 'dispute_open' }
  // The stop begins with this refusal: a debit after the closing would find no wallet.
  if (await mustWaitForStop(tx, memberId)) return { ok: false, code: 'autopay_stopping' }
  const closed = await closeWallet(tx, memberId)
  if (!closed.ok) return closed
  await mailMember(tx, { memberId, template: 'account_closed', key: `account_closed:${memberId}`, data: {}, origin })
  await logStaff(tx, { actorId: memberId, action: 'member.close', subject: `member:${memberId}` })
  return { ok: true, picture: await eraseIdentity(tx, memberId) }
}

const isDisputed = async (tx: Tx, memberId: bigint): Promise<boolean> =>
  (await tx.maybeOne(sql`select from dispute d where d.state = 'open' and ${memberId}::bigint in ${DISPUTED_MEMBERS} limit 1`)) !==
  undefined
