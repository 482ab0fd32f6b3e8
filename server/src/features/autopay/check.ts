/**
 * Asks the gateway about a mandate and its open debit, ends what is to end, and books the answer.
 * - Webhook, return page, sweep, stop and raise all use it: one question at a time, at most every 5 s.
 * - No transaction is open while the gateway is asked. Only the answer to the newest question counts; money counts always.
 * - A debit that the gateway does not know is sent again under its own id, after it has said so for a minute, while there is time and
 *   debits may be raised.
 * - A mandate that is to end is cancelled again with each question, until the gateway's status is final.
 */
import { AUTOPAY_ENDED, isFinalMandate, isLateCharge, mayStillSend } from '@roz/core/autopay.ts'
import type { Mandate, MandateCharge } from '../../adapters/mandates/port.ts'
import { GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { rest, takePlace } from '../../jobs/autopay-pace.ts'
import { areAnyHeld, pose } from '../../jobs/questions.ts'
import { paymentIdOf } from '../../ledger/autopay.ts'
import { gatewayIdOf, uuidOf } from '@roz/core/gateway-id.ts'
import { suspend } from '../../ledger/suspense.ts'
import { markTopup } from '../../ledger/topups.ts'
import { adoptCharge, bookCharge, bookMandate, type Contradiction, contradictionOf, delayAfter, endAuth, giveUpCharge } from './book.ts'
import { type AutopayDeps, type ChargeRow, findMandate, listCharges, type MandateRow } from './deps.ts'
import { type Claim, claimQuestion, isNewestQuestion, listDueMandates, nextTime, scheduleNext } from './questions.ts'
import { sendCharge } from './raise.ts'

const SWEEP_AT_ONCE = 8

/** Returns whether a row holds the question (jobs/questions.ts). With `patienceMs` a request waits: after that time the sweep continues. */
export function settleMandate(deps: AutopayDeps, mandateId: string, patienceMs?: number): Promise<boolean> {
  return pose(deps.attempt, {
    work: 'autopay_check',
    item: mandateId,
    claim: () => claimQuestion(deps.db, mandateId),
    ask: (claim) => askAndBook(deps, mandateId, claim, patienceMs),
  })
}

/** Asks about due mandates; returns whether any was asked about. */
export async function sweepMandates(deps: AutopayDeps): Promise<boolean> {
  const due = await listDueMandates(deps.db, SWEEP_AT_ONCE)
  return areAnyHeld(due.map((id) => settleMandate(deps, id)))
}

type Answered = { readonly mandate: Mandate; readonly open: MandateCharge | 'unknown' | undefined }

async function askAndBook(deps: AutopayDeps, id: string, claim: Claim, patienceMs: number | undefined): Promise<void> {
  const row = await findMandate(deps.db, id)
  if (row === undefined) return
  const charges = await listCharges(deps.db, id)
  const open = charges.find((charge) => charge.kind === 'charge' && (charge.status === 'raising' || charge.status === 'open'))
  let answered: Answered | undefined
  try {
    answered = await ask(deps, row, open, patienceMs)
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    if (error instanceof GatewayUnavailableError && error.retryAfterMs !== undefined) await rest(deps.db, 'read', error.retryAfterMs)
    deps.warn({ err: error, mandateId: id }, 'the gateway could not be asked about a mandate; the sweep asks again')
    return
  }
  if (answered === undefined) return noteUnknown(deps, row, claim)
  await bookMoney(deps, row, charges, answered.mandate)
  await bookRest(deps, row, { charges, open, claim }, answered)
}

/** Asks, and ends what is to end. Undefined: the gateway does not know the mandate. */
async function ask(
  { db, mandates }: AutopayDeps,
  row: MandateRow,
  open: ChargeRow | undefined,
  patienceMs: number | undefined,
): Promise<Answered | undefined> {
  const mandateId = gatewayIdOf(row.id)
  const mandate = await mandates.fetchMandate(mandateId, patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs))
  if (mandate === undefined) return undefined
  let charge: Answered['open'] = open && ((await mandates.fetchCharge(mandateId, open.orderId)) ?? 'unknown')
  if (open !== undefined && charge !== undefined && charge !== 'unknown' && charge.state === 'initialized') {
    const wanted = open.wantsCancel || row.state === 'stopping'
    if (wanted && (await takePlace(db, 'cancel'))) charge = await mandates.cancelCharge(mandateId, open.orderId)
  }
  // A mandate that ended here before the gateway said so must not live on there.
  const isOver = AUTOPAY_ENDED.has(row.state) || (row.isOldSetup && mandate.status !== 'ACTIVE')
  const isToEnd = row.state === 'stopping' || isOver
  if (!isToEnd || isFinalMandate(mandate.status) || !(await takePlace(db, 'cancel'))) return { mandate, open: charge }
  const status = await mandates.cancelMandate(mandateId)
  return { mandate: status === mandate.status ? mandate : { ...mandate, status, word: status }, open: charge }
}

