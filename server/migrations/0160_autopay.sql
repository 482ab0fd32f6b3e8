-- AutoPay: a member's mandate at the gateway, its debits, when the gateway is asked about them, and the pace of those calls.

create table autopay_mandate (
  -- Without its dashes it is the mandate's id at the gateway.
  id             uuid primary key,
  member_id      bigint not null check (member_id > 1000),
  state          text not null default 'setup' check (state in (
    'setup', 'bank', 'on', 'paused', 'payer_paused', 'resting', 'stopping', 'stopped', 'payer_stopped', 'ended', 'lapsed')),
  -- The gateway's own word, as it was last told; null before the first answer.
  gateway_status text,
  -- What the member consented to: each debit is exactly this.
  amount         bigint not null check (amount > 0 and amount % 100 = 0),
  terms_version  text not null,
  consented_at   timestamptz not null default roz_now(),
  -- The payer's UPI ID with its middle left out: never the whole one. Empty once the account is erased.
  payer          text,
  auth_order_id  text not null unique references topup (order_id),
  -- Pause by the member, beside a pause in the UPI app.
  paused_at      timestamptz,
  stopping_at    timestamptz,
  -- Failed debits in a row.
  failures       int not null default 0 check (failures >= 0),
  -- The first day of the next debit; null until the first one is paid.
  not_before     date,
  expires_at     timestamptz not null,
  created_at     timestamptz not null default roz_now()
);
create unique index autopay_mandate_open on autopay_mandate (member_id) where state not in ('stopped', 'payer_stopped', 'ended', 'lapsed');
create index autopay_mandate_of_member on autopay_mandate (member_id, created_at);
create index autopay_mandate_ready on autopay_mandate (not_before) where state = 'on';
select app_may('select, insert, update', 'autopay_mandate');

-- The debits of a mandate: each is a top-up too. The first one authorises it.
create table autopay_charge (
  -- Of a later debit it is the payment's id at the gateway; the first one has an id of the gateway's.
  order_id       text primary key references topup (order_id),
  mandate_id     uuid not null references autopay_mandate (id),
  kind           text not null check (kind in ('auth', 'charge')),
  -- The day on which the bank is to pay.
  day            date not null,
  status         text not null check (status in ('raising', 'open', 'paid', 'failed', 'cancelled')),
  cf_payment_id  text,
  cf_txn_id      text,
  cf_order_id    text,
  -- The bank's words, for the staff: nothing is decided by them.
  failure_reason text,
  sent_at        timestamptz,
  -- Since when the gateway says that it does not know the debit.
  missing_since  timestamptz,
  cancel_at      timestamptz,
  notified_at    timestamptz,
  ended_at       timestamptz,
  created_at     timestamptz not null default roz_now()
);
create unique index autopay_charge_open on autopay_charge (mandate_id) where status in ('raising', 'open');
create index autopay_charge_of_mandate on autopay_charge (mandate_id, created_at);
create index autopay_charge_of_day on autopay_charge (day);
create index autopay_charge_by_order on autopay_charge (cf_order_id) where cf_order_id is not null;
create index autopay_charge_by_txn on autopay_charge (cf_txn_id) where cf_txn_id is not null;
create index autopay_charge_by_payment on autopay_charge (cf_payment_id) where cf_payment_id is not null;
select app_may('select, insert, update', 'autopay_charge');

-- When the gateway is asked about a mandate, and the debits of it. A claim keeps the interval between the questions of all processes.
create table autopay_check (
  mandate_id uuid primary key references autopay_mandate (id),
  asked_at   timestamptz,
  -- The number of the newest question: only its answer counts.
  asks       int not null default 0 check (asks >= 0),
  -- Questions since the last one that was answered as expected: each waits longer.
  tries      int not null default 0 check (tries >= 0),
  -- Since when the gateway says that it does not know the mandate.
  missing_since timestamptz,
  -- The next time to ask; none once nothing more is to be expected.
  ask_at     timestamptz
);
create index autopay_check_due on autopay_check (ask_at) where ask_at is not null;
select app_may('select, insert, update', 'autopay_check');

-- The gateway takes a number of calls a minute, for all processes together: the time at which the next one of each kind is due.
create table gateway_pace (
  call   text primary key,
  due_at timestamptz not null
);
select app_may('select, insert, update', 'gateway_pace');
