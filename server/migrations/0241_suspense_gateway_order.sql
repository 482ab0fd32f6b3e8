-- The gateway's own order of a debit that nobody here raised: an event that names this order means the same money, which is not booked again.
alter table suspense_item add column gateway_order_id text;
