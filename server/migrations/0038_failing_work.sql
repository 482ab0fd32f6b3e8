-- Due work that fails (jobs/parking.ts): an order, a day, a member, tried ever more rarely. From the fifth
-- try on it is parked: out of the way of all other work, alarmed once, listed by `npm run parked`.
create table failing_work (
  work     text not null,
  -- The failing item: an order's id, a day, a member's number. Never a name.
  item     text not null,
  tries    int not null check (tries > 0),
  error    text not null,
  first_at timestamptz not null default roz_now(),
  next_at  timestamptz not null,
  primary key (work, item)
);
select app_may('select, insert, update, delete', 'failing_work');

-- A job counts its own tries.
create view parked_work as
  select work, item, tries, error, first_at as since, next_at from failing_work where tries >= 5
  union all
  select 'job ' || kind, id::text, attempts, coalesce(last_error, ''), created_at, due_at from job
   where done_at is null and attempts >= 8 and last_error is not null;
create index job_parked on job (id) where done_at is null and attempts >= 8;
select app_may('select', 'parked_work');
