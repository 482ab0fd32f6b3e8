-- SUSPENSE equals its open items. Each item is decided once: credited to one member, refunded by one refund, paid once by hand, or taken by the payer's bank or for its owner's debt.
select 'SUSPENSE' as subject, 'holds ' || booked || ', open items ' || open as found
  from (select coalesce((select sum(case when credit = 5 then amount else -amount end) from transfer where debit = 5 or credit = 5), 0) as booked,
               coalesce((select sum(amount) from suspense_item where status = 'open'), 0) as open) s
 where booked <> open
union all
select 'suspense item ' || s.id, s.status || ', ' || s.credits || ' credits, ' || s.refunds || ' refunds, ' || s.payments || ' payments, ' || s.takings || ' takings'
  from (select i.id, i.status,
               (select count(*) from transfer t where t.kind = 'suspense_credit' and t.ref = i.id::text and t.amount <= i.amount) as credits,
               (select count(*) from refund r where r.suspense_id = i.id and r.amount = i.amount and r.status not in ('rejected', 'failed')) as refunds,
               (select count(*) from transfer t where t.kind = 'suspense_paid' and t.ref = i.id::text and t.amount = i.amount) as payments,
               (select count(*) from transfer t where t.kind in ('chargeback', 'debt_paid') and t.debit = 5 and t.ref = i.reference and t.amount <= i.amount) as takings
          from suspense_item i) s
 where (s.credits, s.refunds, s.payments, s.takings) <> (
   case when s.status = 'credited' then 1 else 0 end, case when s.status = 'refunded' then 1 else 0 end,
   case when s.status = 'paid' then 1 else 0 end, case when s.status = 'taken' then 1 else 0 end)
union all
select 'transfer ' || t.kind || ' ' || t.ref, 'its suspense item does not exist'
  from transfer t left join suspense_item i on i.id::text = t.ref where t.kind in ('suspense_credit', 'suspense_paid') and i.id is null
union all
select 'refund ' || r.id, 'gives back suspense item ' || r.suspense_id || ', which does not exist'
  from refund r left join suspense_item i on i.id = r.suspense_id where r.suspense_id is not null and i.id is null
