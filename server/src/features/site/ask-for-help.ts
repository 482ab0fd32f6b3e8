/**
 * The forms of the page “Ask for help”, which work without scripts.
 * - A form is sent to the API's own calls, with the sender's address and headers: the same limits, rules and answers.
 * - The answer is the page again. It is never cached, and no address contains anything that was typed but the number.
 */
import type { AskedHelp } from '@roz/contract/public-pages.ts'
import { caseNumberOf } from '@roz/core/case-fields.ts'
import { addressIn, type Language, LANGUAGES } from '@roz/core/language.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readRawBodies } from '../../http/bodies.ts'

type DrawAsked = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { readonly language: Language; readonly status: number; readonly asked: AskedHelp },
) => Promise<FastifyReply>

type Answer = {
  readonly number?: string
  readonly message?: string
  readonly fields?: Readonly<Record<string, string>>
}
type Called = { readonly status: number; readonly body: Answer & Record<string, unknown> }

export function registerAskForHelp(app: FastifyInstance, address: string, draw: DrawAsked): void {
  void app.register(async (scope) => {
    readRawBodies(scope)
    for (const language of LANGUAGES) {
      const here = addressIn(language, address)
      scope.post(here, async (request, reply) => {
        const values = fieldsOf(request)
        // An empty field of a form is a missing one.
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
        const { status, body } = await callApi(request, '/api/ask-for-help', given, language)
        const asked: AskedHelp =
          status < 300 && body.number !== undefined
            ? { kind: 'stored', number: body.number }
            : { kind: 'form', values, problems: body.fields ?? {}, refusal: body.message ?? '' }
        return draw(request, reply, { language, status, asked })
      })
      scope.get<{ Params: { number: string } }>(`${here}/:number`, async (request, reply) => {
        const number = caseNumberOf(request.params.number)
        if (number === undefined) return reply.redirect(here, 303)
        return draw(request, reply, { language, status: 200, asked: { kind: 'look', number } })
      })
      scope.get<{ Params: { number: string } }>(`${here}/:number/withdraw`, async (request, reply) => {
        const number = caseNumberOf(request.params.number)
        if (number === undefined) return reply.redirect(here, 303)
        return draw(request, reply, { language, status: 200, asked: { kind: 'withdraw', number } })
      })
      scope.post<{ Params: { number: string } }>(`${here}/:number/withdraw`, async (request, reply) => {
        const number = caseNumberOf(request.params.number)
        if (number === undefined) return reply.redirect(here, 303)
        const { phone = '' } = fieldsOf(request)
        const { status, body } = await callApi(request, `/api/ask-for-help/${number}/withdraw`, { phone }, language)
        const refusal = body.fields?.phone ?? body.message ?? ''
        const asked: AskedHelp = status < 300 ? { kind: 'withdrawn', number } : { kind: 'withdraw', number, refusal }
        return draw(request, reply, { language, status, asked })
      })
      scope.post<{ Params: { number: string } }>(`${here}/:number`, async (request, reply) => {
        const { number: typed = request.params.number, phone = '' } = fieldsOf(request)
        const number = caseNumberOf(typed)
        if (number === undefined) return reply.redirect(here, 303)
        const { status, body } = await callApi(request, `/api/ask-for-help/${number}`, { phone }, language)
        const found = status < 300 ? (body as unknown as Extract<AskedHelp, { kind: 'look' }>['found']) : undefined
        const refusal = found === undefined ? (body.fields?.phone ?? body.message ?? '') : undefined
        return draw(request, reply, { language, status, asked: { kind: 'look', number, found, refusal } })
      })
    }
  })
}

/** The fields of a form, each as text. If a field is given twice, the last one counts. */
const fieldsOf = ({ body }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : ''))

async function callApi(request: FastifyRequest, url: string, payload: object, language: Language): Promise<Called> {
  const { 'content-length': _length, 'content-type': _type, 'transfer-encoding': _encoding, cookie: _cookie, ...headers } = request.headers
  const { statusCode, body } = await request.server.inject({
    method: 'POST',
    url,
    // The address of the connection: a proxy's headers are judged as in any other request.
    remoteAddress: request.raw.socket.remoteAddress ?? '',
    headers: { ...headers, 'content-type': 'application/json', 'accept-language': language },
    payload: JSON.stringify(payload),
  })
  return { status: statusCode, body: JSON.parse(body) as Called['body'] }
}
