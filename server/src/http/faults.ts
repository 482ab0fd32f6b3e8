/**
 * All error answers: a status and `{code, message, fields?, values?}` in the language of Accept-Language.
 * - A day that is sealed already answers 503 in words of its own: only a wrong clock leads there.
 * - A fault answers 500; a lost database, a full queue or a timeout answers 503 with Retry-After.
 * - The cause of a fault is logged with the request id. The client never sees the cause, and the log gets no personal data.
 */
import type { ErrorAnswer } from '@roz/contract/endpoint.ts'
import { fieldText } from '@roz/core/fields.ts'
import { type Language, languageOf } from '@roz/core/language.ts'
import { filled, REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { DatabaseUnavailableError, sqlState } from '../db/sql.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the refusal, for the log. */
    refusal?: RefusalCode
  }
}

/** A refusal to send. `fields` maps each field to a code of core/src/fields.ts. */
export type Problem = {
  readonly code: RefusalCode
  readonly fields?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
  readonly values?: Readonly<Record<string, string>>
}

/** The body of a refusal. Its message, shown as a toast, is `fill_all` if a field is missing, else the first field's text. */
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

/**
 * Sends only the text of a refusal, for a call that answers in plain text. A client that accepts JSON and no text gets JSON: one that
 * accepts both (the Accept header of common clients) shows the answer as it is.
 */
export function sendProblemAsText(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const accepted = request.headers.accept ?? ''
  if (/\bapplication\/json\b/i.test(accepted) && !/\btext\/plain\b/i.test(accepted)) return sendProblem(request, reply, problem)
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
  // Serialized here: the call's response schema describes successes only and would strip the error's fields.
  return reply
    .code(REFUSALS[problem.code].status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorAnswer(problem, language))
}

/** A temporary fault, such as a full queue: the client may retry. */
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

/** Timeout of a statement (57014) or a lock (55P03), or no disk or memory (class 53): rolled back, and safe to retry. */
const TRY_AGAIN = /^(57014|55P03|53...)$/

/** posting_day(): the clock shows a day whose books are sealed already, so it was wrong or is wrong now. */
const DAY_IS_SEALED = 'RZ006'

/** Turns every thrown error into an answer and logs the cause. */
export function registerFaults(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = BY_FASTIFY_CODE[error.code ?? '']
    if (known !== undefined) return sendProblem(request, reply, { code: known })
    if (error instanceof SyntaxError && error.statusCode === 400) return sendProblem(request, reply, { code: 'bad_json' })
    if (error instanceof UnavailableError || error instanceof DatabaseUnavailableError || TRY_AGAIN.test(sqlState(error) ?? '')) {
      request.log.warn({ reqId: request.id, err: error }, 'unavailable')
      return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 2 })
    }
    if (sqlState(error) === DAY_IS_SEALED) {
      request.log.error({ reqId: request.id, err: error }, 'the clock shows a sealed day (docs/runbooks/clock.md)')
      return sendProblem(request, reply, { code: 'clock_wrong', retryAfterSeconds: 60 })
    }
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      return sendProblem(request, reply, { code: error.statusCode === 404 ? 'not_found' : 'invalid_input' })
    }
    request.log.error({ reqId: request.id, err: error }, 'fault')
    return sendProblem(request, reply, { code: 'internal' })
  })
}
