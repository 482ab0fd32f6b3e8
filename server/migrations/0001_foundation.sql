-- Foundations: the privileges of the app's role, the one clock, days, append-only tables, jobs.

-- The privileges of the app's role. The role's name is a setting, so migrations record privileges here
-- and every start grants them again (db/migrate.ts). A table or function that is not named stays
-- closed.
create table app_grant (
  object     text primary key,
  privileges text not null
);

create function app_may(privileges text, tables text) returns void language sql as $$
  insert into app_grant (object, privileges)
  select 'table ' || trim(name), app_may.privileges from unnest(string_to_array(app_may.tables, ',')) name
  on conflict (object) do update set privileges = excluded.privileges
$$;

-- PUBLIC may execute functions by default; one that runs with the owner's rights is revoked first.
create function app_may_call(signature text) returns void language plpgsql as $$
begin
  execute format('revoke execute on function %s from public', signature);
  insert into app_grant (object, privileges) values ('function ' || signature, 'execute')
  on conflict (object) do nothing;
end $$;

-- The one clock. Every rule, in SQL and in Node, reads roz_now(): real time plus an offset that only
-- /dev/clock sets. In production a CHECK keeps the offset at zero. Only the owner can change that
-- switch, so no session setting of a client moves time.
create table clock_offset (
  only_row   boolean primary key default true check (only_row),
  production boolean not null default true,
  offset_ms  bigint  not null default 0,
  check (not production or offset_ms = 0)
);
insert into clock_offset default values;
select app_may('select', 'clock_offset');

-- Stable, so that an index can serve `due_at <= roz_now()`; a statement reads it as often as it asks.
create function roz_now() returns timestamptz stable parallel safe language plpgsql as $$
begin
  return clock_timestamp() + (select offset_ms from clock_offset) * interval '1 millisecond';
end $$;

create function set_clock_offset(ms bigint) returns timestamptz
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update clock_offset set offset_ms = ms where not production;
  if not found then raise exception 'the clock cannot be set in production'; end if;
  return clock_timestamp() + ms * interval '1 millisecond';
end $$;
select app_may_call('set_clock_offset(bigint)');

-- Called at every start by the owner.
create function set_clock_production(is_production boolean) returns void language sql as $$
  update clock_offset
     set production = is_production, offset_ms = case when is_production then 0 else offset_ms end
   where production is distinct from is_production
$$;
revoke execute on function set_clock_production(boolean) from public;

-- Days are Asia/Kolkata dates: a fixed offset without daylight saving.
create function ist_day(at timestamptz) returns date immutable parallel safe language sql
  return (at at time zone interval '05:30')::date;

create function start_of_ist_day(day date) returns timestamptz immutable parallel safe language sql
  return day::timestamp at time zone interval '05:30';

-- Append-only tables: a trigger refuses every change of a row. So no row changes even if the server's
-- role owns the tables, where no grant stops it.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on %: rows of this table are never changed', tg_op, tg_table_name using errcode = 'RZ001';
end $$;

create function append_only(name regclass) returns void language plpgsql as $$
begin
  execute format('create trigger rows_stay before update or delete on %s for each row execute function refuse_change()', name);
  execute format('create trigger table_stays before truncate on %s for each statement execute function refuse_change()', name);
end $$;

-- Work that follows a committed fact (jobs/queue.ts). Written in the caller's transaction, claimed by
-- FOR UPDATE SKIP LOCKED, run at least once.
create table job (
  id           bigint generated always as identity primary key,
  kind         text not null,
  key          text not null,
  payload      jsonb not null,
  due_at       timestamptz not null,
  attempts     int not null default 0 check (attempts >= 0),
  locked_until timestamptz,
  done_at      timestamptz,
  last_error   text,
  created_at   timestamptz not null default roz_now(),
  unique (kind, key)
);
create index job_due on job (due_at) where done_at is null;
create index job_done on job (done_at) where done_at is not null;
select app_may('select, insert, update, delete', 'job');
