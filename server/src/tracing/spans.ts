/**
 * Traces: what a request, a job or a step of midnight spent its time on (docs/traces.md).
 * - Off until `startTracing`: then no span is made, and no module of OpenTelemetry is loaded (this file imports its types only).
 * - A request, a job and due work open a trace. Everything else is recorded only inside one.
 * - No attribute has a value of a person: routes, statements without their values, kinds and counts. Of an error it has the name only.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'

export type { Span } from '@opentelemetry/api'
type Attributes = Readonly<Record<string, string | number>>
export type Opening = {
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'consumer'
  readonly attributes?: Attributes
}
type Origin = {
  readonly parent?: Span | undefined
  /** A traceparent from outside: its trace continues here. */
  readonly from?: string | undefined
  readonly links?: readonly (Span | string)[]
}
export type Tracer = {
  /** Undefined if the trace is not in the share that is recorded. */
  readonly begin: (opening: Opening, origin: Origin) => Span | undefined
  readonly fail: (span: Span, errorType: string) => void
  /** The W3C traceparent of a span. */
  readonly traceparentOf: (span: Span) => string
}

let tracer: Tracer | undefined
const active = new AsyncLocalStorage<Span | undefined>()

/** Returns the function that ends it. */
export function startTracing(started: Tracer): () => void {
  tracer = started
  return () => {
    if (tracer === started) tracer = undefined
  }
}

/** The span in which this code runs, if it is recorded. */
export const activeSpan = (): Span | undefined => (tracer === undefined ? undefined : active.getStore())

/** The traceparent for work that follows later, such as a job. */
export function activeTraceparent(): string | undefined {
  const span = activeSpan()
  return span === undefined ? undefined : tracer?.traceparentOf(span)
}

/** For work that outlives the request which started it and has traces of its own. */
export const outsideTraces = <T>(work: () => T): T => (tracer === undefined ? work() : active.run(undefined, work))

/** Runs `work` in a child span if a trace is active; otherwise just runs it. */
export function inSpan<T>(opening: Opening, work: () => Promise<T>): Promise<T> {
  const parent = activeSpan()
  return parent === undefined ? work() : recorded(opening, { parent }, work)
}

/** Starts a trace, or a child span of the active one. With a link it is recorded if the linked one was. */
export function inTrace<T>(opening: Opening, work: () => Promise<T>, link?: string | null): Promise<T> {
  if (tracer === undefined) return work()
  return recorded(opening, { parent: activeSpan(), links: typeof link === 'string' ? [link] : [] }, work)
}

/** More links would be dropped by the usual limit of a span. */
const LINKS_MAX = 128

/**
 * Runs work that many wait for, such as a batch of joins. It is a part of the first one's trace, with links to the others;
 * each of them gets a link to it.
 */
export function inShared<T>(opening: Opening, askers: () => readonly (Span | undefined)[], work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work()
  const spans = askers().filter((span) => span !== undefined)
  const [parent, ...others] = spans
  if (parent === undefined) return active.run(undefined, work)
  return recorded(opening, { parent, links: others.slice(0, LINKS_MAX) }, (span) => {
    if (span !== undefined) for (const asker of spans) asker.addLink({ context: span.spanContext() })
    return work()
  })
}

async function recorded<T>(opening: Opening, origin: Origin, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const by = tracer
  const span = by?.begin(opening, origin)
  try {
    return await active.run(span, () => work(span))
  } catch (error) {
    if (span !== undefined) by?.fail(span, errorType(error))
    throw error
  } finally {
    span?.end()
  }
}

/** A name or an SQLSTATE, never the message: it may repeat what somebody typed. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Begins the span of a request, which `endRequest` ends. */
export const beginRequest = (opening: Opening, from: string | undefined): Span | undefined => tracer?.begin(opening, { from })

/** Runs the next step of a request inside its span. */
export const inRequest = (span: Span | undefined, next: () => void): void => active.run(span, next)

export function endRequest(span: Span, status: number, refusal: string | undefined): void {
  span.setAttribute('http.response.status_code', status)
  if (refusal !== undefined) span.setAttribute('roz.refusal', refusal)
  if (status >= 500) tracer?.fail(span, String(status))
  span.end()
}
