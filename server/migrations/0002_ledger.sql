-- The ledger, in double entry: one row is one balanced transfer. Joins are rows of their own kind,
-- because they are many. Only server/src/ledger writes wallets, transfers and the money columns of
-- rounds. No foreign keys on wallet, round_join, join_batch and transfer: they tripled the cost of an
-- insert, and the audit proves the same.

-- Accounts. Members are numbered from 1001; the pool of a day is -yyyymmdd; all other accounts are listed here.
create table account (
  id   smallint primary key check (id between 1 and 999),
  name text not null unique
);
insert into account (id, name) values
  (1, 'GATEWAY'), (2, 'BANK'), (3, 'PAYOUTS_PENDING'), (4, 'REFUNDS_PENDING'), (5, 'SUSPENSE'),
  (6, 'HELP_FUND'), (7, 'PLATFORM'), (8, 'GATEWAY_FEES'), (9, 'LOSSES'), (10, 'TAX_WITHHELD');
select append_only('account');
select app_may('select', 'account');

create function pool_account(day date) returns bigint immutable parallel safe language sql
  return -(extract(year from day)::bigint * 10000 + extract(month from day)::bigint * 100 + extract(day from day)::bigint);

-- One rupee, in paise: the stake of a round.
create function entry_fee() returns bigint immutable parallel safe language sql return 100::bigint;

-- Every fact that a decision about a member's money needs, on the one row that is locked for it.
-- Half of each page stays free, so that a member's daily update stays inside the page.
create table wallet (
  member_id  bigint primary key check (member_id > 1000),
  held       bigint not null default 0 check (held >= 0),
  -- The columns that a join changes are adjacent, because an update logs the bytes from the first to the last change.
  balance    bigint not null default 0 check (balance >= 0),
  -- One per change of the balance, also by a join.
  seq        bigint not null default 0 check (seq >= 0),
  -- The newest join: its day, and the first 8 bytes of the hash of its Idempotency-Key.
  last_round date not null default '-infinity',
  last_key   bigint,
  joins      int not null default 0 check (joins >= 0),
  year_joins smallint not null default 0 check (year_joins between 0 and 365),
  join_year  smallint not null default 0,
  -- Mail confirmed and not on hold.
  may_move   boolean not null default false,
  auto_join  boolean not null default false
) with (fillfactor = 50);
create index wallet_auto on wallet (member_id) where auto_join;
select app_may('select, insert, update', 'wallet');

-- Rounds, one a day.
create table round (
  day           date primary key,
  status        text not null default 'open' check (status in ('open', 'closed', 'drawn', 'settled', 'void')),
  policy        text not null check (policy in ('A', 'B')),
  need          smallint not null check (need between 0 and 100),
  reward        smallint not null check (reward between 0 and 100),
  platform      smallint not null check (platform between 0 and 100),
  winners       int not null check (winners >= 0),
  opens_at      timestamptz not null,
  closes_at     timestamptz not null,
  mode          text not null check (mode in ('local', 'drand')),
  -- H(S) of the local mode, committed to before the round opens, and S, sealed.
  secret_hash   bytea check (octet_length(secret_hash) = 32),
  sealed_secret bytea,
  closed_at     timestamptz,
  entries       bigint check (entries >= 0),
  pool          bigint,
  root          bytea check (octet_length(root) = 32),
  draw_at       timestamptz,
  randomness    bytea,
  seed          bytea check (octet_length(seed) = 32),
  drawn_at      timestamptz,
  -- How the pool was cut when it was paid; the reward includes the tax withheld from it.
  need_paise     bigint check (need_paise >= 0),
  reward_paise   bigint check (reward_paise >= 0),
  platform_paise bigint check (platform_paise >= 0),
  tax_paise      bigint check (tax_paise >= 0),
  settled_at    timestamptz,
  voided_at     timestamptz,
  created_at    timestamptz not null default roz_now(),
  check (need + reward + platform = 100),
  check (opens_at < closes_at and opens_at >= start_of_ist_day(day) and closes_at <= start_of_ist_day(day + 1)),
  check (mode <> 'local' or secret_hash is not null and sealed_secret is not null),
  check ((status = 'open') = (closed_at is null)),
  check ((closed_at is null) = (entries is null) and (closed_at is null) = (pool is null)),
  check (pool = entries * entry_fee()),
  check ((status in ('drawn', 'settled')) = (drawn_at is not null)),
  check (drawn_at is null or seed is not null and randomness is not null and root is not null and entries > 0),
  check ((status = 'settled') = (settled_at is not null)),
  check (settled_at is null or need_paise is not null and reward_paise is not null and platform_paise is not null
         and tax_paise is not null and tax_paise <= reward_paise and need_paise + reward_paise + platform_paise = pool),
  check ((status = 'void') = (voided_at is not null))
);
create index round_unfinished on round (day) where status in ('open', 'closed', 'drawn');
create index round_settled on round (settled_at) where status = 'settled';
-- A round that has ended stays as it ended.
create trigger end_stays before update or delete on round for each row
  when (old.status in ('settled', 'void')) execute function refuse_change();
