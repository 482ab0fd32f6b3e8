-- All legs of a day sum to zero, and money that moved has legs.
select 'day ' || day as subject, 'the legs sum to ' || sum(amount) as found from legs_of_days(:since, :until) group by day having sum(amount) <> 0
union all
select 'all accounts', 'wallets moved, but there are no legs'
 where exists (select 1 from wallet where seq > 0) and not exists (select 1 from leg)
