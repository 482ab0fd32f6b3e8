-- The product's clock follows the database's clock only while a server has confirmed it (adapters/clock.ts, docs/decisions/0045).
-- Outside of the confirmed window roz_now() stands still at the last confirmed time: no day closes, no session ends and nothing is
-- deleted by a clock that jumps, from the first statement after the jump.
alter table clock_offset
  -- The newest reading of the database's clock that a server confirmed. Null: no server of this release confirms it.
  add column trusted_at timestamptz,
  -- The reading of the database's clock that a server doubted. Null: no doubt.
  add column doubted_at timestamptz;

-- The database's own clock. Only this function reads it, so that a test can move it below roz_now().
create function machine_clock() returns timestamptz volatile parallel safe language sql
  return clock_timestamp();

create or replace function roz_now() returns timestamptz stable parallel safe language plpgsql as $$
declare
  at timestamptz := machine_clock();
  trusted timestamptz;
  offset_of bigint;
begin
  select trusted_at, offset_ms into trusted, offset_of from clock_offset;
  if at < trusted or at > trusted + interval '5 minutes' then at := trusted; end if;
  return at + offset_of * interval '1 millisecond';
end $$;

-- Confirms a reading of the database's clock. The product's clock never runs backwards by this.
create function trust_clock(at timestamptz) returns timestamptz
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update clock_offset set trusted_at = greatest(trusted_at, trust_clock.at), doubted_at = null;
  return roz_now();
end $$;
select app_may_call('trust_clock(timestamptz)');

create function doubt_clock(at timestamptz) returns void
  security definer set search_path = public, pg_temp language sql as $$
  update clock_offset set doubted_at = doubt_clock.at where doubted_at is null
$$;
select app_may_call('doubt_clock(timestamptz)');

-- An operator confirms the clock as it is now, also backwards, but not to before the opening of the newest opened round.
create function accept_clock() returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  at timestamptz := machine_clock();
begin
  update clock_offset set trusted_at = at, doubted_at = null
   where not exists (select from round
     where opens_at <= roz_now() and opens_at > at + clock_offset.offset_ms * interval '1 millisecond');
  return found;
end $$;
select app_may_call('accept_clock()');

-- A server of the previous release confirms no clock: where its sign of life is the newest, roz_now() follows the database's clock as
-- it did then. Otherwise the clock would stand still after a rollback.
alter table heartbeat add column confirmed_at timestamptz;
create function release_clock() returns trigger
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update clock_offset set trusted_at = null, doubted_at = null;
  return new;
end $$;
create trigger release_clock before insert or update on heartbeat for each row
  when (new.confirmed_at is distinct from new.at) execute function release_clock();

-- As in 0030, with a state of its own: a sealed day is answered as a clock that has to be corrected, not as a fault.
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
      if sealed is not null then raise exception 'day % is sealed', today using errcode = 'RZ006'; end if;
      if own is null then perform set_config('roz.posting_day', today::text, true); end if;
      return today;
    end if;
  end loop;
end $$;
