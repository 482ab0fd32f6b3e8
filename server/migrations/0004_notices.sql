-- Notices in the app, messages to support, and the mails that the catcher keeps.
-- Invariants: a notice is stored as kind and data, never as text. Joins by Auto Participate are read
-- from the join rows; only their read marks are stored. A message has one ticket number.

create table notice (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references member (id),
  kind       text not null check (kind ~ '^[a-z_]+$'),
  -- The key of the job that wrote it, so that a second run adds nothing.
  source     text not null,
  data       jsonb not null default '{}',
  created_at timestamptz not null default roz_now(),
  read_at    timestamptz,
  unique (member_id, source)
);
create index notice_list on notice (member_id, created_at desc, id desc);
create index notice_unread on notice (member_id) where read_at is null;
select app_may('select, insert, update', 'notice');

create table join_notice_read (
  member_id bigint not null references member (id),
  day       date not null,
  read_at   timestamptz not null default roz_now(),
  primary key (member_id, day)
);
select app_may('select, insert', 'join_notice_read');

create table contact_message (
  id         bigint generated always as identity primary key,
  ticket     text not null unique check (ticket ~ '^ROZ-[0-9A-HJKMNP-TV-Z]{6}$'),
  name       text not null,
  email      text not null,
  message    text not null,
  status     text not null default 'open' check (status in ('open', 'answered', 'closed')),
  created_at timestamptz not null default roz_now()
);
create index contact_message_newest on contact_message (created_at desc, id desc);
select app_may('select, insert, update, delete', 'contact_message');

-- Used only outside production and without a mail server: the mails that would have been sent.
create table caught_mail (
  id         bigint generated always as identity primary key,
  message_id text not null unique,
  recipient  text not null,
  reply_to   text,
  subject    text not null,
  body_text  text not null,
  body_html  text not null,
  at         timestamptz not null default roz_now()
);
create index caught_mail_to on caught_mail (lower(recipient), id desc);
select app_may('select, insert, delete', 'caught_mail');
