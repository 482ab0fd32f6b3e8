-- The help fund's total income and outlays at each day's end, stored with the day's books. So a page of
-- days costs the same after ten years. Invariant: books are made day by day without a gap, each from a
-- sealed day: a day's totals are those of the day before and its own.
alter table books_day add column help_in bigint, add column help_out bigint;
alter table books_day disable trigger rows_stay;
update books_day d set help_in = t.help_in, help_out = t.help_out
  from (select day, sum((body #>> '{help,in}')::bigint) over days as help_in,
               sum((select coalesce(sum((spent ->> 'paise')::bigint), 0) from jsonb_array_elements(body #> '{help,disbursements}') spent)) over days as help_out
          from (select day, convert_from(bytes, 'UTF8')::jsonb as body from books_day) book window days as (order by day)) t
 where t.day = d.day;
alter table books_day enable trigger rows_stay;
alter table books_day alter column help_in set not null, alter column help_out set not null, add check (help_in >= help_out and help_out >= 0);
create index books_day_help_out on books_day (help_out, day);

-- By day first: what came after the newest books, and before a share of the same day.
drop index transfer_of_help_fund;
create index transfer_of_help_fund on transfer (day, transfer_id) include (kind, amount) where kind in ('need', 'gift', 'disbursement');
