/** AutoPay as its member sees it. */
import type { autopay, mandate } from '@roz/contract/autopay.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Queryable, sql } from '../../db/sql.ts'
import { type AutopayDeps, findMandate, findOwn, type MandateRow } from './deps.ts'

type Shown = z.infer<typeof autopay>
type ShownMandate = z.infer<typeof mandate>

export async function viewOwn(deps: AutopayDeps, memberId: bigint, from: Queryable = deps.db): Promise<Shown> {
  const own = await findOwn(from, memberId)
  const offered = deps.autopayOn && deps.topupsOn
  return {
    offered,
    amount: rupeesFromPaise(deps.topupLimits.max),
    below: rupeesFromPaise(deps.below),
    idle: own?.state !== 'on' ? null : offered ? await whyIdle(deps, own, from) : 'switched_off',
    mandate: own === undefined ? null : await viewMandate(from, own),
  }
}

/** Of the conditions in raise.ts those that the member can change. */
async function whyIdle(
  { topupLimits: { min, max } }: AutopayDeps,
  { memberId, amount }: MandateRow,
  from: Queryable,
): Promise<Shown['idle']> {
  if (amount < min || amount > max) return 'amount_not_allowed'
  const { joins } = await from.one<{ joins: boolean }>(sql`select auto_join as joins from wallet where member_id = ${memberId}::bigint`)
  return joins ? null : 'auto_participate_off'
}

type Debit = { readonly status: string; readonly day: IstDay; readonly amount: Paise }

async function viewMandate(from: Queryable, row: MandateRow): Promise<ShownMandate> {
  // Every top-up of a mandate has its amount.
  const charges = await from.query<Debit>(sql`
    select distinct on (status in ('raising', 'open')) status, day::text as day, ${row.amount}::bigint as amount from autopay_charge
     where mandate_id = ${row.id}::uuid and (status = 'paid' or kind = 'charge' and status in ('raising', 'open') and cancel_at is null)
     order by status in ('raising', 'open'), day desc`)
  const shown = (debit: Debit | undefined) => (debit === undefined ? null : { day: debit.day, amount: rupeesFromPaise(debit.amount) })
  return {
    state: row.state,
    amount: rupeesFromPaise(row.amount),
    payer: row.payer,
    next: shown(charges.find(({ status }) => status !== 'paid')),
    last: shown(charges.find(({ status }) => status === 'paid')),
    expiresAt: isoIst(row.expiresAt.getTime()),
    createdAt: isoIst(row.createdAt.getTime()),
  }
}

export async function listMandates(from: Queryable, memberId: bigint): Promise<ShownMandate[]> {
  const ids = await from.query<{ id: string }>(
    sql`select id from autopay_mandate where member_id = ${memberId}::bigint order by created_at`,
  )
  const shown: ShownMandate[] = []
  for (const { id } of ids) {
    const row = await findMandate(from, id)
    if (row !== undefined) shown.push(await viewMandate(from, row))
  }
  return shown
}
