-- Google's tokens that have opened a session, by the digest of their nonce or of themselves, until none of their time
-- lives any more (features/identity/google-nonce.ts).
create table google_token_used (
  digest    bytea primary key check (octet_length(digest) = 32),
  forget_at timestamptz not null
);
create index google_token_used_old on google_token_used (forget_at);

select app_may('select, insert, delete', 'google_token_used');
