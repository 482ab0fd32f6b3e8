/**
 * The own passkeys: adding one, removing one, refusing the app's codes, and the challenges for logging in and for stepping up.
 *
 * - A new passkey asks for a code of the app: neither a session that is open on an unlocked laptop nor a step-up suffices.
 * - Passkeys need a set-up app, whose recovery codes help after a lost key, and end with it.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { lockAccount } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { type AfterCode, tellTotp } from './own-totp.ts'
import { addPasskey, countPasskeys, creationOptions, loadPasskeys, type OwnKey, requestOptions } from './passkeys.ts'

type Names = 'startPasskey' | 'addPasskey' | 'removePasskey' | 'setPasskeysOnly' | 'askPasskey'

const PASSKEYS_MAX = 10
const subjectOf = (memberId: bigint): string => `member:${memberId}`

export const passkeyOf = ({ id, name, addedAt, usedAt }: OwnKey) => ({
  id,
  name,
  addedAt: isoIst(addedAt.getTime()),
  usedAt: usedAt === null ? null : isoIst(usedAt.getTime()),
})

export function ownPasskeyHandlers({ db, brandName }: IdentityDeps, afterCode: AfterCode): Handlers<Names> {
  return {
    startPasskey: async ({ session: { memberId, tokenHash }, body: { totp }, origin, ip, userAgent }) => {
      await loadPasskeys()
      const started = await afterCode({ memberId, source: { ip, userAgent }, totp }, async (tx, account) => {
        if ((await countPasskeys(tx, memberId)) >= PASSKEYS_MAX) return undefined
        await logStaff(tx, { actorId: memberId, action: 'staff.passkey_start', subject: subjectOf(memberId) })
        return creationOptions(tx, account, { purpose: 'add', tokenHash, origin }, brandName)
      })
      if (!started.ok) return started
      return started.value === undefined ? { ok: false, code: 'passkeys_full' } : { ok: true, value: { publicKey: started.value } }
    },

    addPasskey: ({ session: { memberId, tokenHash }, body: { name, credential }, origin }) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, memberId)
        if ((await countPasskeys(tx, memberId)) >= PASSKEYS_MAX) return { ok: false, code: 'passkeys_full' }
        const id = await addPasskey(tx, memberId, { purpose: 'add', tokenHash, origin }, name, credential)
        if (id === undefined) return { ok: false, code: 'wrong_passkey' }
        await logStaff(tx, { actorId: memberId, action: 'staff.passkey_add', subject: subjectOf(memberId), after: { name } })
        await tellTotp(tx, memberId, 'passkey_added', origin)
        const key = await tx.one<OwnKey>(
          sql`select id, name, created_at as "addedAt", used_at as "usedAt" from staff_passkey where id = ${id}::uuid`,
        )
        return { ok: true, value: { passkey: passkeyOf(key) } }
      }),

    removePasskey: ({ session: { memberId }, params: { id }, origin }) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, memberId)
        const removed = await tx.maybeOne<{ name: string }>(
          sql`delete from staff_passkey where member_id = ${memberId}::bigint and id::text = ${id}::text returning name`,
        )
        if (removed === undefined) return { ok: false, code: 'passkey_not_found' }
        // Without a passkey only recovery codes would log in.
        await tx.query(sql`
          update staff_totp set passkeys_only = false where member_id = ${memberId}::bigint and passkeys_only
             and not exists (select from staff_passkey where member_id = ${memberId}::bigint)`)
        await logStaff(tx, {
          actorId: memberId,
          action: 'staff.passkey_remove',
          subject: subjectOf(memberId),
          before: { name: removed.name },
        })
        await tellTotp(tx, memberId, 'passkey_removed', origin)
        return { ok: true, value: undefined }
      }),

    setPasskeysOnly: ({ session: { memberId }, body: { only }, origin }) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, memberId)
        if (only && (await countPasskeys(tx, memberId)) === 0) return { ok: false, code: 'no_passkey' }
        const changed = await tx.query(sql`
          update staff_totp set passkeys_only = ${only}::boolean
           where member_id = ${memberId}::bigint and passkeys_only <> ${only}::boolean returning 1`)
        if (changed.length === 0) return { ok: true, value: undefined }
        await logStaff(tx, { actorId: memberId, action: 'staff.passkeys_only', subject: subjectOf(memberId), after: { only } })
        await tellTotp(tx, memberId, only ? 'passkeys_only' : 'codes_again', origin)
        return { ok: true, value: undefined }
      }),

    askPasskey: async ({ session: { memberId, tokenHash }, origin }) => {
      await loadPasskeys()
      return inTransaction(db, async (tx) => {
        await lockAccount(tx, memberId)
        const publicKey = await requestOptions(tx, memberId, { purpose: 'step_up', tokenHash, origin })
        if (publicKey === undefined) return { ok: false, code: 'no_passkey' }
        await logStaff(tx, { actorId: memberId, action: 'staff.passkey_ask', subject: subjectOf(memberId) })
        return { ok: true, value: { publicKey } }
      })
    },
  }
}