/** Money first, each payment in a transaction of its own: it is booked whatever else the answer says. */
async function bookMoney(deps: AutopayDeps, row: MandateRow, charges: readonly ChargeRow[], { charges: told }: Mandate): Promise<void> {
  const ours = new Map(charges.map((charge) => [charge.orderId, charge]))
  for (const payment of told) {
    if (payment.state !== 'paid') continue
    const orderId = payment.kind === 'auth' ? row.authOrderId : payment.chargeId
    const known = ours.get(orderId)
    // Another payment of the same debit is one too many: `captureTopup` keeps it in SUSPENSE.
    if (known?.status === 'paid' && known.cfPaymentId === payment.cfPaymentId) continue
    if (known !== undefined) await inTransaction(deps.db, (tx) => bookCharge(tx, orderId, row.id, payment))
    else await bookStranger(deps, row, payment)
  }
}

/**
 * A debit that we know nothing of: after a restore, perhaps. The money is ours to give back, and a person must look.
 * It credits nobody, also where its id belongs to another order: whoever raised it at the gateway chose the id.
 */
async function bookStranger(deps: AutopayDeps, row: MandateRow, payment: MandateCharge): Promise<void> {
  const { chargeId, cfPaymentId, cfOrderId, amount, currency } = payment
  if (cfPaymentId === undefined) throw new Error('the gateway says that a debit is paid, and names no payment')
  const booked = await inTransaction(deps.db, async (tx) => {
    const paymentId = await paymentIdOf(tx, { cfPaymentId, cfOrderId })
    const suspended = await suspend(
      tx,
      { orderId: chargeId, paymentId, orderAmount: amount, currency, debit: { mandateId: row.id, gatewayOrderId: cfOrderId ?? null } },
      'unknown_order',
    )
    await delayAfter(tx, row, payment)
    return suspended
  })
  if (booked.result === 'suspense')
    deps.alarm({ mandateId: row.id, chargeId }, 'the gateway has a paid debit that we never raised: it is in SUSPENSE')
}

/** A debit that is not paid, and that we know nothing of: after a restore. */
async function adopt(deps: AutopayDeps, row: MandateRow, { ask: number }: Claim, told: MandateCharge): Promise<void> {
  const { chargeId } = told
  if (uuidOf(chargeId) === undefined) return
  const isNew = await inTransaction(deps.db, async (tx) => (await isNewestQuestion(tx, row.id, number)) && adoptCharge(tx, row, told))
  if (isNew) deps.alarm({ mandateId: row.id, chargeId }, 'the gateway has a debit that this database has forgotten: it is taken over')
}

type Asked = { readonly charges: readonly ChargeRow[]; readonly open: ChargeRow | undefined; readonly claim: Claim }

async function bookRest(deps: AutopayDeps, row: MandateRow, { charges, open, claim }: Asked, answered: Answered): Promise<void> {
  const { mandate } = answered
  const contradictions: Contradiction[] = []
  for (const told of mandate.charges) {
    const charge = charges.find(({ orderId }) => orderId === told.chargeId)
    if (told.kind !== 'charge' || told.state === 'paid' || told.chargeId === open?.orderId) continue
    if (charge === undefined) {
      await adopt(deps, row, claim, told)
      continue
    }
    await bookIfNewest(deps, row, claim, (tx) => bookCharge(tx, charge.orderId, row.id, told), contradictions)
  }
  if (open !== undefined && answered.open === 'unknown') await bookMissing(deps, row, open, claim)
  else if (open !== undefined && answered.open !== undefined && answered.open !== 'unknown') {
    const told: MandateCharge = answered.open
    await bookIfNewest(deps, row, claim, (tx) => bookCharge(tx, open.orderId, row.id, told), contradictions)
  }
  await inTransaction(deps.db, async (tx) => {
    if (!(await isNewestQuestion(tx, row.id, claim.ask))) return
    const contradiction = await bookAuth(tx, row, mandate, charges)
    if (contradiction !== undefined) contradictions.push(contradiction)
    const after = await bookMandate(tx, row.id, mandate, claim.nowMs)
    if (after !== undefined)
      await scheduleNext(tx, row.id, claim, nextTime(after, mandate.status, await listCharges(tx, row.id), claim.nowMs))
  })
  alarms(deps, row, { open, claim, contradictions }, answered)
}

