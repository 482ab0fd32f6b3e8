-- Givers hear of a follow-up once. In the app its notice is read from the follow-up, the allotments and the joins, never written for each
-- member. A device is told once. When the consent ends, the follow-up goes, and these rows go with it.
create table follow_up_notice_read (
  member_id    bigint not null references member (id),
  follow_up_id uuid not null references follow_up (id) on delete cascade,
  read_at      timestamptz not null default roz_now(),
  primary key (member_id, follow_up_id)
);
create index follow_up_notice_read_of on follow_up_notice_read (follow_up_id);
select app_may('select, insert, delete', 'follow_up_notice_read');

create table follow_up_pushed (
  follow_up_id uuid not null references follow_up (id) on delete cascade,
  device_id    bigint not null references push_device (id) on delete cascade,
  primary key (follow_up_id, device_id)
);
create index follow_up_pushed_to on follow_up_pushed (device_id);
select app_may('select, insert, delete', 'follow_up_pushed');
