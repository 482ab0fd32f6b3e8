/**
 * Compares a settlement with our books: each event with a payment, refund or dispute of ours, and the sum with what was paid.
 * - `difference` of a finding is the amount by which the settlement pays more than our entries. GATEWAY will be off by
 *   the sum of a settlement's differences once it is recorded.
 * - A second look changes nothing, and ends what fits by now.
 * - The gateway is asked, once a day, about each dispute that took or returned money which our books do not have.
 */
import type { FindingKind } from '@roz/core/findings.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import { PAYMENT_PREFIX } from '../../ledger/autopay.ts'
import { IS_RECORDED } from '../../ledger/gateway-settlements.ts'
import { type Found, type News, replaceFindings } from './finding-rows.ts'
import { isCorrected, isUntaken, replacedOf, restOf, wholeOf } from './proposals.ts'

export type Judging = {
  readonly gatewayFee: number
  readonly alarm: (details: object, message: string) => void
}
type Seen = {
  readonly state: string
  readonly status: string
  readonly isRead: boolean
  /** Of what was recorded, what no later settlement was recorded less. Null: it is not recorded. */
  readonly rest: bigint | null
  /** What later settlements were recorded less, or paid in its place. */
  readonly replaced: bigint
  readonly corrected: boolean
  readonly covers: string | null
}

/** GST on the gateway's charge. */
const TAX_PERCENT = 18
/** Charge and tax may each be rounded another way. */
const ROUNDING = 2
/** More of one settlement is not listed: somebody must look at the whole. */
const LISTED = 500

export async function compareSettlement(tx: Tx, { gatewayFee, alarm }: Judging, settlementId: string): Promise<void> {
  const seen = await tx.one<Seen>(sql`
    select s.state, s.status, s.events_read_at is not null as "isRead", ${isCorrected(sql`s`)} as corrected, s.covers,
          ${restOf(sql`s.settlement_id`, 'amount')} + ${restOf(sql`s.settlement_id`, 'fee')} as rest, ${replacedOf(sql`s.settlement_id`)} as replaced
          from gateway_settlement_seen s where s.settlement_id = ${settlementId}::text for no key update of s`)
  const found: Found[] = stateFindings(settlementId, seen)
  if (seen.isRead && seen.state === 'paid') {
    await matchEvents(tx, settlementId)
    found.push(...(await compareEvents(tx, settlementId, gatewayFee)))
    if (found.some(({ kind }) => kind === 'unknown_dispute')) await findDisputes(tx, settlementId)
    await coverReturned(tx, settlementId)
  }
  const news = await replaceFindings(tx, { of: sql`f.settlement_id = ${settlementId}::text`, settlementId, found })
  tellAlarms(news, alarm)
  // The money that it paid in the place of another settlement went back too.
  if (seen.state === 'failed' && seen.covers !== null) await compareSettlement(tx, { gatewayFee, alarm }, seen.covers)
}

/** Findings about the settlement as a whole: its status is unknown, it failed, or it is paid again after its money came by later ones. */
function stateFindings(settlementId: string, { state, status, rest, replaced, corrected, covers }: Seen): Found[] {
  const subject = `settlement:${settlementId}`
  if (state === 'paid' && replaced > 0n) return [{ kind: 'twice', subject, difference: replaced, detail: status }]
  if (state === 'unknown') return [{ kind: 'unknown_word', subject, difference: 0n, detail: status }]
  if (state !== 'failed' || corrected || covers !== null) return []
  return [
    rest === null
      ? { kind: 'failed', subject, difference: 0n, detail: status }
      : { kind: 'came_back', subject, difference: rest, detail: status },
  ]
}

const ALARMED: ReadonlySet<FindingKind> = new Set(['failed', 'came_back', 'unknown_word'])
function tellAlarms(news: readonly News[], alarm: Judging['alarm']): void {
  for (const { kind, subject } of news)
    if (ALARMED.has(kind)) alarm({ finding: kind, subject }, 'a settlement of the gateway did not end as it should')
}

