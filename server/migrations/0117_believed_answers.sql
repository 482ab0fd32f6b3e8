-- When the gateway answered the order's creation or a question about it, or sent a webhook of it: such an order is never given up.
alter table order_check add column known_at timestamptz;
-- Since when the gateway says that it does not know the order or the dispute.
alter table order_check add column missing_since timestamptz;
alter table dispute_check add column missing_since timestamptz;
-- The time that the gateway itself gives for the newest state that was booked: an older state is no news.
alter table payout_check add column told_at timestamptz;
alter table dispute add column told_at timestamptz;

-- Answers about another id than the one asked for, and old answers: somebody answers in the gateway's place.
create table foreign_answer (
  gateway text not null check (gateway in ('payments', 'payouts')),
  call    text not null check (length(call) between 1 and 40),
  times   bigint not null default 1 check (times > 0),
  last_at timestamptz not null default roz_now(),
  primary key (gateway, call)
);
select app_may('select, insert, update', 'foreign_answer');

-- Orders that were given up after one answer of a stranger are asked about once more.
update order_check c set ask_at = roz_now() from topup o
 where o.order_id = c.order_id and o.status = 'failed' and c.ask_at is null and c.final_at is null
   and o.created_at > roz_now() - interval '30 days';
