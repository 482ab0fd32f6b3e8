-- Passkeys of staff (WebAuthn), beside the authenticator app: they and their challenges end with it.

-- The app's codes no longer log in: only a passkey or a recovery code does.
alter table staff_totp add column passkeys_only boolean not null default false;

create table staff_passkey (
  id            uuid primary key default gen_random_uuid(),
  member_id     bigint not null references staff_totp (member_id) on delete cascade,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE_Key; public, so it is not sealed.
  public_key    bytea not null check (octet_length(public_key) between 1 and 4096),
  -- The authenticator's own counter of signatures; 0 where it has none.
  counter       bigint not null check (counter between 0 and 4294967295),
  name          text not null check (length(name) between 1 and 100),
  created_at    timestamptz not null default roz_now(),
  used_at       timestamptz
);
create index staff_passkey_of on staff_passkey (member_id);
select app_may('select, insert, update, delete', 'staff_passkey');

-- A challenge works once, for what it was made. One of a session works only in that session.
create table staff_passkey_challenge (
  challenge  bytea primary key check (octet_length(challenge) = 32),
  member_id  bigint not null references staff_totp (member_id) on delete cascade,
  purpose    text not null check (purpose in ('add', 'login', 'step_up')),
  token_hash bytea references session (token_hash) on delete cascade,
  expires_at timestamptz not null,
  check ((purpose = 'login') = (token_hash is null))
);
create index staff_passkey_challenge_of on staff_passkey_challenge (member_id, purpose);
create index staff_passkey_challenge_in on staff_passkey_challenge (token_hash);
select app_may('select, insert, delete', 'staff_passkey_challenge');
