-- The disputes that are open, for the team's to-do list and the metrics: a few among all that ever were.
-- outside a transaction
drop index concurrently if exists dispute_open;
create index concurrently dispute_open on dispute (created_at) where state = 'open';
