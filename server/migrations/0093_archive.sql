-- Old months of entries leave the database for a file (docs/runbooks/archive.md). A row per member and month stays for members and audits,
-- about a fifth of the size. The owner writes both tables by `npm run archive`; the server only reads.
-- Invariants: one row says whether a month is in the archive or among the joins, so all readers switch at once. Archived and restored rows
-- never change.

create function month_of(day date) returns date immutable parallel safe language sql
  return date_trunc('month', day::timestamp)::date;

create table archived_month (
  id          bigint generated always as identity primary key,
  month       date not null check (month = month_of(month)),
  entries     bigint not null check (entries > 0),
  -- The file's folder when it was written, and the hash of its rows, uncompressed.
  folder      text not null,
  sha256      bytea not null check (octet_length(sha256) = 32),
  archived_at timestamptz not null default roz_now(),
  restored_at timestamptz
);
create unique index archived_month_once on archived_month (month) where restored_at is null;
create trigger archive_stays before update on archived_month for each row
  when (old.restored_at is not null or new.restored_at is null
        or (old.id, old.month, old.entries, old.folder, old.sha256, old.archived_at)
           is distinct from (new.id, new.month, new.entries, new.folder, new.sha256, new.archived_at))
  execute function refuse_change();
create trigger rows_stay before delete on archived_month for each row execute function refuse_change();
create trigger table_stays before truncate on archived_month for each statement execute function refuse_change();
select app_may('select', 'archived_month');

-- The entries of a member in a month, the oldest first. The balance after each follows from the transfers around it. The rows of a
-- restored month stay and are not read: they serve when it is archived again.
create table archived_entry (
  member_id   bigint not null,
  month       date not null,
  -- The day of the month, the place in the wallet's history, and the batch of each entry.
  days        smallint[] not null,
  wallet_seqs int[] not null,
  batch_ids   bigint[] not null,
  primary key (month, member_id),
  check (month = month_of(month)),
  check (cardinality(days) between 1 and 31 and cardinality(wallet_seqs) = cardinality(days) and cardinality(batch_ids) = cardinality(days))
);
select append_only('archived_entry');
select app_may('select', 'archived_entry');

create view entry_in_archive as
  select m.month, a.member_id, a.month + e.day::int - 1 as day, e.wallet_seq, e.batch_id
    from archived_month m join archived_entry a using (month)
   cross join lateral unnest(a.days, a.wallet_seqs, a.batch_ids) as e (day, wallet_seq, batch_id)
   where m.restored_at is null;
select app_may('select', 'entry_in_archive');

-- Every entry since a day, wherever it is. A function, so that a recent audit reads no row of an older month.
create function entries_since(since date)
  returns table (batch_id bigint, member_id bigint, balance_after bigint, wallet_seq int, day date) stable parallel safe language sql as $$
  select batch_id, member_id, balance_after, wallet_seq, day from round_join
   where day >= since and month_of(day) not in (select month from archived_month where restored_at is null)
  union all
  select batch_id, member_id, null::bigint, wallet_seq, day from entry_in_archive where month >= month_of(since) and day >= since
$$;
create view entry as select * from entries_since('-infinity');
select app_may('select', 'entry');

create function legs_since(since date)
  returns table (account bigint, amount bigint, day date, wallet_seq bigint, balance_after bigint) stable parallel safe language sql as $$
  select member_id, -entry_fee(), day, wallet_seq::bigint, balance_after from entries_since(since)
  union all select pool_account(day), amount, day, null, null from join_batch where day >= since
  union all select debit, -amount, day, case when debit > 1000 then wallet_seq end, case when debit > 1000 then balance_after end from transfer where day >= since
  union all select credit, amount, day, case when credit > 1000 then wallet_seq end, case when credit > 1000 then balance_after end from transfer where day >= since
$$;
create or replace view leg as select * from legs_since('-infinity');
