-- What the gateway says that it settled: read each morning, compared with our entries, and proposed as a settlement to record.

-- The reading: one row. Each page of the list is stored with the cursor of the next.
create table gateway_reading (
  id       int primary key default 1 check (id = 1),
  due_at   timestamptz not null,
  -- When a webhook asked for a reading; one that is under way may have passed what it is about.
  wanted_at timestamptz,
  began_at timestamptz,
  cursor   text,
  -- The end of the last reading, and of the last look for entries of ours that no settlement has.
  read_at  timestamptz,
  looked_at timestamptz,
  -- Entries of ours from before are not looked for: nothing was read of their settlements.
  since    timestamptz
);
insert into gateway_reading (due_at) values (start_of_ist_day(ist_day(roz_now())) + interval '30 hours');
select app_may('select, update', 'gateway_reading');

create table gateway_settlement_seen (
  -- The gateway's own.
  settlement_id  text primary key check (length(settlement_id) between 1 and 100),
  state          text not null check (state in ('paid', 'pending', 'failed', 'unknown')),
  status         text not null check (length(status) between 1 and 200),
  -- The bank's number of the transfer.
  utr            text check (length(utr) between 1 and 100),
  -- The net amount; the charges with tax of its payments, and of the settlement itself.
  amount         bigint not null,
  fee            bigint not null check (fee >= 0),
  own_fee        bigint not null check (own_fee >= 0),
  paid_on        date,
  seen_at        timestamptz not null default roz_now(),
  -- The next page of its events, and when it is asked for; none once all are read.
  events_cursor  text,
  ask_at         timestamptz,
  events_read_at timestamptz,
  -- What the gateway said, without its payers: the report that proves the entry. The hash is its SHA-256.
  report         bytea,
  report_hash    bytea unique check (octet_length(report_hash) = 32),
  -- A settlement that came back after it was recorded: this one pays the same again, so there is nothing to record.
  covers         text references gateway_settlement_seen (settlement_id),
  -- A settlement that came back: the one that was recorded with its amounts taken off.
  corrected_by   text references gateway_settlement_seen (settlement_id),
  check ((report is null) = (report_hash is null)),
  check ((report is null) = (events_read_at is null))
);
create index gateway_settlement_ask on gateway_settlement_seen (ask_at) where ask_at is not null;
create index gateway_settlement_newest on gateway_settlement_seen (seen_at desc, settlement_id desc);
create index gateway_settlement_failed on gateway_settlement_seen (seen_at) where state = 'failed';
create index gateway_settlement_by_number on gateway_settlement_seen (upper(settlement_id));
create index gateway_settlement_by_utr on gateway_settlement_seen (upper(utr)) where utr is not null;
select app_may('select, insert, update', 'gateway_settlement_seen');

create table gateway_settlement_event (
  settlement_id text not null references gateway_settlement_seen,
  position      int not null check (position > 0),
  event_id      text not null,
  kind          text not null check (kind in ('payment', 'refund', 'refund_back', 'dispute', 'dispute_back', 'adjustment', 'unknown')),
  word          text not null,
  -- Null: neither given nor taken, as far as the gateway's word is known.
  is_credit     boolean,
  amount        bigint not null check (amount >= 0),
  settled       bigint not null check (settled >= 0),
  fee           bigint not null check (fee >= 0),
  order_id      text,
  payment_id    text,
  refund_id     text,
  remarks       text,
  -- Our own entry that it is about, as `payment:<id>`, `refund:<id>` or `dispute:<id>`, and our amount of it.
  subject       text,
  ours          bigint,
  primary key (settlement_id, position),
  check ((subject is null) = (ours is null))
);
create index gateway_event_of_subject on gateway_settlement_event (subject) where subject is not null;
-- Deleted only to be read again, when the gateway corrects a settlement.
select app_may('select, insert, update, delete', 'gateway_settlement_event');

-- What does not fit between our books, the gateway and the bank. It ends by itself when it fits, or is closed with a reason.
create table money_finding (
  id            uuid primary key default gen_random_uuid(),
  kind          text not null check (kind ~ '^[a-z_]{3,30}$'),
  -- What it is about: with the kind unique.
  subject       text not null check (length(subject) between 1 and 200),
  settlement_id text references gateway_settlement_seen,
  -- By how much more than our entries was paid; below zero: less.
  difference    bigint not null,
  -- What the gateway or the bank said, for the team.
  detail        text check (length(detail) <= 300),
  found_at      timestamptz not null default roz_now(),
  ended_at      timestamptz,
  -- Above the limit of one person: who wanted to close it first, and why.
  first_by      bigint references member (id),
  first_at      timestamptz,
  closed_by     bigint references member (id),
  closed_at     timestamptz,
  reason        text check (reason <> ''),
  unique (kind, subject),
  check (num_nulls(closed_by, closed_at) in (0, 2)),
  check (num_nulls(first_by, first_at) in (0, 2)),
  check ((reason is null) = (first_by is null and closed_by is null)),
  constraint money_finding_two check (first_by is null or closed_by is null or first_by <> closed_by)
);
create index money_finding_open on money_finding (found_at) where closed_at is null and ended_at is null;
create index money_finding_newest on money_finding (found_at desc, id desc);
create index money_finding_of on money_finding (settlement_id) where settlement_id is not null;
select app_may('select, insert, update', 'money_finding');

-- Nobody closes alone what two must close, with two accounts of one person.
create function guard_finding() returns trigger set search_path = public, pg_temp language plpgsql as $$
begin
  if new.closed_by is not null and new.first_by is not null and is_same_person(new.first_by, new.closed_by) then
    raise exception 'finding %: both persons are one', new.id using errcode = 'RZ003', constraint = 'guard_finding';
  end if;
  return new;
end $$;
create trigger guard_finding before update on money_finding for each row when (new.closed_by is not null) execute function guard_finding();
