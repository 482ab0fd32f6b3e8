-- Results on a member's devices (Web Push). Invariants: a device belongs to one session and is deleted
-- with it. Its address is stored sealed and found by a keyed hash. Its messages use the key that its
-- browser subscribed with.

-- The server's keys (RFC 8292). The newest is in force; older ones stay for the devices that subscribed with them.
create table push_key (
  number         int primary key check (number >= 0),
  -- The uncompressed point, as browsers take it.
  public_key     bytea not null unique check (octet_length(public_key) = 65),
  sealed_private bytea not null,
  created_at     timestamptz not null default roz_now()
);
select app_may('select, insert', 'push_key');

create table push_device (
  id           bigint generated always as identity primary key,
  session_hash bytea not null unique references session (token_hash) on delete cascade,
  member_id    bigint not null references member (id),
  endpoint_mac bytea not null unique check (octet_length(endpoint_mac) = 32),
  -- The browser's subscription: its address at the push service, and the keys it reads with.
  sealed       bytea not null,
  key_number   int not null references push_key (number),
  -- The newest round whose result the push service has taken for it.
  told_day     date,
  created_at   timestamptz not null default roz_now()
);
create index push_device_of_member on push_device (member_id, id);
select app_may('select, insert, update, delete', 'push_device');
