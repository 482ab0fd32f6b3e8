/**
 * Messages of the contact form in the portal: the list with its threads, replies, and the status.
 *
 * - A reply is stored, mailed and recorded in one transaction, and makes its message `answered`.
 * - The same reply to a message is one reply and one mail, however often it is sent.
 * - A reply may name the replies that were shown: it is refused if somebody has replied since.
 * - The staff log names the reply, never its text.
 */
import type { Output } from '@roz/contract/api.ts'
import type { messageCalls } from '@roz/contract/messages.ts'
import type { Language } from '@roz/core/language.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { isFound, plainNeedle } from '../../members/member-search.ts'
import { line } from '@roz/core/written.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { instantOf, pageOf, type Search } from '../../lists/listing.ts'
import { beyond, microsOf, orderOf } from '../../lists/newest-first.ts'
import type { Handlers } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { fingerprintOf } from '../../staff/decision.ts'
import { logStaff, nameAt } from '../../staff/staff-log.ts'
import { type Columns, exportList, noteRead } from '../../staff/exported-list.ts'

type Message = Output<(typeof messageCalls)['messages']>['messages'][number]
type Row = Omit<Message, 'id' | 'createdAt' | 'replies' | 'seen'> & {
  readonly id: bigint
  readonly createdAt: Date
  readonly sortedAt: string
}
type Reply = { readonly messageId: bigint; readonly id: bigint; readonly text: string; readonly author: string; readonly createdAt: Date }

const NOT_FOUND = { ok: false, code: 'message_not_found' } as const

export function messageHandlers(db: Db): Handlers<'messages' | 'messagesCsv' | 'replyToMessage' | 'setMessageStatus'> {
  return {
    messages: async (call) => {
      const { query } = call
      const found = await pageOf(query, (page) => search(db, { status: query.status, q: query.q, order: query.order, ...page }), [
        CURSOR_PARTS.micros,
        CURSOR_PARTS.id,
      ])
      if (!found.ok) return found
      await noteRead(db, call, { name: 'messages', rows: found.rows.length })
      return { ok: true, value: { messages: [...found.rows], nextCursor: found.nextCursor } }
    },
    messagesCsv: (call) => {
      const { status, q, order } = call.query
      return exportList(db, call, { name: 'messages', read: (page) => search(db, { status, q, order, ...page }), columns: CSV_COLUMNS })
    },
    replyToMessage: ({ session, params, body, origin }) =>
      inTransaction(db, async (tx) => {
        const locked = await lockMessage(tx, params.id)
        if (locked === undefined) return NOT_FOUND
        const { seen, replies } = await getMessage(tx, locked.id)
        const isSent = replies.some(({ text }) => text === body.message)
        if (!isSent && body.seen !== undefined && body.seen !== seen) return { ok: false, code: 'changed_since_seen' } as const
        const actorId = session.memberId
        const reply = await tx.maybeOne<{ id: bigint }>(sql`
          insert into contact_reply (message_id, author_id, text) values (${locked.id}::bigint, ${actorId}::bigint, ${body.message}::text)
              on conflict do nothing returning id`)
        if (reply !== undefined) {
          await setStatus(tx, locked.id, 'answered')
          const before = { status: locked.status }
          const after = { status: 'answered', reply: reply.id }
          await logStaff(tx, { actorId, action: 'message.reply', subject: `message:${locked.id}`, before, after })
          const { email: to, language, ticket } = locked
          const data = { ticket, text: body.message, name: '', origin }
          await enqueue(tx, { kind: 'mail', key: `contact_reply:${reply.id}`, payload: { to, template: 'contact_reply', language, data } })
        }
        return { ok: true, value: { message: await getMessage(tx, locked.id) } } as const
      }),
    setMessageStatus: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const locked = await lockMessage(tx, params.id)
        if (locked === undefined) return NOT_FOUND
        if (locked.status !== body.status) {
          await setStatus(tx, locked.id, body.status)
          const changed = { before: { status: locked.status }, after: { status: body.status } }
          await logStaff(tx, { actorId: session.memberId, action: 'message.status', subject: `message:${locked.id}`, ...changed })
        }
        return { ok: true, value: { message: await getMessage(tx, locked.id) } } as const
      }),
  }
}

