-- Givers are told of a story once. With another help its givers would never be told, and the notices of the first one's would vanish.
create function told_story_keeps_help() returns trigger language plpgsql as $$
begin
  if exists (select from story_telling where story_id = new.id) then
    raise exception 'story %: the givers of its help were told', new.id using errcode = 'RZ003', constraint = 'told_story_keeps_help';
  end if;
  return new;
end $$;
create trigger told_story_keeps_help before update of outlay_id on story for each row
  when (new.outlay_id is distinct from old.outlay_id) execute function told_story_keeps_help();
