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
import type { Attempt, Beneficiary, Delivery, Dispute, Order, Refund, Replay, Transfer } from './model.ts'

type Change =
  | { kind: 'order'; value: Order }
  | { kind: 'attempt'; value: Attempt }
  | { kind: 'refund'; value: Refund }
  | { kind: 'dispute'; value: Dispute }
  | { kind: 'beneficiary'; value: Beneficiary }
  | { kind: 'transfer'; value: Transfer }
  | { kind: 'delivery'; value: Delivery }
  | { kind: 'replay'; value: Replay }
  | { kind: 'faults'; value: Faults }

const KINDS: ReadonlySet<string> = new Set([
  'order',
  'attempt',
  'refund',
  'dispute',
  'beneficiary',
  'transfer',
  'delivery',
  'replay',
  'faults',
] satisfies Change['kind'][])

export type Store = {
  readonly orders: ReadonlyMap<string, Order>
  readonly refunds: ReadonlyMap<string, Refund>
  readonly disputes: ReadonlyMap<string, Dispute>
  readonly beneficiaries: ReadonlyMap<string, Beneficiary>
  readonly transfers: ReadonlyMap<string, Transfer>
  readonly deliveries: ReadonlyMap<string, Delivery>
  readonly replays: ReadonlyMap<string, Replay>
  faults(): Faults
  orderBySession(sessionId: string): Order | undefined
  attempt(cfPaymentId: string): Attempt | undefined
  /** Oldest first. */
  attemptsOf(orderId: string): Attempt[]
  refundsOf(orderId: string): Refund[]
  disputesOf(orderId: string): Dispute[]
  deliveriesOf(subject: string): Delivery[]
  /** Ascending numbers that start at the clock's ms, so a new data folder does not repeat those of an old one. */
  nextCfId(): string
  /** Applies the changes atomically, as one line of the journal. */
  put(...changes: Change[]): void
  close(): void
}

export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'gateway.jsonl')
  const orders = new Map<string, Order>()
  const sessions = new Map<string, string>()
  const attempts = new Map<string, Attempt>()
  const attemptIds = new Map<string, Set<string>>()
  const refunds = new Map<string, Refund>()
  const refundIds = new Map<string, Set<string>>()
  const disputes = new Map<string, Dispute>()
  const beneficiaries = new Map<string, Beneficiary>()
  const transfers = new Map<string, Transfer>()
  const deliveries = new Map<string, Delivery>()
  const deliveryIds = new Map<string, Set<string>>()
  const replays = new Map<string, Replay>()
  let faults = NO_FAULTS
  let lastCfId = 0

  const seen = (cfId: string): void => {
    lastCfId = Math.max(lastCfId, Number(cfId))
  }

  function remember(change: Change): void {
    const { kind, value } = change
    if (kind === 'order') {
      orders.set(value.orderId, value)
      sessions.set(value.sessionId, value.orderId)
      seen(value.cfOrderId)
    } else if (kind === 'attempt') {
      attempts.set(value.cfPaymentId, value)
      addTo(attemptIds, value.orderId, value.cfPaymentId)
      seen(value.cfPaymentId)
    } else if (kind === 'refund') {
      refunds.set(value.refundId, value)
      addTo(refundIds, value.orderId, value.refundId)
      seen(value.cfRefundId)
    } else if (kind === 'dispute') {
      disputes.set(value.disputeId, value)
      seen(value.disputeId)
    } else if (kind === 'transfer') {
      transfers.set(value.transferId, value)
      seen(value.cfTransferId)
    } else if (kind === 'delivery') {
      deliveries.set(value.deliveryId, value)
      addTo(deliveryIds, value.subject, value.deliveryId)
    } else if (kind === 'beneficiary') beneficiaries.set(value.beneficiaryId, value)
    else if (kind === 'replay') replays.set(value.key, value)
    else faults = value
  }

  for (const change of readJournal(path)) remember(change)
  rewrite(path, [
    ...[...orders.values()].map((value) => ({ kind: 'order', value }) as const),
    ...[...attempts.values()].map((value) => ({ kind: 'attempt', value }) as const),
    ...[...refunds.values()].map((value) => ({ kind: 'refund', value }) as const),
    ...[...disputes.values()].map((value) => ({ kind: 'dispute', value }) as const),
    ...[...beneficiaries.values()].map((value) => ({ kind: 'beneficiary', value }) as const),
    ...[...transfers.values()].map((value) => ({ kind: 'transfer', value }) as const),
    ...[...deliveries.values()].map((value) => ({ kind: 'delivery', value }) as const),
    ...[...replays.values()].map((value) => ({ kind: 'replay', value }) as const),
    { kind: 'faults', value: faults },
  ])
  const file = openSync(path, 'a', 0o600)

  return {
    orders,
    refunds,
    disputes,
    beneficiaries,
    transfers,
    deliveries,
    replays,
    faults: () => faults,
    orderBySession: (sessionId) => orders.get(sessions.get(sessionId) ?? ''),
    attempt: (cfPaymentId) => attempts.get(cfPaymentId),
    attemptsOf: (orderId) => [...(attemptIds.get(orderId) ?? [])].map((id) => attempts.get(id) as Attempt),
    refundsOf: (orderId) => [...(refundIds.get(orderId) ?? [])].map((id) => refunds.get(id) as Refund),
    disputesOf: (orderId) => [...disputes.values()].filter((dispute) => dispute.orderId === orderId),
    deliveriesOf: (subject) => [...(deliveryIds.get(subject) ?? [])].map((id) => deliveries.get(id) as Delivery),
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
    if (typeof value !== 'object' || value === null || !('kind' in value) || !KINDS.has(String(value.kind)))
      throw new Error('unknown change')
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
