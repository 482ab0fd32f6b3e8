-- Statements of our bank, line by line, matched with what the books moved through the account BANK.

create table statement_account (
  id             uuid primary key,
  name           text not null check (length(name) between 1 and 60),
  last_four      text not null check (last_four ~ '^[0-9]{4}$'),
  -- Which column of its statement means what.
  mapping        jsonb not null,
  created_at     timestamptz not null default roz_now(),
  -- Its lines are one chain: this balance before the first, `closing` after the newest.
  opening        bigint,
  first_day      date,
  closing        bigint,
  last_day       date,
  lines          int not null default 0 check (lines >= 0),
  -- No line of a day until this one is still to come.
  complete_until date,
  check (num_nulls(opening, first_day, closing, last_day, complete_until) = case when lines = 0 then 5 else 0 end),
  check (first_day <= last_day and last_day <= complete_until)
);
create unique index statement_account_name on statement_account (lower(name));
select app_may('select, insert, update', 'statement_account');

create table bank_line (
  id           uuid primary key,
  account_id   uuid not null references statement_account,
  -- The chain's order; the first import begins with 1, earlier days lie below it.
  position     int not null,
  day          date not null,
  -- Above zero: it came in.
  amount       bigint not null check (amount <> 0),
  balance      bigint not null,
  -- Description and reference: they name people and accounts.
  sealed_words bytea not null,
  stored_at    timestamptz not null default roz_now(),
  -- The movement of the books that it is, and the day on which the books have it.
  subject      text check (length(subject) between 1 and 200),
  matched_day  date,
  matched_at   timestamptz,
  -- A person's decision, which the matching by itself leaves alone; null: it was matched by its reference.
  decided_by   bigint references member (id),
  unique (account_id, position),
  check (num_nulls(subject, matched_day, matched_at) in (0, 3))
);
-- A line has one movement, and a movement one line.
create unique index bank_line_of_movement on bank_line (subject) where subject is not null;
create index bank_line_open on bank_line (day, id) where subject is null;
create index bank_line_newest on bank_line (stored_at desc, id desc);
create index bank_line_of_day on bank_line (account_id, day);
create index bank_line_matched_day on bank_line (matched_day) where subject is not null;
select app_may('select, insert, update', 'bank_line');

-- What the bank said never changes, and each line follows the one before it.
create function guard_bank_line() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (new.id, new.account_id, new.position, new.day, new.amount, new.balance) is distinct from
       (old.id, old.account_id, old.position, old.day, old.amount, old.balance) then
      raise exception 'line % of a bank statement changes', old.id using errcode = 'RZ003', constraint = 'guard_bank_line';
    end if;
  elsif new.balance - new.amount is distinct from coalesce(
      (select l.balance from bank_line l where l.account_id = new.account_id and l.position = new.position - 1),
      (select a.opening from statement_account a where a.id = new.account_id))
    or exists (select from bank_line l where l.account_id = new.account_id and l.position = new.position + 1 and l.balance - l.amount <> new.balance)
  then
    raise exception 'line % of a bank statement does not follow', new.id using errcode = 'RZ003', constraint = 'guard_bank_line';
  end if;
  return new;
end $$;
create trigger guard_bank_line before insert or update on bank_line for each row execute function guard_bank_line();

-- The last comparison of bank and books: the end of the day that it is about.
create table bank_comparison (
  id        int primary key default 1 check (id = 1),
  until_day date,
  ran_at    timestamptz
);
insert into bank_comparison default values;
select app_may('select, update', 'bank_comparison');
