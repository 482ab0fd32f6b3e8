-- Money added by a transfer to our bank account: each order with the reference that its payer writes into the transfer, and the
-- transfers that finance confirmed by a line of the statement, or by the bank's number where there is no statement.
create table bank_transfer_order (
  order_id   text primary key check (order_id ~ '^[0-9a-f]{32}$'),
  reference  text not null unique check (reference ~ '^RZ[A-HJ-NP-Z2-9]{8}$'),
  amount     bigint not null check (amount > 0),
  expires_at timestamptz not null,
  created_at timestamptz not null default roz_now()
);
select append_only('bank_transfer_order');
select app_may('select, insert', 'bank_transfer_order');

create table bank_transfer (
  id          uuid primary key,
  -- An order of ours; without a known reference an id that no order has.
  order_id    text not null check (order_id ~ '^[0-9a-f]{32}$'),
  amount      bigint not null check (amount > 0),
  day         date not null,
  -- A line of a statement.
  line_id     uuid references bank_line (id),
  -- The bank's number of it, without separators and leading zeros.
  bank_number text check (bank_number ~ '^[A-Z1-9][A-Z0-9]{5,49}$'),
  -- Above the limit it waits for a second person as `asked`.
  status      text not null check (status in ('asked', 'confirmed', 'rejected')),
  asked_by    bigint not null references member (id),
  asked_at    timestamptz not null default roz_now(),
  decided_by  bigint references member (id),
  decided_at  timestamptz,
  reason      text check (length(reason) between 1 and 500),
  check (num_nulls(line_id, bank_number) = 1),
  check (num_nulls(decided_by, decided_at) = case status when 'asked' then 2 else 0 end),
  check ((reason is null) = (status <> 'rejected'))
);
-- A line, and a number of the bank, credit once.
create unique index bank_transfer_of_line on bank_transfer (line_id) where status <> 'rejected';
create unique index bank_transfer_of_number on bank_transfer (bank_number) where status <> 'rejected';
create index bank_transfer_of_order on bank_transfer (order_id);
create index bank_transfer_newest on bank_transfer (asked_at desc, id desc);
select app_may('select, insert, update', 'bank_transfer');

create function bank_transfer_moves() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if old.status <> 'asked' or new.status = 'asked'
     or (new.id, new.order_id, new.amount, new.day, new.line_id, new.bank_number, new.asked_by, new.asked_at)
        is distinct from (old.id, old.order_id, old.amount, old.day, old.line_id, old.bank_number, old.asked_by, old.asked_at)
     or (new.status = 'confirmed' and is_same_person(new.asked_by, new.decided_by)) then
    raise exception 'bank transfer %: this is no way to go', old.id using errcode = 'RZ003', constraint = 'bank_transfer_moves';
  end if;
  return new;
end $$;
create trigger bank_transfer_moves before update on bank_transfer for each row execute function bank_transfer_moves();
