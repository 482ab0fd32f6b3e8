-- The name that a staff member had at an entry of the log: a later change of the name does not rewrite who decided.
alter table audit_log add column actor_name text;
