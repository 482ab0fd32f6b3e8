-- A draft that was never published may be deleted. Of a published story members were told: it stays.
select app_may('select, insert, update, delete', 'story');

create function published_story_stays() returns trigger language plpgsql as $$
begin
  raise exception 'story %: it was published', old.id using errcode = 'RZ003', constraint = 'published_story_stays';
end $$;
create trigger published_story_stays before delete on story for each row
  when (old.is_active or old.published_at is not null) execute function published_story_stays();
