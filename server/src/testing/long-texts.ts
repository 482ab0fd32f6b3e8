/** A worker's thread: parses long texts made against slow rules, in each field of each call. Posts each call's name before, and `end`. */
import { parentPort } from 'node:worker_threads'
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { z } from 'zod'

/** As long as a body of 64 KiB allows in most scripts. */
const LENGTH = 20_000
const UNITS = ['a', '.', ' ', '/', '1', '-', '@', '\n', 'a.', 'a@', 'a-', ' a', '1 ', '/a', '%4', 'अ', 'कि', '\u200d', 'a\u200d', '\u0301']
const TEXTS = ['', 'a', 'a@', 'https://', '/'].flatMap((start) =>
  UNITS.map((unit) => `${start}${unit.repeat(LENGTH / unit.length)}`).flatMap((text) => [text, `${text}\u0000`]),
)

for (const name of Object.keys(api) as CallName[]) {
  const { params, query, body }: EndpointSpec = api[name]
  for (const schema of [params, query, body]) {
    const fields = fieldsOf(schema)
    if (schema === undefined || fields.length === 0) continue
    for (const text of TEXTS) {
      parentPort?.postMessage(`${name} (${fields.join(', ')}): ${text.slice(0, 10)}…`)
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