const CSV_COLUMNS = {
  ticket: (row) => row.ticket,
  created: (row) => row.createdAt,
  status: (row) => row.status,
  name: (row) => row.name,
  email: (row) => row.email,
  member_id: (row) => row.memberId,
  language: (row) => row.language,
  message: (row) => row.message,
  replies: (row) => row.replies.length,
  last_reply: (row) => row.replies.at(-1)?.createdAt,
  last_reply_by: (row) => row.replies.at(-1)?.author,
} satisfies Columns<Message>

type Locked = { readonly id: bigint; readonly ticket: string; readonly email: string; readonly language: Language; readonly status: string }

async function lockMessage(tx: Tx, id: string): Promise<Locked | undefined> {
  if (!CURSOR_PARTS.id(id)) return undefined
  return tx.maybeOne<Locked>(sql`select id, ticket, email, language, status from contact_message where id = ${id}::bigint for update`)
}

const setStatus = (tx: Tx, id: bigint, status: string) =>
  tx.query(sql`update contact_message set status = ${status}::text where id = ${id}::bigint`)

const columns = sql`
  c.id, c.ticket, c.name, c.email, c.message, c.language, c.status, c.created_at as "createdAt", ${microsOf(sql`c.created_at`)} as "sortedAt",
  (select m.public_id from member m where lower(m.email) = lower(c.email) and m.role = 'member') as "memberId"`

const KEY = { at: sql`c.created_at`, id: sql`c.id` }

const isOf = (status: string | undefined): Sql =>
  status === undefined ? sql`true` : status === 'unanswered' ? sql`c.status in ('new', 'open')` : sql`c.status = ${status}::text`

/** Newest first, or oldest first; one row more than `limit` when there is a next page. */
async function search(db: Db, { status, q, limit, ...sorted }: Search): Promise<{ readonly shown: Message; readonly key: Cursor }[]> {
  const text = line(q ?? '')
  const matches = text === '' ? sql`true` : isFound(plainNeedle(text), sql`folded_words(c.name, c.email, c.ticket)`)
  const rows = await db.query<Row>(sql`
    select ${columns} from contact_message c
     where ${beyond(KEY, sorted, 'bigint')} and ${isOf(status)} and ${matches}
     order by ${orderOf(KEY, sorted)} limit ${limit + 1}::int`)
  const shown = await withReplies(db, rows)
  return rows.map((row, index) => ({ shown: shown[index] as Message, key: [row.sortedAt, String(row.id)] }))
}

const getMessage = async (from: Queryable, id: bigint): Promise<Message> => {
  const row = await from.one<Row>(sql`select ${columns} from contact_message c where c.id = ${id}::bigint`)
  return (await withReplies(from, [row]))[0] as Message
}

async function withReplies(from: Queryable, rows: readonly Row[]): Promise<Message[]> {
  const replies = await from.query<Reply>(sql`
    select r.message_id as "messageId", r.id, r.text, ${nameAt(sql`a`, sql`r.created_at`)} as author, r.created_at as "createdAt"
      from contact_reply r join member a on a.id = r.author_id where r.message_id = any (${rows.map(({ id }) => id)}::bigint[]) order by r.id`)
  const repliesTo = Map.groupBy(replies, ({ messageId }) => messageId)
  return rows.map((row) => {
    const own = (repliesTo.get(row.id) ?? []).map(({ id, text, author, createdAt }) => ({
      id: String(id),
      text,
      author,
      createdAt: instantOf(createdAt),
    }))
    const seen = fingerprintOf(own.map(({ id }) => id))
    return { ...row, id: String(row.id), createdAt: instantOf(row.createdAt), replies: own, seen }
  })
}

/**
 * A member's messages to support, for the export: those sent logged in, and those from the account's address once it is confirmed.
 * Before that they may be a stranger's. An answer was written for the mailbox of the typed address: it is theirs only where that is confirmed.
 */
export async function listOwnMessages(db: Db, memberId: bigint) {
  const own = sql`(select lower(m.email) from member m where m.id = ${memberId}::bigint and m.email_verified_at is not null)`
  const rows = await db.query<Row & { readonly isAnsweredHere: boolean }>(sql`
    select ${columns}, coalesce(lower(c.email) = ${own}, false) as "isAnsweredHere" from contact_message c
     where c.member_id = ${memberId}::bigint or lower(c.email) = ${own}
     order by c.created_at, c.id`)
  return (await withReplies(db, rows)).map(({ ticket, name, message, createdAt, replies }, index) => ({
    ticket,
    name,
    message,
    createdAt,
    replies: rows[index]?.isAnsweredHere ? replies.map((reply) => ({ text: reply.text, createdAt: reply.createdAt })) : [],
  }))
}
