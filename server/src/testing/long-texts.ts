/** A worker's thread: parses long texts made against slow rules, in each field of each call. Posts each call's name before, and `end`. */
import { parentPort } from 'node:worker_threads'
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { z } from 'zod'

const UNITS = [
  'a',
  '.',
  ' ',
  '/',
  '1',
  '-',
  '@',
  '\n',
  'a.',
  'a@',
  'a-',
  ' a',
  '1 ',
  '/a',
  '%4',
  'अ',
  'कि',
  '\u200d',
  'a\u200d',
  'a\ufe0f',
  '\u0301',
]
/** As long as a body of 64 KiB allows in most scripts; and so short that no bound of length ends the rules. Each end fails some rule. */
const SIZES = [
  { length: 20_000, ends: ['', '!'] },
  { length: 60, ends: ['', '!', '1', '<', '\u0000'] },
]
const TEXTS = SIZES.flatMap(({ length, ends }) =>
  ['', 'a', 'a@', 'https://', '/'].flatMap((start) =>
    UNITS.flatMap((unit) => ends.map((end) => `${start}${unit.repeat(length / unit.length)}${end}`)),
  ),
)

for (const name of Object.keys(api) as CallName[]) {
  const { params, query, body }: EndpointSpec = api[name]
  for (const schema of [params, query, body]) {
    const fields = fieldsOf(schema)
    if (schema === undefined || fields.length === 0) continue
    for (const text of TEXTS) {
      parentPort?.postMessage(`${name} (${fields.join(', ')}): ${JSON.stringify(text.slice(0, 10))} ${text.length}`)
      schema.safeParse(Object.fromEntries(fields.map((field) => [field, text])))
    }
  }
}
parentPort?.postMessage('end')

type Def = { readonly shape?: object; readonly options?: readonly z.ZodType[]; readonly innerType?: z.ZodType }
/** The names of an object's fields, or of each object of a union. */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  const { shape, options = [], innerType } = schema._zod.def as Def
  return shape === undefined ? [...new Set([...options, innerType].flatMap((part) => fieldsOf(part)))] : Object.keys(shape)
}
