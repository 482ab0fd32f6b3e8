-- An audit of money goes in parts (features/audit/scheduled-audit.ts). Each part commits with how far the run has come, so an interrupted run
-- continues there. No server uses wallet_check any more: a later release drops it.
alter table audit_run
  -- The last file, day and member audited. Null in a run of release 1.0.0, which had no parts.
  add column last_file text,
  add column last_day date,
  add column last_member bigint,
  -- The invariants of which the owners had been told when the run ended.
  add column told text[];
-- The findings of a run under way count at once.
alter table audit_run drop constraint audit_run_check1;

-- Entries and legs of some days, wherever they are.
create function entries_of_days(since date, until date)
  returns table (batch_id bigint, member_id bigint, balance_after bigint, wallet_seq int, day date) stable parallel safe language sql as $$
  select batch_id, member_id, balance_after, wallet_seq, day from round_join
   where day between since and until and month_of(day) not in (select month from archived_month where restored_at is null)
  union all
  select batch_id, member_id, null::bigint, wallet_seq, day from entry_in_archive
   where month between month_of(since) and month_of(until) and day between since and until
$$;
create function legs_of_days(since date, until date)
  returns table (account bigint, amount bigint, day date, wallet_seq bigint, balance_after bigint) stable parallel safe language sql as $$
  select member_id, -entry_fee(), day, wallet_seq::bigint, balance_after from entries_of_days(since, until)
  union all select pool_account(day), amount, day, null, null from join_batch where day between since and until
  union all select debit, -amount, day, case when debit > 1000 then wallet_seq end, case when debit > 1000 then balance_after end from transfer where day between since and until
  union all select credit, amount, day, case when credit > 1000 then wallet_seq end, case when credit > 1000 then balance_after end from transfer where day between since and until
$$;

-- The entries of some members. They are read day by day, because each day's index has its members in order.
create function entries_of_members(after bigint, last bigint)
  returns table (batch_id bigint, member_id bigint, balance_after bigint, wallet_seq int, day date) stable parallel safe language sql as $$
  select j.batch_id, j.member_id, j.balance_after, j.wallet_seq, j.day
    from round r cross join lateral (
      select * from round_join where day = r.day and member_id > after and member_id <= last offset 0) j
   where month_of(r.day) not in (select month from archived_month where restored_at is null)
  union all
  select e.batch_id, a.member_id, null::bigint, e.wallet_seq, a.month + e.day::int - 1
    from archived_month m cross join lateral (
      select * from archived_entry where month = m.month and member_id > after and member_id <= last offset 0) a
   cross join lateral unnest(a.days, a.wallet_seqs, a.batch_ids) as e (day, wallet_seq, batch_id)
   where m.restored_at is null
$$;
