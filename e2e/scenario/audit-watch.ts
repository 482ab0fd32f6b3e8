/**
 * Watches the staff log during the scenario of all calls.
 * - An accepted write of an administrator leaves exactly one entry, of its actor and with its origin. A refused one leaves none.
 * - A batch leaves one entry for each row that it accepts.
 * - A repeat with the same Idempotency-Key leaves none: it changes nothing.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { sql } from '@roz/server/db/sql.ts'
import { expect } from 'vitest'
import { type Given, specOf } from '../harness/calls.ts'
import { inDatabase } from '../harness/database.ts'

const isWrite = ({ access, method }: EndpointSpec): boolean => access === 'admin' && method !== 'GET'
/** Every administrator's call that changes something. */
const writes = (Object.keys(api) as CallName[]).filter((name) => isWrite(specOf(name)))

const KEYED = 'server/src/http/keyed-calls.test.ts'
const TRANSFERS = 'server/src/features/accounts/bank/transfers.test.ts'
const FOLLOW_UPS = 'server/src/features/help/follow-ups.test.ts'
const OUTCOMES = 'server/src/features/help/case-outcome.test.ts'
/**
 * Writes that the scenario's program refuses: its gateway pays by itself and has settled nothing, it has no second person, nothing is
 * in suspense, no tax was withheld, nobody has AutoPay, money is added by the gateway, and the bank
 * has no line without a match.
 * The named test makes an accepted one, and looks at its entry.
 */
const ACCEPTED_IN: Readonly<Partial<Record<CallName, string>>> = {
  retryWithdrawal: KEYED,
  completeWithdrawal: KEYED,
  withdrawalBank: 'server/src/features/payouts/by-hand.all.test.ts',
  withdrawalNotPaid: KEYED,
  takeOverWithdrawal: KEYED,
  withdrawalCameBack: KEYED,
  approveWithdrawals: KEYED,
  approveRefunds: KEYED,
  creditSuspense: KEYED,
  refundSuspense: KEYED,
  paySuspense: KEYED,
  approveDisbursement: KEYED,
  rejectDisbursement: KEYED,
  correctDisbursement: KEYED,
  recordArrival: KEYED,
  arriveHelpCase: OUTCOMES,
  followUpHelpCase: OUTCOMES,
  uploadCaseFollowUpPicture: OUTCOMES,
  freezeHelpOrder: 'server/src/features/help/case-order.all.test.ts',
  recordFollowUp: FOLLOW_UPS,
  uploadFollowUpPicture: FOLLOW_UPS,
  withholdFollowUp: FOLLOW_UPS,
  approveHouseEntry: KEYED,
  rejectHouseEntry: KEYED,
  stopStaffChange: 'server/src/features/identity/owner-changes.all.test.ts',
  recordSettlement: KEYED,
  closeFinding: KEYED,
  confirmTransferLine: TRANSFERS,
  confirmTransfer: TRANSFERS,
  approveTransfer: TRANSFERS,
  rejectTransfer: TRANSFERS,
  matchBankLine: 'server/src/features/accounts/bank/import.all.test.ts',
  setCertificate: 'server/src/features/papers/tax.test.ts',
  adminStopAutopay: 'server/src/features/autopay/desk.all.test.ts',
}

/** Whether a test elsewhere says which entry the call leaves: `<call>: '<action>'`. */
function isLoggedElsewhere(name: CallName): boolean {
  const file = ACCEPTED_IN[name]
  const text = file === undefined ? '' : readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  return new RegExp(`\\b${name}: '[a-z_]+\\.[a-z_]+'`).test(text)
}

/** The rows that an accepted answer changed: a batch answers with a code for each refused row. */
function changesOf(text: string): number {
  const { results } = (text === '' ? {} : JSON.parse(text)) as { readonly results?: readonly { readonly code: string | null }[] }
  return results === undefined ? 1 : results.filter(({ code }) => code === null).length
}

/** Accepted, and here without a change and an entry: nothing waits to be stopped. */
const CHANGES_NOTHING: ReadonlySet<CallName> = new Set(['stopStaffChange'])

type Before = { readonly actorId: bigint | null; readonly lastId: bigint }

export function createAuditWatch(dataDir: string) {
  const accepted = new Set<CallName>()
  const keys = new Set<string>()

  const look = (token: string): Promise<Before> =>
    inDatabase(dataDir, (db) =>
      db.one<Before>(sql`
        select (select member_id from session where token_hash = ${createHash('sha256').update(token).digest()}::bytea) as "actorId",
              coalesce((select max(id) from audit_log), 0)::bigint as "lastId"`),
    )
  const entriesSince = ({ actorId, lastId }: Before) =>
    inDatabase(dataDir, (db) =>
      db.query<{ action: string; address: string | null }>(
        sql`select action, from_address as address from audit_log where id > ${lastId}::bigint and actor_id = ${actorId}::bigint order by id`,
      ),
    )

  return {
    async around<A extends { readonly status: number; readonly text: string }>(
      name: CallName,
      { token, key }: Given,
      call: () => Promise<A>,
    ): Promise<A> {
      if (token === undefined || !isWrite(specOf(name))) return call()
      const before = await look(token)
      const answer = await call()
      const entries = await entriesSince(before)
      const isRepeat = key !== undefined && keys.has(`${name} ${key}`)
      const changes = answer.status < 300 && !isRepeat && !CHANGES_NOTHING.has(name) ? changesOf(answer.text) : 0
      const entry = { action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/), address: '127.0.0.1' }
      expect(entries, `${name}: ${answer.status}`).toEqual(Array.from({ length: changes }, () => entry))
      if (changes > 0) accepted.add(name)
      if (changes > 0 && key !== undefined) keys.add(`${name} ${key}`)
      return answer
    },
    /** The writes that were never accepted here and whose entry no other test checks. */
    listUnseen: (): CallName[] => writes.filter((name) => !accepted.has(name) && !isLoggedElsewhere(name)),
  }
}
