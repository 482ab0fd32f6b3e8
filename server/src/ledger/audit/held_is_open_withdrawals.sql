-- What is held of a wallet is the sum of its open withdrawals, and all of it is what payouts are pending.
select 'member ' || coalesce(w.member_id, o.member_id) as subject,
       'held ' || coalesce(w.held, 0) || ', open withdrawals ' || coalesce(o.amount, 0) as found
  from wallet w
  full join (select member_id, sum(amount) as amount from withdrawal where status in ('requested', 'approved', 'sending') group by member_id) o using (member_id)
 where coalesce(w.held, 0) <> coalesce(o.amount, 0)
union all
select 'PAYOUTS_PENDING', 'holds ' || pending || ', wallets hold ' || held
  from (select coalesce((select sum(amount) from leg where account = 3), 0) as pending, coalesce((select sum(held) from wallet), 0) as held) s
 where pending <> held
