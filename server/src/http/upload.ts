/** Reads the one uploaded file of a multipart request; more than `bytesMax` bytes are never kept. */
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type {} from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Problem } from './faults.ts'

export type Upload = { readonly bytes: Buffer; readonly mimeType: string }

/** The refusal of an upload above its limit. */
export const tooLargeOf = (rule: NonNullable<EndpointSpec['upload']>): RefusalCode => rule.tooLarge ?? 'avatar_too_large'

/** Reads the file of the named field; a missing part, a second one or another field is refused. */
export async function readUpload(request: FastifyRequest, rule: NonNullable<EndpointSpec['upload']>): Promise<Upload | Problem> {
  try {
    const part = await request.file({ limits: { fileSize: rule.bytesMax, files: 1, fields: 0 }, throwFileSizeLimit: false })
    if (part === undefined || part.fieldname !== rule.field) return { code: 'invalid_input', fields: { [rule.field]: 'fill_all' } }
    const bytes = await part.toBuffer()
    if (part.file.truncated) return { code: tooLargeOf(rule) }
    return { bytes, mimeType: part.mimetype }
  } catch (error) {
    const code = (error as { code?: string }).code ?? ''
    // The multipart parser's refusals of a malformed body are matched by code and text; any other error is a fault.
    if (code === 'FST_REQ_FILE_TOO_LARGE') return { code: tooLargeOf(rule) }
    if (code.startsWith('FST_') || /multipart|boundary|Unexpected end/i.test((error as Error).message))
      return { code: 'invalid_input', fields: { [rule.field]: 'fill_all' } }
    throw error
  }
}
