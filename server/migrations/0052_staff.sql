-- Staff: invitations, second factors, and where each audited act came from.

-- The network address and the browser of the request that made the change; null for the system and for members.
-- Plain, because rows of this table are never changed and so could never be sealed again under a new key.
alter table audit_log
  add column from_address text,
  add column from_browser text,
  add column from_system text;

-- Searches are newest first by (at, id); each filter has its index.
drop index audit_log_subject, audit_log_actor;
create index audit_log_newest on audit_log (at desc, id desc);
create index audit_log_subject on audit_log (subject, at desc, id desc);
create index audit_log_actor on audit_log (actor_id, at desc, id desc);
create index audit_log_action on audit_log (action, at desc, id desc);

-- An account is made only when the invitation is accepted: until then the address opens nothing.
create table staff_invitation (
  id           uuid primary key,
  -- The token is derived from the id by a key that is not in the database.
  token_hash   bytea not null unique check (octet_length(token_hash) = 32),
  email        text not null check (length(email) between 3 and 254),
  name         text not null,
  staff_role   text not null check (staff_role in ('owner', 'finance', 'editor', 'support', 'auditor')),
  invited_by   bigint not null references member (id),
  created_at   timestamptz not null default roz_now(),
  expires_at   timestamptz not null,
  accepted_at  timestamptz,
  cancelled_at timestamptz,
  check (num_nonnulls(accepted_at, cancelled_at) <= 1)
);
create unique index staff_invitation_open on staff_invitation (lower(email)) where accepted_at is null and cancelled_at is null;
create index staff_invitation_by on staff_invitation (invited_by);

select app_may('select, insert, update, delete', 'staff_invitation');

create index member_staff on member (id) where role = 'admin';

-- One owner remains, even if two of them remove or demote each other at the same moment.
create function one_owner_remains() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7242016);
  if not exists (select from member where staff_role = 'owner' and deleted_at is null and id <> old.id) then
    raise exception 'the last owner cannot be removed or get another role' using errcode = 'RZ006';
  end if;
  return new;
end $$;
create trigger one_owner_remains before update of role, staff_role, deleted_at on member for each row
  when (old.staff_role = 'owner' and old.deleted_at is null and (new.staff_role is distinct from 'owner' or new.deleted_at is not null))
  execute function one_owner_remains();

-- A staff account's authenticator app. It counts once a code of it was given.
create table staff_totp (
  member_id    bigint primary key references member (id),
  sealed       bytea not null,
  created_at   timestamptz not null default roz_now(),
  confirmed_at timestamptz,
  -- The newest time step whose code was used: that code and all earlier ones are refused.
  last_step    bigint not null default 0
);
create index staff_totp_sealed_with on staff_totp (sealing_key_of(sealed));
select app_may('select, insert, update, delete', 'staff_totp');

-- SHA-256 of codes of 118 random bits, each of which replaces the app's code once.
create table staff_recovery_code (
  member_id bigint not null references staff_totp (member_id) on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  primary key (member_id, code_hash)
);
select app_may('select, insert, delete', 'staff_recovery_code');
