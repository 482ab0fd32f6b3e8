-- outside a transaction
drop index concurrently if exists topup_captured;
create index concurrently topup_captured on topup (captured_at) where captured_at is not null;
