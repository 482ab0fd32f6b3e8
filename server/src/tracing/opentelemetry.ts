/**
 * The tracer of OpenTelemetry, and the export of its spans by OTLP (JSON over HTTP). Loaded only where traces are on.
 * - A collector that is down or slow delays nothing: spans wait in a bounded queue, and the rest is dropped and counted.
 * - The share is taken by the trace's id, which a traceparent from outside chooses. Its own wish to be recorded counts for nothing.
 * - A stop waits for the last spans a limited time.
 */
import { randomUUID } from 'node:crypto'
import {
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { VERSION } from '@roz/core/version.ts'
import type { TraceSettings } from '../config/trace-settings.ts'
import { type Span, startTracing, type Tracer } from './spans.ts'

export type SpansOutcome = 'sent' | 'failed' | 'dropped'
export type TracesDeps = {
  readonly settings: TraceSettings
  readonly count: (outcome: SpansOutcome, spans: number) => void
  readonly warn: (details: object, message: string) => void
}

const QUEUE_MAX = 4096
const BATCH_MAX = 512
const EVERY_MS = 1000
/** For one batch, its repetitions included. */
const EXPORT_MS = 5000
/** Batches under way at once: one, more if the collector hangs, and all that wait when the server stops. */
const AT_ONCE_MAX = QUEUE_MAX / BATCH_MAX + 1
const LAST_SPANS_MS = 1500

/** Returns the function that sends the last spans and ends the tracing. */
export function startTraces({ settings, count, warn }: TracesDeps): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    headers: settings.headers,
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: AT_ONCE_MAX,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...settings.resource,
      'service.name': settings.serviceName,
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }),
    sampler: samplerOf(settings),
    spanProcessors: [countedQueue(exporter, count, warn)],
  })
  const end = startTracing(tracerOf(provider))
  return async () => {
    end()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST_SPANS_MS)))
    await Promise.race([provider.shutdown().catch(() => undefined), late])
    clearTimeout(timer)
  }
}

/** The queue of the SDK; counts the spans lost to a full queue or a failed export. */
function countedQueue(exporter: SpanExporter, count: TracesDeps['count'], warn: TracesDeps['warn']): SpanProcessor {
  let waiting = 0
  let isAway = false
  const noted: SpanExporter = {
    export: (spans: ReadableSpan[], done) => {
      waiting -= spans.length
      exporter.export(spans, (result) => {
        const isSent = result.error === undefined && Number(result.code) === 0
        count(isSent ? 'sent' : 'failed', spans.length)
        if (!isSent && !isAway) warn({ err: result.error }, 'traces cannot be delivered; roz_trace_spans_total counts the lost spans')
        isAway = !isSent
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const queue = new BatchSpanProcessor({
    exporter: noted,
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: 2 * EXPORT_MS,
  })
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting >= QUEUE_MAX) return count('dropped', 1)
      waiting++
      queue.onEnd(span)
    },
    forceFlush: () => queue.forceFlush(),
    shutdown: () => queue.shutdown(),
  }
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const

function tracerOf(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('roz', VERSION)
  return {
    begin: ({ name, kind, attributes = {} }, { parent, from, links = [] }) => {
      const remote = from === undefined ? undefined : contextOf(from)
      const above = parent !== undefined ? trace.setSpan(ROOT_CONTEXT, parent) : remote && trace.setSpanContext(ROOT_CONTEXT, remote)
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, links: links.flatMap(linkTo) }, above ?? ROOT_CONTEXT)
      return span.isRecording() ? span : undefined
    },
    fail: (span, errorType) => {
      span.setAttribute('error.type', errorType)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    traceparentOf: (span) => {
      const { traceId, spanId } = span.spanContext()
      return `00-${traceId}-${spanId}-01`
    },
  }
}

function linkTo(to: Span | string): Link[] {
  const context = typeof to === 'string' ? contextOf(to) : to.spanContext()
  return context === undefined ? [] : [{ context }]
}

/** A traceparent of the W3C; undefined if it is none. */
export function contextOf(traceparent: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0

/** The share is taken by the trace's id, so all processes decide alike. A job is recorded if the request that queued it was. */
export function samplerOf({ isParentBased, share }: Pick<TraceSettings, 'isParentBased' | 'share'>): Sampler {
  const byShare = new TraceIdRatioBasedSampler(share)
  const decide = (isRecorded: boolean) => ({
    decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
  })
  return {
    shouldSample: (context, traceId, _name, _kind, _attributes, links) => {
      const parent = trace.getSpanContext(context)
      if (parent !== undefined && parent.isRemote !== true) return decide(isSampled(parent))
      if (isParentBased && parent !== undefined && !isSampled(parent)) return decide(false)
      if (isParentBased && links.some((link) => isSampled(link.context))) return decide(true)
      return byShare.shouldSample(context, traceId)
    },
    toString: () => `${isParentBased ? 'parentbased_' : ''}traceidratio{${share}}`,
  }
}