/** An event `e` that may be of the dispute `d`, and whether our books have the money that it took or returned. */
const IS_OF_DISPUTE: Sql = sql`e.kind in ('dispute', 'dispute_back') and e.is_credit = (e.kind = 'dispute_back') and d.problem is null`
/**
 * Our entries `t` of an event `e`.
 * - A loss that was covered from SUSPENSE moved nothing at the gateway: the loss and its end do not count, the part that covered it does.
 *   Only such a part is later than the loss of its turn.
 * - The list of both kinds says nothing more, but without it the index `transfer_by_dispute` cannot serve.
 */
const MOVED: Sql = sql`t.kind in ('chargeback', 'chargeback_back')
  and t.kind = case e.kind when 'dispute' then 'chargeback' else 'chargeback_back' end
  and not (t.ref like '%#loss' and exists (
    select from transfer p where p.kind = 'chargeback' and subject_of(p.ref) = subject_of(t.ref) and p.transfer_id > t.transfer_id
       and starts_with(p.ref, regexp_replace(t.ref, '#loss$', '#part'))))`
const IS_BOOKED: Sql = sql`exists (select from transfer t where subject_of(t.ref) = d.id and ${MOVED})`

/** The kinds of our entries for an event of a refund. A refund that was given back and then paid is a conflict; the first has the refund's ref. */
const REFUND_KINDS: Sql = sql`
  case e.kind when 'refund' then array['refund_paid', 'refund_conflict'] else array['refund_reversed', 'refund_conflict_back'] end`

/** Our entry of an event: by the ids of its order, and of a mandate's debit also by the gateway's. Two candidates are none. */
const ENTRY_OF: Sql = sql`
  select subject, amount from (
    select 'payment:' || t.payment_id as subject, t.amount, 1 as place from topup t
     where e.kind = 'payment' and e.is_credit and t.order_id = e.order_id and t.payment_id = e.payment_id
    union all
    select 'payment:' || s.payment_id, s.amount, 2 from suspense_item s
     where e.kind = 'payment' and e.is_credit and s.order_id = e.order_id and s.payment_id = e.payment_id
    union all
    select 'payment:' || t.payment_id, t.amount, 3 from autopay_charge c join topup t on t.order_id = c.order_id
     where e.kind = 'payment' and e.is_credit and e.order_id in (c.order_id, c.cf_order_id) and (t.payment_id = ${PAYMENT_PREFIX}::text || e.payment_id
       -- Booked under the id of its order's payment.
       or c.cf_payment_id = e.payment_id and not starts_with(t.payment_id, ${PAYMENT_PREFIX}::text))
    union all
    select 'payment:' || s.payment_id, s.amount, 4 from autopay_charge c join suspense_item s on s.order_id = c.order_id
     where e.kind = 'payment' and e.is_credit and e.order_id in (c.order_id, c.cf_order_id) and s.payment_id = ${PAYMENT_PREFIX}::text || e.payment_id
    union all
    -- Under an order that nobody here knows, only a mandate's: an order's own payment names its order, and its number may be a debit's too.
    select 'payment:' || min(payment_id), min(amount), 5 from (
      select t.payment_id, t.amount from topup t where t.payment_id = ${PAYMENT_PREFIX}::text || e.payment_id
         or t.payment_id = e.payment_id and (e.order_id is null or exists (select from autopay_charge c where c.order_id = t.order_id))
      union select s.payment_id, s.amount from suspense_item s where s.payment_id = ${PAYMENT_PREFIX}::text || e.payment_id
         or s.payment_id = e.payment_id and e.order_id is null) named
     where e.kind = 'payment' and e.is_credit and not exists (select from topup o where o.order_id = e.order_id)
    having count(distinct payment_id) = 1
    union all
    select 'refund:' || r.id, r.amount, 1 from refund r
     where e.kind in ('refund', 'refund_back') and e.is_credit = (e.kind = 'refund_back') and replace(r.id::text, '-', '') = e.refund_id
       and exists (select from transfer t where t.ref = r.id::text and t.kind = any (${REFUND_KINDS}))
    union all
    select 'dispute:' || d.id, d.amount, 1 from dispute d where ${IS_OF_DISPUTE} and d.id = e.event_id and ${IS_BOOKED}
    union all
    -- Taken and won before we first asked: our books have nothing, and the two events together are nothing.
    select 'dispute:' || d.id, e.amount, 2 from dispute d
     where ${IS_OF_DISPUTE} and d.id = e.event_id and d.state = 'won'
       and not exists (select from transfer t where subject_of(t.ref) = d.id and t.kind in ('chargeback', 'chargeback_back'))
       and exists (select from gateway_settlement_event o join gateway_settlement_seen os using (settlement_id)
                    where o.event_id = e.event_id and o.kind in ('dispute', 'dispute_back') and o.kind <> e.kind
                      and o.is_credit = (o.kind = 'dispute_back') and o.amount = e.amount and os.state = 'paid')
  ) entry order by place limit 1`

