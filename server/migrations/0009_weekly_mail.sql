-- The weekly mail of Auto Participate: one a member and week, never one a day. Invariant: whoever a
-- week's mail was ordered for lies at or below last_member; a run that was cut short goes on there.
create table weekly_mail (
  -- The Monday of the week that is told of.
  week        date primary key check (extract(isodow from week) = 1),
  last_member bigint not null default 0,
  done_at     timestamptz
);
select app_may('select, insert, update', 'weekly_mail');
