-- The weekly mail of Auto Participate: one a member and week, never one a day. Invariant: a week's mail
-- was ordered for members up to last_member; an interrupted run resumes there.
create table weekly_mail (
  -- The Monday of the week that the mail is about.
  week        date primary key check (extract(isodow from week) = 1),
  last_member bigint not null default 0,
  done_at     timestamptz
);
select app_may('select, insert, update', 'weekly_mail');
