/** Handlers for disbursements and their corrections. Both are outlays and share one list. */
import { caseNumberOf } from '@roz/core/case-fields.ts'
import { namesPerson } from '@roz/core/help-fields.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import { refused } from '@roz/core/outcome.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { pageOf } from '../../lists/listing.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { readAllowance } from '../../ledger/approvals.ts'
import { IS_GIVEN } from '../../ledger/arrivals.ts'
import { bookDisbursement, correctDisbursement, quoteDisbursement } from '../../ledger/disbursements.ts'
import { forget } from '../../jobs/parking.ts'
import { decideAbout } from '../../staff/decision.ts'
import { EVERY_PURPOSE } from '../../members/reader-purpose.ts'
import { filterBy, outlayWork } from '../../staff/open-work.ts'
import type { HelpDeps } from './deps.ts'
import { approveOutlay, askOutlay, type Book, lockOutlay, rejectOutlay, translateOutlay } from '../../outlays/outlays.ts'
import { judgeCase, linkPayment, noteCameBack, noteHelped } from './case-payment.ts'
import { type ConsentRefusal, judgeConsent, judgePurpose } from './consent.ts'
import { HELP_KINDS, searchDisbursements, viewDisbursement, type Disbursement } from './disbursement-view.ts'

type Answered = { disbursement: Disbursement }
type Names =
  | 'disbursements'
  | 'disbursementQuote'
  | 'askDisbursement'
  | 'approveDisbursement'
  | 'rejectDisbursement'
  | 'correctDisbursement'
  | 'translateDisbursement'

export function disbursementHandlers(deps: HelpDeps, idempotency: Idempotency): Handlers<Names> {
  const { db } = deps
  const show = async (tx: Tx, id: string) => ({ disbursement: await viewDisbursement(tx, id) })

  const decide = decideAbout(idempotency, {
    name: 'disbursement',
    kind: 'outlay',
    notFound: 'outlay_not_found',
    lock: (tx, id) => lockOutlay(tx, HELP_KINDS, id),
    show: viewDisbursement,
  })

  return {
    disbursements: async ({ query, session }) => {
      const page = await pageOf(query, (part) => searchDisbursements(db, { ...filterBy(outlayWork(session), query), ...part }))
      if (!page.ok) return page
      const fund = {
        ...(await readFund(db)),
        approvalAbove: rupeesFromPaise(await readAllowance(db, { by: session.memberId, limit: deps.approvalAbove })),
      }
      return { ok: true, value: { disbursements: [...page.rows], fund, nextCursor: page.nextCursor } }
    },
    disbursementQuote: async ({ query }) => {
      const amount = paiseFromRupees(query.amount)
      if (amount === undefined || amount <= 0n) return invalid({ amount: 'amount_invalid' })
      const { today } = await db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
      const days = await quoteDisbursement(db, today, amount)
      if (days === undefined) return { ok: false, code: 'insufficient_funds' }
      const { balance } = await readFund(db)
      return { ok: true, value: { balance, days: days.map((part) => ({ day: part.day, amount: rupeesFromPaise(part.paise) })) } }
    },
    askDisbursement: (call) =>
      askOutlay<Answered, Giving | 'case_not_found' | 'case_not_agreed' | 'case_checks'>(deps, idempotency, call, {
        kind: 'disbursement',
        book: give,
        subjectOf: async (tx, amount) => {
          const { beneficiaryId, helpCase } = call.body
          const { approvalAbove } = deps
          const agreed = helpCase === undefined ? undefined : await judgeCase(tx, { helpCase, beneficiaryId, amount, approvalAbove })
          if (agreed?.ok === false) return agreed
          const consent = await judgeConsent(tx, beneficiaryId)
          if (!consent.ok) return consent
          return judgePurpose(call.body, consent.value.publicName) ?? { ok: true, value: { beneficiaryId, corrects: null } }
        },
        refusalOf: async (tx, amount) => ((await readOpen(tx)) < amount ? 'insufficient_funds' : undefined),
        asked: async (tx, outlayId) => {
          const number = caseNumberOf(call.body.helpCase ?? '')
          if (number !== undefined) await linkPayment(tx, deps.secrets, { number, outlayId, by: call.session.memberId })
        },
        show,
      }),
    correctDisbursement: (call) =>
      askOutlay<Answered, Returning>(deps, idempotency, call, {
        kind: 'disbursement_back',
        about: call.params.id,
        book: takeBack,
        subjectOf: async (tx) => {
          const found = await findCorrectable(tx, call.params.id)
          if (found === undefined) return { ok: false, code: 'disbursement_not_found' }
          const { beneficiaryId, publicName } = found
          return judgePurpose(call.body, publicName) ?? { ok: true, value: { beneficiaryId, corrects: call.params.id } }
        },
        refusalOf: async (tx, amount) =>
          ((await findCorrectable(tx, call.params.id))?.left ?? 0n) < amount ? 'correction_too_large' : undefined,
        asked: (tx, outlayId) => noteReturned(tx, deps, { outlayId, by: call.session.memberId }),
        show,
      }),
    approveDisbursement: (call) =>
      decide<Approving>('approve', call, async (tx, id) => {
        const by = call.session.memberId
        const approved = await approveOutlay<Approving>(tx, id, { approver: { by, limit: deps.approvalAbove }, book: bookUnnamed })
        if (!approved.ok) return approved
        await noteHelped(tx, deps.secrets, { outlayId: id, by })
        await noteReturned(tx, deps, { outlayId: id, by })
        return approved
      }),
    rejectDisbursement: (call) =>
      decide<'outlay_final'>('reject', call, (tx, id, status) =>
        rejectOutlay(tx, id, { by: call.session.memberId, reason: call.body.reason, status }),
      ),
    translateDisbursement: (call) =>
      decide<'outlay_final' | 'invalid_input'>('translate', call, async (tx, id, status) => {
        const { translations } = call.body
        return judgePurpose({ translations }, await lockName(tx, id)) ?? translateOutlay(tx, id, { status, translations })
      }),
  }
}