async function bookIfNewest(
  { db }: AutopayDeps,
  { id }: MandateRow,
  { ask: number }: Claim,
  book: (tx: Tx) => Promise<Contradiction | undefined>,
  found: Contradiction[],
): Promise<void> {
  const contradiction = await inTransaction(db, async (tx) => ((await isNewestQuestion(tx, id, number)) ? book(tx) : undefined))
  if (contradiction !== undefined) found.push(contradiction)
}

/** The first debit while it is not paid: its newest attempt, and its end with the mandate's. */
async function bookAuth(
  tx: Tx,
  row: MandateRow,
  { charges, status }: Mandate,
  known: readonly ChargeRow[],
): Promise<Contradiction | undefined> {
  const attempts = charges.filter(({ kind }) => kind === 'auth')
  if (attempts.some(({ state }) => state === 'paid')) return undefined
  const [newest] = attempts.slice(-1)
  if (newest !== undefined && known.some((charge) => charge.orderId === row.authOrderId && charge.status === 'paid'))
    return contradictionOf(row.authOrderId, newest)
  const isWaiting = attempts.some(({ state }) => state === 'initialized' || state === 'pending')
  if (isFinalMandate(status) && !isWaiting) await endAuth(tx, row)
  else if (attempts.length > 0) await markTopup(tx, row.authOrderId, isWaiting ? 'pending' : 'failed')
  return undefined
}

/** The gateway does not know a debit of ours. */
async function bookMissing(deps: AutopayDeps, row: MandateRow, open: ChargeRow, { nowMs }: Claim): Promise<void> {
  if (open.status === 'open') throw new Error('the gateway says that it does not know a debit that it has known: see its dashboard')
  const { db } = deps
  await db.query(sql`
    update autopay_charge set missing_since = coalesce(missing_since, roz_now()) where order_id = ${open.orderId}::text`)
  if (!open.isMissing) return
  if (deps.autopayOn && deps.topupsOn && row.state === 'on' && !open.wantsCancel && mayStillSend(open.day, nowMs)) {
    if (await takePlace(db, 'raise')) await sendCharge(deps, row, open)
    return
  }
  await inTransaction(db, (tx) => giveUpCharge(tx, open, { reason: 'It never reached the gateway.', waits: false }))
}

/** The gateway does not know the mandate: it was never made there, or not yet. */
async function noteUnknown({ db }: AutopayDeps, row: MandateRow, claim: Claim): Promise<void> {
  if (row.gatewayStatus !== null) throw new Error('the gateway says that it does not know a mandate that it has known: see its dashboard')
  await inTransaction(db, async (tx) => {
    const [missing] = await tx.query<{ isOver: boolean }>(sql`
      update autopay_check set missing_since = coalesce(missing_since, roz_now()) where mandate_id = ${row.id}::uuid
      returning missing_since <= roz_now() - interval '1 hour' as "isOver"`)
    if (missing?.isOver !== true) return
    await tx.query(sql`
      update autopay_mandate m set state = case state when 'stopping' then 'stopped' else 'lapsed' end
       where id = ${row.id}::uuid and state in ('setup', 'bank', 'stopping')`)
    await endAuth(tx, row)
    await scheduleNext(tx, row.id, claim, undefined)
  })
}

function alarms(
  deps: AutopayDeps,
  { id }: MandateRow,
  {
    open,
    claim,
    contradictions,
  }: { readonly open: ChargeRow | undefined; readonly claim: Claim; readonly contradictions: readonly Contradiction[] },
  { mandate, open: told }: Answered,
): void {
  if (mandate.status === 'UNKNOWN')
    deps.alarm({ mandateId: id, status: mandate.word.slice(0, 100) }, 'the gateway names a status of a mandate that we do not know')
  for (const contradiction of contradictions)
    deps.alarm({ mandateId: id, ...contradiction }, 'the gateway contradicts us about a debit that was paid')
  const isOpen = told !== undefined && told !== 'unknown' && (told.state === 'initialized' || told.state === 'pending')
  if (open !== undefined && isOpen && isLateCharge(open.day, claim.nowMs))
    deps.alarm({ mandateId: id, orderId: open.orderId, day: open.day }, 'a debit has no end five days after its day')
}
