-- Messages of the contact form are answered from the portal.
alter table contact_message
  -- The language of the page on which it was written: the answer comes in it.
  add column language text not null default 'en' check (language in ('en', 'hi')),
  drop constraint contact_message_status_check,
  add constraint contact_message_status_check check (status in ('new', 'open', 'answered', 'closed')),
  alter column status set default 'new';
update contact_message set status = 'new' where status = 'open';

create index contact_message_by_status on contact_message (status, created_at desc, id desc);
create index contact_message_search on contact_message using gin (grams_of(member_words(name, email, ticket)));

create table contact_reply (
  id         bigint generated always as identity primary key,
  message_id bigint not null references contact_message (id) on delete cascade,
  author_id  bigint not null references member (id),
  text       text not null check (length(text) between 1 and 4000),
  created_at timestamptz not null default roz_now()
);
-- The same reply sent twice, by two presses or after a lost answer, is one reply.
create unique index contact_reply_once on contact_reply (message_id, sha256(text::bytea));
select app_may('select, insert', 'contact_reply');

-- The thread of a mail: its messages name it in References, so that mail programs keep them together.
alter table caught_mail add column thread text;
