/** Parses what a call was sent, once, at the edge, without effects (house rule 9). */
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Problem } from './faults.ts'

type Parsed =
  | {
      readonly ok: true
      readonly value: { readonly params: unknown; readonly query: unknown; readonly body: unknown }
      readonly idempotencyKey: string | undefined
    }
  | (Problem & { readonly ok: false })

const refuse = (fields: Readonly<Record<string, string>>): Parsed => ({ ok: false, code: 'invalid_input', fields })

export function parseInput(request: FastifyRequest, spec: EndpointSpec): Parsed {
  const value: Record<string, unknown> = { params: undefined, query: undefined, body: undefined }
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = spec[part]
    if (schema === undefined) continue
    // A body that says null is a wrong one; only an absent one is none.
    const result = schema.safeParse(part === 'body' ? request.body : (request[part] ?? {}))
    if (!result.success) return refuse(fieldsOf(result.error, part))
    const nul = fieldWithNul(result.data)
    if (nul !== undefined) return refuse({ [nul]: 'wrong_type' })
    value[part] = result.data
  }
  const key = request.headers['idempotency-key']
  if (key !== undefined && (typeof key !== 'string' || key.length < 1 || key.length > 200)) {
    return refuse({ 'Idempotency-Key': 'An Idempotency-Key is a text of 1 to 200 characters.' })
  }
  return { ok: true, value: value as { params: unknown; query: unknown; body: unknown }, idempotencyKey: key }
}

/** The first field whose text holds a NUL, which the database cannot store; after parsing, so that the depth is a schema's. */
function fieldWithNul(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    const found = fieldWithNul(item, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** One problem a field, the first; a body that is no object at all is a problem of the body. */
function fieldsOf(error: z.ZodError, part: 'params' | 'query' | 'body'): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const issue of error.issues) {
    const names =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key].join('.')) : [issue.path.join('.') || part]
    const text = issue.code === 'unrecognized_keys' ? 'unknown_field' : isOurs(issue.message) ? issue.message : 'wrong_type'
    for (const name of names) fields[name] ??= text
  }
  return fields
}

/** Our schemas speak in codes of core/fields: one word, perhaps with a number. */
const isOurs = (message: string): boolean => /^[a-z_]+(:\S+)?$/.test(message)
