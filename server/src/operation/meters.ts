/**
 * The measurements of this process that features report: one registry.
 * - Reporting costs one addition; it neither waits nor throws.
 */
import { Counter, Histogram, Registry } from '@prometheus-io/client'

export type Meters = {
  readonly registry: Registry
  /** The number of joins that shared one statement. */
  readonly joinBatch: (joined: number) => void
  /** Seconds from a webhook's signature to its storing; null if its time of signing is unreadable. */
  readonly webhookLag: (seconds: number | null) => void
  /** Spans of traces that were delivered, or lost. */
  readonly spans: (outcome: (typeof OUTCOMES)[number], count: number) => void
}

const OUTCOMES = ['sent', 'failed', 'dropped'] as const

export function createMeters(): Meters {
  const registry = new Registry()
  const joins = new Histogram({
    name: 'roz_join_batch_size',
    help: 'Joins that shared one statement',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
    registers: [registry],
  })
  const lag = new Histogram({
    name: 'roz_webhook_lag_seconds',
    help: 'Seconds from the signature of a new webhook to its storing',
    buckets: [1, 5, 15, 60, 300, 900, 1800, 3600],
    registers: [registry],
  })
  const spans = new Counter({
    name: 'roz_trace_spans_total',
    help: 'Spans of traces: sent, failed (not taken by the collector) or dropped (the queue was full)',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of OUTCOMES) spans.inc({ outcome }, 0)
  return {
    registry,
    joinBatch: (joined) => joins.observe(joined),
    spans: (outcome, count) => spans.inc({ outcome }, count),
    webhookLag: (seconds) => seconds !== null && lag.observe(Math.max(0, seconds)),
  }
}
