-- A sealed day's legs still sum to the totals that were written when it was sealed.
with legs as (
  select day, case when account > 1000 then 0 else account end as account,
         coalesce(-sum(amount) filter (where amount < 0), 0) as taken, coalesce(sum(amount) filter (where amount > 0), 0) as given
    from legs_of_days(:since, :until) where day in (select day from ledger_day where sealed_at is not null) group by 1, 2)
select 'day ' || coalesce(l.day, s.day) || ', account ' || coalesce(l.account, s.account) as subject,
       'sealed as ' || coalesce(s.taken, 0) || ' taken and ' || coalesce(s.given, 0) || ' given, now ' || coalesce(l.taken, 0) || ' and ' || coalesce(l.given, 0) as found
  from legs l full join (select * from ledger_day_total where day between :since and :until) s on s.day = l.day and s.account = l.account
 where (coalesce(l.taken, 0), coalesce(l.given, 0)) <> (coalesce(s.taken, 0), coalesce(s.given, 0))
