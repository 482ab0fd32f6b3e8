/**
 * A giver mutes a story, and hears nothing further of it: no notice of a follow-up, no push message, no mail.
 * - Only a member whose rupee is in the story can mute it; to others it answers as one that does not exist.
 * - Notices that were told before stay, read. Those told during a mute are shown once it ends.
 */
import type { MemberExport } from '@roz/contract/rights.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { instantOf } from '../../lists/listing.ts'
import { hasPart, isMuted, TOLD } from '../../members/own-stories.ts'
import { readFollowUps } from '../../members/told-follow-ups.ts'
import { isId, STORY_NOT_FOUND } from './editing.ts'

const findMute = (from: Queryable, memberId: bigint, id: string): Promise<{ muted: boolean } | undefined> =>
  from.maybeOne(
    sql`select ${isMuted(sql`${memberId}::bigint`)} as muted from ${TOLD} where s.id = ${id}::uuid and ${hasPart(sql`${memberId}::bigint`)}`,
  )

export const muteHandlers = (db: Db): Handlers<'storyMute' | 'muteStory'> => ({
  storyMute: async ({ params: { id }, session }) => {
    const found = isId(id) ? await findMute(db, session.memberId, id) : undefined
    return { ok: true, value: { isGiver: found !== undefined, muted: found?.muted === true } }
  },
  muteStory: ({ params: { id }, body: { muted }, session: { memberId } }) =>
    inTransaction(db, async (tx) => {
      if (!isId(id) || (await findMute(tx, memberId, id)) === undefined) return STORY_NOT_FOUND
      if (muted) {
        await readFollowUps(tx, memberId, sql`s.id = ${id}::uuid`)
        // The lock makes an erasure of the account wait: it deletes the row.
        await tx.query(sql`
          insert into story_mute (member_id, story_id)
          select id, ${id}::uuid from member where id = ${memberId}::bigint and deleted_at is null for share
          on conflict do nothing`)
      } else await tx.query(sql`delete from story_mute where member_id = ${memberId}::bigint and story_id = ${id}::uuid`)
      return { ok: true, value: { isGiver: true, muted } } as const
    }),
})

export async function listMutes(from: Queryable, memberId: bigint): Promise<MemberExport['mutedStories']> {
  const rows = await from.query<{ storyId: string; mutedAt: Date }>(sql`
    select story_id as "storyId", muted_at as "mutedAt" from story_mute where member_id = ${memberId}::bigint order by muted_at, story_id`)
  return rows.map(({ storyId, mutedAt }) => ({ storyId, mutedAt: instantOf(mutedAt) }))
}
