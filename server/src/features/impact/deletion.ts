/**
 * Deletes a draft.
 *
 * - A story that is or was public is not deleted, because members were told of it. After an unpublication it is a draft again.
 * - The picture's file is deleted after the commit, or by a job if the process ends in between.
 * - No entry of the staff log contains the draft's words.
 * - The help that was linked to the draft can then get another story.
 */
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { forget } from '../../jobs/parking.ts'
import { giveUpPicture } from '../../jobs/sure-removal.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type EditingDeps, isId, STORY_NOT_FOUND, stateOf } from './editing.ts'
import { deleteDraft, lockStory } from './queries.ts'

export const deletionHandlers = ({ db, storage }: EditingDeps): Handlers<'deleteStory'> => ({
  deleteStory: async ({ params: { id }, session }) => {
    if (!isId(id)) return STORY_NOT_FOUND
    const deleted = await inTransaction(db, async (tx) => {
      const current = await lockStory(tx, id)
      if (current === undefined) return STORY_NOT_FOUND
      if (!(await deleteDraft(tx, id))) return { ok: false, code: 'story_was_published' } as const
      await forget(tx, 'story', [id])
      await logStaff(tx, { actorId: session.memberId, action: 'story.delete', subject: `story:${id}`, before: stateOf(current) })
      return { ok: true, unnamed: await giveUpPicture(tx, current.imageUrl) } as const
    })
    if (!deleted.ok) return deleted
    if (deleted.unnamed !== undefined) await storage.remove(deleted.unnamed)
    return { ok: true, value: undefined }
  },
})
