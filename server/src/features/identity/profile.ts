/**
 * The member's own record.
 *
 * - The mail address cannot be changed here; unconfirmed-address.ts corrects an unconfirmed address.
 * - The old picture's file is deleted only after the new name is committed.
 * - A change of the phone number is mailed.
 * - A password change ends every other session, and is decided under the lock of the account.
 */
import { randomUUID } from 'node:crypto'
import type { ReminderTime } from '@roz/core/reminder.ts'
import { UPLOADS_PATH } from '../../adapters/storage/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { reencodePicture, type Shape } from '../../pictures/picture.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { storeAndName } from '../../pictures/stored-upload.ts'
import { giveUpPicture } from '../../jobs/sure-removal.ts'
import { setAutoJoin, setPassesOn } from '../../ledger/wallets.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { listRunning } from '../../members/announcements.ts'
import { isCommonPassword } from '../../members/common-passwords.ts'
import { hashPassword } from '../../members/passwords.ts'
import { noteSignal } from '../../members/signals.ts'
import { getUser } from '../../members/user-row.ts'
import { lockAccount, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { useUp } from './links.ts'
import { checkOwnPassword, type PasswordCheck } from './password-check.ts'
import { endAllSessions } from './sessions.ts'
import { signIn } from './sign-in.ts'

const SIDE_MAX_PX = 512
/** A square of at most 512 px from the middle of the picture. */
const asAvatar: Shape = (picture, { width, height }) => {
  const side = Math.min(SIDE_MAX_PX, width, height)
  return picture.resize(side, side, { fit: 'cover', position: 'centre' })
}

type Names = 'me' | 'profile' | 'updateProfile' | 'uploadAvatar' | 'changePassword'

export function profileHandlers(deps: IdentityDeps, checkPassword: PasswordCheck): Handlers<Names> {
  const { db, storage, secrets } = deps
  return {
    me: async ({ session }) => {
      const running = session.kind === 'member' ? listRunning(db) : []
      const [user, announcements] = await Promise.all([getUser(db, session.memberId), running])
      return { ok: true, value: { user, announcements } }
    },
    profile: async ({ session }) => ({ ok: true, value: { user: await getUser(db, session.memberId) } }),

    updateProfile: async ({ session, body, origin }) =>
      inTransaction(db, async (tx) => {
        if (body.phone !== undefined) await tellNewPhone(tx, secrets, { memberId: session.memberId, phone: body.phone, origin })
        await tx.query(sql`
          update member set name = coalesce(${body.name ?? null}::text, name), phone = coalesce(${body.phone ?? null}::text, phone),
            public_name = coalesce(${body.publicName ?? null}::text, public_name), language = coalesce(${body.language ?? null}::text, language)
          where id = ${session.memberId}::bigint and deleted_at is null`)
        if (body.phone !== undefined) {
          await noteSignal(tx, secrets, { kind: 'phone', value: body.phone, memberId: session.memberId })
        }
        if (body.autoParticipate !== undefined) await setAutoJoin(tx, session.memberId, body.autoParticipate)
        if (body.passOn !== undefined) await setPassesOn(tx, session.memberId, body.passOn)
        if (body.reminder !== undefined) await setReminder(tx, session.memberId, body.reminder)
        return { ok: true, value: { user: await getUser(tx, session.memberId) } }
      }),

    uploadAvatar: async ({ session, upload }) => {
      const file = await upload(await take(db, memberLimits.avatars(session.memberId)))
      if (!file.ok) return file
      const picture = await reencodePicture(file, asAvatar)
      if (!picture.ok) return picture
      const isNamed = async (name: string): Promise<boolean> =>
        (await db.maybeOne(sql`select from member where id = ${session.memberId}::bigint and avatar = ${UPLOADS_PATH + name}::text`)) !==
        undefined
      const { avatarUrl, before } = await storeAndName(storage, { folder: 'avatars', bytes: picture.bytes, isNamed }, async (name) => {
        const stored = UPLOADS_PATH + name
        return inTransaction(db, async (tx) => {
          // Locked and read first: on a table with triggers, PostgreSQL 18.4 returns as `old` the row before a concurrent update.
          const [row] = await tx.query<{ before: string | null }>(sql`
            select avatar as before from member where id = ${session.memberId}::bigint and deleted_at is null for update`)
          if (row === undefined) throw new Error('the account was closed while its picture was uploaded')
          await tx.query(sql`update member set avatar = ${stored}::text where id = ${session.memberId}::bigint`)
          return { avatarUrl: stored, before: await giveUpPicture(tx, row.before) }
        })
      })
      if (before !== undefined) await storage.remove(before)
      return { ok: true, value: { avatarUrl } }
    },

    changePassword: async ({ session, body, origin, ip, userAgent }) => {
      if (isCommonPassword(body.newPassword)) return invalid({ newPassword: 'password_common' })
      const source = { ip, userAgent }
      const { memberId } = session
      const checked = await checkOwnPassword({ db, checkPassword }, { memberId, source, password: body.currentPassword })
      if (!checked.ok) return checked
      const passwordHash = await hashPassword(body.newPassword)
      return inTransaction(db, async (tx) => {
        const account = await lockAccount(tx, memberId)
        if (account === undefined || account.passwordHash !== checked.account.passwordHash) return { ok: false, code: 'wrong_password' }
        await setPassword(tx, account.id, passwordHash)
        await endAllSessions(tx, account.id)
        // Reset links asked for before must not bypass the new password.
        await useUp(tx, account.id, 'reset')
        const value = await signIn(tx, deps, account.id, { kind: 'member', source, origin })
        await mailAlert(tx, secrets, {
          memberId: account.id,
          template: 'password_changed',
          key: `password_changed:${passwordHash.slice(-22)}`,
          data: {},
          origin,
        })
        return { ok: true, value }
      })
    },
  }
}

/** Mails a change of the phone number, which a session alone makes: somebody else's number would answer the team's calls. */
async function tellNewPhone(
  tx: Tx,
  secrets: IdentityDeps['secrets'],
  { memberId, phone, origin }: { readonly memberId: bigint; readonly phone: string; readonly origin: string },
): Promise<void> {
  const changed = await tx.maybeOne(
    sql`select from member where id = ${memberId}::bigint and phone is distinct from ${phone}::text for no key update`,
  )
  if (changed === undefined) return
  const data = { ending: phone.slice(-4) }
  await mailAlert(tx, secrets, { memberId, template: 'phone_changed', key: `phone_changed:${randomUUID()}`, data, origin })
}

/**
 * The time of the evening reminder, which features/push/reminders.ts sends. Null turns it off. Staff accounts have no wallet, and so none.
 * - The row stays when the reminder is turned off: it knows that today's turn has been.
 * - A time that has passed today begins tomorrow.
 */
async function setReminder(tx: Tx, memberId: bigint, time: ReminderTime | null): Promise<void> {
  const turn = sql`case when ${time}::time <= (roz_now() at time zone 'Asia/Kolkata')::time then ist_day(roz_now()) else '-infinity'::date end`
  await tx.query(sql`
    insert into evening_reminder as e (member_id, at, looked_day)
    select w.member_id, ${time}::time, ${turn} from wallet w where w.member_id = ${memberId}::bigint and not w.is_closed
    on conflict (member_id) do update set at = excluded.at, looked_day = greatest(e.looked_day, excluded.looked_day)
     where e.at is distinct from excluded.at`)
}
