-- Impact stories and their views. A settled day gets one draft (unique round_day); names of winners
-- are joined when a story is read, so that a changed choice or an erased account shows at once.

create table story (
  id uuid primary key,
  -- The day the story is about; for one written by hand the day it was made.
  day date not null,
  -- The round it was drafted for; none for one written by hand.
  round_day date unique,
  title text not null check (title <> ''),
  description text not null check (description <> ''),
  charity_name text not null check (charity_name <> ''),
  charity_description text not null check (charity_description <> ''),
  amount_paise bigint not null default 0 check (amount_paise >= 0),
  video_url text check (video_url <> ''),
  image_url text check (image_url <> ''),
  winner_member_id bigint,
  winner_amount_paise bigint check (winner_amount_paise >= 0),
  participants bigint not null default 0 check (participants >= 0),
  assurance text check (assurance in ('weak', 'sealed')),
  views bigint not null default 0 check (views >= 0),
  is_active boolean not null default false,
  -- The newest publication; kept when the story is taken back.
  published_at timestamptz,
  created_at timestamptz not null default roz_now(),
  check (not is_active or published_at is not null),
  check ((winner_member_id is null) = (winner_amount_paise is null))
);
select app_may('select, insert, update', 'story');
create index story_published on story (published_at desc, id desc) where is_active;

-- One view per visitor and day. The visitor is an HMAC under that day's random key. Key and rows are
-- deleted together, so nobody can be identified afterwards.
create table visitor_key (
  day date primary key,
  key bytea not null check (length(key) = 32)
);
select app_may('select, insert, delete', 'visitor_key');

create table story_view (
  day date not null,
  story_id uuid not null,
  visitor bytea not null,
  primary key (day, story_id, visitor)
);
select app_may('select, insert, delete', 'story_view');
