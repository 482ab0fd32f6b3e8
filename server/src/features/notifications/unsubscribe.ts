/**
 * Ends a member's optional emails by the link in such an email, without login (RFC 8058).
 *
 * - A GET changes nothing, because mail scanners open links: it shows a page with one button.
 * - A POST ends the emails, whatever its body says; a second POST answers the same.
 * - A false token and an erased member get the same answer, 404.
 */
import { type Language, languageOf } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Db, sql } from '../../db/sql.ts'
import { readRawBodies } from '../../http/bodies.ts'
import { escapeHtml } from '../../mail/mail-layout.ts'
import { memberOfToken, UNSUBSCRIBE_PATH } from '../../mail/unsubscribe-token.ts'
import type { LinkSecrets } from '../../members/link-token.ts'

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:36rem;padding:2rem 1rem}h1{font-size:1.4rem}button{font:inherit;font-weight:600;padding:.75rem 1.25rem;border:0;border-radius:6px;background:#b4470e;color:#fff}'

const WORDS = {
  ask: texts('Stop these emails?'),
  what: texts(
    'You will no longer get the weekly email, nor emails about help that your rupees paid or rounds that Auto Participate skipped. You still get emails about your money and account.',
  ),
  stop: texts('Stop these emails'),
  done: texts('These emails are stopped'),
  back: texts('You can turn them on again in Notifications.'),
  lost: texts('This link is not valid'),
  instead: texts('You can turn these emails off in Notifications.'),
} as const

type Asked = { Querystring: { token?: string | string[] } }
type Member = { readonly id: bigint; readonly language: Language }
export type UnsubscribeDeps = { readonly db: Db; readonly secrets: LinkSecrets }

export function registerUnsubscribe(app: FastifyInstance, { db, secrets }: UnsubscribeDeps): void {
  const memberOf = async ({ query: { token } }: FastifyRequest<Asked>): Promise<Member | undefined> => {
    const publicId = typeof token === 'string' ? memberOfToken(secrets, token) : undefined
    if (publicId === undefined) return undefined
    return db.maybeOne<Member>(sql`select id, language from member where public_id = ${publicId}::uuid and deleted_at is null`)
  }
  const lost = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const language = languageOf(request.headers['accept-language'])
    return send(reply.code(404), language, WORDS.lost[language], `<p>${WORDS.instead[language]}</p>`)
  }
  // The body is not read: mail programs send a form in either of two types.
  void app.register(async (scope) => {
    readRawBodies(scope)
    scope.get<Asked>(UNSUBSCRIBE_PATH, async (request, reply) => {
      const member = await memberOf(request)
      if (member === undefined) return lost(request, reply)
      const { language } = member
      const action = escapeHtml(`${UNSUBSCRIBE_PATH}?token=${encodeURIComponent(String(request.query.token))}`)
      const form = `<form method="post" action="${action}"><button>${WORDS.stop[language]}</button></form>`
      return send(reply, language, WORDS.ask[language], `<p>${WORDS.what[language]}</p>${form}`)
    })
    scope.post<Asked>(UNSUBSCRIBE_PATH, async (request, reply) => {
      const member = await memberOf(request)
      if (member === undefined) return lost(request, reply)
      await db.query(sql`update member set wants_mail = false where id = ${member.id}::bigint`)
      return send(reply, member.language, WORDS.done[member.language], `<p>${WORDS.back[member.language]}</p>`)
    })
  })
}

function send(reply: FastifyReply, language: Language, title: string, body: string): FastifyReply {
  return reply
    .headers({ 'cache-control': 'no-store', 'content-security-policy': POLICY })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`,
    )
}
