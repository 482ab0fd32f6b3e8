/** An OTLP collector for tests: a real HTTP server that keeps what it gets, and can be slow, deaf or down. */
import { createServer, type ServerResponse } from 'node:http'
import { closeServer, listen } from './listening.ts'

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number }
type Attribute = { readonly key: string; readonly value: Value }
type Written = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code?: number }
}
type Payload = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Written[] }[]
  }[]
}
type Plain = Readonly<Record<string, string | number | undefined>>
export type Received = Omit<Written, 'attributes' | 'links'> & {
  readonly attributes: Plain
  readonly resource: Plain
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}
export type Collector = {
  readonly url: string
  /** All spans so far. */
  readonly spans: () => Received[]
  /** The bodies of all requests, as they came. */
  readonly texts: readonly string[]
  readonly headers: () => Readonly<Record<string, unknown>>
  /** `deaf`: it accepts connections and never answers. `full`: it answers 503. */
  readonly become: (mode: Mode) => void
  readonly close: () => Promise<void>
}
type Mode = 'well' | 'deaf' | 'full'

const plain = (attributes: readonly Attribute[]): Plain =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]))

export async function startCollector(): Promise<Collector> {
  const texts: string[] = []
  let mode: Mode = 'well'
  let headers: Readonly<Record<string, unknown>> = {}
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      if (mode === 'deaf') return void waiting.push(response)
      if (mode === 'full') return void response.writeHead(503).end()
      if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end()
      headers = request.headers
      texts.push(text)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return {
    url: await listen(server),
    texts,
    headers: () => headers,
    spans: () =>
      texts.flatMap((text) =>
        (JSON.parse(text) as Payload).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({
              ...span,
              links: span.links ?? [],
              attributes: plain(span.attributes),
              resource: plain(resource.attributes),
            })),
          ),
        ),
      ),
    become: (next) => {
      mode = next
      if (next !== 'deaf') for (const response of waiting.splice(0)) response.writeHead(200).end('{}')
    },
    close: () => closeServer(server),
  }
}
