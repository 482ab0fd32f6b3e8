-- The draw (spec/protocol.md): ticket keys, the sealed lists of tickets, the log of days.
-- Invariants: a key belongs to one member; a day's list is written once, when it is sealed; the log
-- only grows, without a gap, one record of a kind a day.

-- The keys of a member, sealed (secrets.ts). A day's tickets are made with the newest key that serves
-- on that day; '-infinity' marks a member's first key: no entry has used another before.
create table ticket_key (
  member_id  bigint not null,
  serves_from date not null,
  sealed_key bytea not null,
  -- Made by the server, because the browser had sent none when the first money came.
  custodial  boolean not null,
  created_at timestamptz not null default roz_now(),
  primary key (member_id, serves_from)
);
select app_may('select, insert, update, delete', 'ticket_key');

-- The claim on a key: a keyed hash, so the table reveals no key. Two members never have the same key,
-- or both could be shown one ticket for their two rupees.
create table ticket_key_claim (
  fingerprint bytea primary key check (octet_length(fingerprint) = 32),
  member_id   bigint not null
);
create index ticket_key_claim_member on ticket_key_claim (member_id);
select app_may('select, insert, delete', 'ticket_key_claim');

-- A sealed list: position, ascending by ticket. Written in the transaction that closes the round.
create table ticket (
  day       date not null,
  position  bigint not null check (position >= 0),
  member_id bigint not null,
  ticket    bytea not null check (octet_length(ticket) = 32),
  primary key (day, position),
  unique (day, member_id)
);
select append_only('ticket');
select app_may('select, insert', 'ticket');

-- The log of days: the canonical bytes of every record and their leaf hash, in order.
create table log_entry (
  index      bigint primary key check (index >= 0),
  day        date not null,
  kind       text not null check (kind in ('open', 'close', 'result', 'void', 'books')),
  bytes      bytea not null,
  leaf       bytea not null check (octet_length(leaf) = 32 and leaf = sha256('\x00'::bytea || bytes)),
  created_at timestamptz not null default roz_now(),
  unique (day, kind)
);
select append_only('log_entry');
select app_may('select, insert', 'log_entry');

-- Days whose joining by Auto Participate is through and told of: who was passed over, who runs low.
create table auto_join_told (
  day     date primary key,
  told_at timestamptz not null default roz_now()
);
select app_may('select, insert', 'auto_join_told');
