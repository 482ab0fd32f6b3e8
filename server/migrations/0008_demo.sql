-- How far the demo community has come, outside production: whoever starts next finishes what was begun.

create table demo_community (
  only_row    boolean primary key default true check (only_row),
  first_day   date not null,
  -- The moment of the last step that was begun; a start that finds it unfinished goes on from there.
  position    timestamptz not null,
  finished_at timestamptz
);
select app_may('select, insert, update', 'demo_community');
