-- A story is public only while everybody consents of whose help it ever told, also after its link was changed or removed.
create table story_subject (
  story_id       uuid not null references story (id) on delete cascade,
  beneficiary_id uuid not null references beneficiary (id),
  primary key (story_id, beneficiary_id)
);
create index story_subject_of on story_subject (beneficiary_id);
select app_may('select, insert', 'story_subject');

insert into story_subject (story_id, beneficiary_id)
select s.id, o.beneficiary_id from story s join outlay o on o.id = s.outlay_id where o.beneficiary_id is not null;

create function note_story_subject() returns trigger language plpgsql as $$
begin
  insert into story_subject (story_id, beneficiary_id)
  select new.id, o.beneficiary_id from outlay o where o.id = new.outlay_id and o.beneficiary_id is not null
  on conflict do nothing;
  return null;
end $$;
create trigger note_story_subject after insert or update of outlay_id on story for each row
  when (new.outlay_id is not null) execute function note_story_subject();

-- The locks make a publication and a revocation wait for each other. The state is read by a statement of its own, after them.
create or replace function story_has_consent() returns trigger language plpgsql as $$
begin
  perform from beneficiary b
    where b.id in (select beneficiary_id from story_subject where story_id = new.id union select beneficiary_id from outlay where id = new.outlay_id)
    order by b.id for share;
  if exists (
    select from beneficiary b where b.revoked_at is not null
       and b.id in (select beneficiary_id from story_subject where story_id = new.id union select beneficiary_id from outlay where id = new.outlay_id)) then
    raise exception 'story %: the consent was revoked', new.id using errcode = 'RZ003', constraint = 'story_has_consent';
  end if;
  return new;
end $$;
drop trigger story_has_consent on story;
create trigger story_has_consent before insert or update on story for each row when (new.is_active) execute function story_has_consent();
