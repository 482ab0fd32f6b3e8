-- Guards of the ledger, whatever the server's role sends. No transfer into a sealed day, no join into a closed round, no
-- wallet change without its movement. No member's movement contradicts the wallet. Judged when a statement ends, for all of
-- its rows together where there can be many (decision 17 has the figures). The row to compare with is found by key in a
-- scalar subquery, so that a plan made for one row also suits a million.

-- The day is share-locked until the commit, as by posting_day(): sealing waits, or has committed and is seen.
create function guard_transfers() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  wrong text;
begin
  perform from ledger_day where day in (select day from written) for share;
  select day into wrong from (select distinct day from written) posted
   where (select sealed_at is null from ledger_day d where d.day = posted.day) is not true limit 1;
  if found then raise exception 'day % takes no transfer: it is sealed, or was never opened', wrong using errcode = 'RZ004'; end if;
  select w.kind || ' ' || w.ref into wrong from written w
   where w.wallet_seq is not null
     and (select owner.seq = w.wallet_seq and owner.balance = w.balance_after from wallet owner
           where owner.member_id = case when w.debit > 1000 then w.debit else w.credit end) is not true limit 1;
  if found then raise exception '%: the wallet says something else', wrong using errcode = 'RZ005'; end if;
  return null;
end $$;
create trigger guard_transfers after insert on transfer referencing new table as written
  for each statement execute function guard_transfers();

-- A batch of joins is written while its round is open. The round is share-locked until the commit: a close waits.
create function guard_batch() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  perform from round where day = new.day and status = 'open' for share;
  if not found then raise exception 'round % takes no joins', new.day using errcode = 'RZ004'; end if;
  return null;
end $$;
create trigger guard_batch after insert on join_batch for each row execute function guard_batch();

-- Joins are those of one batch, all of it, written by the transaction that wrote the batch.
create function guard_joins() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  -- It runs for a statement that joins nobody, too.
  perform from (select min(batch_id) as first, max(batch_id) as last, min(day) as day, max(day) as until, count(*) as n from written) w
    left join join_batch b on b.batch_id = w.first
   where w.n = 0 or w.first = w.last and w.day = w.until and b.day = w.day and b.n = w.n and b.xmin = pg_current_xact_id()::xid;
  if not found then raise exception 'joins without the batch that says the same' using errcode = 'RZ004'; end if;
  return null;
end $$;
create trigger guard_joins after insert on round_join referencing new table as written
  for each statement execute function guard_joins();

-- Joins come by the thousand, so only the shape of the change is checked: one rupee, once a day. Every night each is
-- compared with its entry. Any other change must match the movement that was written with it.
create function guard_wallet() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if new.member_id = old.member_id and new.seq = old.seq + 1 and coalesce(
       (select t.amount = new.balance - old.balance and t.balance_after = new.balance from transfer t
         where t.credit = new.member_id and t.credit > 1000 and t.wallet_seq = new.seq),
       (select t.amount = old.balance - new.balance and t.balance_after = new.balance from transfer t
         where t.debit = new.member_id and t.debit > 1000 and t.wallet_seq = new.seq)) then return null; end if;
  raise exception 'wallet % changed without its movement', new.member_id using errcode = 'RZ005';
end $$;
create trigger guard_wallet after update on wallet for each row
  when (((old.member_id, old.balance, old.seq) is distinct from (new.member_id, new.balance, new.seq) or new.held > old.held)
        and not (new.member_id = old.member_id and new.balance = old.balance - entry_fee() and new.seq = old.seq + 1
                 and new.last_round > old.last_round and new.joins = old.joins + 1 and new.held = old.held))
  execute function guard_wallet();

-- A wallet opens empty, or with the movement that filled it.
create function guard_new_wallets() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  wrong bigint;
begin
  select a.member_id into wrong from after a
   where (a.balance <> 0 or a.seq <> 0 or a.held <> 0)
     and (a.held = 0 and a.seq = 1 and (select t.amount = a.balance and t.balance_after = a.balance from transfer t
           where t.credit = a.member_id and t.credit > 1000 and t.wallet_seq = a.seq)) is not true
   limit 1;
  if found then raise exception 'wallet % changed without its movement', wrong using errcode = 'RZ005'; end if;
  return null;
end $$;
create trigger guard_new_wallets after insert on wallet referencing new table as after
  for each statement execute function guard_new_wallets();

-- Every leg of every movement. The pool's side of joins comes from the batches, not from the entries. A
-- missing or wrong row in one of the two tables shows in the sum.
create or replace view leg as
  select member_id as account, -entry_fee() as amount, day, wallet_seq::bigint as wallet_seq, balance_after from round_join
  union all select pool_account(day), amount, day, null, null from join_batch
  union all select debit, -amount, day, case when debit > 1000 then wallet_seq end, case when debit > 1000 then balance_after end from transfer
  union all select credit, amount, day, case when credit > 1000 then wallet_seq end, case when credit > 1000 then balance_after end from transfer;
