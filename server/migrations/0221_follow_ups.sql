-- The voice of the helped: what a person says 2, 4 and 12 weeks after the help arrived, with a consent of its own.
alter table beneficiary add column follow_up_on date;

-- Without the consent the rows are deleted.
create table follow_up (
  id          uuid primary key,
  outlay_id   uuid not null references outlay (id),
  weeks       int not null check (weeks > 0),
  -- The language of the words; translations are {"en": "…"}.
  written_in  text not null check (written_in <> ''),
  words       text not null check (words <> ''),
  translations jsonb not null default '{}' check (jsonb_typeof(translations) = 'object'),
  -- Who retold it; null: word for word.
  retold_by   text check (retold_by <> ''),
  -- Why it is not public: it had personal data.
  withheld    text check (withheld <> ''),
  recorded_by bigint not null references member (id),
  recorded_at timestamptz not null default roz_now(),
  unique (outlay_id, weeks)
);
create index follow_up_by on follow_up (recorded_by);
create index follow_up_recorded on follow_up (recorded_at);
select app_may('select, insert, update, delete', 'follow_up');
