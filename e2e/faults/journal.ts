/**
 * What the clients tried and what they were told, in a file of JSON lines. Invariants: a try is in the
 * file before its first byte leaves; an acknowledgement is on the disk before the client goes on, so
 * what the file calls acknowledged was acknowledged, whatever happens to server and database after.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * `payment` is the payer's, at the gateway, and `credit` its arrival in the wallet; `strange` is the
 * payment of an order that is none of ours, an `item` what becomes of it; a `dispute` is raised at the
 * payer's bank. `approve` and `reject` decide withdrawals.
 */
export type DeedKind =
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

export type Tried = {
  readonly line: 'tried'
  readonly id: number
  readonly kind: DeedKind
  readonly memberId: string
  readonly key?: string
  readonly paise?: number
  /** What it is about: an order, a withdrawal. */
  readonly subject?: string
}
/** `effect` names what stands now: the day of a join, the order, the withdrawal. */
export type Told = { readonly line: 'told'; readonly id: number; readonly effect: string }
/** `first`: no try before this answer was lost on its way. */
export type Refused = { readonly line: 'refused'; readonly id: number; readonly code: string; readonly first: boolean }

export type Deed = Tried & {
  /** More than one where a repeated key was answered differently. */
  readonly effects: readonly string[]
  readonly refused: Refused | undefined
}

export type Journal = ReturnType<typeof openJournal>

export function openJournal(file: string) {
  const handle = openSync(file, 'a', 0o600)
  const write = (line: Tried | Told | Refused): void => void writeSync(handle, `${JSON.stringify(line)}\n`)
  let ids = 0
  let acknowledged = 0
  const kinds = new Map<number, DeedKind>()
  const counts = new Map<DeedKind, number>()
  return {
    tried(deed: Omit<Tried, 'line' | 'id'>): number {
      const id = ++ids
      kinds.set(id, deed.kind)
      write({ line: 'tried', id, ...deed })
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
    /** Acknowledgements by what they were. */
    counts: (): ReadonlyMap<DeedKind, number> => counts,
    read: (): Deed[] => readDeeds(readFileSync(file, 'utf8')),
    close: (): void => closeSync(handle),
  }
}

function readDeeds(text: string): Deed[] {
  const deeds = new Map<number, Tried & { effects: string[]; refused: Refused | undefined }>()
  for (const one of text.split('\n')) {
    if (one === '') continue
    const line = JSON.parse(one) as Tried | Told | Refused
    if (line.line === 'tried') {
      deeds.set(line.id, { ...line, effects: [], refused: undefined })
      continue
    }
    const deed = deeds.get(line.id)
    if (deed === undefined) throw new Error(`the journal answers ${line.id}, which it never tried`)
    if (line.line === 'refused') deed.refused = line
    else if (!deed.effects.includes(line.effect)) deed.effects.push(line.effect)
  }
  return [...deeds.values()]
}
