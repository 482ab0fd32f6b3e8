-- Tables of the peer's calls in the usual form: one row per movement, with keys and indexes.
create table members (id bigint primary key, email text not null unique, verified boolean not null, suspended boolean not null);
create table sessions (token_hash text primary key, member_id bigint not null references members (id), expires_at timestamptz not null);
create table wallets (
  member_id bigint primary key references members (id),
  balance   bigint not null check (balance >= 0)
) with (fillfactor = 70);
create table rounds (day date primary key, status text not null, closes_at timestamptz not null);
create table entries (
  day       date not null references rounds (day),
  member_id bigint not null references members (id),
  ticket    text not null,
  primary key (day, member_id)
);
create table transactions (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references members (id),
  kind       text not null,
  amount     bigint not null,
  balance    bigint not null,
  reference  text,
  created_at timestamptz not null default now(),
  unique (kind, reference)
);
create index transactions_newest on transactions (member_id, id desc);
