-- The evening reminder: one push at the time that the member picks. Invariants: a member is considered once a day
-- (looked_day only grows, also when the reminder is turned off and on or its time changes), and a device is sent at most
-- one reminder a day (reminded_day is written before the send).
create table evening_reminder (
  member_id  bigint primary key references member (id),
  -- A time of day in Asia/Kolkata; null: off.
  at         time,
  -- The newest day on which it was this member's turn.
  looked_day date not null default '-infinity',
  -- The day of the newest "Not today".
  silent_day date
);
create index evening_reminder_due on evening_reminder (at, looked_day) where at is not null;
select app_may('select, insert, update, delete', 'evening_reminder');

alter table push_device add column reminded_day date;
