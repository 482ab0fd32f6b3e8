-- A day whose books are unsound is held, and the next days wait for it; everything else continues. Invariants: a day is held
-- under one reason until its books are made; an amount that the operator covers over a night is written once, and the next
-- day's books return it.

create table books_hold (
  day         date primary key,
  found       text not null,
  member_id   bigint,
  found_at    timestamptz not null default roz_now(),
  next_try_at timestamptz not null,
  -- The operator's decision to cover negative balances.
  covered_at  timestamptz
);
select app_may('select, insert, update', 'books_hold');

-- The negative balances at a day's end: of a member, or of an account.
create table books_cover (
  day       date not null,
  account   text not null check (account in ('MEMBERS', 'SUSPENSE', 'HELP_FUND', 'TAX_WITHHELD')),
  member_id bigint check ((member_id is not null) = (account = 'MEMBERS')),
  amount    bigint not null check (amount > 0),
  unique nulls not distinct (day, account, member_id)
);
select append_only('books_cover');
select app_may('select, insert', 'books_cover');
