-- The end of a session moves on with the visits of its member, on the way of nearly every join. Indexed
-- by block ranges it stays in its page, and no index is written; a sweep by the hour reads as much.
drop index session_ended;
create index session_ended on session using brin (expires_at);
alter table session set (fillfactor = 75);
