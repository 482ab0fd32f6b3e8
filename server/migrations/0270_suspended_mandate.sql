-- The mandate of a debit that nobody here raised: the gateway knows no order of it, and refunds it by its mandate.
alter table suspense_item add column mandate_id uuid;
