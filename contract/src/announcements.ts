/** Calls of announcements: short texts that every member sees in the app between a start and an end. */
import { announcementLink, announcementText } from '@roz/core/announcement-fields.ts'
import { inEach } from '@roz/core/language.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { EDITORS, STAFF } from './roles.ts'
import { count, instant, nextCursor, page } from './shapes.ts'

const time = z.iso.datetime({ offset: true, error: 'announcement_time' })
const written = z.strictObject({
  text: z.strictObject(inEach(() => announcementText)),
  link: z.nullable(announcementLink).meta({ description: 'The path of a page of this app' }),
  startsAt: time,
  endsAt: time,
})
/** Every change contains the version that the editor saw; another one is refused with `changed_since_seen`. */
const seen = z.strictObject({ version: count })
const announcementState = z.enum(['planned', 'running', 'over'], 'choice_invalid')

const announcement = z.object({
  id: z.string(),
  text: z.object(inEach(() => z.string())),
  link: z.string().nullable(),
  startsAt: instant,
  endsAt: instant,
  endedAt: instant.nullable().meta({ description: 'When staff ended it before its end, or before its start' }),
  status: announcementState,
  version: count,
})
const narrowing = { status: announcementState.optional(), q: z.string().max(200).optional() }
const params = z.object({ id: z.string().max(100) })
const answer = z.object({ announcement })

export const announcementCalls = {
  announcements: staffCall('GET /admin/announcements', {
    roles: STAFF,
    summary: 'Announcements that are planned, running or over, the newest first; q searches the text in every language.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({ announcements: z.array(announcement), nextCursor }),
    refusals: [],
  }),
  announcementsCsv: tableCall('/admin/announcements.csv', 'The announcements', { roles: STAFF, query: z.object(narrowing) }),
  createAnnouncement: staffCall('POST /admin/announcements', {
    roles: EDITORS,
    summary: 'Makes an announcement that members see in the app from its start to its end.',
    body: written,
    output: answer,
    refusals: [],
  }),
  updateAnnouncement: staffCall('PUT /admin/announcements/{id}', {
    roles: EDITORS,
    summary: 'Changes an announcement that is planned or running.',
    params,
    body: z.strictObject({ ...written.shape, ...seen.shape }),
    output: answer,
    refusals: ['announcement_not_found', 'announcement_over', 'changed_since_seen'],
  }),
  endAnnouncement: staffCall('POST /admin/announcements/{id}/end', {
    roles: EDITORS,
    summary: 'Ends a running announcement now; a planned one never starts.',
    params,
    body: seen,
    output: answer,
    refusals: ['announcement_not_found', 'announcement_over', 'changed_since_seen'],
  }),
} as const
