/** /api/openapi.json and /api/docs, generated from the contract, so the document cannot differ from it. */
import { type CallName, api } from '@roz/contract/api.ts'
import { type EndpointSpec, impliedRefusals, takesKey } from '@roz/contract/endpoint.ts'
import type { Modes } from '@roz/core/modes.ts'
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { VERSION } from '@roz/core/version.ts'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

type Json = Record<string, unknown>
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return json
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    fields: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

function parametersOf(spec: EndpointSpec): Json[] {
  const of = (schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] => {
    if (schema === undefined) return []
    const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Record<string, Json>; required?: string[] }
    return Object.entries(properties).map(([name, shape]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: shape,
    }))
  }
  return [...of(spec.params, 'path'), ...of(spec.query, 'query'), ...(takesKey(spec) ? [IDEMPOTENCY_KEY] : [])]
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same body answers the first result, with another body 409.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

/** The request body of a call; undefined for none. */
function requestBodyOf(spec: EndpointSpec): Json | undefined {
  if (spec.upload !== undefined) {
    const properties = { [spec.upload.field]: { type: 'string', format: 'binary' } }
    return { required: true, content: { 'multipart/form-data': { schema: { type: 'object', required: [spec.upload.field], properties } } } }
  }
  if (spec.raw === true) {
    // Webhooks send JSON; the other raw body is a signed note, which anyone may hand in.
    const content =
      spec.access === 'signed' ? { 'application/json': { schema: { type: 'object' } } } : { 'text/plain': { schema: { type: 'string' } } }
    return { required: true, content }
  }
  if (spec.body === undefined) return undefined
  return { required: !spec.body.safeParse(undefined).success, content: { 'application/json': { schema: schemaOf(spec.body, 'input') } } }
}

/** Groups the codes of a call's refusals by status. */
function refusalsByStatus(spec: EndpointSpec): Map<number, RefusalCode[]> {
  const groups = new Map<number, RefusalCode[]>()
  for (const code of impliedRefusals(spec)) groups.set(REFUSALS[code].status, [...(groups.get(REFUSALS[code].status) ?? []), code])
  return groups
}

/** The answer of these refusals, which calls share. */
const refusalOf = (codes: readonly RefusalCode[], isText: boolean): Json => ({
  description: codes.map((code) => `\`${code}\` ${REFUSALS[code].en}`).join('\n'),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    ...(isText ? { 'text/plain': { schema: { type: 'string' } } } : {}),
  },
})

/** Every answer of refusals that a call refers to, by its codes. */
const sharedRefusals = (): Json =>
  Object.fromEntries(
    Object.values<EndpointSpec>(api)
      .flatMap((spec) => [...refusalsByStatus(spec).values()])
      .map((codes) => [codes.join('.'), refusalOf(codes, false)]),
  )

/** The schema of an answer. Calls that answer the same share one component, which the first of them names. */
function answerOf(name: string, output: z.ZodType, shared: Map<z.ZodType, string>): Json {
  if (!shared.has(output)) shared.set(output, `${name}Answer`)
  return { $ref: `#/components/schemas/${shared.get(output)}` }
}

function operationOf(name: string, spec: EndpointSpec, shared: Map<z.ZodType, string>): Json {
  const accepted =
    spec.output === 'empty'
      ? { description: 'Done' }
      : spec.output === 'text'
        ? { description: 'A message', content: { 'text/plain': { schema: { type: 'string' } } } }
        : spec.output === 'file'
          ? { description: 'The file', content: { '*/*': {} } }
          : spec.output === 'csv'
            ? { description: 'The table, with a header row (RFC 4180)', content: { 'text/csv': { schema: { type: 'string' } } } }
            : { description: 'Accepted', content: { 'application/json': { schema: answerOf(name, spec.output, shared) } } }
  const responses: Record<string, Json> = { [spec.status ?? 200]: accepted }
  if (spec.alsoStatus !== undefined) responses[spec.alsoStatus] = accepted
  for (const [status, codes] of refusalsByStatus(spec)) {
    responses[status] = spec.output === 'text' ? refusalOf(codes, true) : { $ref: `#/components/responses/${codes.join('.')}` }
  }
  const body = requestBodyOf(spec)
  return {
    operationId: name,
    summary: spec.summary,
    description: `Access: ${spec.access}${spec.roles === undefined ? '' : ` (${spec.roles.join(', ')})`}`,
    ...(spec.access === 'visitor' || spec.access === 'signed'
      ? {}
      : { security: spec.access === 'anyone' ? [{}, { bearer: [] }] : [{ bearer: [] }] }),
    parameters: parametersOf(spec),
    ...(body === undefined ? {} : { requestBody: body }),
    responses,
  }
}

