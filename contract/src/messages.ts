/** Administrators' calls about the messages of the contact form. */
import { staffReply } from '@roz/core/care-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { CARE, READERS } from './roles.ts'
import { instant, newer, nextCursor, order, page, seen } from './shapes.ts'

const messageState = z.enum(['new', 'open', 'answered', 'closed'], 'choice_invalid')
/** Messages are also found by what they wait for. */
const messageFilter = z
  .enum([...messageState.options, 'unanswered'], 'choice_invalid')
  .meta({ description: 'unanswered: new and open ones, which wait for us' })

const received = z.object({
  id: z.string(),
  ticket: z.string(),
  name: z.string(),
  email: z.string(),
  message: z.string(),
  language: z.enum(LANGUAGES),
  status: messageState,
  createdAt: instant,
  memberId: z.string().nullable().meta({ description: 'The member with this mail address, if there is one' }),
  replies: z.array(z.object({ id: z.string(), text: z.string(), author: z.string(), createdAt: instant })),
  seen: newer(z.string().meta({ description: 'A fingerprint of replies; a reply may name it' })),
})
const narrowing = { order, status: messageFilter.optional(), q: z.string().max(200).optional() }
const params = z.object({ id: z.string().max(100) })
const answer = z.object({ message: received })

export const messageCalls = {
  messages: staffCall('GET /admin/messages', {
    roles: READERS,
    stepUp: true,
    summary:
      'Messages of the contact form with their replies, newest first or, by `order`, oldest first; q searches ticket, name and mail.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({ messages: z.array(received), nextCursor }),
    refusals: [],
  }),
  messagesCsv: tableCall('/admin/messages.csv', 'The messages', { roles: READERS, stepUp: true, query: z.object(narrowing) }),
  replyToMessage: staffCall('POST /admin/messages/{id}/reply', {
    roles: CARE,
    summary: "Mails a reply to the writer, in the writer's language and in the thread of the ticket. The same reply is sent once.",
    params,
    body: z.strictObject({ message: staffReply, seen }),
    output: answer,
    refusals: ['message_not_found', 'changed_since_seen'],
  }),
  setMessageStatus: staffCall('PUT /admin/messages/{id}', {
    roles: CARE,
    summary: 'Changes the status of a message.',
    params,
    body: z.strictObject({ status: messageState }),
    output: answer,
    refusals: ['message_not_found'],
  }),
} as const
