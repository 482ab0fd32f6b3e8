-- A withdrawal is held once with its amount and ends at most once, as its state says. Returned money goes to the member, or to SUSPENSE if the wallet is closed. It is a loss only while it is both paid and given back.
with booked as (
  select w.id, w.status, w.amount,
         count(*) filter (where t.kind = 'wd_hold' and t.amount = w.amount and t.debit = w.member_id) as holds,
         count(*) filter (where t.kind = 'wd_back' and t.amount = w.amount and t.credit = w.member_id) as backs,
         count(*) filter (where t.kind = 'wd_paid' and t.amount = w.amount) as paids,
         count(*) filter (where t.kind = 'wd_reversed' and t.amount = w.amount
           and (t.credit = w.member_id or t.credit = 5 and c.is_closed and s.amount = t.amount)) as reversals,
         count(*) filter (where t.kind = 'wd_conflict' and t.amount = w.amount) as conflicts,
         count(*) filter (where t.kind = 'wd_conflict_back' and t.amount = w.amount) as conflict_backs,
         count(*) filter (where t.amount <> w.amount) as others
    from withdrawal w left join transfer t on withdrawal_of(t.ref) = w.id::text and t.kind like 'wd_%'
    left join wallet c using (member_id) left join suspense_item s on s.payment_id = t.kind || ':' || t.ref group by w.id)
select 'withdrawal ' || id as subject,
       status || ', ' || holds || ' holds, ' || backs || ' back, ' || paids || ' paid, ' || reversals || ' reversed, '
         || conflicts || ' conflicts, ' || conflict_backs || ' of them back, ' || others || ' of another amount' as found
  from booked
 where (holds, backs, paids, reversals, others) <> (1,
   case when status in ('rejected', 'failed') then 1 else 0 end,
   case when status in ('paid', 'reversed') then 1 else 0 end,
   case when status = 'reversed' then 1 else 0 end, 0)
    or conflicts - conflict_backs not in (0, 1) or conflicts > 0 and status not in ('rejected', 'failed', 'reversed')
union all
select 'withdrawal ' || t.ref, t.kind || ' without a withdrawal'
  from transfer t left join withdrawal w on w.id::text = withdrawal_of(t.ref) where t.kind like 'wd_%' and w.id is null
