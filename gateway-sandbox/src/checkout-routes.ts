/**
 * The payer's side: the browser script, the hosted page and the press of one of its buttons.
 *
 * - The session id is the only credential. It travels in form bodies, never in a URL.
 */
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Parts } from './calls.ts'
import { OUTCOMES } from './control-routes.ts'
import { type Fields, isFields } from './fields.ts'
import { failAsPages, show } from './hosted-pages.ts'
import type { Order } from './model.ts'
import { playOrder } from './moves.ts'
import { pendingAttempt, readOrder } from './orders.ts'
import { endPage, pagePolicy, payPage, returnAddress, waysToPay } from './page.ts'
import { Refusal } from './refusals.ts'

export function scriptRoute(app: FastifyInstance): void {
  const script = readFileSync(new URL('./browser/cashfree.js', import.meta.url), 'utf8')
  app.get('/js/v3/cashfree.js', (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' })
      .send(script),
  )
}

export function checkoutRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, clock } = parts
  failAsPages(app)

  function sessionOf(body: unknown, nowMs: number): Order {
    const session = isFields(body) ? body.payment_session_id : undefined
    const order = typeof session === 'string' ? store.orderBySession(session) : undefined
    if (order === undefined) throw new Refusal(404, 'payment_session_id is not present or is invalid', 'payment_session_id_invalid')
    return readOrder(store, order.orderId, nowMs)
  }

  app.post('/checkout', async (request, reply) => {
    const order = sessionOf(request.body, await clock.now())
    const pending = pendingAttempt(store, order.orderId) !== undefined
    const payable = order.status === 'ACTIVE' || (order.status !== 'PAID' && pending)
    return show(reply, 200, payable ? payPage(order, pending) : endPage(order), order.returnUrl)
  })

  app.post('/outcome', async (request, reply) => {
    const nowMs = await clock.now()
    const order = sessionOf(request.body, nowMs)
    const { outcome: choice, way: asked }: Fields = isFields(request.body) ? request.body : {}
    const way = waysToPay(order).find((one) => one === asked)
    if (!isChoice(choice)) throw new Refusal(400, 'outcome is missing in the request', 'outcome_missing')
    try {
      playOrder(parts, order.orderId, { outcome: OUTCOMES[choice], again: false, way }, 1, nowMs)
    } catch (cause) {
      // A second or late press changes nothing and redirects to the same address.
      if (!(cause instanceof Refusal) || cause.code !== 'order_inactive') throw cause
    }
    const back = returnAddress(order)
    if (back === null) return show(reply, 200, endPage(readOrder(store, order.orderId, nowMs)), null)
    return reply.header('cache-control', 'no-store').header('content-security-policy', pagePolicy(order.returnUrl)).redirect(back, 303)
  })
}

const isChoice = (value: unknown): value is keyof typeof OUTCOMES => typeof value === 'string' && Object.hasOwn(OUTCOMES, value)
