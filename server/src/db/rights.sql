-- The rights and limits of the server's role on its own database, as a superuser sets them after both exist. Every way to make the
-- database runs this file: `npm start`, the compose stack and the cluster. Migrations grant the rights on tables.
revoke all on database roz from public;
grant connect on database roz to roz_app;
-- How far the standbys are behind (docs/metrics.md).
grant pg_read_all_stats to roz_app;
-- Behind a pooler a session's own limits have no effect (sql.ts): these are the same.
alter role roz_app in database roz set statement_timeout = '25s';
alter role roz_app in database roz set lock_timeout = '20s';
alter role roz_app in database roz set idle_in_transaction_session_timeout = '10s';
