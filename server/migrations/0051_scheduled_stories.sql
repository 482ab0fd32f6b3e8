-- Scheduled drafts, and one story a disbursement. Invariant: a published story has no schedule.
alter table story add check (publish_at is null or not is_active);
drop index story_by_outlay;
create unique index story_of_outlay on story (outlay_id) where outlay_id is not null;