/** The operator's switches, for API clients. */
function factsOf({ split: { need, reward, platform, winners }, topupsOn, withdrawalsOn, tax }: Modes): string {
  const facts = [
    winners === 0
      ? `Rounds have no winner: ${need}% of each is for people in need, ${platform}% for the platform. \`winner\`, \`winChance\` and \`chance\` are null, \`prizeAmount\` is 0, and \`/admin/trigger-draw\` only closes the round.`
      : `Of each round, ${need}% is for people in need, ${reward}% ${winners === 1 ? 'for one winner' : `shared by ${winners} winners`}, ${platform}% for the platform.`,
    tax === null || winners === 0
      ? ''
      : `${tax.percent}% of a reward above ₹${tax.aboveRupees} is withheld as tax: amounts of winners are what is left.`,
    topupsOn ? '' : 'Adding money is paused.',
    withdrawalsOn ? '' : 'Withdrawals are paused.',
    'This is the setting for rounds made from now on; each round names its own split.',
  ]
  return facts.filter((fact) => fact !== '').join(' ')
}

/** OpenAPI 3.1 document of every call. Amounts are in rupees, days in IST. */
export function openApiDocument(brandName: string, modes: Modes): Json {
  const paths: Record<string, Json> = {}
  const shared = new Map<z.ZodType, string>()
  for (const name of Object.keys(api) as CallName[]) {
    const spec: EndpointSpec = api[name]
    const path = (paths[spec.path] ??= {})
    path[spec.method.toLowerCase()] = operationOf(name, spec, shared)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brandName} API`,
      version: VERSION,
      description: `Amounts are rupees as JSON numbers; days are Asia/Kolkata dates; times are ISO 8601. ${factsOf(modes)}`,
    },
    servers: [{ url: '/api' }],
    components: {
      schemas: { Error: ERROR_SCHEMA, ...Object.fromEntries([...shared].map(([output, name]) => [name, schemaOf(output, 'output')])) },
      responses: sharedRefusals(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    paths,
  }
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] as string)

function docsPage(brandName: string, modes: Modes): string {
  const rows = (Object.keys(api) as CallName[]).map((name) => {
    const spec: EndpointSpec = api[name]
    const refusals = impliedRefusals(spec).map(
      (code) => `<li><code>${REFUSALS[code].status} ${code}</code> ${escape(REFUSALS[code].en)}</li>`,
    )
    const shapes = [
      spec.body === undefined ? '' : `<h3>Body</h3><pre>${escape(JSON.stringify(schemaOf(spec.body, 'input'), null, 1))}</pre>`,
      typeof spec.output === 'string'
        ? ''
        : `<h3>Answer</h3><pre>${escape(JSON.stringify(schemaOf(spec.output, 'output'), null, 1))}</pre>`,
    ].join('')
    return `<section id="${name}"><h2><code>${spec.method} /api${escape(spec.path)}</code></h2><p>${escape(spec.summary)} Access: <b>${spec.access}</b>.</p><details><summary>Shapes and refusals</summary>${shapes}<h3>Refusals</h3><ul>${refusals.join('')}</ul></details></section>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(brandName)} API</title></head><body><main><h1>${escape(brandName)} API</h1><p>The same as a document: <a href="/api/openapi.json">openapi.json</a>. Amounts are rupees, days are Asia/Kolkata dates. ${escape(factsOf(modes))}</p>${rows.join('')}</main></body></html>`
}

/**
 * Mounts the document and the page below /api. Both are made when first asked for and kept as bytes: as strings they would take
 * 4 MB of the heap in a server that nobody asks.
 */
export function registerDocs(app: FastifyInstance, { brandName, modes }: { readonly brandName: string; readonly modes: Modes }): void {
  const documentOnce = once(() => JSON.stringify(openApiDocument(brandName, modes)))
  const pageOnce = once(() => docsPage(brandName, modes))
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json').header('cache-control', 'public, max-age=300').send(documentOnce()),
  )
  app.get('/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'")
      .send(pageOnce()),
  )
}

function once(make: () => string): () => Buffer {
  let made: Buffer | undefined
  return () => (made ??= Buffer.from(make()))
}
