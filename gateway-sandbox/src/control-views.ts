/** Control calls: their bodies and their answers, with the webhooks that were sent about a record. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Params, Parts } from './calls.ts'
import { indianTime } from './clock.ts'
import type { Delivery } from './model.ts'
import { badBody } from './refusals.ts'
import type { Store } from './store.ts'

const MAX_WEBHOOKS = 100

export const webhookCopies = z.int().min(0).max(MAX_WEBHOOKS).default(1)

/** Reverses a final state. No gateway should do this, but a shop must survive it. */
export const force = z.boolean().default(false)

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  throw badBody(result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '))
}

type At<Path extends string> = { readonly params: Params<Path>; readonly nowMs: number }
export type Controls = ReturnType<typeof controlsOf>

/** Registers control calls: `press` moves something, by a body of this form; `show` only shows it. */
export function controlsOf(app: FastifyInstance, { clock }: Parts) {
  return {
    press: <Path extends string, T>(path: Path, form: z.ZodType<T>, work: (given: T, at: At<Path>) => unknown): void =>
      void app.post(path, async (request) => {
        const given = parse(form, request.body)
        return work(given, { params: request.params as Params<Path>, nowMs: await clock.now() })
      }),
    show: <Path extends string>(path: Path, work: (at: At<Path>) => unknown): void =>
      void app.get(path, async (request) => work({ params: request.params as Params<Path>, nowMs: await clock.now() })),
  }
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
