/**
 * Messages to support.
 *
 * - A message is stored and its mail to support is queued in one transaction, before it is acknowledged.
 * - The acknowledgement goes to the address that was typed, which may be a stranger's: few a day reach it (mail/allowance.ts). Further
 *   messages are stored and reach support all the same.
 * - A message is deleted after two years, with its replies.
 */
import { randomInt } from 'node:crypto'
import type { Language } from '@roz/core/language.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { limitRules, take } from '../../protection/limits.ts'
import type { Handlers } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { listOwnMessages, messageHandlers } from './messages.ts'

type ContactDeps = {
  readonly db: Db
  readonly production: boolean
  /** The address that receives the messages. */
  readonly supportEmail: string
}
type Contact = {
  readonly handlers: Handlers<'contact' | 'messages' | 'messagesCsv' | 'replyToMessage' | 'setMessageStatus'>
  readonly exports: { readonly messages: (memberId: bigint) => ReturnType<typeof listOwnMessages> }
  readonly due: (now: Date) => Promise<boolean>
}

// Crockford's base 32 has no letter that looks like a digit.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const makeTicket = (): string => `ROZ-${Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`

const SWEEP_MS = 3_600_000

export function createContact(deps: ContactDeps): Contact {
  const rules = limitRules({ production: deps.production })
  let sweptAtMs = Number.NEGATIVE_INFINITY
  return {
    handlers: {
      ...messageHandlers(deps.db),
      contact: async ({ session, body, language, origin, ip, userAgent }) => {
        const taken = await take(deps.db, rules.message(body.email, { ip, userAgent }))
        if (!taken.ok) return taken
        return { ok: true, value: { ticket: await store(deps, body, { memberId: session?.memberId, language, origin }) } }
      },
    },
    exports: { messages: (memberId) => listOwnMessages(deps.db, memberId) },
    due: async (now) => {
      if (Math.abs(now.getTime() - sweptAtMs) < SWEEP_MS) return false
      sweptAtMs = now.getTime()
      await deps.db.query(sql`delete from contact_message where created_at < (select roz_now()) - interval '2 years'`)
      return false
    },
  }
}

/** `memberId`: who was logged in. */
type Asked = { readonly memberId: bigint | undefined; readonly language: Language; readonly origin: string }
type Message = { readonly name: string; readonly email: string; readonly message: string }

const store = (deps: ContactDeps, message: Message, { memberId, language, origin }: Asked): Promise<string> =>
  inTransaction(deps.db, async (tx) => {
    // One ticket in 10⁹ collides by chance; five collisions in a row are a fault.
    for (let attempt = 0; attempt < 5; attempt++) {
      const ticket = makeTicket()
      const stored = await tx.maybeOne(sql`insert into contact_message (ticket, name, email, message, language, member_id)
            values (${ticket}::text, ${message.name}::text, ${message.email}::text, ${message.message}::text, ${language}::text,
              ${memberId ?? null}::bigint)
            on conflict (ticket) do nothing returning id`)
      if (stored === undefined) continue
      const data = { ticket, name: message.name, email: message.email, message: message.message }
      await enqueue(tx, {
        kind: 'mail',
        key: `contact:${ticket}`,
        payload: { to: deps.supportEmail, template: 'contact', language: 'en', data },
      })
      await enqueue(tx, {
        kind: 'mail',
        key: `contact_received:${ticket}`,
        payload: { to: message.email, template: 'contact_received', language, data: { ticket, name: '', origin } },
      })
      return ticket
    }
    throw new Error('no unused ticket number was found')
  })
