/**
 * The outcome of a request: its arrival, and the follow-ups weeks later.
 * - The same records as those of the payment (arrivals.ts, follow-ups.ts), for people who see requests and no payments.
 * - A volunteer records only what is assigned to them, and confirms nothing of a request that they checked: nobody is on both sides.
 * - The payment is locked before the request, as when it is recorded at the payment.
 */
import type { Input } from '@roz/contract/api.ts'
import type { caseCalls } from '@roz/contract/cases.ts'
import { caseNumberOf } from '@roz/core/case-fields.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { lockOutlay } from '../../outlays/outlays.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { isByCode, isOwn, judgeArrival, tryCode, writeArrival } from './arrivals.ts'
import { findCase, isVolunteer, lockCase, maySee, NOT_FOUND, type DeskSession, viewCase } from './case-desk.ts'
import { hasChecked } from './case-help.ts'
import type { CaseDeps } from './deps.ts'
import { storePicture } from './follow-up-pictures.ts'
import { judgeFollowUp, recordFollowUp } from './follow-ups.ts'

type Arrived = Input<(typeof caseCalls)['arriveHelpCase']>['body']
const CASE_STAGE = { ok: false, code: 'case_stage' } as const
type About = {
  readonly params: { readonly number: string }
  readonly body: { readonly version: number }
  readonly session: DeskSession
}

/** The payment of a request that this person may see. */
async function paymentOf(from: Queryable, typed: string, session: DeskSession): Promise<string | undefined> {
  const row = await findCase(from, typed)
  return row === undefined || !maySee(session, row) ? undefined : (row.outlayId ?? undefined)
}

export function caseOutcomeHandlers(deps: CaseDeps): Handlers<'arriveHelpCase' | 'followUpHelpCase' | 'uploadCaseFollowUpPicture'> {
  const { db, secrets } = deps
  const record = async <R extends { readonly ok: false }>(
    { params, body, session }: About,
    work: (tx: Tx, outlayId: string) => Promise<R | undefined>,
  ) =>
    inTransaction(db, async (tx) => {
      const outlayId = await paymentOf(tx, params.number, session)
      const payment = outlayId === undefined ? undefined : await lockOutlay(tx, ['disbursement'], outlayId)
      const row = await lockCase(tx, params.number)
      if (row === undefined || !maySee(session, row)) return NOT_FOUND
      if (row.version !== body.version) return { ok: false, code: 'changed_since_seen' } as const
      if (outlayId === undefined || row.outlayId !== outlayId || payment?.status !== 'booked') return CASE_STAGE
      const refused = await work(tx, outlayId)
      return refused ?? ({ ok: true, value: { case: await viewCase(tx, secrets, row.number, session) } } as const)
    })

  return {
    arriveHelpCase: async (call) => {
      const { body, session, params } = call
      const outlayId = isByCode(body) ? await paymentOf(db, params.number, session) : undefined
      // Only a code of a payment that this person may confirm is a try.
      const isTry = outlayId !== undefined && !(await isOwn(db, outlayId, session.memberId))
      const tried = await tryCode(deps, isTry ? outlayId : undefined, body)
      if (!tried.ok) return tried
      const { isRight } = tried
      return record(call, (tx, id) => arrive(tx, deps, { id, number: params.number, session, said: body, isRight }))
    },
    followUpHelpCase: (call) =>
      record(call, async (tx, id) => {
        const { body, session, params } = call
        if (await isChecker(tx, params.number, session)) return { ok: false, code: 'own_check' } as const
        const refused = await recordFollowUp(tx, secrets, { id, by: session.memberId, said: body })
        return refused?.code === 'disbursement_not_found' ? CASE_STAGE : refused
      }),
    uploadCaseFollowUpPicture: (call) =>
      storePicture(deps, call, async (tx) => {
        const { session, params } = call
        const row = await findCase(tx, params.number)
        if (row === undefined || !maySee(session, row)) return NOT_FOUND
        if (await isChecker(tx, params.number, session)) return { ok: false, code: 'own_check' } as const
        const judged = row.outlayId === null ? CASE_STAGE : await judgeFollowUp(tx, row.outlayId, session.memberId)
        return !judged.ok && judged.code === 'disbursement_not_found' ? CASE_STAGE : judged
      }),
  }
}

type Arriving = {
  readonly id: string
  readonly number: string
  readonly session: DeskSession
  readonly said: Arrived
  readonly isRight: boolean
}

async function arrive(tx: Tx, deps: CaseDeps, { id, number, session, said, isRight }: Arriving) {
  if (said.received && (await isChecker(tx, number, session))) return { ok: false, code: 'own_check' } as const
  const recording = { outlayId: id, by: session.memberId, said, isRight }
  const judged = await judgeArrival(tx, recording)
  if (!judged.ok) return judged.code === 'outlay_final' ? CASE_STAGE : judged
  const { after } = await writeArrival(tx, deps, recording, { last: judged.last, paper: null })
  await logStaff(tx, { actorId: session.memberId, action: 'disbursement.arrive', subject: `outlay:${id}`, after })
  return undefined
}

const isChecker = async (tx: Tx, typed: string, session: DeskSession): Promise<boolean> =>
  isVolunteer(session) &&
  (await tx.one<{ hasChecked: boolean }>(sql`select ${hasChecked(caseNumberOf(typed) ?? '', session.memberId)} as "hasChecked"`)).hasChecked