type Giving = ConsentRefusal | 'insufficient_funds' | 'receipt_used' | 'idempotency_mismatch'
type Returning = 'disbursement_not_found' | 'correction_too_large' | 'receipt_used' | 'idempotency_mismatch'
type Approving = Giving | Returning | 'outlay_final' | 'own_request' | 'own_consent' | 'purpose_names_person' | ApprovalRefusal

/** The consent is judged again: it may have been revoked since the request. */
const give: Book<Giving> = async (tx, outlay) => {
  const consent = await judgeConsent(tx, outlay.beneficiaryId ?? '')
  return consent.ok ? bookDisbursement(tx, outlay) : consent
}
const takeBack: Book<Returning> = (tx, outlay) => correctDisbursement(tx, { ...outlay, corrects: outlay.corrects ?? '' })
const book: Book<Giving | Returning> = (tx, outlay) => (outlay.kind === 'disbursement' ? give(tx, outlay) : takeBack(tx, outlay))
/** The words of a request may be older than the rule about them, or than the name. */
const bookUnnamed: Book<Approving> = async (tx, outlay) => {
  const publicName = await lockName(tx, outlay.id)
  const { words } = await tx.one<{ words: string }>(sql`select ${EVERY_PURPOSE} as words from outlay o where o.id = ${outlay.id}::uuid`)
  return namesPerson(words, publicName) ? refused('purpose_names_person') : book(tx, outlay)
}

/** After a correction. Of help that came back whole the request waits again, and no schedule publishes the story. */
async function noteReturned(tx: Tx, { secrets }: HelpDeps, correction: { readonly outlayId: string; readonly by: bigint }): Promise<void> {
  await noteCameBack(tx, secrets, correction)
  const drafts = await tx.query<{ id: string }>(sql`
    update story set publish_at = null
     where publish_at is not null and outlay_id = (select corrects from outlay where id = ${correction.outlayId}::uuid)
       and exists (select from outlay o where o.id = story.outlay_id and not ${IS_GIVEN}) returning id`)
  await forget(
    tx,
    'story',
    drafts.map(({ id }) => id),
  )
}

/** The public name of who is helped. The lock makes a change of the name wait. */
const lockName = async (tx: Tx, outlayId: string): Promise<string> =>
  (
    await tx.one<{ publicName: string }>(sql`select public_name as "publicName" from beneficiary
           where id = (select beneficiary_id from outlay where id = ${outlayId}::uuid) for share`)
  ).publicName

const readOpen = async (from: Queryable): Promise<Paise> =>
  (await from.one<{ open: Paise }>(sql`select coalesce(sum(open), 0)::bigint as open from help_day`)).open

async function readFund(from: Queryable) {
  const { requested } = await from.one<{ requested: Paise }>(
    sql`select coalesce(sum(amount_paise), 0)::bigint as requested from outlay where status = 'requested' and kind = 'disbursement'`,
  )
  return { balance: rupeesFromPaise(await readOpen(from)), requested: rupeesFromPaise(requested) }
}

type BookedDisbursement = { readonly beneficiaryId: string; readonly publicName: string; readonly left: Paise }

/** A booked disbursement, and what did not come back of it yet. The lock makes a change of the name wait. */
const findCorrectable = async (tx: Tx, id: string): Promise<BookedDisbursement | undefined> =>
  CURSOR_PARTS.uuid(id)
    ? tx.maybeOne<BookedDisbursement>(sql`select o.beneficiary_id as "beneficiaryId", b.public_name as "publicName", (o.amount_paise - (
              select coalesce(sum(c.amount_paise), 0) from outlay c where c.corrects = o.id and c.status = 'booked'))::bigint as left
            from outlay o join beneficiary b on b.id = o.beneficiary_id
           where o.id = ${id}::uuid and o.kind = 'disbursement' and o.status = 'booked' for share of b`)
    : undefined
