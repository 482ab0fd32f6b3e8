-- Since when a member uses a value, and until when: who set another member's phone, and that it was changed back. Older rows have no `since`.
alter table signal_use add column since timestamptz, add column ended_at timestamptz;
alter table signal_use alter column since set default roz_now();
