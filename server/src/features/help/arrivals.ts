/**
 * Whether help arrived: somebody other than the payer asks the receiver, and records the answer.
 * - The newest record counts, so that a wrong one is corrected by another. Two records at once: the second is refused.
 * - The payer hands four digits over with the help. They are an HMAC of the payment's id, so nothing stores them, and no log has them.
 * - Five wrong codes a day are allowed for a payment. The payer, who may not confirm, takes none of them. All valid codes are compared, in constant time.
 * - Help that did not arrive is on the to-do list and in the alarms until it arrives or its money came back. All owners get a mail
 *   of both.
 * - The end of the consent deletes the receiver's words and the signed paper: beneficiaries.ts.
 * - The books do not change.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Input } from '@roz/contract/api.ts'
import type { disbursementCalls } from '@roz/contract/disbursements.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { IS_GIVEN } from '../../ledger/arrivals.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { arrivalCodes, take } from '../../protection/limits.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { lockOutlay } from '../../outlays/outlays.ts'
import { decideAbout, type Effect } from '../../staff/decision.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { recordStep } from './cases.ts'
import type { HelpDeps } from './deps.ts'
import { viewDisbursement } from './disbursement-view.ts'

type Calls = typeof disbursementCalls
type Said = Pick<Input<Calls['recordArrival']>['body'], 'received' | 'how' | 'on' | 'code' | 'paper' | 'reason'>
type Refused =
  | 'disbursement_not_found'
  | 'outlay_final'
  | 'own_arrival'
  | 'arrival_recorded'
  | 'receipt_not_found'
  | 'receipt_used'
  | 'invalid_input'
const KINDS = ['disbursement'] as const

/** The codes of a payment: by the present key, and by the old one while a key is being replaced. */
const codesOf = (secrets: Secrets, id: string): readonly string[] =>
  secrets.fingerprints(Buffer.from(id), 'arrival_code').map((mac) => String(mac.readUIntBE(0, 6) % 10_000).padStart(4, '0'))
const isCode = (secrets: Secrets, id: string, told: string): boolean =>
  codesOf(secrets, id)
    .map((code) => timingSafeEqual(Buffer.from(code), Buffer.from(told)))
    .includes(true)

export function arrivalHandlers(deps: HelpDeps, idempotency: Idempotency): Handlers<'recordArrival' | 'arrivalCode'> {
  const { db, secrets } = deps
  return {
    recordArrival: async (call) => {
      const { id } = call.params
      const { body, session } = call
      if (isByCode(body) && (await isOwn(db, id, session.memberId))) return { ok: false, code: 'own_arrival' }
      const tried = await tryCode(deps, id, body)
      if (!tried.ok) return tried
      const { isRight } = tried
      return decideAbout(idempotency, {
        name: 'disbursement',
        kind: 'outlay',
        notFound: 'disbursement_not_found',
        lock: (tx, locked) => lockOutlay(tx, KINDS, locked),
        show: viewDisbursement,
      })<Refused>('arrive', call, async (tx, outlayId, status) =>
        status === 'booked'
          ? record(tx, deps, { outlayId, by: session.memberId, said: body, isRight })
          : { ok: false, code: 'outlay_final' },
      )
    },
    arrivalCode: ({ params: { id }, session }) =>
      inTransaction(db, async (tx) => {
        const found = CURSOR_PARTS.uuid(id)
          ? await tx.maybeOne<{ outlayId: string; isPayer: boolean; isReceived: boolean }>(sql`
            select o.id as "outlayId", is_same_person(o.asked_by, ${session.memberId}::bigint) or is_same_person(o.decided_by, ${session.memberId}::bigint) as "isPayer",
                    coalesce((select a.received from arrival a where a.outlay_id = o.id order by a.id desc limit 1), false) as "isReceived"
                    from outlay o where o.id = ${id}::uuid and o.kind = 'disbursement' and o.status = 'booked'`)
          : undefined
        if (found === undefined) return { ok: false, code: 'disbursement_not_found' } as const
        if (!found.isPayer) return { ok: false, code: 'arrival_payer' } as const
        if (found.isReceived) return { ok: false, code: 'arrival_recorded' } as const
        await logStaff(tx, { actorId: session.memberId, action: 'disbursement.show_code', subject: `outlay:${found.outlayId}` })
        return { ok: true, value: { code: codesOf(secrets, found.outlayId)[0] ?? '' } } as const
      }),
  }
}

export const isByCode = ({ received, how }: Pick<Said, 'received' | 'how'>): boolean => received && how === 'code'

/** Whether the code that was told is right: a wrong one of a payment counts against its tries. */
export async function tryCode({ db, secrets }: Pick<HelpDeps, 'db' | 'secrets'>, outlayId: string | undefined, said: Said) {
  if (!isByCode(said)) return { ok: true, isRight: true } as const
  const taken = await take(db, outlayId === undefined ? [] : arrivalCodes(outlayId))
  if (!taken.ok) return taken
  const isRight = outlayId !== undefined && said.code !== undefined && isCode(secrets, outlayId.toLowerCase(), said.code)
  if (isRight) await taken.giveBack()
  return { ok: true, isRight } as const
}

/** Whether this person may not confirm the arrival of a booked payment. */
export const isOwn = async (db: Db, id: string, person: bigint): Promise<boolean> =>
  CURSOR_PARTS.uuid(id) &&
  (await db.maybeOne(
    sql`select from outlay where id = ${id}::uuid and kind = 'disbursement' and status = 'booked' and not may_confirm_arrival(${person}::bigint, id)`,
  )) !== undefined

