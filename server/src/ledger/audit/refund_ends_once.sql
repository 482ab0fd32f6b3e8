-- A refund is held once with its amount and ends at most once, as its state says. It is reversed at most once and only after it was paid. It is a loss only while it is both paid and given back. No top-up is refunded beyond its amount.
with booked as (
  select r.id, r.status, r.amount,
         count(*) filter (where t.kind = case when r.member_id is null then 'suspense_refund' else 'refund_hold' end
           and t.amount = r.amount and t.debit = coalesce(r.member_id, 5)) as holds,
         count(*) filter (where t.kind = 'refund_failed' and t.amount = r.amount and t.credit = coalesce(r.member_id, 5)) as backs,
         count(*) filter (where t.kind = 'refund_paid' and t.amount = r.amount) as paids,
         count(*) filter (where t.kind = 'refund_reversed' and t.amount = r.amount
           and (t.credit = coalesce(r.member_id, 5) or t.credit = 5 and c.is_closed and s.amount = t.amount)) as reversals,
         count(*) filter (where t.kind = 'refund_conflict' and t.amount = r.amount) as conflicts,
         count(*) filter (where t.kind = 'refund_conflict_back' and t.amount = r.amount) as conflict_backs,
         count(t.kind) as transfers
    from refund r left join transfer t on subject_of(t.ref) = r.id::text and (t.kind like 'refund_%' or t.kind = 'suspense_refund')
    left join wallet c on c.member_id = r.member_id left join suspense_item s on s.payment_id = t.kind || ':' || t.ref group by r.id)
select 'refund ' || id as subject,
       status || ', ' || holds || ' holds, ' || backs || ' back, ' || paids || ' paid, ' || reversals || ' reversed, '
         || conflicts || ' conflicts, ' || conflict_backs || ' of them back, ' || transfers || ' transfers' as found
  from booked
 where holds <> 1
    or not exists (
         select from (values ('requested', 0, 0, 0), ('approved', 0, 0, 0), ('sending', 0, 0, 0), ('paid', 0, 1, 0),
                               ('rejected', 1, 0, 0), ('failed', 1, 0, 0), ('failed', 0, 1, 1)) way (status, b, p, r)
          where (way.status, way.b, way.p, way.r) = (booked.status, backs, paids, reversals))
    or conflicts - conflict_backs not in (0, 1) or conflicts > 0 and status not in ('rejected', 'failed')
    or transfers <> holds + backs + paids + reversals + conflicts + conflict_backs
union all
select 'refund ' || t.ref, t.kind || ' without a refund'
  from transfer t left join refund r on r.id::text = subject_of(t.ref)
 where (t.kind like 'refund_%' or t.kind = 'suspense_refund') and r.id is null
union all
select 'order ' || r.order_id, 'refunded ' || sum(r.amount) || ' of ' || coalesce(max(o.amount), 0)
  from refund r left join topup o on o.order_id = r.order_id and o.member_id = r.member_id and o.payment_id is not null
 where r.member_id is not null and r.status not in ('rejected', 'failed')
 group by r.order_id, r.member_id having sum(r.amount) > coalesce(max(o.amount), 0)
