-- A member joins at most 365 rounds in a calendar year, and the wallet counts the joins of the year of its newest join.
-- by member
with years as (select member_id, extract(year from day)::int as year, count(*) as n from entry group by 1, 2)
select 'member ' || member_id || ' in ' || year as subject, n || ' joins' as found from years where n > 365
union all
select 'member ' || w.member_id, 'the wallet counts ' || w.year_joins || ' joins in ' || w.join_year || ', there are ' || coalesce(y.n, 0)
  from wallet w left join years y on y.member_id = w.member_id and y.year = w.join_year where w.year_joins <> coalesce(y.n, 0)
union all
select 'member ' || y.member_id, 'joined in ' || y.year || ', but the wallet counts ' || w.join_year
  from years y join wallet w using (member_id) group by y.member_id, w.join_year, y.year having y.year > w.join_year
