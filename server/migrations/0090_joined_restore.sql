-- The restores of this database that npm run after-restore has completed: the name of each one's target. A database that was recovered to a
-- target without a row here serves nothing.
create table joined_restore (
  target    text primary key,
  joined_at timestamptz not null default roz_now()
);
select app_may('select, insert', 'joined_restore');
