/**
 * A gateway of mandates in memory, for tests that play payer, bank and the time between them.
 * - It keeps the rules that the gateway documents: ids are used once, one amount at most, a debit two days ahead until 21:00 of the
 *   evening before, and no end of a debit that the bank has begun.
 * - `losses`: what happens to the next answers to each call. `take`: the call took effect all the same; `slow`: too many calls.
 */
import type { MandateStatus } from '@roz/core/autopay.ts'
import { createHash } from 'node:crypto'
import { addDays, dayAt, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise, type Paise } from '@roz/core/money.ts'
import type { ChargeState, Mandate, MandateCharge, MandateGateway, NewMandate } from '../adapters/mandates/port.ts'
import { GatewayRefusedError, GatewayUnavailableError } from '../adapters/payments/port.ts'

export type ModelCharge = { -readonly [K in keyof MandateCharge]: MandateCharge[K] } & { day: IstDay; raisedAtMs: number }
export type ModelMandate = {
  asked: NewMandate
  status: MandateStatus
  word: string
  charges: ModelCharge[]
  payerMasked: string | undefined
}
type Call = 'createMandate' | 'fetchMandate' | 'raiseCharge' | 'fetchCharge' | 'cancelCharge' | 'cancelMandate'
type Loss = 'take' | 'drop' | 'slow'

const FINAL: ReadonlySet<MandateStatus> = new Set(['CANCELLED', 'CUSTOMER_CANCELLED', 'COMPLETED', 'EXPIRED'])
const refuse = (code: string, status = 400): never => {
  throw new GatewayRefusedError(`refused: ${code}`, status, code)
}

