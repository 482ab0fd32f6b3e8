-- The care of a member: notes of the staff, and which mails were sent. A suspension now also closes the wallet to movements.

update wallet w set may_move = false from member m where m.id = w.member_id and m.suspended_at is not null and w.may_move;

-- The copy for sorting is deleted with a member's identity.
select app_may('select, insert, update, delete', 'member_sort');

create table member_note (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references member (id),
  author_id  bigint not null references member (id),
  text       text not null check (length(text) between 1 and 2000),
  created_at timestamptz not null default roz_now()
);
create index member_note_of_member on member_note (member_id, id desc);
select app_may('select, insert, delete', 'member_note');

-- A note is never changed, and is deleted only with its member's identity.
create function member_note_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from member where id = old.member_id and deleted_at is not null) then return old; end if;
  raise exception '% on member_note: a note is never changed', tg_op using errcode = 'RZ001';
end $$;
create trigger member_note_stays before update or delete on member_note for each row execute function member_note_stays();

-- The mails that were sent to a member, with their times: never their text.
create table member_mail (
  -- The job that sent it: a second run writes nothing.
  job_id    bigint primary key,
  member_id bigint not null references member (id),
  template  text not null,
  outcome   text not null check (outcome in ('sent', 'refused')),
  at        timestamptz not null default roz_now()
);
create index member_mail_of_member on member_mail (member_id, at desc);
create index member_mail_old on member_mail (at);
select app_may('select, insert, delete', 'member_mail');
