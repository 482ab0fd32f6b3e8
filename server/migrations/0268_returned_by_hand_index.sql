-- outside a transaction
drop index concurrently if exists withdrawal_return_waits;
create index concurrently withdrawal_return_waits on withdrawal (created_at) where status = 'paid' and return_first_by is not null;