async function matchEvents(tx: Tx, settlementId: string): Promise<void> {
  await tx.query(sql`
    update gateway_settlement_event u set subject = entry.subject, ours = entry.amount
      from gateway_settlement_event e cross join lateral (${ENTRY_OF}) entry
     where e.settlement_id = ${settlementId}::text and e.subject is null and u.settlement_id = e.settlement_id and u.position = e.position`)
  let isMore = true
  while (isMore) isMore = await matchByPayment(tx, settlementId)
}

/**
 * Matches one event about a dispute that the gateway named by another id: a dispute of the same payment and amount, which no event names.
 * Of several equal disputes each is of one event.
 */
async function matchByPayment(tx: Tx, settlementId: string): Promise<boolean> {
  const matched = await tx.query(sql`
    update gateway_settlement_event u set subject = 'dispute:' || found.id, ours = found.amount
      from (
        select e.position, d.id, d.amount from gateway_settlement_event e
          join dispute d on d.amount = e.amount and d.payment_id in (e.payment_id, ${PAYMENT_PREFIX}::text || e.payment_id)
         where e.settlement_id = ${settlementId}::text and e.subject is null and ${IS_OF_DISPUTE} and ${IS_BOOKED}
           and (e.order_id is null or e.order_id = d.order_id or starts_with(d.payment_id, ${PAYMENT_PREFIX}::text)
             or exists (select from autopay_charge c where c.order_id = d.order_id))
           and not exists (select from dispute x where x.id = e.event_id)
           and not exists (select from gateway_settlement_event o where o.event_id = d.id and o.kind in ('dispute', 'dispute_back'))
           and not exists (select from gateway_settlement_event o where o.subject = 'dispute:' || d.id and o.kind = e.kind and o.event_id <> e.event_id)
         order by e.position, d.id limit 1) found
     where u.settlement_id = ${settlementId}::text and u.position = found.position returning 1`)
  return matched.length > 0
}

/** The webhook may be lost, and nobody here knows the dispute; or its status did not say that the money went. */
async function findDisputes(tx: Tx, settlementId: string): Promise<void> {
  const unmatched = await tx.query<{ eventId: string; paymentId: string | null; today: IstDay }>(sql`
    select distinct event_id as "eventId", payment_id as "paymentId", ist_day(roz_now()) as today from gateway_settlement_event
     where settlement_id = ${settlementId}::text and kind in ('dispute', 'dispute_back') and subject is null limit ${LISTED}::int`)
  for (const { eventId, paymentId, today } of unmatched)
    await enqueue(tx, { kind: 'find_dispute', key: `${settlementId}:${eventId}:${today}`, payload: { eventId, paymentId } })
}

/** The amount of an event, above zero if it gives and below zero if it takes. */
const GIVEN = sql`case when e.is_credit then e.amount when not e.is_credit then -e.amount else 0 end`
const OURS = sql`case when e.is_credit then e.ours else -e.ours end`
const SHARE = sql`case when e.is_credit then e.amount - e.fee when not e.is_credit then -(e.amount + e.fee) else 0 end`
/** The same entry in an earlier place of a settlement that paid. A dispute may take or return money again: as often as we have booked. */
const IS_REPEATED = sql`(
  select count(*) > 0 and coalesce(sum(b.amount), 0) + e.amount > (
      select coalesce(sum(t.amount), 0) from transfer t where subject_of(t.ref) = split_part(e.subject, 'dispute:', 2) and ${MOVED})
    from gateway_settlement_event b join gateway_settlement_seen bs using (settlement_id)
   where b.subject = e.subject and b.kind = e.kind and bs.state = 'paid' and (bs.seen_at, b.settlement_id, b.position) < (s.seen_at, e.settlement_id, e.position))`

