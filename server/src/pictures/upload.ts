/**
 * Reads the one uploaded file of a multipart request.
 * - Nothing of the body is read before the sender's allowance is taken.
 * - More than `bytesMax` bytes are never kept.
 */
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FieldProblem } from '@roz/core/fields.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type {} from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { collect } from '../http/bodies.ts'
import type { Taken } from '../protection/limits.ts'

type Rule = NonNullable<EndpointSpec['upload']>
/** A refusal of route.ts, which imports this file. */
type Refusal<C extends RefusalCode> = {
  readonly ok: false
  readonly code: C
  readonly fields?: Readonly<Record<string, FieldProblem>>
  readonly retryAfterSeconds?: number
}
type ReceivedUpload = { readonly ok: true; readonly bytes: Buffer }
/** Reads the file, if its sender is allowed to send one now; otherwise returns the refusal. */
export type Receive<TooLarge extends RefusalCode> = (
  allowed: Taken,
) => Promise<ReceivedUpload | Refusal<'too_many_requests' | 'invalid_input' | TooLarge>>

/** The refusal of an upload above its limit. */
export const tooLargeOf = (rule: Rule): RefusalCode => rule.tooLarge ?? 'avatar_too_large'

export const receiverOf =
  (request: FastifyRequest, rule: Rule): Receive<RefusalCode> =>
  async (allowed) =>
    allowed.ok ? readUpload(request, rule) : allowed

/** Reads the file of the named field; a missing part, a second one or another field is refused. */
async function readUpload(request: FastifyRequest, rule: Rule): Promise<ReceivedUpload | Refusal<RefusalCode>> {
  const missing = { ok: false, code: 'invalid_input', fields: { [rule.field]: 'fill_all' } } as const
  const tooLarge = { ok: false, code: tooLargeOf(rule) } as const
  try {
    const part = await request.file({ limits: { fileSize: rule.bytesMax, files: 1, fields: 0 }, throwFileSizeLimit: false })
    if (part === undefined || part.fieldname !== rule.field) return missing
    const bytes = await collect(part.file, rule.bytesMax)
    return part.file.truncated ? tooLarge : { ok: true, bytes }
  } catch (error) {
    const { code = '', statusCode } = error as { code?: string; statusCode?: number }
    // The multipart parser's refusals of a malformed body are matched by code and text; any other error is a fault.
    if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge
    if (statusCode === 400 || code.startsWith('FST_') || /multipart|boundary|Unexpected end/i.test((error as Error).message)) return missing
    throw error
  }
}
