-- The public beacon (spec/protocol.md, chapter 4): which round of which chain a draw waits for, and
-- what came. Invariant: a signature is stored only after it was verified with the chain's key.

-- A list is sealed after the close, once our clock has been held against the beacon's.
alter table round
  add column chain_hash bytea check (octet_length(chain_hash) = 32),
  add column sealed_at timestamptz,
  add column beacon_round bigint check (beacon_round > 0),
  add check (beacon_round is null or chain_hash is not null and root is not null and draw_at is not null);

create table beacon_signature (
  chain_hash bytea not null check (octet_length(chain_hash) = 32),
  round      bigint not null check (round > 0),
  signature  bytea not null check (octet_length(signature) = 48),
  created_at timestamptz not null default roz_now(),
  primary key (chain_hash, round)
);
select append_only('beacon_signature');
select app_may('select, insert', 'beacon_signature');
