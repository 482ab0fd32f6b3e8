/**
 * The gateway's data: maps in memory and a journal of JSON lines that survives `kill -9` of the process.
 *
 * - Each change is written to the journal synchronously, before the call is answered.
 * - A torn last line is dropped. Damage anywhere else stops the start.
 * - A start rewrites the journal and renames it into place, so the file is complete at every moment.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Faults, faultSwitches, NO_FAULTS } from './faults.ts'
import type { Attempt, Beneficiary, Delivery, Dispute, Order, PayoutValidation, Refund, Replay, Transfer } from './model.ts'
import type { Settlement, Simulation } from './settlements/model.ts'
import type { Charge, ChargeRefund, ControlledAttempt, Plan, Subscription } from './subscriptions/model.ts'
import { accountKey, type BankAccount, type BankCheck, type Ifsc, type UpiId } from './verification/model.ts'

type Records = {
  order: Order
  attempt: Attempt
  refund: Refund
  dispute: Dispute
  beneficiary: Beneficiary
  transfer: Transfer
  payoutValidation: PayoutValidation
  plan: Plan
  subscription: Subscription
  charge: Charge
  chargeRefund: ChargeRefund
  controlled: ControlledAttempt
  settlement: Settlement
  simulation: Simulation
  upiId: UpiId
  bankAccount: BankAccount
  ifsc: Ifsc
  /** Checks of any kind: older journals have this word. */
  nameCheck: BankCheck
  delivery: Delivery
  replay: Replay
}
type Kind = keyof Records
type Change = { [K in Kind]: { kind: K; value: Records[K] } }[Kind] | { kind: 'faults'; value: Faults }

/** `key`: the record's own id. `owner`: the record that it is listed under. `cfIds`: numbers of the gateway that may not come again. */
type Table<T> = { readonly key: (value: T) => string; readonly owner?: (value: T) => string; readonly cfIds?: (value: T) => string[] }

const TABLES: { readonly [K in Kind]: Table<Records[K]> } = {
  order: { key: (one) => one.orderId, cfIds: (one) => [one.cfOrderId] },
  attempt: { key: (one) => one.cfPaymentId, owner: (one) => one.orderId, cfIds: (one) => [one.cfPaymentId] },
  refund: { key: (one) => one.refundId, owner: (one) => one.orderId, cfIds: (one) => [one.cfRefundId] },
  dispute: { key: (one) => one.disputeId, owner: (one) => one.orderId, cfIds: (one) => [one.disputeId] },
  beneficiary: { key: (one) => one.beneficiaryId },
  transfer: { key: (one) => one.transferId, cfIds: (one) => [one.cfTransferId] },
  payoutValidation: { key: (one) => one.transferId },
  plan: { key: (one) => one.planId },
  subscription: { key: (one) => one.subscriptionId, cfIds: (one) => [one.cfSubscriptionId] },
  charge: {
    key: (one) => one.cfPaymentId,
    owner: (one) => one.subscriptionId,
    cfIds: (one) => [one.cfPaymentId, one.cfOrderId, one.cfTxnId ?? '0'],
  },
  chargeRefund: { key: (one) => one.refundId, owner: (one) => one.subscriptionId, cfIds: (one) => [one.cfRefundId] },
  controlled: { key: (one) => `${one.kind}:${one.attemptId}`, owner: (one) => one.paymentId, cfIds: (one) => [one.cfId] },
  settlement: { key: (one) => one.settlementId, cfIds: (one) => [one.settlementId] },
  simulation: { key: (one) => one.simulationId },
  upiId: { key: (one) => one.vpa },
  bankAccount: { key: accountKey },
  ifsc: { key: (one) => one.ifsc },
  nameCheck: { key: (one) => one.verificationId, cfIds: (one) => [one.referenceId] },
  delivery: { key: (one) => one.deliveryId, owner: (one) => one.subject },
  replay: { key: (one) => one.key },
}
const KINDS = Object.keys(TABLES) as Kind[]

