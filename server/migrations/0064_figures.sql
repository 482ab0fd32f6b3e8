-- How many members there were at the end of each day: counted once when the day has ended, so that a chart of a year reads a
-- row a day. A day's row is never counted again.
create table member_day (
  day    date primary key,
  -- Accounts made on this day, and accounts deleted on it.
  joined bigint not null check (joined >= 0),
  gone   bigint not null check (gone >= 0)
);
select append_only('member_day');
select app_may('select, insert', 'member_day');
create index member_deleted on member (deleted_at) where deleted_at is not null;
