/**
 * The devices on which a member is signed in.
 *
 * - Ending the others never ends the session that asks.
 * - An ended session is refused from the next request on.
 */
import type { signedInDevice } from '@roz/contract/identity.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { z } from 'zod'
import { type Db, sql } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import type { Session } from '../../http/session.ts'
import { endOtherSessions } from './sessions.ts'

export type SignedInDevice = z.output<typeof signedInDevice>

type Row = {
  tokenHash: Buffer
  browser: string | null
  system: string | null
  signedInAt: Date
  lastUsedAt: Date
}

const liveSessions = (db: Db, memberId: bigint): Promise<Row[]> =>
  db.query<Row>(sql`
    select token_hash as "tokenHash", browser, system, created_at as "signedInAt", last_used_at as "lastUsedAt"
      from session
     where member_id = ${memberId}::bigint and expires_at > (select roz_now()) and last_at > (select roz_now())
     order by last_used_at desc, created_at desc, token_hash`)

const shown = ({ browser, system, signedInAt, lastUsedAt }: Row): SignedInDevice => ({
  browser,
  system,
  signedInAt: isoIst(signedInAt.getTime()),
  lastUsedAt: isoIst(lastUsedAt.getTime()),
})

export const listSessions = async (db: Db, memberId: bigint): Promise<SignedInDevice[]> => (await liveSessions(db, memberId)).map(shown)

export const listOwnSessions = async (db: Db, { memberId, tokenHash }: Pick<Session, 'memberId' | 'tokenHash'>) =>
  (await liveSessions(db, memberId)).map((row) => ({ ...shown(row), isThis: row.tokenHash.equals(tokenHash) }))

export function signedInHandlers({ db }: { readonly db: Db }): Handlers<'sessions' | 'endOtherSessions'> {
  return {
    sessions: async ({ session }) => ({ ok: true, value: { sessions: await listOwnSessions(db, session) } }),
    endOtherSessions: async ({ session }) => ({ ok: true, value: { ended: await endOtherSessions(db, session) } }),
  }
}