export type Store = {
  readonly orders: ReadonlyMap<string, Order>
  readonly refunds: ReadonlyMap<string, Refund>
  readonly disputes: ReadonlyMap<string, Dispute>
  readonly beneficiaries: ReadonlyMap<string, Beneficiary>
  readonly transfers: ReadonlyMap<string, Transfer>
  readonly payoutValidations: ReadonlyMap<string, PayoutValidation>
  readonly plans: ReadonlyMap<string, Plan>
  readonly subscriptions: ReadonlyMap<string, Subscription>
  readonly charges: ReadonlyMap<string, Charge>
  readonly chargeRefunds: ReadonlyMap<string, ChargeRefund>
  readonly controlled: ReadonlyMap<string, ControlledAttempt>
  readonly settlements: ReadonlyMap<string, Settlement>
  readonly simulations: ReadonlyMap<string, Simulation>
  readonly upiIds: ReadonlyMap<string, UpiId>
  readonly bankAccounts: ReadonlyMap<string, BankAccount>
  readonly ifscs: ReadonlyMap<string, Ifsc>
  readonly bankChecks: ReadonlyMap<string, BankCheck>
  readonly attempts: ReadonlyMap<string, Attempt>
  readonly deliveries: ReadonlyMap<string, Delivery>
  readonly replays: ReadonlyMap<string, Replay>
  faults(): Faults
  orderBySession(sessionId: string): Order | undefined
  subscriptionBySession(sessionId: string): Subscription | undefined
  /** The payment of a subscription under the shop's own id; the first, if it was debited twice. */
  chargeByPaymentId(paymentId: string): Charge | undefined
  /** Charges that time may still move. */
  openCharges(): Charge[]
  /** Transfers that time will move. */
  scheduledTransfers(): Transfer[]
  attempt(cfPaymentId: string): Attempt | undefined
  /** Oldest first. */
  attemptsOf(orderId: string): Attempt[]
  refundsOf(orderId: string): Refund[]
  disputesOf(orderId: string): Dispute[]
  chargesOf(subscriptionId: string): Charge[]
  chargeRefundsOf(subscriptionId: string): ChargeRefund[]
  controlledOf(paymentId: string): ControlledAttempt[]
  deliveriesOf(subject: string): Delivery[]
  /** Ascending numbers that start at the clock's ms, so a new data folder does not repeat an old one's numbers. */
  nextCfId(): string
  /** Applies the changes atomically, as one line of the journal. */
  put(...changes: Change[]): void
  close(): void
}

const isOpen = ({ status, lateAtMs }: Charge): boolean => status === 'INITIALIZED' || status === 'PENDING' || lateAtMs !== null

