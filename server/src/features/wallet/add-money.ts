/**
 * Adding money opens an order: our row first, then the gateway's order, outside any transaction.
 *
 * - Every order at the gateway has a row here.
 * - The same Idempotency-Key leads to the same order, even if the first answer was lost or the gateway did not answer.
 * - The phone number is sent to the gateway and stored nowhere; the review list has its keyed hash (members/signals.ts).
 * - Nothing is credited here.
 */
import { randomUUID } from 'node:crypto'
import type { bankTransferCalls } from '@roz/contract/bank-transfers.ts'
import { walletCalls } from '@roz/contract/wallet.ts'
import { topupProblem, type TopupLimits } from '@roz/core/money-fields.ts'
import { type Paise, paiseFromRupees } from '@roz/core/money.ts'
import { GatewayRefusedError, GatewayUnavailableError, type NewOrder, type PaymentGateway } from '../../adapters/payments/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Idempotency, KeyedCall } from '../../http/idempotency.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { type Answer, type Call, invalid, type Refusal } from '../../http/route.ts'
import { createTopup, markTopup } from '../../ledger/topups.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { noteSignalLater } from '../../members/signals.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { noteOrderKnown, scheduleCheck } from './orders.ts'

type AddAnswer = Answer<typeof walletCalls.addMoney>
type AskAnswer = Answer<typeof bankTransferCalls.askTransfer>
type BeginRefusal = 'topups_paused' | 'ticket_key_taken' | 'on_hold' | 'forbidden'
type OpenRefusal = BeginRefusal | 'gateway_unavailable' | 'idempotency_mismatch' | 'too_many_requests' | 'invalid_input'
type Opened<V> = { readonly ok: true; readonly value: V } | Refusal<OpenRefusal>

type AddMoneyDeps = {
  readonly db: Db
  readonly gateway: PaymentGateway
  readonly idempotency: Idempotency
  readonly topupLimits: TopupLimits
  readonly topupsOn: boolean
  readonly ticketKeys: Pick<TicketKeys, 'ensure'>
  readonly secrets: Pick<Secrets, 'fingerprints'>
  readonly warn: (details: object, message: string) => void
}

/** The differences between the two ways to pay. */
type Way<V> = {
  readonly route: 'addMoney' | 'askTransfer'
  readonly phone?: string
  readonly lifeMs: number
  readonly valueOf: (orderId: string, sessionId: string) => V
}

/** The first question about an order comes soon, because most orders are paid within a minute. */
const FIRST_CHECK_SECONDS = 15
const DAY_MS = 24 * 3_600_000
/** A transfer needs the payer's bank and a person of ours. */
const TRANSFER_LIFE_MS = 10 * DAY_MS

export async function addMoney(deps: AddMoneyDeps, call: Call<typeof walletCalls.addMoney>): Promise<AddAnswer> {
  const { checkout } = deps.gateway
  if (checkout === undefined) return { ok: false, code: 'other_way_to_pay' }
  const { phoneNumber } = call.body
  const answer = await openOrder(deps, call, {
    route: 'addMoney',
    phone: phoneNumber,
    lifeMs: DAY_MS,
    valueOf: (orderId, sessionId) => ({
      payment_session_id: sessionId,
      order_id: orderId,
      checkout: { mode: checkout.mode, script_url: checkout.scriptUrl },
    }),
  })
  if (answer.ok) await notePhone(deps, call.session.memberId, phoneNumber)
  return answer
}

/** An order that is paid by a bank transfer: its session is the reference to write into it. */
export function askTransfer(deps: AddMoneyDeps, call: Call<typeof bankTransferCalls.askTransfer>): Promise<AskAnswer> {
  if (deps.gateway.checkout !== undefined) return Promise.resolve({ ok: false, code: 'other_way_to_pay' })
  return openOrder(deps, call, {
    route: 'askTransfer',
    lifeMs: TRANSFER_LIFE_MS,
    valueOf: (orderId, reference) => ({ order_id: orderId, reference }),
  })
}

type OpenCall = Pick<Call<typeof bankTransferCalls.askTransfer>, 'session' | 'idempotencyKey' | 'body' | 'origin'>

async function openOrder<V>(deps: AddMoneyDeps, call: OpenCall, way: Way<V>): Promise<Opened<V>> {
  const amount = paiseFromRupees(call.body.amount) as Paise
  const problem = topupProblem(amount, deps.topupLimits)
  if (problem !== undefined) return invalid({ amount: problem })
  const taken = await take(deps.db, memberLimits.orders(call.session.memberId))
  if (!taken.ok) return taken
  const keyed: KeyedCall = { memberId: call.session.memberId, key: call.idempotencyKey, route: way.route, body: call.body }
  const begun = await begin<V>(deps, keyed, call, amount)
  if ('answer' in begun) return begun.answer
  return openAtGateway(deps, keyed, call.origin, way, { orderId: begun.orderId, amount })
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
function begin<V>(
  { db, idempotency, topupsOn, ticketKeys }: AddMoneyDeps,
  keyed: KeyedCall,
  { body }: OpenCall,
  amount: Paise,
): Promise<{ readonly orderId: string } | { readonly answer: Opened<V> }> {
  return inTransaction(db, async (tx) => {
    const orderId = randomUUID().replaceAll('-', '')
    const claim = await idempotency.claim<Opened<V>>(tx, keyed, orderId)
    if (claim.kind === 'answered') return { answer: claim.answer }
    if (claim.kind === 'begun') return { orderId: claim.ref }
    const refuse = async (code: BeginRefusal): Promise<{ answer: Opened<V> }> => {
      const answer: Opened<V> = { ok: false, code }
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
async function openAtGateway<V>(
  { db, gateway, idempotency, warn }: AddMoneyDeps,
  keyed: KeyedCall,
  origin: string,
  { phone, lifeMs, valueOf }: Way<V>,
  { orderId, amount }: Pick<NewOrder, 'orderId' | 'amount'>,
): Promise<Opened<V>> {
  const who = await db.one<{ customerId: string; now: Date }>(
    sql`select replace(public_id::text, '-', '') as "customerId", roz_now() as now from member where id = ${keyed.memberId}::bigint`,
  )
  let sessionId: string
  try {
    const order = await gateway.createOrder({
      orderId,
      amount,
      customerId: who.customerId,
      phone,
      returnUrl: `${origin}/payment-status?order_id={order_id}`,
      notifyUrl: `${origin}/api${walletCalls.paymentWebhook.path}`,
      expiresAtMs: who.now.getTime() + lifeMs,
    })
    sessionId = order.sessionId
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    warn({ err: error, orderId }, 'the gateway did not make an order')
    if (error instanceof GatewayRefusedError) await inTransaction(db, (tx) => markTopup(tx, orderId, 'failed'))
    return { ok: false, code: 'gateway_unavailable' }
  }
  const answer: Opened<V> = { ok: true, value: valueOf(orderId, sessionId) }
  await inTransaction(db, async (tx) => {
    await markTopup(tx, orderId, 'pending')
    await noteOrderKnown(tx, orderId)
    await scheduleCheck(tx, orderId, FIRST_CHECK_SECONDS)
    await idempotency.remember(tx, keyed, answer)
  })
  return answer
}
