-- A wallet's balance is the sum of its legs.
-- by member
select 'member ' || coalesce(w.member_id, l.account) as subject,
       'the wallet says ' || coalesce(w.balance::text, 'nothing') || ', its legs ' || coalesce(l.amount, 0) as found
  from wallet w full join (select account, sum(amount) as amount from leg where account > 1000 group by account) l on l.account = w.member_id
 where coalesce(w.balance, -1) <> coalesce(l.amount, 0)
