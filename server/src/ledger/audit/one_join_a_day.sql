-- A member joins once a day. The wallet's newest join and number of joins agree with the joins.
-- by member
select 'member ' || member_id || ' on ' || day as subject, count(*) || ' joins' as found from entry group by member_id, day having count(*) > 1
union all
select 'member ' || coalesce(w.member_id, j.member_id),
       'the wallet says ' || coalesce(w.joins, 0) || ' joins, the newest ' || coalesce(w.last_round, '-infinity') || '; there are ' || coalesce(j.n, 0) || ', the newest ' || coalesce(j.newest, '-infinity')
  from wallet w full join (select member_id, count(*) as n, max(day) as newest from entry group by member_id) j using (member_id)
 where coalesce(w.joins, -1) <> coalesce(j.n, 0) or w.last_round <> coalesce(j.newest, '-infinity')
