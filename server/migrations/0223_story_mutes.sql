-- A giver who mutes a story hears nothing further of it until the mute ends.
create table story_mute (
  member_id bigint not null references member (id),
  story_id  uuid not null references story (id),
  muted_at  timestamptz not null default roz_now(),
  primary key (member_id, story_id)
);
create index story_mute_of on story_mute (story_id);
select app_may('select, insert, delete', 'story_mute');
