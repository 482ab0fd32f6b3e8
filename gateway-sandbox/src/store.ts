/**
 * The gateway's memory: maps, and a journal in JSON lines that survives `kill -9` of the process.
 * Invariants: a change is in the file before its caller goes on (written synchronously, so what was
 * answered was recorded); a torn last line is dropped; a start rewrites the journal by rename, so
 * the file is whole at every moment. A real gateway outlives the shop's crashes: so must this one.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Faults, faultSwitches, NO_FAULTS } from './faults.ts'
import type { Attempt, Delivery, Order, Replay } from './model.ts'

type Change =
  | { kind: 'order'; value: Order }
  | { kind: 'attempt'; value: Attempt }
  | { kind: 'delivery'; value: Delivery }
  | { kind: 'replay'; value: Replay }
  | { kind: 'faults'; value: Faults }

const KINDS: ReadonlySet<string> = new Set(['order', 'attempt', 'delivery', 'replay', 'faults'] satisfies Change['kind'][])

export type Store = {
  readonly orders: ReadonlyMap<string, Order>
  readonly deliveries: ReadonlyMap<string, Delivery>
  readonly replays: ReadonlyMap<string, Replay>
  faults(): Faults
  orderBySession(sessionId: string): Order | undefined
  attempt(cfPaymentId: string): Attempt | undefined
  /** Oldest first. */
  attemptsOf(orderId: string): Attempt[]
  deliveriesOf(orderId: string): Delivery[]
  /** Rising, numeric, and not given out before by another data folder either. */
  nextCfId(): string
  /** Changes that stand or fall together: one line of the journal. */
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
  const deliveries = new Map<string, Delivery>()
  const deliveryIds = new Map<string, Set<string>>()
  const replays = new Map<string, Replay>()
  let faults = NO_FAULTS
  let lastCfId = 0

  function remember(change: Change): void {
    if (change.kind === 'order') {
      orders.set(change.value.orderId, change.value)
      sessions.set(change.value.sessionId, change.value.orderId)
      lastCfId = Math.max(lastCfId, Number(change.value.cfOrderId))
    } else if (change.kind === 'attempt') {
      attempts.set(change.value.cfPaymentId, change.value)
      addTo(attemptIds, change.value.orderId, change.value.cfPaymentId)
      lastCfId = Math.max(lastCfId, Number(change.value.cfPaymentId))
    } else if (change.kind === 'delivery') {
      deliveries.set(change.value.deliveryId, change.value)
      addTo(deliveryIds, change.value.orderId, change.value.deliveryId)
    } else if (change.kind === 'replay') replays.set(change.value.key, change.value)
    else faults = change.value
  }

  for (const change of readJournal(path)) remember(change)
  rewrite(path, [
    ...[...orders.values()].map((value) => ({ kind: 'order', value }) as const),
    ...[...attempts.values()].map((value) => ({ kind: 'attempt', value }) as const),
    ...[...deliveries.values()].map((value) => ({ kind: 'delivery', value }) as const),
    ...[...replays.values()].map((value) => ({ kind: 'replay', value }) as const),
    { kind: 'faults', value: faults },
  ])
  const file = openSync(path, 'a', 0o600)

  return {
    orders,
    deliveries,
    replays,
    faults: () => faults,
    orderBySession: (sessionId) => orders.get(sessions.get(sessionId) ?? ''),
    attempt: (cfPaymentId) => attempts.get(cfPaymentId),
    attemptsOf: (orderId) => [...(attemptIds.get(orderId) ?? [])].map((id) => attempts.get(id) as Attempt),
    deliveriesOf: (orderId) => [...(deliveryIds.get(orderId) ?? [])].map((id) => deliveries.get(id) as Delivery),
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
      // Only the very end can be torn by a crash; anything before it is damage that nobody should overlook.
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
    return change.kind === 'faults' ? { kind: 'faults', value: faultSwitches.parse(change.value) } : change
  })
}