async function compareEvents(tx: Tx, settlementId: string, gatewayFee: number): Promise<Found[]> {
  const expected = sql`round(e.amount * ${gatewayFee}::numeric * (100 + ${TAX_PERCENT}::int) / 1000000)`
  return tx.query<Found>(sql`
    with of as (
      select e.*, ${GIVEN} as given, ${SHARE} as share, ${OURS} as mine, ${IS_REPEATED} as repeated, e.settlement_id || ':' || e.position as place
        from gateway_settlement_event e join gateway_settlement_seen s using (settlement_id) where e.settlement_id = ${settlementId}::text),
    sums as (
      select s.amount + s.fee + s.own_fee - coalesce(sum(given), 0)::bigint as difference, s.amount, coalesce(sum(share), 0)::bigint - s.own_fee as added,
             coalesce(sum(of.fee), 0)::bigint as fees, s.fee
        from gateway_settlement_seen s left join of on true where s.settlement_id = ${settlementId}::text group by s.settlement_id)
    select 'sums' as kind, 'settlement:' || ${settlementId}::text as subject, difference,
           'paid ' || amount || ', events ' || added || '; fee ' || fee || ', events ' || fees || ' (paise)' as detail
      from sums where difference <> 0 or amount <> added or fee <> fees
    union all
    select * from (
      select case
               when kind = 'adjustment' and is_credit is not null then 'adjustment'
               when kind in ('unknown', 'adjustment') or is_credit is null
                 or is_credit <> (kind in ('payment', 'refund_back', 'dispute_back')) then 'unknown_word'
               when subject is null then case kind when 'payment' then 'unknown_payment' when 'refund' then 'unknown_refund'
                 when 'refund_back' then 'unknown_refund' else 'unknown_dispute' end
               when repeated then 'twice'
               when given <> mine then 'other_amount' end as kind,
             place, case when subject is null or repeated then given else given - mine end,
             concat_ws(' ', word, event_id, remarks, case when given <> mine then 'ours ' || abs(mine) || ', theirs ' || amount || ' (paise)' end)
        from of) wrong where kind is not null
    union all
    select 'other_rate', place, 0, 'charged ' || e.fee || ', expected ' || ${expected} || ' (paise) ' || event_id from of e
     where kind = 'payment' and is_credit and ${gatewayFee}::int > 0 and abs(e.fee - ${expected}) > ${ROUNDING}::int
    limit ${LISTED}::int`)
}

/** One that came back after it was recorded is paid again by this one, to the paisa: then there is nothing to record. */
async function coverReturned(tx: Tx, settlementId: string): Promise<void> {
  const covered = await tx.maybeOne<{ id: string }>(sql`
    select r.settlement_id as id from gateway_settlement_seen r join gateway_settlement_seen s on s.settlement_id = ${settlementId}::text
         where r.state = 'failed' and r.settlement_id <> s.settlement_id and s.covers is null and not ${isCorrected(sql`r`)}
           and not exists (select from outlay o where ${IS_RECORDED})
           and (${wholeOf(sql`r.settlement_id`, 'amount')}, ${wholeOf(sql`r.settlement_id`, 'fee')}) = (s.amount, s.fee + s.own_fee)
           and ${isUntaken(sql`r.settlement_id`)}
         order by r.seen_at limit 1 for no key update of r`)
  if (covered === undefined) return
  await tx.query(sql`update gateway_settlement_seen set covers = ${covered.id}::text where settlement_id = ${settlementId}::text`)
  await tx.query(sql`
    update money_finding set ended_at = roz_now(), first_by = null, first_at = null, reason = null
     where kind = 'came_back' and settlement_id = ${covered.id}::text and ended_at is null and closed_at is null`)
}
