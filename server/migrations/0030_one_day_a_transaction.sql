-- A transaction posts only to the day of its first posting. So a settlement's prizes and shares are in one day's books, even
-- if midnight passes in between. It holds that day since its first posting, so nobody has sealed it. The choice ends with
-- the transaction, and with a savepoint that gives the day back.
create or replace function posting_day() returns date language plpgsql as $$
declare
  own date := nullif(current_setting('roz.posting_day', true), '');
  today date;
  sealed timestamptz;
begin
  loop
    today := coalesce(own, ist_day(roz_now()));
    select sealed_at into sealed from ledger_day where day = today for share;
    if not found then
      insert into ledger_day (day) values (today) on conflict do nothing;
    elsif today = coalesce(own, ist_day(roz_now())) then
      if sealed is not null then raise exception 'day % is sealed', today; end if;
      if own is null then perform set_config('roz.posting_day', today::text, true); end if;
      return today;
    end if;
  end loop;
end $$;
