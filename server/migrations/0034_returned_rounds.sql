-- A round without its beacon ends void, and its rupees go back a page of members at a time. Invariants: from the first page
-- on the round cannot be drawn. All returns are in the books of one day, which is sealed after the last of them.

alter table round
  -- The day on which its rupees are given back, from the decision on.
  add column return_day date,
  -- The last member who has theirs.
  add column returned_to bigint,
  add constraint round_returned check ((return_day is null) = (returned_to is null) and (return_day is null or status in ('closed', 'void')));
create index round_returning on round (return_day) where return_day is not null;

create function seal_waits_for_returns() returns trigger language plpgsql as $$
begin
  if exists (select from round where return_day = new.day and status = 'closed') then
    raise exception 'day % cannot be sealed: a round is being given back on it', new.day;
  end if;
  return new;
end $$;
create trigger seal_waits_for_returns before update on ledger_day for each row
  when (old.sealed_at is null and new.sealed_at is not null) execute function seal_waits_for_returns();

-- Nobody draws it any more.
create or replace function ticket_owner_goes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from round where day = old.day and (status in ('drawn', 'settled', 'void') or return_day is not null)) then return old; end if;
  raise exception '% on ticket_owner: whose the tickets of a day are is needed until its draw', tg_op using errcode = 'RZ001';
end $$;
