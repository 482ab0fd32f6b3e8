-- Books of a day that do not hold wait, and the next days wait with them; everything else goes on. Invariants: a day is held
-- under one reason until its books are made; what the operator stands for over a night is written once, and given back the
-- next day by the books themselves.

create table books_hold (
  day         date primary key,
  found       text not null,
  member_id   bigint,
  found_at    timestamptz not null default roz_now(),
  next_try_at timestamptz not null,
  -- The operator's decision to stand for what is below nothing.
  covered_at  timestamptz
);
select app_may('select, insert, update', 'books_hold');

-- What was below nothing at a day's end: a member's money, or an account of the books.
create table books_cover (
  day       date not null,
  account   text not null check (account in ('MEMBERS', 'SUSPENSE', 'HELP_FUND', 'TAX_WITHHELD')),
  member_id bigint check ((member_id is not null) = (account = 'MEMBERS')),
  amount    bigint not null check (amount > 0),
  unique nulls not distinct (day, account, member_id)
);
select append_only('books_cover');
select app_may('select, insert', 'books_cover');