export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'gateway.jsonl')
  const maps = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as { [K in Kind]: Map<string, Records[K]> }
  const owned = Object.fromEntries(KINDS.map((kind) => [kind, new Map<string, Set<string>>()])) as Record<Kind, Map<string, Set<string>>>
  const sessions = new Map<string, string>()
  const subscriptionSessions = new Map<string, string>()
  const paymentIds = new Map<string, string>()
  const open = new Set<string>()
  const scheduled = new Set<string>()
  let faults = NO_FAULTS
  let lastCfId = 0

  function remember(change: Change): void {
    if (change.kind === 'faults') {
      faults = change.value
      return
    }
    keep(change.kind, change.value)
    if (change.kind === 'order') sessions.set(change.value.sessionId, change.value.orderId)
    else if (change.kind === 'subscription') subscriptionSessions.set(change.value.sessionId, change.value.subscriptionId)
    else if (change.kind === 'charge') {
      const { paymentId, cfPaymentId } = change.value
      if (!paymentIds.has(paymentId)) paymentIds.set(paymentId, cfPaymentId)
      if (isOpen(change.value)) open.add(cfPaymentId)
      else open.delete(cfPaymentId)
    } else if (change.kind === 'transfer') {
      const { transferId, later } = change.value
      if (later === undefined) scheduled.delete(transferId)
      else scheduled.add(transferId)
    }
  }

  function keep<K extends Kind>(kind: K, value: Records[K]): void {
    const { key, owner, cfIds } = TABLES[kind]
    maps[kind].set(key(value), value)
    if (owner !== undefined) addTo(owned[kind], owner(value), key(value))
    for (const cfId of cfIds?.(value) ?? []) lastCfId = Math.max(lastCfId, Number(cfId))
  }

  const listed = <K extends Kind>(kind: K, owner: string): Records[K][] =>
    [...(owned[kind].get(owner) ?? [])].map((id) => maps[kind].get(id) as Records[K])

  for (const change of readJournal(path)) remember(change)
  const all = KINDS.flatMap((kind) => [...maps[kind].values()].map((value) => ({ kind, value }) as Change))
  rewrite(path, [...all, { kind: 'faults', value: faults }])
  const file = openSync(path, 'a', 0o600)

  return {
    orders: maps.order,
    refunds: maps.refund,
    disputes: maps.dispute,
    beneficiaries: maps.beneficiary,
    transfers: maps.transfer,
    payoutValidations: maps.payoutValidation,
    plans: maps.plan,
    subscriptions: maps.subscription,
    charges: maps.charge,
    chargeRefunds: maps.chargeRefund,
    controlled: maps.controlled,
    settlements: maps.settlement,
    simulations: maps.simulation,
    upiIds: maps.upiId,
    bankAccounts: maps.bankAccount,
    ifscs: maps.ifsc,
    bankChecks: maps.nameCheck,
    attempts: maps.attempt,
    deliveries: maps.delivery,
    replays: maps.replay,
    faults: () => faults,
    orderBySession: (sessionId) => maps.order.get(sessions.get(sessionId) ?? ''),
    subscriptionBySession: (sessionId) => maps.subscription.get(subscriptionSessions.get(sessionId) ?? ''),
    chargeByPaymentId: (paymentId) => maps.charge.get(paymentIds.get(paymentId) ?? ''),
    openCharges: () => [...open].map((id) => maps.charge.get(id) as Charge),
    scheduledTransfers: () => [...scheduled].map((id) => maps.transfer.get(id) as Transfer),
    attempt: (cfPaymentId) => maps.attempt.get(cfPaymentId),
    attemptsOf: (orderId) => listed('attempt', orderId),
    refundsOf: (orderId) => listed('refund', orderId),
    disputesOf: (orderId) => listed('dispute', orderId),
    chargesOf: (subscriptionId) => listed('charge', subscriptionId),
    chargeRefundsOf: (subscriptionId) => listed('chargeRefund', subscriptionId),
    controlledOf: (paymentId) => listed('controlled', paymentId),
    deliveriesOf: (subject) => listed('delivery', subject),
    nextCfId() {
      lastCfId = Math.max(lastCfId + 1, Date.now())
      return String(lastCfId)
    },
    put(...changes) {
      writeAll(file, `${JSON.stringify(changes)}\n`)
      for (const change of changes) remember(change)
    },
    close: () => closeSync(file),
  }
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key)
  if (ids === undefined) index.set(key, new Set([id]))
  else ids.add(id)
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}

function rewrite(path: string, changes: readonly Change[]): void {
  const fresh = `${path}.${process.pid}.new`
  writeFileSync(fresh, changes.map((change) => `${JSON.stringify([change])}\n`).join(''), { mode: 0o600, flush: true })
  renameSync(fresh, path)
}

function readJournal(path: string): Change[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const read: Change[] = []
  lines.forEach((text, index) => {
    if (text === '') return
    try {
      read.push(...asChanges(JSON.parse(text)))
    } catch (cause) {
      // A crash can tear only the last line. A bad line before it is damage: do not start.
      if (index < lines.length - 1) throw new Error(`${path}: line ${index + 1} cannot be read`, { cause })
    }
  })
  return read
}

function asChanges(line: unknown): Change[] {
  if (!Array.isArray(line)) throw new Error('not a list of changes')
  return line.map((value: unknown) => {
    if (typeof value !== 'object' || value === null || !('kind' in value) || !isKind(value.kind)) throw new Error('unknown change')
    const change = value as Change
    if (change.kind === 'faults') return { kind: 'faults', value: faultSwitches.parse(change.value) }
    return change.kind === 'delivery' ? { kind: 'delivery', value: withSubject(change.value) } : change
  })
}

/** Reads deliveries of old journals, which name an order and no subject: they were written before payouts existed. */
function withSubject(delivery: Delivery | (Omit<Delivery, 'subject' | 'channel'> & { readonly orderId: string })): Delivery {
  if ('subject' in delivery) return delivery
  const { orderId, ...rest } = delivery
  return { ...rest, channel: 'pg', subject: `order:${orderId}` }
}

const isKind = (kind: unknown): boolean => kind === 'faults' || (typeof kind === 'string' && Object.hasOwn(TABLES, kind))
