/**
 * Every error answer: status and `{code, message, fields?}` in the language of Accept-Language.
 * A fault (a bug, a lost database) answers 500 or 503 in plain words; its cause goes to the log by
 * request id, never to the client, and no personal data with it.
 */
import type { ErrorAnswer } from '@roz/contract/endpoint.ts'
import { fieldText } from '@roz/core/fields.ts'
import { type Language, languageOf } from '@roz/core/language.ts'
import { filled, REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { DatabaseUnavailableError, sqlState } from '../db/sql.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Why it refuses, for the log. */
    refusal?: RefusalCode
  }
}

/** A refusal on its way out. `fields` are field codes of core/fields. */
export type Problem = {
  readonly code: RefusalCode
  readonly fields?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
  readonly values?: Readonly<Record<string, string>>
}

/** The body of a refusal. Its message is what is missing, else the first field's words: the client shows it as a toast. */
function errorAnswer(problem: Problem, language: Language): ErrorAnswer {
  const wordsOf = (text: string): string => fieldText(text, language) ?? text
  const fields =
    problem.fields === undefined
      ? undefined
      : Object.fromEntries(Object.entries(problem.fields).map(([name, text]) => [name, wordsOf(text)]))
  const problems = Object.values(problem.fields ?? {})
  const first = problems.find((text) => text === 'fill_all') ?? problems[0]
  const { values } = problem
  const message = first === undefined ? filled(REFUSALS[problem.code][language], values) : wordsOf(first)
  return { code: problem.code, message, ...(fields === undefined ? {} : { fields }), ...(values === undefined ? {} : { values }) }
}

/** The words of a refusal alone, for a call that answers in plain text; whoever names JSON in Accept gets JSON. */
export function sendProblemAsText(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  if (/\bapplication\/json\b/i.test(request.headers.accept ?? '')) return sendProblem(request, reply, problem)
  reply.refusal = problem.code
  return reply
    .code(REFUSALS[problem.code].status)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send(errorAnswer(problem, languageOf(request.headers['accept-language'])).message)
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const language = languageOf(request.headers['accept-language'])
  reply.refusal = problem.code
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(problem.retryAfterSeconds))))
  else if (problem.code === 'overloaded') reply.header('retry-after', '1')
  // Serialized here: the success schema of the call must not shape an error.
  return reply
    .code(REFUSALS[problem.code].status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorAnswer(problem, language))
}

/** A fault that only says "try again": a queue that is full. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError'
}

const BY_FASTIFY_CODE: Readonly<Record<string, RefusalCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'bad_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'bad_json',
}

/** A statement or a lock that reached its bound, or found no room (class 53: disk, memory): rolled back, and to be tried again. */
const TRY_AGAIN = /^(57014|55P03|53...)$/

/** Turns whatever was thrown into an answer, and keeps the cause in the log. */
export function registerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = BY_FASTIFY_CODE[error.code ?? '']
    if (known !== undefined) return sendProblem(request, reply, { code: known })
    if (error instanceof SyntaxError && error.statusCode === 400) return sendProblem(request, reply, { code: 'bad_json' })
    if (error instanceof UnavailableError || error instanceof DatabaseUnavailableError || TRY_AGAIN.test(sqlState(error) ?? '')) {
      request.log.warn({ reqId: request.id, err: error }, 'unavailable')
      return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 2 })
    }
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      return sendProblem(request, reply, { code: error.statusCode === 404 ? 'not_found' : 'invalid_input' })
    }
    request.log.error({ reqId: request.id, err: error }, 'fault')
    return sendProblem(request, reply, { code: 'internal' })
  })
}