export function createModelMandates(nowMs: () => number = Date.now) {
  const mandates = new Map<string, ModelMandate>()
  const calls: { call: Call; id: string }[] = []
  const losses: Partial<Record<Call, Loss[]>> = {}
  /** Run before the answer to a call, once: somebody acts meanwhile. */
  const meanwhile: Partial<Record<Call, () => Promise<void> | void>> = {}
  const faults = { cancelIgnored: false, authPaise: undefined as bigint | undefined }
  let payments = 1_000

  async function answer<T>(call: Call, id: string, effect: () => T): Promise<T> {
    calls.push({ call, id })
    const act = meanwhile[call]
    delete meanwhile[call]
    await act?.()
    const loss = losses[call]?.shift()
    if (loss === 'slow') throw new GatewayUnavailableError('slow down', { retryAfterMs: 2000 })
    if (loss === 'drop') throw new GatewayUnavailableError('the call was lost')
    const done = effect()
    if (loss === 'take') throw new GatewayUnavailableError('the answer was lost')
    return done
  }

  const get = (mandateId: string): ModelMandate => mandates.get(mandateId) ?? refuse('subscription_does_not_exist', 404)
  const shownCharge = ({ raisedAtMs: _at, ...charge }: ModelCharge): MandateCharge => ({ ...charge, word: charge.word || charge.state })
  const shown = (mandateId: string, mandate: ModelMandate): Mandate => ({
    mandateId,
    status: mandate.status,
    word: mandate.word,
    sessionId: mandate.status === 'INITIALIZED' ? `session_${mandateId}` : undefined,
    payerMasked: mandate.payerMasked,
    charges: mandate.charges.map(shownCharge),
  })
  const newCharge = (chargeId: string, kind: 'auth' | 'charge', amount: Paise, day: IstDay): ModelCharge => ({
    chargeId,
    kind,
    state: 'initialized',
    word: '',
    amount,
    currency: 'INR',
    cfPaymentId: String(++payments),
    cfTxnId: undefined,
    cfOrderId: `cf${payments}`,
    failureReason: undefined,
    day,
    raisedAtMs: nowMs(),
  })
  const move = (mandate: ModelMandate, status: MandateStatus): void => {
    mandate.status = status
    mandate.word = status
  }

  const gateway: MandateGateway = {
    createMandate: (asked) =>
      answer('createMandate', asked.mandateId, () => {
        const known = mandates.get(asked.mandateId)
        if (known !== undefined && known.status !== 'INITIALIZED') refuse('subscription_already_exists', 409)
        if (known === undefined)
          mandates.set(asked.mandateId, { asked, status: 'INITIALIZED', word: 'INITIALIZED', charges: [], payerMasked: undefined })
        return { sessionId: `session_${asked.mandateId}` }
      }),
    fetchMandate: (mandateId) =>
      answer('fetchMandate', mandateId, () => {
        const mandate = mandates.get(mandateId)
        return mandate && shown(mandateId, mandate)
      }),
    raiseCharge: ({ mandateId, chargeId, amount, day }) =>
      answer('raiseCharge', chargeId, () => {
        const mandate = get(mandateId)
        const known = mandate.charges.find((charge) => charge.chargeId === chargeId)
        if (known !== undefined) return shownCharge(known)
        if (mandate.status !== 'ACTIVE') refuse('subscription_status_invalid')
        if (amount > mandate.asked.amount) refuse('payment_amount_invalid')
        const now = nowMs()
        const today = dayAt(now)
        const isInTime = day === addDays(today, 1) ? now < startOfDayMs(today) + 21 * 3_600_000 : day > today && day < addDays(today, 15)
        if (!isInTime) refuse('payment_schedule_date_invalid')
        const charge = newCharge(chargeId, 'charge', amount, day)
        mandate.charges.push(charge)
        return shownCharge(charge)
      }),
    fetchCharge: (mandateId, chargeId) =>
      answer('fetchCharge', chargeId, () => {
        const charge = mandates.get(mandateId)?.charges.findLast((one) => one.chargeId === chargeId)
        return charge && shownCharge(charge)
      }),
    cancelCharge: (mandateId, chargeId) =>
      answer('cancelCharge', chargeId, () => {
        const charge = get(mandateId).charges.find((one) => one.chargeId === chargeId) ?? refuse('payment_does_not_exist', 404)
        if (charge.state === 'initialized' && !faults.cancelIgnored) charge.state = 'cancelled'
        return shownCharge(charge)
      }),
    cancelMandate: (mandateId) =>
      answer('cancelMandate', mandateId, () => {
        const mandate = get(mandateId)
        if (!FINAL.has(mandate.status) && !faults.cancelIgnored) {
          for (const charge of mandate.charges) if (charge.state === 'initialized') charge.state = 'cancelled'
          move(mandate, 'CANCELLED')
        }
        return mandate.status
      }),
    verifyWebhook: (headers) => (headers['x-webhook-signature'] === 'genuine' ? { atMs: nowMs() } : undefined),
    webhookLifeMs: 35 * 60_000,
    parseMandateWebhook: (bytes) => {
      const { type, mandateId } = JSON.parse(bytes.toString()) as { type: string; mandateId?: string }
      return { eventKey: createHash('sha256').update(bytes).digest('hex'), type, mandateId }
    },
  }

  return {
    gateway,
    mandates,
    calls,
    losses,
    meanwhile,
    faults,
    /** The only mandate, or the newest one. */
    newest: (): ModelMandate => [...mandates.values()].at(-1) ?? refuse('none'),
    /** An attempt of the payer on the hosted page. */
    authorise: (
      mandate: ModelMandate,
      state: ChargeState = 'paid',
      status: MandateStatus = state === 'paid' ? 'ACTIVE' : 'INITIALIZED',
    ) => {
      const amount = faults.authPaise === undefined ? mandate.asked.amount : paise(faults.authPaise)
      const charge = newCharge(`auth_${payments + 1}`, 'auth', amount, dayAt(nowMs()))
      charge.state = state
      mandate.charges.push(charge)
      mandate.payerMasked = 'ra…@okbank'
      move(mandate, status)
      return charge
    },
    move,
    /** The bank ends a debit; `again`: it debits a second time under the same id. */
    end: (charge: ModelCharge, state: ChargeState): void => {
      charge.state = state
      charge.cfTxnId = `txn${charge.cfPaymentId}`
      charge.failureReason = state === 'failed' ? 'DEBIT FAILED | Insufficient Funds' : undefined
    },
    debitAgain: (mandate: ModelMandate, charge: ModelCharge): void => {
      mandate.charges.push({ ...charge, state: 'paid', cfPaymentId: String(++payments) })
    },
    chargesOf: (mandate: ModelMandate): ModelCharge[] => mandate.charges.filter(({ kind }) => kind === 'charge'),
  }
}