type Recording = { readonly outlayId: string; readonly by: bigint; readonly said: Said; readonly isRight: boolean }

/** Why this is not recorded; otherwise what the newest record says. The caller has locked the payment. */
export async function judgeArrival(tx: Tx, { outlayId, by, said, isRight }: Recording) {
  const { received, how, on } = said
  if (!received && said.reason === undefined) return invalid({ reason: 'reason_length' })
  if (parseDay(on) === undefined) return invalid({ on: 'arrival_day' })
  if (received && how === 'code' && said.code === undefined) return invalid({ code: 'arrival_code' })
  if (received && how === 'papers' && said.paper === undefined) return invalid({ paper: 'arrival_paper' })
  const { isGiven, last, mayConfirm, isOutside } = await tx.one<{
    isGiven: boolean
    last: boolean | null
    mayConfirm: boolean
    isOutside: boolean
  }>(sql`select ${IS_GIVEN} as "isGiven", (select received from arrival where outlay_id = o.id order by id desc limit 1) as last,
          may_confirm_arrival(${by}::bigint, o.id) as "mayConfirm", not ${on}::date between ist_day(o.decided_at) and ist_day(roz_now()) as "isOutside"
          from outlay o where o.id = ${outlayId}::uuid`)
  // The whole amount came back: nothing of it arrives any more.
  if (!isGiven) return { ok: false, code: 'outlay_final' } as const
  if (last === received) return { ok: false, code: 'arrival_recorded' } as const
  if (received && !mayConfirm) return { ok: false, code: 'own_arrival' } as const
  if (isOutside) return invalid({ on: 'arrival_day_outside' })
  if (!isRight) return invalid({ code: 'arrival_code_wrong' })
  return { ok: true, last } as const
}

async function record(tx: Tx, deps: HelpDeps, recording: Recording): Promise<Effect<Refused>> {
  const { said } = recording
  const judged = await judgeArrival(tx, recording)
  if (!judged.ok) return judged
  const paper = said.received && said.how === 'papers' ? Buffer.from(said.paper ?? '', 'hex') : null
  const unusable = paper === null ? undefined : await judgePaper(tx, paper)
  return unusable === undefined ? writeArrival(tx, deps, recording, { last: judged.last, paper }) : { ok: false, code: unusable }
}

type Judged = { readonly last: boolean | null; readonly paper: Buffer | null }

/** Writes the record that was judged. */
export async function writeArrival(tx: Tx, { secrets }: HelpDeps, { outlayId, by, said }: Recording, { last, paper }: Judged) {
  const { received, how, on } = said
  // Nothing is written about a person who has taken the consent back; the lock makes a revocation wait.
  const { isRevoked } = await tx.one<{ isRevoked: boolean }>(sql`select revoked_at is not null as "isRevoked" from beneficiary
         where id = (select beneficiary_id from outlay where id = ${outlayId}::uuid) for share`)
  const reason = received || isRevoked ? null : (said.reason ?? null)
  const kept = isRevoked ? null : paper
  const { id } = await tx.one<{ id: bigint }>(sql`insert into arrival (outlay_id, received, how, heard_on, paper, recorded_by)
        values (${outlayId}::uuid, ${received}::boolean, ${how}::text, ${on}::date, ${kept}::bytea, ${by}::bigint) returning id`)
  if (reason !== null) await tx.query(sql`insert into arrival_reason (arrival_id, words) values (${id}::bigint, ${reason}::text)`)
  await noteInRequest(tx, secrets, { outlayId, by, received, how, reason })
  if (!received || last === false) {
    const { purpose } = await tx.one<{ purpose: string }>(sql`select purpose from outlay where id = ${outlayId}::uuid`)
    await tellOwners(tx, { what: received ? 'received_after_all' : 'not_received', actorId: by, about: purpose, detail: reason ?? '' })
  }
  // Without the reason: those are the receiver's words, and the staff log is kept for ever.
  return { ok: true, after: { received, how, on, ...(kept === null ? {} : { paper: said.paper }) } } as const
}

/** The picture was uploaded, and proves nothing else. */
async function judgePaper(tx: Tx, paper: Buffer): Promise<'receipt_not_found' | 'receipt_used' | undefined> {
  const { isKept, isUsed } = await tx.one<{ isKept: boolean; isUsed: boolean }>(sql`
    select exists (select from receipt where hash = ${paper}::bytea) as "isKept",
          exists (select from outlay_receipt where hash = ${paper}::bytea) or exists (select from arrival where paper = ${paper}::bytea) as "isUsed"`)
  if (!isKept) return 'receipt_not_found'
  return isUsed ? 'receipt_used' : undefined
}

type Noted = Pick<Recording, 'outlayId' | 'by'> & {
  readonly received: boolean
  readonly how: string
  readonly reason: string | null
}

/** Writes the step in the history of the request whose payment it is. */
async function noteInRequest(tx: Tx, secrets: Secrets, { outlayId, by, received, how, reason }: Noted): Promise<void> {
  const found = await tx.maybeOne<{ number: string }>(
    sql`update help_case set version = version + 1, touched_at = roz_now() where outlay_id = ${outlayId}::uuid returning number`,
  )
  if (found === undefined) return
  const step = received ? 'received' : 'not_received'
  await recordStep(tx, secrets, { number: found.number, step, how, by, ...(reason === null ? {} : { note: reason }) })
}
