/**
 * The journal of tries and answers, a file of JSON lines.
 * - A try is in the file before its first byte leaves.
 * - An answer is on disk before the client continues, so the file's acknowledgements are true whatever happens to server and database.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * The kinds of operations.
 * - `payment` is the payer's at the gateway, `credit` its arrival in the wallet.
 * - `strange` is a payment for an order that is not ours; an `item` decision says what becomes of it.
 * - `disburse`, `help-back`, `platform-out`, `tax-remitted` and `losses-covered` pay by decision; the subject is the bill.
 * - A `dispute` is raised at the payer's bank. `approve` and `reject` decide withdrawals.
 * - The `autopay-` kinds are a member's wishes about a mandate. A `debit` is a payment that a payer's bank made for one.
 */
export type OperationKind =
  | 'join'
  | 'topup'
  | 'payment'
  | 'credit'
  | 'withdraw'
  | 'approve'
  | 'reject'
  | 'refund'
  | 'refund-approve'
  | 'refund-reject'
  | 'strange'
  | 'item-credit'
  | 'item-refund'
  | 'dispute'
  | 'disburse'
  | 'help-back'
  | 'platform-out'
  | 'tax-remitted'
  | 'losses-covered'
  | 'autopay-resume'
  | 'autopay-pause'
  | 'autopay-stop'
  | 'debit'

/** Paid at the gateway, for an order of ours. */
export const isPayment = (kind: OperationKind): boolean => kind === 'payment' || kind === 'debit'

type Tried = {
  readonly line: 'tried'
  readonly id: number
  readonly kind: OperationKind
  readonly memberId: string
  readonly key?: string
  readonly paise?: number
  /** The subject's id: of an order, of a withdrawal. */
  readonly subject?: string
}
/** `effect` identifies the effect: the day of a join, the order, the withdrawal. */
type Told = { readonly line: 'told'; readonly id: number; readonly effect: string }
/** `first`: no earlier try lost its answer. */
type Refused = { readonly line: 'refused'; readonly id: number; readonly code: string; readonly first: boolean }

export type Operation = Tried & {
  /** More than one if a repeated key was answered differently. */
  readonly effects: readonly string[]
  readonly refused: Refused | undefined
}

export type Journal = ReturnType<typeof openJournal>

export function openJournal(file: string) {
  const handle = openSync(file, 'a', 0o600)
  const write = (line: Tried | Told | Refused): void => void writeSync(handle, `${JSON.stringify(line)}\n`)
  let ids = 0
  let acknowledged = 0
  const kinds = new Map<number, OperationKind>()
  const counts = new Map<OperationKind, number>()
  return {
    tried(operation: Omit<Tried, 'line' | 'id'>): number {
      const id = ++ids
      kinds.set(id, operation.kind)
      write({ line: 'tried', id, ...operation })
      return id
    },
    told(id: number, effect: string): void {
      write({ line: 'told', id, effect })
      fdatasyncSync(handle)
      acknowledged++
      const kind = kinds.get(id)
      if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    },
    refused(id: number, code: string, first: boolean): void {
      write({ line: 'refused', id, code, first })
    },
    acknowledged: (): number => acknowledged,
    /** Acknowledgements by kind. */
    counts: (): ReadonlyMap<OperationKind, number> => counts,
    read: (): Operation[] => readOperations(readFileSync(file, 'utf8')),
    close: (): void => closeSync(handle),
  }
}

function readOperations(text: string): Operation[] {
  const operations = new Map<number, Tried & { effects: string[]; refused: Refused | undefined }>()
  for (const one of text.split('\n')) {
    if (one === '') continue
    const line = JSON.parse(one) as Tried | Told | Refused
    if (line.line === 'tried') {
      operations.set(line.id, { ...line, effects: [], refused: undefined })
      continue
    }
    const operation = operations.get(line.id)
    if (operation === undefined) throw new Error(`the journal has an answer for ${line.id}, but no try`)
    if (line.line === 'refused') operation.refused = line
    else if (!operation.effects.includes(line.effect)) operation.effects.push(line.effect)
  }
  return [...operations.values()]
}
