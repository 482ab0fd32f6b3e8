-- Members one of whose ticket keys was found unreadable. Invariant: such a member joins no round until the key is mended, because no
-- receipt and no list can be made for the entry.

create table unreadable_key (
  member_id bigint primary key,
  found_at  timestamptz not null default roz_now()
);
select app_may('select, insert, delete', 'unreadable_key');
