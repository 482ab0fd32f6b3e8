/**
 * The form of each call's answer, derived from the contract: what a browser needs to tell an answer from anything else.
 * - A JSON answer: `s`, `n` or `b` (a string, number or boolean), `*` (anything), `[form]`, or an object of forms.
 * - The key of a field that an answer may lack ends with `?` (null is assumed), `~` (nothing is), `@other` (another field's value is)
 *   or `=value`.
 * - Any other answer: `as` and the beginning of its media type; none for an empty answer.
 */
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { assumedOf } from '@roz/contract/shapes.ts'
import type { z } from 'zod'

export type Form = string | readonly [Form] | { readonly [field: string]: Form }

const MEDIA = { text: 'as text/plain', csv: 'as text/csv', file: 'as image/', empty: 'as ' } as const

export const formOf = ({ output }: Pick<EndpointSpec, 'output'>): Form => (typeof output === 'string' ? MEDIA[output] : formOfValue(output))

const isMarked = (form: Form): boolean =>
  typeof form === 'object' && Object.entries(form).some(([field, inner]: readonly [string, Form]) => /[~@=]/.test(field) || isMarked(inner))
const shallow = (form: Form): Form => (typeof form === 'string' ? form : Array.isArray(form) ? ['*'] : {})
/** The member's own data, as a file. */
const SAVED_AS_IT_IS = '/user/export'
/**
 * The form that the browser gets. Only one with a newer field is whole: a page in place of an answer differs from all others at the
 * first level already, and each byte here is loaded before the first screen.
 */
export function briefFormOf(spec: Pick<EndpointSpec, 'output' | 'path'>): Form {
  const form = formOf(spec)
  if (typeof form === 'string' || (isMarked(form) && spec.path !== SAVED_AS_IT_IS)) return form
  return Object.fromEntries(Object.entries(form).map(([field, inner]: readonly [string, Form]) => [field, shallow(inner)]))
}

type Def = z.core.$ZodTypes['_zod']['def']
const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def

function formOfValue(schema: z.core.$ZodType): Form {
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
    case 'enum':
      return 's'
    case 'number':
      return 'n'
    case 'boolean':
      return 'b'
    case 'literal':
      return (typeof def.values[0]).charAt(0)
    case 'array':
      return [formOfValue(def.element)]
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).map(([name, field]) => [
          name + markOf(field),
          formOfValue(isNullable(field) && assumedOf(field) === undefined ? innerOf(field) : field),
        ]),
      )
    case 'optional':
      return formOfValue(def.innerType)
    case 'record':
    case 'unknown':
    case 'nullable':
      return '*'
    default:
      throw new Error(`an answer has a part of the type ${def.type}, which web/build/forms.ts does not know`)
  }
}

const isNullable = (schema: z.core.$ZodType): boolean => defOf(schema).type === 'nullable'
const innerOf = (schema: z.core.$ZodType): z.core.$ZodType => (defOf(schema) as z.core.$ZodNullableDef).innerType

function markOf(field: z.core.$ZodType): string {
  const assumed = assumedOf(field)
  if (defOf(field).type === 'optional') return '~'
  if (assumed === undefined) return isNullable(field) ? '?' : ''
  if (assumed.like !== undefined) return `@${assumed.like}`
  return 'absent' in assumed ? `=${JSON.stringify(assumed.absent)}` : '~'
}
