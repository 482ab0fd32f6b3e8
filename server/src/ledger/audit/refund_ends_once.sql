-- Every refund was held once with its amount, ended at most once and as its state says, and no top-up was refunded beyond its amount.
with booked as (
  select r.id, r.status, r.amount,
         count(*) filter (where t.kind = case when r.member_id is null then 'suspense_refund' else 'refund_hold' end
           and t.amount = r.amount and t.debit = coalesce(r.member_id, 5)) as holds,
         count(*) filter (where t.kind = 'refund_failed' and t.amount = r.amount and t.credit = coalesce(r.member_id, 5)) as backs,
         count(*) filter (where t.kind = 'refund_paid' and t.amount = r.amount) as paids,
         count(t.kind) as transfers
    from refund r left join transfer t on t.ref = r.id::text and t.kind in ('refund_hold', 'suspense_refund', 'refund_failed', 'refund_paid') group by r.id)
select 'refund ' || id as subject, status || ', ' || holds || ' holds, ' || backs || ' back, ' || paids || ' paid, ' || transfers || ' transfers' as found
  from booked
 where (holds, backs, paids) <> (1, case when status in ('rejected', 'failed') then 1 else 0 end, case when status = 'paid' then 1 else 0 end)
    or transfers <> holds + backs + paids
union all
select 'refund ' || t.ref, t.kind || ' without a refund'
  from transfer t left join refund r on r.id::text = t.ref
 where t.kind in ('refund_hold', 'suspense_refund', 'refund_failed', 'refund_paid') and r.id is null
union all
select 'order ' || r.order_id, 'refunded ' || sum(r.amount) || ' of ' || coalesce(max(o.amount), 0)
  from refund r left join topup o on o.order_id = r.order_id and o.member_id = r.member_id and o.payment_id is not null
 where r.member_id is not null and r.status not in ('rejected', 'failed')
 group by r.order_id, r.member_id having sum(r.amount) > coalesce(max(o.amount), 0)
