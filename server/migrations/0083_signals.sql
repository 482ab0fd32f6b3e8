-- Signs that several accounts belong to one person, or that money passes through: for the staff to look at, never a refusal.

-- The values that members used, as keyed hashes: phone number, bank account, device or network address.
create table signal_use (
  kind      text not null check (kind in ('phone', 'bank', 'device', 'network', 'young_money')),
  key       bytea not null check (octet_length(key) = 32),
  member_id bigint not null references member (id),
  seen_at   timestamptz not null default roz_now(),
  primary key (kind, key, member_id)
);
create index signal_use_of_member on signal_use (member_id);
select app_may('select, insert, update, delete', 'signal_use');

create table signal (
  id               bigint generated always as identity primary key,
  kind             text not null,
  key              bytea not null,
  members          int not null check (members >= 0),
  -- A network is shared by towns: four accounts make it worth a look, two of anything else. Young money concerns one account.
  is_shared        boolean generated always as (members >= case kind when 'network' then 4 when 'young_money' then 1 else 2 end) stored,
  reviewed_members int,
  is_reviewed      boolean not null default false,
  note             text check (length(note) between 1 and 2000),
  reviewed_by      bigint references member (id),
  reviewed_at      timestamptz,
  -- When its newest member came.
  changed_at       timestamptz not null default roz_now(),
  unique (kind, key)
);
create index signal_newest on signal (changed_at desc, id desc) where is_shared;
create index signal_open on signal (changed_at desc, id desc) where is_shared and not is_reviewed;
select app_may('select, insert, update', 'signal');