select app_may('select, insert, update', 'round');

-- One statement's joins: the pool's side. No row holds the pool's balance: it is summed at close.
create table join_batch (
  batch_id   bigint generated always as identity primary key,
  -- Made by the sender: tells a batch sent again after a lost answer from a second one.
  uuid       uuid not null unique,
  day        date not null,
  via        text not null check (via in ('member', 'auto', 'topup')),
  n          int not null check (n > 0),
  amount     bigint not null check (amount = n * entry_fee()),
  created_at timestamptz not null default roz_now(),
  root       bytea check (octet_length(root) = 32),
  signature  bytea check (octet_length(signature) = 64)
);
create index join_batch_day on join_batch (day) include (n);
select append_only('join_batch');
select app_may('select, insert', 'join_batch');

-- A member's entry in a round, at most 120 bytes with its index. The amount is the entry fee; the batch
-- has time and origin. Columns by width, so that no byte is padding.
create table round_join (
  batch_id      bigint not null,
  member_id     bigint not null,
  balance_after bigint not null check (balance_after >= 0),
  wallet_seq    int not null check (wallet_seq > 0),
  day           date not null,
  key_prefix    bigint,
  primary key (day, member_id)
) partition by range (day);
create trigger rows_stay before update or delete on round_join for each row execute function refuse_change();
create trigger table_stays before truncate on round_join for each statement execute function refuse_change();
select app_may('select, insert', 'round_join');

-- Partitions by month, made before they are needed. Attaching does not stop the joins of today.
create function make_join_month(day date) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  first date := date_trunc('month', make_join_month.day)::date;
  next  date := (first + interval '1 month')::date;
  name  text := 'round_join_' || to_char(first, 'YYYY_MM');
begin
  if to_regclass(name) is not null then return; end if;
  -- One maker at a time; the second finds the table.
  perform pg_advisory_xact_lock(7242002);
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like round_join including defaults including constraints)', name);
  execute format('alter table round_join attach partition %I for values from (%L) to (%L)', name, first, next);
  execute format('create trigger table_stays before truncate on %I for each statement execute function refuse_change()', name);
end $$;
select app_may_call('make_join_month(date)');

-- This month and the two after it, at every start.
create function make_join_months() returns void language sql as $$
  select make_join_month((date_trunc('month', ist_day(roz_now())) + n * interval '1 month')::date) from generate_series(0, 2) n
$$;
revoke execute on function make_join_months() from public;

-- The day fence. Every posting share-locks its day's row until its commit. Sealing locks the row
-- exclusively, so no posting is in flight into a summed day. Joins are fenced by their round's row
-- instead: a day is sealed only after its round is closed.
create table ledger_day (
  day       date primary key,
  sealed_at timestamptz
);
create trigger seal_stays before update or delete on ledger_day for each row
  when (old.sealed_at is not null) execute function refuse_change();
select app_may('select, insert, update', 'ledger_day');

-- The totals of a sealed day by account; all members are account 0.
create table ledger_day_total (
  day     date not null,
  account bigint not null,
  taken   bigint not null check (taken >= 0),
  given   bigint not null check (given >= 0),
  primary key (day, account)
);
select append_only('ledger_day_total');
select app_may('select, insert', 'ledger_day_total');

-- The day of a posting: the IST date under that day's lock, which may have been waited for.
create function posting_day() returns date language plpgsql as $$
declare
  today date;
  sealed timestamptz;
