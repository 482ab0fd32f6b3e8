-- The pool of a settled or void round is empty. Any other pool contains its entries. A settled round was split as its shares say.
with pools as (
  select r.day, r.status, r.return_day, coalesce((select sum(b.amount) from join_batch b where b.day = r.day), 0) as came,
         coalesce((select sum(t.amount) from transfer t where t.debit = pool_account(r.day)), 0) as went
    from round r where r.day between :since and :until)
select 'round ' || day as subject, status || ', ' || came || ' came and ' || went || ' went' as found
  from pools where went <> case when status in ('settled', 'void') then came else 0 end
   and not (status = 'closed' and return_day is not null and went between 1 and came)
union all
select 'round ' || r.day, 'need, platform, tax and prizes are not what was booked'
  from round r left join lateral (
    select coalesce(sum(amount) filter (where kind = 'need'), 0) as need, coalesce(sum(amount) filter (where kind = 'platform'), 0) as platform,
           coalesce(sum(amount) filter (where kind = 'tax'), 0) as tax, coalesce(sum(amount) filter (where kind in ('prize', 'tax')), 0) as reward
      from transfer where debit = pool_account(r.day)) t on true
 where r.day between :since and :until and r.status = 'settled' and (t.need, t.platform, t.tax, t.reward) <> (r.need_paise, r.platform_paise, r.tax_paise, r.reward_paise)
union all
select 'pool ' || debit, 'paid, but there is no such round'
  from transfer t where debit < 0 and day between :since and :until and not exists (select 1 from round r where pool_account(r.day) = t.debit) group by debit
