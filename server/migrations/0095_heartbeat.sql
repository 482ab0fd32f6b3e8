-- The servers' sign of life: one row, written once a minute by all servers on this database together (db/heartbeat.ts).
-- Its times are the machine's: where the product's clock is moved, no time passes here.
create table heartbeat (
  one       boolean primary key default true check (one),
  at        timestamptz not null,
  -- How long servers have run since an audit ended.
  unaudited interval not null default '0',
  -- The database as a server last saw it: its system identifier, and the timeline of its log of commits.
  cluster   text not null,
  timeline  integer not null
);
select app_may('select, insert, update', 'heartbeat');
