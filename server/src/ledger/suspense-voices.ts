/**
 * How many persons a decision about an item of SUSPENSE needs.
 * - To credit the item to its owner, or to pay the owner of a closed account, one person is enough up to the limit.
 * - To credit it to anybody else needs two, whatever the amount.
 * - The first voice names the member or the bank's reference. The second one must name the same; another one is a first voice again.
 */
import { type Outcome, accepted } from '@roz/core/outcome.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { type Approver, judgeApprover, recordAlone } from './approvals.ts'
import { ITEM_OWNER } from './holds.ts'
import type { Paise } from '@roz/core/money.ts'

type SuspenseAct = { readonly act: 'credit'; readonly memberId: bigint } | { readonly act: 'pay'; readonly reference: string }
type Voice = { readonly itemId: bigint; readonly approver: Approver } & SuspenseAct

/** The item's state for administrators: open with a first voice is a state of its own. */
export const seenItemStatus = (row: Sql): Sql =>
  sql`case when ${row}.status = 'open' and ${row}.first_by is not null then 'awaiting_second' else ${row}.status end`

/**
 * Judges and records the voice about an item that the caller has locked and found open.
 * - `first`: it is recorded, and nothing moves. `final`: the caller books it in this transaction.
 */
export async function giveVoice(tx: Tx, voice: Voice): Promise<Outcome<'first' | 'final', ApprovalRefusal>> {
  const { itemId, approver } = voice
  const { by } = approver
  const memberId = voice.act === 'credit' ? voice.memberId : null
  const reference = voice.act === 'pay' ? voice.reference : null
  const item = await tx.one<{ amount: Paise; owner: bigint | null; firstBy: bigint | null }>(sql`select s.amount, ${ITEM_OWNER} as owner,
          case when s.first_act = ${voice.act}::text and s.first_member is not distinct from ${memberId}::bigint
                and s.first_reference is not distinct from ${reference}::text then s.first_by end as "firstBy"
          from suspense_item s where s.id = ${itemId}::bigint`)
  const judged = await judgeApprover(tx, approver, {
    amount: item.amount,
    owner: memberId ?? item.owner,
    firstApprovedBy: item.firstBy,
    needsTwo: voice.act === 'credit' && memberId !== item.owner,
  })
  if (!judged.ok) return judged
  if (judged.value === 'alone')
    await recordAlone(tx, { by, kind: `suspense_${voice.act}`, subject: itemId.toString(), amount: item.amount })
  if (judged.value === 'first')
    await tx.query(sql`
      update suspense_item set first_by = ${by}::bigint, first_at = roz_now(), first_act = ${voice.act}::text,
        first_member = ${memberId}::bigint, first_reference = ${reference}::text where id = ${itemId}::bigint`)
  return accepted(judged.value === 'first' ? 'first' : 'final')
}
