/**
 * Notices in the app.
 *
 * - Kind and data are stored. Words are made when a member reads, in the language of Accept-Language.
 * - Joins by Auto Participate are never stored as notices.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { isNoticeKind, noticeText } from '@roz/core/notices.ts'
import type { Language } from '@roz/core/language.ts'
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import type { FastifyInstance } from 'fastify'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type CursorPart, cutPage, CURSOR_PARTS, readPage, readWhole } from '../../lists/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import type { Attempt } from '../../jobs/parking.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { tellMember } from '../../members/notices.ts'
import { preferenceHandlers } from './preferences.ts'
import { countUnread, listNotices, markAllRead, markRead, type NoticeRow } from './queries.ts'
import { registerUnsubscribe, type UnsubscribeDeps } from './unsubscribe.ts'
import { createWeeklyMail } from './weekly-mail.ts'

type Notification = Output<typeof communityCalls.notifications>['notifications'][number]

type NotificationsDeps = UnsubscribeDeps & { readonly attempt: Attempt }
type Notifications = {
  readonly handlers: Handlers<'notifications' | 'readNotifications' | 'preferences' | 'setPreferences'>
  readonly exports: { readonly notifications: (memberId: bigint, language: Language) => Promise<Notification[]> }
  readonly jobs: { readonly notice: (payload: JobPayloads['notice'], jobId: string) => Promise<void> }
  readonly due: (now: Date) => Promise<boolean>
  /** The page of the link that ends optional emails. */
  readonly mount: (app: FastifyInstance) => void
}

const NOTICE_ID = /^n([1-9]\d{0,17})$/
const dayOfJoin = (id: string): string | undefined => (id.startsWith('j') && CURSOR_PARTS.day(id.slice(1)) ? id.slice(1) : undefined)
const uuidAfter = (letter: 's' | 'f', id: string): string | undefined =>
  id.startsWith(letter) && CURSOR_PARTS.uuid(id.slice(1)) ? id.slice(1) : undefined
const isId: CursorPart = (id) => NOTICE_ID.test(id) || (dayOfJoin(id) ?? uuidAfter('s', id) ?? uuidAfter('f', id)) !== undefined

const keyOf = (row: NoticeRow): readonly string[] => [row.sortedAt, row.id]

function viewOf(row: NoticeRow, language: Language): Notification {
  if (!isNoticeKind(row.kind)) throw new Error(`a notice of unknown kind: ${row.kind}`)
  return {
    id: row.id,
    kind: row.kind,
    ...noticeText(row.kind, row.data, language),
    createdAt: isoIst(row.createdAt.getTime()),
    readAt: row.readAt === null ? null : isoIst(row.readAt.getTime()),
    storyId: row.storyId,
    isStoryMuted: row.isStoryMuted,
  }
}

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { db } = deps
  return {
    due: createWeeklyMail(db, deps.attempt),
    mount: (app) => registerUnsubscribe(app, deps),
    exports: {
      notifications: async (memberId, language) =>
        (await readWhole((page) => listNotices(db, { memberId, language }, page), keyOf)).map((row) => viewOf(row, language)),
    },
    handlers: {
      ...preferenceHandlers(db),
      notifications: async ({ session, query, language }) => {
        const page = readPage(query, [CURSOR_PARTS.micros, isId])
        if (!page.ok) return page
        const { rows, nextCursor } = cutPage(await listNotices(db, { memberId: session.memberId, language }, page), page.limit, keyOf)
        const notifications = rows.map((row) => viewOf(row, language))
        return { ok: true, value: { notifications, unread: await countUnread(db, session.memberId), nextCursor } }
      },
      readNotifications: async ({ session, body }) =>
        inTransaction(db, async (tx) => {
          if (body.ids === undefined) await markAllRead(tx, session.memberId)
          else {
            const noticeIds = body.ids.flatMap((id) => NOTICE_ID.exec(id)?.[1] ?? []).map(BigInt)
            const days = body.ids.flatMap((id) => dayOfJoin(id) ?? [])
            const storyIds = body.ids.flatMap((id) => uuidAfter('s', id) ?? [])
            const followUpIds = body.ids.flatMap((id) => uuidAfter('f', id) ?? [])
            await markRead(tx, session.memberId, { noticeIds, days, storyIds, followUpIds })
          }
          return { ok: true, value: { unread: await countUnread(tx, session.memberId) } }
        }),
    },
    jobs: {
      notice: ({ memberId, kind, data }, jobId) =>
        inTransaction(db, async (tx) => {
          const { key } = await tx.one<{ key: string }>(sql`select key from job where id = ${jobId}::bigint`)
          await tellMember(tx, { memberId: BigInt(memberId), kind, key, data })
        }),
    },
  }
}
