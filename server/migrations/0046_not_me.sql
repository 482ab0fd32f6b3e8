-- "This was not me": a link in each security mail, and the hold that it causes.

alter table mail_token
  drop constraint mail_token_purpose_check,
  add constraint mail_token_purpose_check check (purpose in ('verify', 'reset', 'not_me')),
  -- Which mail carried it.
  add column about text,
  add constraint mail_token_about_check check ((purpose = 'not_me') = (about is not null));

-- Withdrawals and refunds of a held member stay in the queue until an administrator has looked; the rest goes on.
-- Since when, and which mail the member answered.
alter table member
  add column held_at timestamptz,
  add column held_about text,
  add constraint member_held_check check ((held_at is null) = (held_about is null));
