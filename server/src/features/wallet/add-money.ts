/**
 * Adding money opens an order: our row first, then the gateway's order, outside any transaction.
 *
 * - Every order at the gateway has a row here.
 * - The same Idempotency-Key leads to the same order, even if the first answer was lost or the gateway did not answer.
 * - The phone number is sent to the gateway and stored nowhere; the review list has its keyed hash (members/signals.ts).
 * - Nothing is credited here.
 */
import { randomUUID } from 'node:crypto'
import type { walletCalls } from '@roz/contract/wallet.ts'
import { topupProblem, type TopupLimits } from '@roz/core/money-fields.ts'
import { type Paise, paiseFromRupees } from '@roz/core/money.ts'
import { GatewayRefusedError, GatewayUnavailableError, type PaymentGateway } from '../../adapters/payments/port.ts'
import { type Db, one, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Idempotency, KeyedCall } from '../../http/idempotency.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { type Answer, type Call, invalid } from '../../http/route.ts'
import { createTopup, markTopup } from '../../ledger/topups.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { noteSignalLater } from '../../members/signals.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { noteOrderKnown, scheduleCheck } from './orders.ts'

type AddAnswer = Answer<typeof walletCalls.addMoney>

export type AddMoneyDeps = {
  readonly db: Db
  readonly gateway: PaymentGateway
  readonly idempotency: Idempotency
  readonly topupLimits: TopupLimits
  readonly topupsOn: boolean
  readonly ticketKeys: Pick<TicketKeys, 'ensure'>
  readonly secrets: Pick<Secrets, 'fingerprints'>
  readonly warn: (details: object, message: string) => void
}

/** The first question about an order comes soon, because most orders are paid within a minute. */
const FIRST_CHECK_SECONDS = 15
const ORDER_LIFE_MS = 24 * 3_600_000

export async function addMoney(deps: AddMoneyDeps, call: Call<typeof walletCalls.addMoney>): Promise<AddAnswer> {
  const amount = paiseFromRupees(call.body.amount) as Paise
  const problem = topupProblem(amount, deps.topupLimits)
  if (problem !== undefined) return invalid({ amount: problem })
  const taken = await take(deps.db, memberLimits.orders(call.session.memberId))
  if (!taken.ok) return taken
  const keyed: KeyedCall = { memberId: call.session.memberId, key: call.idempotencyKey, route: 'addMoney', body: call.body }
  const begun = await begin(deps, keyed, call, amount)
  if ('answer' in begun) return begun.answer
  const answer = await openAtGateway(deps, keyed, call, { orderId: begun.orderId, amount })
  if (answer.ok) await notePhone(deps, keyed.memberId, call.body.phoneNumber)
  return answer
}

/** Notes the phone after the order, which no failure here undoes: the member's next order notes it again. */
async function notePhone({ db, secrets, warn }: AddMoneyDeps, memberId: bigint, value: string): Promise<void> {
  try {
    await noteSignalLater(db, secrets, { kind: 'phone', value, memberId })
  } catch (error) {
    warn({ err: error }, 'the phone of an order was not noted for the review list')
  }
}

/** Our half: claims the key and writes the order's row in one transaction, or finds an earlier claim. */
function begin(
  { db, idempotency, topupsOn, ticketKeys }: AddMoneyDeps,
  keyed: KeyedCall,
  { body }: Call<typeof walletCalls.addMoney>,
  amount: Paise,
): Promise<{ readonly orderId: string } | { readonly answer: AddAnswer }> {
  return inTransaction(db, async (tx) => {
    const orderId = randomUUID().replaceAll('-', '')
    const claim = await idempotency.claim<AddAnswer>(tx, keyed, orderId)
    if (claim.kind === 'answered') return { answer: claim.answer }
    if (claim.kind === 'begun') return { orderId: claim.ref }
    const refuse = async (code: 'topups_paused' | 'ticket_key_taken' | 'on_hold' | 'forbidden'): Promise<{ answer: AddAnswer }> => {
      const answer: AddAnswer = { ok: false, code }
      await idempotency.remember(tx, keyed, answer)
      return { answer }
    }
    if (!topupsOn) return refuse('topups_paused')
    // No wallet, or closed after the request was admitted: a payment could only be returned.
    const wallet = await readWallet(tx, keyed.memberId)
    if (wallet === undefined) return refuse('forbidden')
    if (wallet.isClosed) return refuse('on_hold')
    // Keeps the browser's ticket key, or makes one if the wallet's first money comes without.
    const ticketKey = await ticketKeys.ensure(tx, keyed.memberId, body.ticketKey)
    if (!ticketKey.ok) return refuse(ticketKey.code)
    await createTopup(tx, { orderId, memberId: keyed.memberId, amount })
    await scheduleCheck(tx, orderId, FIRST_CHECK_SECONDS)
    return { orderId }
  })
}

/** The gateway's half. An unknown outcome leaves the order open: the same key continues it, and the sweep ends it. */
async function openAtGateway(
  { db, gateway, idempotency, warn }: AddMoneyDeps,
  keyed: KeyedCall,
  { body, origin }: Call<typeof walletCalls.addMoney>,
  { orderId, amount }: { readonly orderId: string; readonly amount: Paise },
): Promise<AddAnswer> {
  const who = await one<{ customerId: string; now: Date }>(
    db,
    sql`select replace(public_id::text, '-', '') as "customerId", roz_now() as now from member where id = ${keyed.memberId}::bigint`,
  )
  let sessionId: string
  try {
    const order = await gateway.createOrder({
      orderId,
      amount,
      customerId: who.customerId,
      phone: body.phoneNumber,
      returnUrl: `${origin}/payment-status?order_id={order_id}`,
      notifyUrl: `${origin}/api/webhooks/cashfree`,
      expiresAtMs: who.now.getTime() + ORDER_LIFE_MS,
    })
    sessionId = order.sessionId
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    warn({ err: error, orderId }, 'the gateway did not make an order')
    if (error instanceof GatewayRefusedError) await inTransaction(db, (tx) => markTopup(tx, orderId, 'failed'))
    return { ok: false, code: 'gateway_unavailable' }
  }
  const { mode, scriptUrl } = gateway.checkout
  const answer: AddAnswer = {
    ok: true,
    value: { payment_session_id: sessionId, order_id: orderId, checkout: { mode, script_url: scriptUrl } },
  }
  await inTransaction(db, async (tx) => {
    await markTopup(tx, orderId, 'pending')
    await noteOrderKnown(tx, orderId)
    await scheduleCheck(tx, orderId, FIRST_CHECK_SECONDS)
    await idempotency.remember(tx, keyed, answer)
  })
  return answer
}
