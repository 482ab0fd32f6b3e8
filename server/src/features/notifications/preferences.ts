/**
 * A member's choice of mails and pushes.
 *
 * - The choice applies only to messages that concern neither money nor safety (mail/mails.ts).
 */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'

type Preferences = Output<typeof communityCalls.preferences>['preferences']
const COLUMNS = sql`wants_mail as mail, wants_push as push`

export function preferenceHandlers(db: Db): Handlers<'preferences' | 'setPreferences'> {
  return {
    preferences: async ({ session }) => ({
      ok: true,
      value: { preferences: await db.one<Preferences>(sql`select ${COLUMNS} from member where id = ${session.memberId}::bigint`) },
    }),
    setPreferences: ({ session, body }) =>
      inTransaction(db, async (tx) => {
        const preferences = await tx.one<Preferences>(sql`
          update member set wants_mail = coalesce(${body.mail ?? null}::boolean, wants_mail), wants_push = coalesce(${body.push ?? null}::boolean, wants_push)
               where id = ${session.memberId}::bigint returning ${COLUMNS}`)
        // Without push no device is kept.
        if (!preferences.push) await tx.query(sql`delete from push_device where member_id = ${session.memberId}::bigint`)
        return { ok: true, value: { preferences } }
      }),
  }
}