begin
  loop
    today := ist_day(roz_now());
    select sealed_at into sealed from ledger_day where day = today for share;
    if not found then
      insert into ledger_day (day) values (today) on conflict do nothing;
    elsif today = ist_day(roz_now()) then
      if sealed is not null then raise exception 'day % is sealed', today; end if;
      return today;
    end if;
  end loop;
end $$;

create function account_class(id bigint) returns text immutable parallel safe language sql
  return case when id > 1000 then 'member' when id <= -10000101 then 'pool' when id between 1 and 999 then 'system' end;

-- The accounts that each kind of transfer may debit and credit.
create function transfer_allowed(kind text, debit bigint, credit bigint) returns boolean immutable parallel safe language sql as $$
  select coalesce(case kind
    when 'topup'           then debit = 1 and credit > 1000
    when 'topup_suspense'  then debit = 1 and credit = 5
    when 'suspense_credit' then debit = 5 and credit > 1000
    when 'suspense_refund' then debit = 5 and credit = 4
    when 'prize'           then account_class(debit) = 'pool' and credit > 1000
    when 'need'            then account_class(debit) = 'pool' and credit = 6
    when 'platform'        then account_class(debit) = 'pool' and credit = 7
    when 'tax'             then account_class(debit) = 'pool' and credit = 10
    when 'round_refund'    then account_class(debit) = 'pool' and credit > 1000
    when 'disbursement'    then debit = 6 and credit = 2
    when 'gift'            then debit > 1000 and credit = 6
    when 'wd_hold'         then debit > 1000 and credit = 3
    when 'wd_paid'         then debit = 3 and credit = 2
    when 'wd_back'         then debit = 3 and credit > 1000
    when 'wd_reversed'     then debit = 2 and credit > 1000
    when 'wd_conflict'     then debit = 9 and credit = 2
    when 'refund_hold'     then debit > 1000 and credit = 4
    when 'refund_paid'     then debit = 4 and credit = 1
    when 'refund_failed'   then debit = 4 and (credit > 1000 or credit = 5)
    when 'gateway_settled' then debit in (2, 8) and credit = 1
    when 'chargeback'      then (debit > 1000 or debit = 9) and credit = 1
  end, false)
$$;

-- Takes from debit, gives to credit. Assets (GATEWAY, BANK) therefore have negative balances.
create table transfer (
  transfer_id   bigint generated always as identity primary key,
  kind          text not null,
  -- The source: payment, withdrawal, day and rank. Unique per kind: nothing is booked twice.
  ref           text not null,
  debit         bigint not null,
  credit        bigint not null,
  amount        bigint not null check (amount > 0),
  -- The member's side, where there is one: its place in the wallet's history and the balance after it.
  wallet_seq    bigint check (wallet_seq > 0),
  balance_after bigint check (balance_after >= 0),
  day           date not null,
  created_at    timestamptz not null default roz_now(),
  constraint transfer_sides check (transfer_allowed(kind, debit, credit)),
  constraint transfer_member check ((debit > 1000 or credit > 1000) = (wallet_seq is not null) and (wallet_seq is null) = (balance_after is null)),
  constraint transfer_once unique (kind, ref)
);
-- A payment is booked once, and a withdrawal or refund ends once, however often it is reported.
create unique index transfer_payment_once on transfer (ref) where kind in ('topup', 'topup_suspense');
create unique index transfer_withdrawal_ends_once on transfer (ref) where kind in ('wd_paid', 'wd_back');
create unique index transfer_refund_ends_once on transfer (ref) where kind in ('refund_paid', 'refund_failed');
create unique index transfer_by_debit on transfer (debit, wallet_seq) where debit > 1000;
create unique index transfer_by_credit on transfer (credit, wallet_seq) where credit > 1000;
create index transfer_by_pool on transfer (debit) where debit < 0;
create index transfer_by_day on transfer (day);
select append_only('transfer');
select app_may('select, insert', 'transfer');

-- The winners by rank; a member once a day. `amount` is what is paid, `tax` what is withheld before.
create table draw_winner (
  day       date not null,
  rank      int not null check (rank > 0),
  member_id bigint not null check (member_id > 1000),
  amount    bigint not null check (amount > 0),
  tax       bigint not null default 0 check (tax >= 0),
  primary key (day, rank),
  unique (day, member_id)
);
create index draw_winner_member on draw_winner (member_id, day);
select append_only('draw_winner');
select app_may('select, insert', 'draw_winner');

