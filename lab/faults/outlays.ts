/**
 * The part of the load that pays help out: disbursements, their corrections, and platform entries.
 * - Each try has a bill of its own, which names it in the journal and in the books.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type Db, sql } from '@roz/server/db/sql.ts'
import type { Operations } from './operations.ts'
import type { Operation, OperationKind } from './journal.ts'
import type { Dice } from './random.ts'

/** Each bill is used by one try: more than a run makes. */
const RECEIPTS = 4000
const KINDS = {
  disburse: { path: '/api/admin/disbursements', answer: 'disbursement', transfer: 'disbursement' },
  'help-back': { path: '/api/admin/disbursements', answer: 'disbursement', transfer: 'disbursement_back' },
  'platform-out': { path: '/api/admin/house-entries', answer: 'entry', transfer: 'platform_out' },
  'tax-remitted': { path: '/api/admin/house-entries', answer: 'entry', transfer: 'tds_remitted' },
  'losses-covered': { path: '/api/admin/house-entries', answer: 'entry', transfer: 'losses_covered' },
} as const
type OutlayKind = keyof typeof KINDS
const HOUSE = ['platform-out', 'tax-remitted', 'losses-covered'] as const satisfies readonly OutlayKind[]
/** Settings of the servers: prizes withhold tax, and no amount of the load needs a second person. */
export const TAXED = { TDS_PERCENT: '30', APPROVAL_ABOVE: '100000' } as const
/** Expected refusals: too little money, another client was first, or a retry without its key meets its own first try. */
const LATE = new Set(['insufficient_funds', 'correction_too_large', 'receipt_used'])

export type Desk = { readonly beneficiaryId: string; readonly receipts: string[] }

/** Makes a beneficiary with consent and the kept bills. `by` is a member's number. */
export async function makeDesk(db: Db, by: string): Promise<Desk> {
  const beneficiaryId = randomUUID()
  await db.query(sql`
    insert into beneficiary (id, public_name, consent_how, consented_on, created_by)
    values (${beneficiaryId}::uuid, 'Meera', 'written', '2026-01-01', ${by}::bigint)`)
  const hashes = Array.from({ length: RECEIPTS }, (_, n) => createHash('sha256').update(`${beneficiaryId} ${n}`).digest())
  await db.query(sql`
    insert into receipt (hash, file, bytes, width, height, uploaded_by)
    select hash, encode(hash, 'hex') || '.webp', 1, 1, 1, ${by}::bigint from unnest(${hashes}::bytea[]) hash`)
  return { beneficiaryId, receipts: hashes.map((hash) => hash.toString('hex')) }
}

type OutlayDeps = {
  readonly operations: Operations
  readonly dice: Dice
  readonly desk: Desk
  readonly signIn: (person: 0 | 1) => Promise<string>
  readonly signOut: (person: 0 | 1) => void
  readonly complain: (complaint: string) => void
}

export function createOutlays({ operations, dice, desk, signIn, signOut, complain }: OutlayDeps) {
  const { operation, ok, field } = operations
  /** Booked disbursements that may still be corrected. */
  const booked: string[] = []

  async function ask(kind: OutlayKind, under: string, more: object): Promise<void> {
    const subject = desk.receipts.pop()
    if (subject === undefined) return
    const { path, answer } = KINDS[kind]
    const paise = 1 + dice.below(kind === 'disburse' ? 90 : 30)
    // The payer does not take the money back alone.
    const by = kind === 'help-back' ? 1 : 0
    const body = { amount: paise / 100, purpose: 'School shoes', receipts: [subject], ...more }
    const { reply, effect } = await operation(
      { kind, memberId: '0', paise, subject },
      { path: `${path}${under}`, token: await signIn(by), key: randomUUID(), body },
      (told) => (ok(told) ? field(told.body[answer], 'id') : undefined),
    )
    if (effect !== undefined) {
      if (kind === 'disburse') booked.push(effect)
      return
    }
    if (reply.status === 401 || reply.body.code === 'step_up_required') return signOut(by)
    if (!LATE.has(String(reply.body.code))) complain(`${path}${under} answered ${reply.status} ${JSON.stringify(reply.body)}`)
  }

  return {
    async step(): Promise<void> {
      const chance = dice.between(0, 1)
      const house = dice.pick(HOUSE)
      if (chance < 0.35) return ask(house, '', { kind: KINDS[house].transfer })
      if (chance < 0.55 && booked.length > 0) return ask('help-back', `/${dice.pick(booked)}/correct`, {})
      return ask('disburse', '', { beneficiaryId: desk.beneficiaryId })
    },
  }
}

export type OutlayRow = {
  readonly id: string
  readonly kind: string
  readonly amount: bigint
  readonly receipt: string
  readonly isAsked: boolean
}

export const readOutlays = (db: Db): Promise<OutlayRow[]> =>
  db.query<OutlayRow>(sql`
    select t.ref as id, t.kind, t.amount, encode(e.hash, 'hex') as receipt,
           exists (select from outlay o where o.id::text = t.ref and o.kind = t.kind and o.amount_paise = t.amount and o.status = 'booked') as "isAsked"
      from transfer t left join evidence e on e.kind = t.kind and e.ref = t.ref
     where t.kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')`)

type Told = { readonly operation: Operation; readonly effect: string }
const isOutlay = (kind: OperationKind): kind is OutlayKind => Object.hasOwn(KINDS, kind)

export function outlaysIn(rows: readonly OutlayRow[]): Readonly<Record<OutlayKind, (told: Told) => boolean>> {
  const isThere = ({ operation, effect }: Told): boolean =>
    rows.some(
      ({ id, kind, amount, receipt, isAsked }) =>
        id === effect &&
        isOutlay(operation.kind) &&
        kind === KINDS[operation.kind].transfer &&
        amount === BigInt(operation.paise ?? 0) &&
        receipt === operation.subject &&
        isAsked,
    )
  return { disburse: isThere, 'help-back': isThere, 'platform-out': isThere, 'tax-remitted': isThere, 'losses-covered': isThere }
}

/** Entries without a try, and those whose try was refused. */
export function findUnasked(operations: readonly Operation[], rows: readonly OutlayRow[]): string[] {
  const tried = new Map(operations.flatMap((operation) => (isOutlay(operation.kind) ? [[operation.subject, operation] as const] : [])))
  return rows.flatMap(({ id, kind, receipt }) => {
    const operation = tried.get(receipt)
    if (operation === undefined) return [`${kind} ${id}: nobody asked for it`]
    return operation.refused?.first === true ? [`${kind} ${id} was refused`] : []
  })
}
