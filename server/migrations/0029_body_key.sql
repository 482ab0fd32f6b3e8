-- Which SECRET_KEY the body of a money call was hashed with. Invariant: while a call is kept whose body
-- only a key can recognize, that key is reported as needed (reseal.ts).

-- The key's id, as a sealed value names it (secrets.ts); none of a call from before this column.
alter table idempotency_key add column body_key bytea check (octet_length(body_key) = 4);
create index idempotency_key_hashed_with on idempotency_key (body_key, created_at);