-- Every leg of every movement, for audits and books.
create view leg as
  select member_id as account, -entry_fee() as amount, day, wallet_seq::bigint as wallet_seq, balance_after from round_join
  union all select pool_account(day), entry_fee(), day, null, null from round_join
  union all select debit, -amount, day, case when debit > 1000 then wallet_seq end, case when debit > 1000 then balance_after end from transfer
  union all select credit, amount, day, case when credit > 1000 then wallet_seq end, case when credit > 1000 then balance_after end from transfer;
select app_may('select', 'leg');

-- Top-ups: an order each. The money comes by its payment, once; `failed` and `expired` may still be captured.
create table topup (
  order_id    text primary key check (order_id ~ '^[0-9a-f]{32}$'),
  member_id   bigint not null check (member_id > 1000),
  amount      bigint not null check (amount > 0),
  status      text not null default 'created' check (status in ('created', 'pending', 'failed', 'captured', 'expired', 'refunded')),
  payment_id  text unique,
  created_at  timestamptz not null default roz_now(),
  captured_at timestamptz,
  check ((status in ('captured', 'refunded')) = (payment_id is not null)),
  check ((payment_id is null) = (captured_at is null))
);
create index topup_by_member on topup (member_id, created_at);
create index topup_unfinished on topup (created_at) where status in ('created', 'pending', 'failed');
select app_may('select, insert, update', 'topup');

-- Payments that no wallet could take: never lost, decided once by an administrator.
create table suspense_item (
  id         bigint generated always as identity primary key,
  payment_id text not null unique,
  order_id   text not null,
  amount     bigint not null check (amount > 0),
  reason     text not null check (reason in ('unknown_order', 'other_amount', 'second_payment', 'closed_account')),
  status     text not null default 'open' check (status in ('open', 'credited', 'refunded')),
  created_at timestamptz not null default roz_now(),
  decided_at timestamptz,
  decided_by bigint,
  check ((status = 'open') = (decided_at is null))
);
create index suspense_open on suspense_item (created_at) where status = 'open';
select app_may('select, insert, update', 'suspense_item');

create table withdrawal (
  id              uuid primary key,
  member_id       bigint not null check (member_id > 1000),
  amount          bigint not null check (amount > 0),
  status          text not null default 'requested'
                  check (status in ('requested', 'approved', 'sending', 'paid', 'rejected', 'failed', 'reversed')),
  bank_account_id bigint not null,
  flags           text[] not null default '{}',
  reference       text,
  reason          text,
  created_at      timestamptz not null default roz_now(),
  ended_at        timestamptz,
  check ((status in ('requested', 'approved', 'sending')) = (ended_at is null)),
  check (status <> 'rejected' or reason is not null)
);
create index withdrawal_by_member on withdrawal (member_id, created_at);
create index withdrawal_open on withdrawal (created_at) where status in ('requested', 'approved', 'sending');
select app_may('select, insert, update', 'withdrawal');

-- Auto Participate: the cursor of a day's pages, and the skipped members.
create table auto_cursor (
  day     date not null,
  lane    smallint not null check (lane >= 0),
  low     bigint not null,
  high    bigint not null,
  last_id bigint not null,
  done    boolean not null default false,
  primary key (day, lane),
  check (low <= high and last_id >= low)
);
select app_may('select, insert, update', 'auto_cursor');

create table auto_skip (
  day       date not null,
  member_id bigint not null,
  -- busy: the wallet was locked when its page came; it is tried again before the day's joining is done.
  reason    text not null check (reason in ('insufficient_balance', 'yearly_maximum', 'busy')),
  primary key (day, member_id)
);
create index auto_skip_busy on auto_skip (day, member_id) where reason = 'busy';
select app_may('select, insert, update, delete', 'auto_skip');

-- The first answer to a money call that carried an Idempotency-Key. The body is kept as an HMAC: it
-- may hold an account number.
create table idempotency_key (
  member_id  bigint not null,
  route      text not null,
  key        text not null check (length(key) between 1 and 200),
  body_hmac  bytea not null check (octet_length(body_hmac) = 32),
  status     smallint,
  answer     jsonb,
  created_at timestamptz not null default roz_now(),
  primary key (member_id, key),
  check ((status is null) = (answer is null))
);
create index idempotency_key_age on idempotency_key (created_at);
select app_may('select, insert, update, delete', 'idempotency_key');
