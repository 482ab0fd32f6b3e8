-- Everybody whose rupee is in a story is told once. In the app notices are read from this table, the allotments and the joins,
-- never written for each member. Invariants: a story is told once, ever (one row); the mail of a day is sent to each member once, and was
-- ordered for members up to last_member. A device is told of a story once.
create table story_telling (
  story_id uuid primary key references story (id),
  -- Its first publication as a story of a disbursement.
  told_at  timestamptz not null default roz_now(),
  -- The day whose mail names it; null until such a mail begins.
  mail_day date
);
create index story_telling_newest on story_telling (told_at desc);
create index story_telling_of_mail on story_telling (mail_day);
select app_may('select, insert, update', 'story_telling');

create table story_notice_read (
  member_id bigint not null references member (id),
  story_id  uuid not null references story (id),
  read_at   timestamptz not null default roz_now(),
  primary key (member_id, story_id)
);
select app_may('select, insert, delete', 'story_notice_read');

create table story_mail (
  day         date primary key,
  last_member bigint not null default 0,
  done_at     timestamptz
);
select app_may('select, insert, update', 'story_mail');

create table story_pushed (
  story_id  uuid not null references story (id),
  device_id bigint not null references push_device (id) on delete cascade,
  primary key (story_id, device_id)
);
create index story_pushed_to on story_pushed (device_id);
select app_may('select, insert, delete', 'story_pushed');
