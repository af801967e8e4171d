#!/bin/sh
# Gives the roles of postgres-roles.sql their passwords.
set -eu
for role in owner service; do
  psql -v ON_ERROR_STOP=1 -v password="$(cat /run/secrets/$role-password)" -U postgres -d penknife <<SQL
ALTER ROLE penknife_$role PASSWORD :'password';
SQL
done
