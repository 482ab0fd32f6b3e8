-- Announcements: short texts that members see in the app from their start to their end.
create table announcement (
  id         bigint generated always as identity primary key,
  -- The text by language.
  texts      jsonb not null check (jsonb_typeof(texts) = 'object' and texts <> '{}'),
  link       text check (link ~ '^/' and link !~ '//' and length(link) <= 200),
  starts_at  timestamptz not null,
  ends_at    timestamptz not null,
  -- When staff ended it before its end.
  ended_at   timestamptz,
  -- Grows with every change, so that an editor changes only what the editor saw.
  version    int not null default 1,
  created_at timestamptz not null default roz_now(),
  check (ends_at > starts_at)
);
create index announcement_newest on announcement (created_at desc, id desc);
-- Read with every start of the app.
create index announcement_not_ended on announcement (ends_at) where ended_at is null;
select app_may('select, insert, update', 'announcement');
