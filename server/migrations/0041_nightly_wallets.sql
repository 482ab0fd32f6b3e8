-- The nightly comparison of every wallet with its movements (features/audit/nightly.ts): how far it has
-- come. A page and this cursor are committed together, so that the next run skips nothing.
create table wallet_check (
  night       date primary key,
  -- The highest member of the pages so far; a night that had no time left hands it on to the next.
  last_id     bigint not null,
  wallets     bigint not null default 0 check (wallets >= 0),
  broken      bigint not null default 0 check (broken >= 0),
  started_at  timestamptz not null default roz_now(),
  finished_at timestamptz
);
select app_may('select, insert, update, delete', 'wallet_check');
