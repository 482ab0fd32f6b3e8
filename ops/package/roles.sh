#!/bin/sh
# Makes the two roles and the database. server/src/db/rights.sql then sets the rights and limits of the server's role.
set -eu
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
create role roz_owner login password :'owner_password';
create role roz_app login password :'app_password';
create database roz owner roz_owner;
SQL
