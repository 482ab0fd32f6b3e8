-- Which SECRET_KEY the body of a money call was hashed with. Invariant: as long as a call is kept whose
-- body is known again by a key alone, that key is said to be needed (reseal.ts).

-- The key's id, as a sealed value names it (secrets.ts); none of a call from before this column.
alter table idempotency_key add column body_key bytea check (octet_length(body_key) = 4);
create index idempotency_key_hashed_with on idempotency_key (body_key, created_at);
