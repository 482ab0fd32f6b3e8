#!/bin/sh
# Makes the role of the server, which only reads and writes rows: migrations grant it each right.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$APP_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role roz_app login password :'password';
grant pg_read_all_stats to roz_app;
SQL
