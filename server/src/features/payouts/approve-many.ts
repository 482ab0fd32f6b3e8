/**
 * Approves several rows with one confirmation.
 * - Each row is a decision of its own: its transaction, its line in the staff log, judged on the state that the administrator saw.
 * - The answer gives the result of each row, even if one of them fails.
 * - The same Idempotency-Key gets the same answer; after a lost connection the rows that were decided keep their first answers.
 */
import { createHash } from 'node:crypto'
import type { approvedRow } from '@roz/contract/desk.ts'
import type { Language } from '@roz/core/language.ts'
import { filled, REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import type { z } from 'zod'
import type { Idempotency } from '../../http/idempotency.ts'
import { invalid, type Refusal } from '../../http/route.ts'
import type { Deciding } from '../../staff/decision.ts'
import type { PayoutsDeps } from './deps.ts'

type Row = { readonly id: string; readonly status: string; readonly seen?: string | undefined }
type ApprovedRow = z.infer<typeof approvedRow>
type Batch = Pick<Deciding, 'session' | 'idempotencyKey'> & {
  readonly language: Language
  readonly body: { readonly rows: readonly Row[] }
}
type Many = {
  /** The call's name. */
  readonly route: string
  /** Decides about one row; answers with its new state. */
  readonly decide: (call: Deciding) => Promise<{ readonly ok: true; readonly status: string } | Refusal<RefusalCode>>
}

export async function approveMany(
  { warn }: Pick<PayoutsDeps, 'warn'>,
  idempotency: Idempotency,
  { session, idempotencyKey: key, language, body: { rows } }: Batch,
  { route, decide }: Many,
): Promise<{ readonly ok: true; readonly value: { results: ApprovedRow[] } } | Refusal<'invalid_input' | 'idempotency_mismatch'>> {
  if (new Set(rows.map(({ id }) => id)).size < rows.length) return invalid({ rows: 'choice_invalid' })
  const decideRow = async ({ id, status, seen }: Row): Promise<ApprovedRow> => {
    const rowKey = key === undefined ? undefined : createHash('sha256').update(`${key} ${id}`).digest('hex')
    try {
      const decided = await decide({ session, params: { id }, idempotencyKey: rowKey, body: { status, seen } })
      if (decided.ok) return { id, status: decided.status, code: null, message: null }
      return { id, status: null, code: decided.code, message: filled(REFUSALS[decided.code][language], decided.values) }
    } catch (error) {
      warn({ err: error, id }, 'a row of several approvals failed')
      return { id, status: null, code: 'internal', message: REFUSALS.internal[language] }
    }
  }
  return idempotency.onceInSteps({ memberId: session.memberId, key, route, body: rows }, async () => {
    const results: ApprovedRow[] = []
    for (const row of rows) results.push(await decideRow(row))
    return { ok: true, value: { results } }
  })
}
