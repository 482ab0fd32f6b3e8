/** Bodies and answers of control calls, with the webhooks that were sent about a record. */
import { z } from 'zod'
import { indianTime } from './clock.ts'
import type { Delivery } from './model.ts'
import { badBody } from './refusals.ts'
import type { Store } from './store.ts'

const MAX_WEBHOOKS = 100

export const webhookCopies = z.int().min(0).max(MAX_WEBHOOKS).default(1)

/** Reverses a final state. No gateway should do this, but a shop must survive it. */
export const force = z.boolean().default(false)

export function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  throw badBody(result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '))
}

export const webhooksOf = (store: Store, subject: string): Record<string, unknown>[] => store.deliveriesOf(subject).map(deliveryView)

const deliveryView = (delivery: Delivery): Record<string, unknown> => ({
  type: delivery.type,
  url: delivery.url,
  idempotency_key: delivery.idempotencyKey,
  body: delivery.body,
  state: delivery.state,
  next_attempt_at: delivery.state === 'waiting' ? indianTime(delivery.dueAtMs) : null,
  attempts: delivery.sendings.map(({ attempt, atMs, status, answer, error }) => ({ attempt, at: indianTime(atMs), status, answer, error })),
})
