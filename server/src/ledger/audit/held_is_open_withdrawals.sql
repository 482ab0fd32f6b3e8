-- A wallet's hold is the sum of its open withdrawals and refunds. Payouts pending are the open withdrawals; refunds pending are the open refunds.
with opened as (
  select member_id, amount, 'w' as kind from withdrawal where status in ('requested', 'approved', 'sending')
  union all select member_id, amount, 'r' from refund where status in ('requested', 'approved', 'sending')),
-- Joins touch neither account.
moved as (
  select debit as account, -amount as amount from transfer where debit in (3, 4)
  union all select credit, amount from transfer where credit in (3, 4)),
pending as (
  select coalesce(sum(amount) filter (where account = 3), 0) as payouts, coalesce(sum(amount) filter (where account = 4), 0) as refunds from moved),
due as (select coalesce(sum(amount) filter (where kind = 'w'), 0) as payouts, coalesce(sum(amount) filter (where kind = 'r'), 0) as refunds from opened)
select 'member ' || coalesce(w.member_id, o.member_id) as subject,
       'held ' || coalesce(w.held, 0) || ', open withdrawals and refunds ' || coalesce(o.amount, 0) as found
  from wallet w
  full join (select member_id, sum(amount) as amount from opened where member_id is not null group by member_id) o using (member_id)
 where coalesce(w.held, 0) <> coalesce(o.amount, 0)
union all
select 'PAYOUTS_PENDING', 'holds ' || p.payouts || ', open withdrawals ' || d.payouts from pending p, due d where p.payouts <> d.payouts
union all
select 'REFUNDS_PENDING', 'holds ' || p.refunds || ', open refunds ' || d.refunds from pending p, due d where p.refunds <> d.refunds
