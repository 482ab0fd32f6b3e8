/**
 * Platform entries: the platform's share paid out, tax remitted, losses covered. Each is an outlay.
 * - The same list and decisions serve the settlements of the gateway (settlements.ts).
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { pageOf } from '../../lists/listing.ts'
import type { Handlers } from '../../http/route.ts'
import { readAllowance } from '../../ledger/approvals.ts'
import { bookHouseEntry, isHouseKind, readPayable } from '../../ledger/house-entries.ts'
import { decideAbout } from '../../staff/decision.ts'
import { exportList } from '../../staff/exported-list.ts'
import { OUTLAY_TABLE } from '../../outlays/outlay-rows.ts'
import { filterBy, outlayWork } from '../../staff/open-work.ts'
import type { AccountsDeps } from './deps.ts'
import { ENTRY_KINDS, type HouseEntry, searchHouseEntries, viewHouseEntry } from './entry-view.ts'
import { approveOutlay, askOutlay, type Book, lockOutlay, rejectOutlay } from '../../outlays/outlays.ts'
import { bookAsked, type SettlementRefused } from './settlements.ts'

export function houseEntryHandlers(
  deps: AccountsDeps,
  idempotency: Idempotency,
): Handlers<'houseEntries' | 'houseEntriesCsv' | 'askHouseEntry' | 'approveHouseEntry' | 'rejectHouseEntry'> {
  const { db } = deps

  const decide = decideAbout(idempotency, {
    name: 'entry',
    kind: 'outlay',
    notFound: 'outlay_not_found',
    lock: (tx, id) => lockOutlay(tx, ENTRY_KINDS, id),
    show: viewHouseEntry,
  })

  return {
    houseEntries: async ({ query, session }) => {
      const page = await pageOf(query, (part) => searchHouseEntries(db, { ...filterBy(outlayWork(session), query), ...part }))
      if (!page.ok) return page
      const now = await inTransaction(db, payableToday)
      const payable = {
        platform_out: shown(now.platform_out),
        tds_remitted: shown(now.tds_remitted),
        losses_covered: shown(now.losses_covered),
      }
      return {
        ok: true,
        value: {
          entries: [...page.rows],
          payable,
          approvalAbove: rupeesFromPaise(await readAllowance(db, { by: session.memberId, limit: deps.approvalAbove })),
          nextCursor: page.nextCursor,
        },
      }
    },
    houseEntriesCsv: (call) =>
      exportList(db, call, {
        name: 'house-entries',
        read: (page) => searchHouseEntries(db, { ...filterBy(outlayWork(call.session), call.query), ...page }),
        columns: {
          ...OUTLAY_TABLE,
          settled_on: (row) => row.settlement?.day,
          fee: (row) => row.settlement?.fee,
        },
      }),
    askHouseEntry: (call) =>
      askOutlay<{ entry: HouseEntry }, Refused>(deps, idempotency, call, {
        kind: call.body.kind,
        book,
        subjectOf: async () => ({ ok: true, value: { beneficiaryId: null, corrects: null } }),
        refusalOf: async (tx, amount) => ((await payableToday(tx))[call.body.kind] < amount ? 'insufficient_funds' : undefined),
        show: async (tx, id) => ({ entry: await viewHouseEntry(tx, id) }),
      }),
    approveHouseEntry: (call) =>
      decide<Refused | SettlementRefused | 'outlay_final' | 'own_request' | 'own_consent' | ApprovalRefusal>('approve', call, (tx, id) =>
        approveOutlay<Refused | SettlementRefused>(tx, id, {
          approver: { by: call.session.memberId, limit: deps.approvalAbove },
          book: bookAny,
        }),
      ),
    rejectHouseEntry: (call) =>
      decide<'outlay_final'>('reject', call, (tx, id, status) =>
        rejectOutlay(tx, id, { by: call.session.memberId, reason: call.body.reason, status }),
      ),
  }
}

/** An overdrawn account can pay nothing out. */
const shown = (payable: bigint): number => rupeesFromPaise(paise(payable < 0n ? 0n : payable))

const readToday = async (from: Queryable): Promise<IstDay> => (await from.one<{ day: IstDay }>(sql`select ist_day(roz_now()) as day`)).day
const payableToday = async (tx: Tx) => readPayable(tx, await readToday(tx))

type Refused = 'insufficient_funds' | 'receipt_used' | 'idempotency_mismatch'
const book: Book<Refused> = async (tx, outlay) => {
  const { kind } = outlay
  if (!isHouseKind(kind)) throw new Error(`${kind} is no house entry`)
  return bookHouseEntry(tx, { ...outlay, kind })
}

const bookAny: Book<Refused | SettlementRefused> = (tx, outlay) =>
  outlay.kind === 'gateway_settled' ? bookAsked(tx, outlay) : book(tx, outlay)
