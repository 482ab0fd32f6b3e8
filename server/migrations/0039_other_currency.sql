-- Payments and disputes in another currency, late webhooks, and the time since which an order is final.
alter table suspense_item
  -- The gateway's own word. An amount in another currency is booked by its number; no administrator gives it to a member.
  add column currency text not null default 'INR' check (length(currency) between 1 and 20),
  drop constraint suspense_item_reason_check,
  add constraint suspense_item_reason_check
    check (reason in ('unknown_order', 'other_amount', 'second_payment', 'closed_account', 'no_wallet', 'other_currency')),
  add constraint suspense_rupees_alone_credited check (currency = 'INR' or status <> 'credited' or decided_by is null);

alter table dispute drop constraint dispute_problem_check,
  add constraint dispute_problem_check check (problem in ('unknown_payment', 'more_than_paid', 'other_currency'));

-- Signed longer ago than the gateway's last retry, or in the future.
alter table gateway_event add column is_late boolean not null default false;
alter table payout_event add column is_late boolean not null default false;

-- Since when an order is final, or its newest payment is booked.
alter table order_check add column final_at timestamptz;
