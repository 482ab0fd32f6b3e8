-- The wallet's own tables beside the ledger: when to ask the gateway, its raw events, bank accounts.

-- The order that a key's first request started; its answer comes after the gateway's.
alter table idempotency_key add column ref text;

-- When an order is asked for at the gateway. One row per order, ours or not. Its claim keeps the
-- minimum interval between the calls of all processes; a call that comes earlier only moves ask_at.
create table order_check (
  order_id text primary key check (length(order_id) between 1 and 100),
  asked_at timestamptz,
  asks     int not null default 0 check (asks >= 0),
  -- The next time to ask; none once nothing more is to be expected.
  ask_at   timestamptz
);
create index order_check_due on order_check (ask_at) where ask_at is not null;
select app_may('select, insert, update', 'order_check');

-- Webhooks as they came, once each. A body only says "ask again"; the customer's fields go after 90 days.
create table gateway_event (
  event_key   text primary key,
  type        text not null,
  order_id    text,
  payload     json not null,
  received_at timestamptz not null default roz_now(),
  cleaned_at  timestamptz
);
create index gateway_event_old on gateway_event (received_at) where cleaned_at is null;
select app_may('select, insert, update', 'gateway_event');

-- Bank accounts that withdrawals went to. The details are sealed; account_mac (an HMAC of number and
-- IFSC) tells a known account, details_mac the same details again. Rows stay: a withdrawal names one.
create table bank_account (
  id          bigint generated always as identity primary key,
  member_id   bigint not null check (member_id > 1000),
  account_mac bytea not null check (octet_length(account_mac) = 32),
  details_mac bytea not null check (octet_length(details_mac) = 32),
  sealed      bytea not null,
  bank_name   text not null,
  last_four   text not null check (last_four ~ '^[0-9]{4}$'),
  created_at  timestamptz not null default roz_now(),
  unique (member_id, details_mac)
);
create index bank_account_mac on bank_account (account_mac);
select app_may('select, insert', 'bank_account');
