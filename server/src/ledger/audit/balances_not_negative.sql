-- No wallet has a negative balance or a negative hold.
select 'member ' || member_id as subject, 'balance ' || balance || ', held ' || held as found
  from wallet where balance < 0 or held < 0
union all
select 'all wallets', 'members moved money, but there is no wallet'
 where exists (select 1 from leg where account > 1000) and not exists (select 1 from wallet)
