-- Every withdrawal was held once with its amount, ended at most once, and as its state says.
with booked as (
  select w.id, w.status, w.amount,
         count(*) filter (where t.kind = 'wd_hold' and t.amount = w.amount and t.debit = w.member_id) as holds,
         count(*) filter (where t.kind = 'wd_back' and t.amount = w.amount and t.credit = w.member_id) as backs,
         count(*) filter (where t.kind = 'wd_paid' and t.amount = w.amount) as paids,
         count(*) filter (where t.kind = 'wd_reversed' and t.amount = w.amount and t.credit = w.member_id) as reversals
    from withdrawal w left join transfer t on t.ref = w.id::text and t.kind like 'wd_%' group by w.id)
select 'withdrawal ' || id as subject, status || ', ' || holds || ' holds, ' || backs || ' back, ' || paids || ' paid, ' || reversals || ' reversed' as found
  from booked
 where (holds, backs, paids, reversals) <> (1,
   case when status in ('rejected', 'failed') then 1 else 0 end,
   case when status in ('paid', 'reversed') then 1 else 0 end,
   case when status = 'reversed' then 1 else 0 end)
union all
select 'withdrawal ' || t.ref, t.kind || ' without a withdrawal'
  from transfer t left join withdrawal w on w.id::text = t.ref where t.kind in ('wd_hold', 'wd_paid', 'wd_back', 'wd_reversed') and w.id is null
