-- Since when a gateway answers no call: a row from the first call without an answer until the next answer to any process.
create table gateway_silence (
  gateway text primary key check (gateway in ('payments', 'payouts')),
  since   timestamptz not null default roz_now()
);
select app_may('select, insert, delete', 'gateway_silence');
