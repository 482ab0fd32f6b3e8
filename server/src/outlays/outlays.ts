/**
 * An outlay: a payment from our accounts that staff decide.
 * - An outlay is requested once. Up to APPROVAL_ABOVE, with what the person decided alone in the last 24 hours, the requester's
 *   confirmation books it. Above the limit, and after a request by an editor, another person must approve it.
 * - Nobody is on both sides of a payment: an author of a person's record pays nothing to that person, and a person who decided
 *   about a disbursement does not book its correction alone.
 * - The ledger books it in the transaction of the decision, under the lock of all outlays.
 * - A bill belongs to one outlay that was not rejected.
 */
import { randomUUID } from 'node:crypto'
import { TREASURY, type StaffRole } from '@roz/contract/roles.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language, StoredTexts } from '@roz/core/language.ts'
import { type Paise, paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { invalid, type Refusal } from '../http/route.ts'
import { type Approver, judgeApprover, recordAlone } from '../ledger/approvals.ts'
import { isBillUsed, type OutlayKind } from '../ledger/evidence.ts'
import { logStaff } from '../staff/staff-log.ts'
import type { Effect } from '../staff/decision.ts'

/** `approvalAbove`: above this amount a second person approves. */
type OutlayDeps = { readonly approvalAbove: Paise }
type Outlay = Subject & {
  readonly id: string
  readonly kind: OutlayKind
  readonly purpose: string
  readonly amount: Paise
  readonly evidence: readonly Buffer[]
}
/** The subject of a request that passed its own rules. */
type Subject = {
  readonly beneficiaryId: string | null
  readonly corrects: string | null
  /** Of a settlement of the gateway: the fee that it kept, and the day on which it paid. */
  readonly fee?: Paise | null
  readonly settledOn?: IstDay | null
  /** The SHA-256 of the gateway's own report of the settlement, which is evidence beside the receipts. */
  readonly report?: Buffer
}
/** Public words: `purpose`, in English if no language is named, and the same in other languages. */
export type PurposeWords = {
  readonly purpose: string
  readonly language?: Language | undefined
  readonly translations?: { readonly [L in Language]?: string | undefined } | undefined
}
type Asking = {
  readonly session: { readonly memberId: bigint; readonly staffRole: StaffRole }
  readonly idempotencyKey: string | undefined
  readonly body: { readonly amount: number; readonly receipts: readonly string[] } & PurposeWords
}
/** Books an outlay in the ledger, if its own rules still allow it. */
export type Book<C extends string> = (tx: Tx, outlay: Outlay) => Promise<Outcome<unknown, C>>
type Rules<V, C extends RefusalCode> = {
  readonly kind: OutlayKind
  /** The id in the call's path, to which its Idempotency-Key belongs too. */
  readonly about?: string
  /** Finds the request's subject, or refuses the request. */
  readonly subjectOf: (tx: Tx, amount: Paise) => Promise<Outcome<Subject, C> | Refusal<C | 'invalid_input'>>
  /** Refuses a request that could not be booked now. */
  readonly refusalOf: (tx: Tx, amount: Paise) => Promise<C | undefined>
  readonly book: Book<C>
  /** Written once the outlay is. */
  readonly asked?: (tx: Tx, id: string) => Promise<void>
  readonly show: (tx: Tx, id: string) => Promise<V>
}

/** Requests an outlay, and books it where one person is enough. */
export function askOutlay<V, C extends RefusalCode>(deps: OutlayDeps, idempotency: Idempotency, call: Asking, rules: Rules<V, C>) {
  const { session, idempotencyKey, body } = call
  const { kind } = rules
  const id = randomUUID()
  type Answered = { readonly ok: true; readonly value: V } | Refusal<C | 'receipt_not_found' | 'receipt_used' | 'invalid_input'>
  const path = rules.about === undefined ? {} : { about: rules.about }
  const keyed = { memberId: session.memberId, key: idempotencyKey, route: `${kind}.ask`, body: { ...body, ...path } }
  return idempotency.once<Answered>(keyed, id, async (tx) => {
    const amount = paiseFromRupees(body.amount)
    if (amount === undefined || amount <= 0n) return invalid({ amount: 'amount_invalid' })
    const { language: writtenIn = 'en' } = body
    const translations = translationsIn(body.translations)
    if (translations[writtenIn] !== undefined) return invalid({ [`translations.${writtenIn}`]: 'choice_invalid' })
    await lockInTransaction(tx, 'helpFund')
    const subject = await rules.subjectOf(tx, amount)
    if (!subject.ok) return subject
    const receipts = body.receipts.map((hash) => Buffer.from(hash, 'hex'))
    const unusable = await judgeBills(tx, receipts)
    if (unusable !== undefined) return { ok: false, code: unusable }
    const { fee = null, settledOn = null, report, ...about } = subject.value
    const evidence = report === undefined ? receipts : [...receipts, report]
    const whole = paise(amount + (fee ?? 0n))
    const isAlone = await decidesAlone(tx, deps, session, { kind, whole, ...about })
    const needsSecond = !isAlone
    const impossible = await rules.refusalOf(tx, amount)
    if (impossible !== undefined) return { ok: false, code: impossible }
    const outlay = { id, kind, purpose: body.purpose, amount, evidence, fee, settledOn, ...about }
    if (!needsSecond) {
      const booked = await rules.book(tx, outlay)
      if (!booked.ok) return booked
      await recordAlone(tx, { by: session.memberId, kind, subject: id, amount: whole })
    }
    const by = needsSecond ? null : session.memberId
    await tx.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, written_in, translations, beneficiary_id, corrects, fee_paise, settled_on, needs_second, status, asked_by, decided_by, decided_at)
      values (${id}::uuid, ${kind}::text, ${amount}::bigint, ${body.purpose}::text, ${writtenIn}::text, ${JSON.stringify(translations)}::jsonb,
        ${outlay.beneficiaryId}::uuid, ${outlay.corrects}::uuid,
        ${fee}::bigint, ${settledOn}::date,
        ${needsSecond}::boolean, ${needsSecond ? 'requested' : 'booked'}::text, ${session.memberId}::bigint, ${by}::bigint,
        case when ${by}::bigint is not null then roz_now() end)`)
    await tx.query(sql`
      insert into outlay_receipt (outlay_id, position, hash)
      select ${id}::uuid, position, hash from unnest(${receipts}::bytea[]) with ordinality as r(hash, position)`)
    await logStaff(tx, {
      actorId: session.memberId,
      action: needsSecond ? `${kind}.ask` : `${kind}.book`,
      subject: `outlay:${id}`,
      after: {
        amount: rupeesFromPaise(amount),
        purpose: body.purpose,
        ...(body.language === undefined ? {} : { language: body.language }),
        ...(Object.keys(translations).length === 0 ? {} : { translations }),
        ...about,
        ...(settledOn === null ? {} : { settledOn }),
        ...(fee === null ? {} : { fee: rupeesFromPaise(fee) }),
        receipts: body.receipts,
        ...(report === undefined ? {} : { report: report.toString('hex') }),
      },
    })
    await rules.asked?.(tx, id)
    return { ok: true, value: await rules.show(tx, id) }
  })
}

type Whole = Subject & { readonly kind: OutlayKind; readonly whole: Paise }

/** Whether this person may decide about the outlay alone: everything else waits for another person. */
async function decidesAlone(tx: Tx, deps: OutlayDeps, { memberId: by, staffRole }: Asking['session'], outlay: Whole): Promise<boolean> {
  if (!TREASURY.some((role) => role === staffRole) || (await isOnOtherSide(tx, by, outlay))) return false
  const approver = { by, limit: deps.approvalAbove }
  const judged = await judgeApprover(tx, approver, { amount: outlay.whole, owner: null, firstApprovedBy: null })
  return judged.ok && judged.value === 'alone'
}

/** Whether the person has a part in what this outlay relies on: the record of who is helped, or the disbursement that it corrects. */
const isOnOtherSide = async (tx: Tx, by: bigint, { kind, beneficiaryId, corrects }: Subject & { readonly kind: OutlayKind }) =>
  (
    await tx.one<{ isIt: boolean }>(sql`
      select case when ${kind}::text = 'disbursement' then wrote_beneficiary(${by}::bigint, ${beneficiaryId}::uuid)
            else exists (select from outlay o where o.id = ${corrects}::uuid
                          and (is_same_person(o.asked_by, ${by}::bigint) or is_same_person(o.decided_by, ${by}::bigint))) end as "isIt"`)
  ).isIt

/** Refuses bills that are not kept, given twice, or part of another outlay. */
async function judgeBills(tx: Tx, evidence: readonly Buffer[]): Promise<'receipt_not_found' | 'receipt_used' | undefined> {
  const { kept, taken } = await tx.one<{ kept: number; taken: boolean }>(sql`
    select (select count(*)::int from receipt where hash = any(${evidence}::bytea[])) as kept,
          exists (select from outlay_receipt l join outlay o on o.id = l.outlay_id
                   where l.hash = any(${evidence}::bytea[]) and o.status <> 'rejected')
            or exists (select from arrival where paper = any(${evidence}::bytea[])) as taken`)
  if (taken || (await isBillUsed(tx, evidence))) return 'receipt_used'
  return kept < evidence.length ? 'receipt_not_found' : undefined
}

/** Locks an outlay of these kinds; the caller's decision is the only one. */
export async function lockOutlay(tx: Tx, kinds: readonly OutlayKind[], id: string): Promise<{ readonly status: string } | undefined> {
  await lockInTransaction(tx, 'helpFund')
  return tx.maybeOne<{ status: string }>(
    sql`select status from outlay where id = ${id}::uuid and kind = any(${kinds}::text[]) for no key update`,
  )
}

type Approving<C extends RefusalCode> = { readonly approver: Approver; readonly book: Book<C> }

/** Books a requested outlay that is locked. */
export async function approveOutlay<C extends RefusalCode>(
  tx: Tx,
  id: string,
  { approver, book }: Approving<C>,
): Promise<Effect<C | 'outlay_final' | 'own_request' | 'own_consent' | ApprovalRefusal>> {
  const { by } = approver
  const found = await tx.one<Omit<Outlay, 'id'> & { status: string; askedBy: bigint; isAsker: boolean }>(sql`
    select kind, purpose, amount_paise as amount, fee_paise as fee, corrects, status, asked_by as "askedBy", is_same_person(asked_by, ${by}::bigint) as "isAsker",
          beneficiary_id as "beneficiaryId", array(select hash from outlay_receipt where outlay_id = outlay.id order by position)
            || array(select s.report_hash from gateway_settlement_seen s
                      where outlay.kind = 'gateway_settled' and outlay.purpose = upper(s.settlement_id) and s.report_hash is not null) as evidence
          from outlay where id = ${id}::uuid`)
  if (found.status !== 'requested') return { ok: false, code: 'outlay_final' }
  if (found.isAsker) return { ok: false, code: 'own_request' }
  if (found.kind === 'disbursement' && (await isOnOtherSide(tx, by, found))) return { ok: false, code: 'own_consent' }
  const amount = paise(found.amount + (found.fee ?? 0n))
  const voice = await judgeRequest(tx, approver, { amount, askedBy: found.askedBy })
  if (!voice.ok) return voice
  const booked = await book(tx, { ...found, id })
  if (!booked.ok) return booked
  if (voice.value === 'alone') await recordAlone(tx, { by, kind: found.kind, subject: id, amount })
  await tx.query(sql`update outlay set status = 'booked', decided_by = ${by}::bigint, decided_at = roz_now() where id = ${id}::uuid`)
  return { ok: true }
}

/** The request is the first voice. Where it does not count yet, the approver decides alone, up to the limit. */
async function judgeRequest(
  tx: Tx,
  approver: Approver,
  { amount, askedBy }: { readonly amount: Paise; readonly askedBy: bigint },
): Promise<Outcome<'alone' | 'second', ApprovalRefusal>> {
  const byTwo = await judgeApprover(tx, approver, { amount, owner: null, firstApprovedBy: askedBy })
  if (byTwo.ok || byTwo.code !== 'role_too_new')
    return byTwo.ok && byTwo.value === 'second' ? accepted('second') : refused('second_person_needed')
  const alone = await judgeApprover(tx, approver, { amount, owner: null, firstApprovedBy: null })
  return alone.ok && alone.value === 'alone' ? accepted('alone') : byTwo
}

/** Without the languages that a call leaves out. */
const translationsIn = (given: PurposeWords['translations']): StoredTexts =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, words]) => words !== undefined))

/** Adds words in other languages to an outlay that is locked and not rejected, or changes them. The log keeps the words of before. */
export async function translateOutlay(
  tx: Tx,
  id: string,
  { status, translations: given }: { readonly status: string; readonly translations: PurposeWords['translations'] },
): Promise<Effect<'outlay_final' | 'invalid_input'>> {
  if (status === 'rejected') return { ok: false, code: 'outlay_final' }
  const translations = translationsIn(given)
  const { writtenIn, before } = await tx.one<{ writtenIn: Language; before: StoredTexts }>(
    sql`select written_in as "writtenIn", translations as before from outlay where id = ${id}::uuid`,
  )
  if (translations[writtenIn] !== undefined) return invalid({ [`translations.${writtenIn}`]: 'choice_invalid' })
  const added = sql`${JSON.stringify(translations)}::jsonb`
  await tx.query(sql`update outlay set translations = translations || ${added} where id = ${id}::uuid and not translations @> ${added}`)
  const replaced = Object.fromEntries(Object.entries(before).filter(([language]) => language in translations))
  return { ok: true, after: { translations, ...(Object.keys(replaced).length === 0 ? {} : { replaced }) } }
}

export async function rejectOutlay(
  tx: Tx,
  id: string,
  { by, reason, status }: { readonly by: bigint; readonly reason: string; readonly status: string },
): Promise<Effect<'outlay_final'>> {
  if (status !== 'requested') return { ok: false, code: 'outlay_final' }
  await tx.query(sql`
    update outlay set status = 'rejected', decided_by = ${by}::bigint, decided_at = roz_now(), decision = ${reason}::text where id = ${id}::uuid`)
  return { ok: true, after: { reason } }
}
