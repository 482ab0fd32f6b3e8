/**
 * Conflicts: the gateway paid a withdrawal or refund whose amount the member already has back. LOSSES bears the amount until it returns.
 * - The loss is booked once, however often the gateway repeats its status.
 * - A second loss of the same withdrawal or refund has a numbered ref: `id`, `id#2`, ….
 */
import type { Paise } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { lockReversed } from './suspense.ts'
import { moveSystem } from './transfer.ts'

type Conflict = {
  /** The withdrawal or refund, whose row this transaction has locked. */
  readonly id: string
  readonly amount: Paise
  readonly out: 'wd_conflict' | 'refund_conflict'
  /** The account that the money leaves and returns to. */
  readonly asset: 'BANK' | 'GATEWAY'
  /** The gateway's new status: sent, or not sent. */
  readonly isOut: boolean
}

/** Books the gateway's new status. Undefined: the books show this status already. */
export async function moveConflict(tx: Tx, { id, amount, out, asset, isOut }: Conflict): Promise<'conflict' | 'conflict_back' | undefined> {
  const back = `${out}_back` as const
  await lockReversed(tx, id)
  const { lost, times } = await tx.one<{ lost: boolean; times: number }>(sql`
    select count(*) filter (where kind = ${out}::text) > count(*) filter (where kind = ${back}::text) as lost,
               count(*) filter (where kind = ${out}::text)::int as times
          from transfer where kind in (${out}::text, ${back}::text) and subject_of(ref) = ${id}::text`)
  if (isOut === lost) return undefined
  const nth = lost ? times : times + 1
  const ref = nth === 1 ? id : `${id}#${nth}`
  const [LOSSES, ASSET] = [ACCOUNTS.LOSSES, ACCOUNTS[asset]]
  const sides = lost ? ({ kind: back, debit: ASSET, credit: LOSSES } as const) : ({ kind: out, debit: LOSSES, credit: ASSET } as const)
  if (!(await moveSystem(tx, { ...sides, ref, amount }))) throw new Error(`${sides.kind} ${ref} is booked already`)
  return lost ? 'conflict_back' : 'conflict'
}
