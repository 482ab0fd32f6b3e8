-- A batch has as many joins as it says. A closed round has as many entries as joins, and its pool received one fee for each.
select 'batch ' || coalesce(b.batch_id, j.batch_id) as subject,
       'says ' || coalesce(b.n, 0) || ' on ' || coalesce(b.day::text, '?') || ', has ' || coalesce(j.n, 0) as found
  from (select * from join_batch where day between :since and :until) b
  full join (select batch_id, day, count(*) as n from entries_of_days(:since, :until) group by batch_id, day) j on j.batch_id = b.batch_id and j.day = b.day
 where coalesce(b.n, 0) <> coalesce(j.n, 0)
union all
select 'round ' || r.day, 'says ' || r.entries || ' entries and ' || r.pool || ' paise, there are ' || coalesce(j.n, 0)
  from round r left join (select day, count(*) as n from entries_of_days(:since, :until) group by day) j using (day)
 where r.day between :since and :until and r.entries is not null and (r.entries <> coalesce(j.n, 0) or r.pool <> coalesce(j.n, 0) * entry_fee())
union all
select 'round ' || b.day, 'has batches, but there is no round' from join_batch b left join round r using (day) where r.day is null and b.day between :since and :until group by b.day
