-- Every session ends for good: an admin's 12 hours, a member's 90 days after its sign-in, however it is used.
update session set last_at = created_at + interval '90 days' where last_at is null;
alter table session drop constraint session_check;
alter table session alter column last_at set default roz_now() + interval '90 days';
alter table session alter column last_at set not null;

-- The device as its owner reads it in the list of signed-in devices: never the whole user agent. Null where unknown.
alter table session add column browser text, add column system text;
