-- The log of days for strangers, books and liabilities (spec/protocol.md, chapters 8 to 14).
-- Invariants: a checkpoint is signed once for a size and never contradicts another; what was published
-- as final is written once.

alter table log_entry drop constraint log_entry_kind_check;
alter table log_entry add check (kind in ('open', 'close', 'result', 'void', 'books', 'key', 'verifier'));

-- The keys of the log, the newest in force; seeds sealed (secrets.ts). The origin is chosen with the first.
create table log_key (
  number      int primary key check (number >= 0),
  origin      text not null check (origin ~ '^[\x21-\x2a\x2c-\x7e]{1,128}$'),
  public_key  bytea not null unique check (octet_length(public_key) = 32),
  sealed_seed bytea not null,
  created_at  timestamptz not null default roz_now()
);
-- A seed is sealed again when SECRET_KEY is replaced.
select app_may('select, insert, update', 'log_key');

create table checkpoint (
  size       bigint primary key check (size > 0),
  root       bytea not null check (octet_length(root) = 32),
  -- The three lines, and the log's signature line.
  body       text not null,
  signed_by  text not null,
  created_at timestamptz not null default roz_now()
);
select append_only('checkpoint');
select app_may('select, insert', 'checkpoint');

-- One per witness and checkpoint: the first that arrived.
create table cosignature (
  size         bigint not null references checkpoint (size),
  -- The witness's verifier key, and its name.
  key          text not null,
  name         text not null,
  time_seconds bigint not null check (time_seconds >= 0),
  line         text not null,
  created_at   timestamptz not null default roz_now(),
  primary key (size, key)
);
select append_only('cosignature');
select app_may('select, insert', 'cosignature');

-- A day's seal at the end of its round: its file log/sealed, and the assurance that follows.
create table sealed_proof (
  day       date primary key,
  body      text not null,
  assurance text not null check (assurance in ('weak', 'sealed'))
);
select append_only('sealed_proof');
select app_may('select, insert', 'sealed_proof');

-- Each version of the protocol that an open record names.
create table rules_page (
  hash  bytea primary key check (octet_length(hash) = 32),
  bytes bytea not null check (sha256(bytes) = hash)
);
select append_only('rules_page');
select app_may('select, insert', 'rules_page');

-- The evidence of a disbursement from the help fund: the hash of the stored receipt.
create table disbursement (
  -- The transfer's ref.
  id         text primary key,
  amount     bigint not null check (amount > 0),
  evidence   bytea not null check (octet_length(evidence) = 32),
  created_at timestamptz not null default roz_now()
);
select append_only('disbursement');
select app_may('select, insert', 'disbursement');

create table books_day (
  day   date primary key,
  -- The file, canonical.
  bytes bytea not null
);
select append_only('books_day');
select app_may('select, insert', 'books_day');

-- The resumable cutting of a day's liabilities: its cursor, and the parts that are ready to be sorted.
create table liability_run (
  day         date primary key,
  last_member bigint not null default 0,
  is_cut      boolean not null default false,
  pages       int not null default 0,
  last_id     bytea not null default '',
  count       bigint not null default 0
);
select app_may('select, insert, update, delete', 'liability_run');

create table liability_part (
  day    date not null,
  id     bytea not null check (octet_length(id) = 32),
  amount bigint not null check (amount between 1 and 5000),
  primary key (day, id)
);
select app_may('select, insert, delete', 'liability_part');

-- The published leaves: pages of 4,096, each a whole subtree, all full but the last.
create table liability_page (
  day      date not null,
  page     int not null check (page >= 0),
  first_id bytea not null check (octet_length(first_id) = 32),
  -- id and amount, 40 bytes a leaf.
  leaves   bytea not null check (octet_length(leaves) between 40 and 40 * 4096 and octet_length(leaves) % 40 = 0),
  hash     bytea not null check (octet_length(hash) = 32),
  total    bigint not null check (total > 0),
  primary key (day, page)
);
alter table liability_page alter column leaves set storage external;
create index liability_page_first on liability_page (day, first_id);
select append_only('liability_page');
select app_may('select, insert', 'liability_page');
