/**
 * Settlements of the gateway, recorded by staff from its report. A settlement is an outlay; `purpose` is the settlement's number.
 * - A number is requested or booked once. After a rejection it can be requested again.
 * - A typed settlement is whole: what a rejected proposal took off it for one that came back (proposals.ts) does not count.
 * - The report names payments of members: it is evidence, but never public.
 */
import { parseDay } from '@roz/core/ist-day.ts'
import { type Paise, paiseFromRupees, ZERO } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { asGatewayWrites, bookSettlement, isNumberOf, judgeSettlement, type SettlementRefusal } from '../../ledger/gateway-settlements.ts'
import type { AccountsDeps } from './deps.ts'
import { type HouseEntry, viewHouseEntry } from './entry-view.ts'
import { askOutlay, type Book } from '../../outlays/outlays.ts'

export type SettlementRefused = SettlementRefusal | 'receipt_used' | 'idempotency_mismatch'

export const settlementHandlers = (deps: AccountsDeps, idempotency: Idempotency): Handlers<'askSettlement'> => ({
  askSettlement: async (call) => {
    const { reference, day, fee } = call.body
    const purpose = await asGatewayWrites(deps.db, reference)
    return askOutlay<{ entry: HouseEntry }, SettlementRefused>(
      deps,
      idempotency,
      { ...call, body: { ...call.body, purpose } },
      {
        kind: 'gateway_settled',
        book: bookAsked,
        subjectOf: (tx) => subjectOf(tx, day, fee),
        refusalOf: (tx, amount) => refuseTwice(tx, { reference: purpose, amount, fee: paiseFromRupees(fee) ?? ZERO }),
        asked: (tx) => forgetCorrections(tx, purpose),
        show: async (tx, id) => ({ entry: await viewHouseEntry(tx, id) }),
      },
    )
  },
})

/** `purpose` is the gateway's number. */
export const bookAsked: Book<SettlementRefused> = (tx, { id, purpose, amount, fee, evidence }) =>
  bookSettlement(tx, { id, reference: purpose, amount, fee: fee ?? ZERO, evidence })

async function subjectOf(tx: Tx, day: string, fee: number) {
  const settledOn = parseDay(day)
  const feePaise = paiseFromRupees(fee)
  if (settledOn === undefined) return invalid({ day: 'day_invalid' })
  if (feePaise === undefined || feePaise < 0n) return invalid({ fee: 'amount_invalid' })
  const { future } = await tx.one<{ future: boolean }>(sql`select ${settledOn}::date > ist_day(roz_now()) as future`)
  if (future) return invalid({ day: 'settlement_day_future' })
  return { ok: true, value: { beneficiaryId: null, corrects: null, fee: feePaise, settledOn } } as const
}

async function forgetCorrections(tx: Tx, reference: string): Promise<void> {
  await tx.query(sql`
    delete from gateway_settlement_correction c using gateway_settlement_seen s
     where c.by_id = s.settlement_id and ${reference}::text in (upper(s.settlement_id), upper(s.utr))`)
}

/** The lock of outlays is held: two requests of one number see each other. */
export async function refuseTwice(
  tx: Tx,
  settlement: { readonly reference: string; readonly amount: Paise; readonly fee: Paise },
): Promise<SettlementRefusal | undefined> {
  const asked = await tx.maybeOne(
    sql`select from outlay where kind = 'gateway_settled' and status = 'requested' and ${isNumberOf(sql`purpose`, settlement.reference)} limit 1`,
  )
  return asked === undefined ? judgeSettlement(tx, settlement) : 'settlement_known'
}
