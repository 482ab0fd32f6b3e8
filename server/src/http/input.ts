/** Parses the input of a call once, at the edge, before any effect. */
import { type EndpointSpec, takesKey } from '@roz/contract/endpoint.ts'
import { isText } from '@roz/core/fields.ts'
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
    // `null` is a wrong body; only an absent body counts as none. It lacks the fields that an empty object lacks.
    const given = part === 'body' ? request.body : (request[part] ?? {})
    const result = schema.safeParse(given)
    if (!result.success) return refuse(fieldsOf((given === undefined && schema.safeParse({}).error) || result.error, part))
    const field = fieldWithoutText(result.data)
    if (field !== undefined) return refuse({ [field]: 'wrong_type' })
    value[part] = result.data
  }
  const key = takesKey(spec) ? request.headers['idempotency-key'] : undefined
  if (key !== undefined && (typeof key !== 'string' || key.length < 1 || key.length > 200)) {
    return refuse({ 'Idempotency-Key': 'An Idempotency-Key is a text of 1 to 200 characters.' })
  }
  return { ok: true, value: value as { params: unknown; query: unknown; body: unknown }, idempotencyKey: key }
}

/** The first field whose text PostgreSQL cannot store: a NUL, or half of a character. Runs after parsing, so the schema bounds the depth. */
function fieldWithoutText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    const found = fieldWithoutText(item, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first problem of each field; a body that is not an object is a problem of `body`. */
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

/** Tells whether a message is a code of core/src/fields.ts (a word, perhaps with a value) and not zod's own text. */
const isOurs = (message: string): boolean => /^[a-z_]+(:\S+)?$/.test(message)
