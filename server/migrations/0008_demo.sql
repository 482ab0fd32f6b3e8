-- The progress of the demo community, outside production: the next start finishes an unfinished step.

create table demo_community (
  only_row    boolean primary key default true check (only_row),
  first_day   date not null,
  -- The moment of the last step that was begun; a start that finds it unfinished goes on from there.
  position    timestamptz not null,
  finished_at timestamptz
);
select app_may('select, insert, update', 'demo_community');
