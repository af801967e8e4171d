-- Two roles for the PostgreSQL database of penknife: penknife_owner makes and changes the tables, penknife_service runs the
-- service and the commands, and has only the rights that these need.
--
-- Run this in that database as an administrator, before the first start:
--
--   psql -v ON_ERROR_STOP=1 -f postgres-roles.sql postgres://postgres@db.example.com/penknife
--   psql -c '\password penknife_owner' -c '\password penknife_service' postgres://postgres@db.example.com/penknife
--   penknife account list --db postgres://penknife_owner@db.example.com/penknife     (makes the tables)
--
-- and then once more, which grants the rights on the tables. After an update of penknife, repeat the last command and this
-- script; running it again does no harm. If a right is missing, 'penknife serve' does not start and names it.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'penknife_owner') THEN
    CREATE ROLE penknife_owner LOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'penknife_service') THEN
    CREATE ROLE penknife_service LOGIN;
  END IF;
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO penknife_owner, penknife_service', current_database());
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO penknife_owner;
GRANT USAGE ON SCHEMA public TO penknife_service;

-- An administrator who is no superuser needs this to act for the owner of the tables.
GRANT penknife_owner TO CURRENT_USER;
SET ROLE penknife_owner;
DO $$
BEGIN
  IF to_regclass('ledger') IS NULL OR to_regclass('usage_sums') IS NULL THEN RETURN; END IF;
  GRANT SELECT, INSERT, UPDATE ON accounts, keys, secrets, ledger, rates, meta TO penknife_service;
  -- Days become months after --keep-usage, and 'account renew' moves the usage of a month.
  GRANT SELECT, INSERT, UPDATE, DELETE ON usage, key_usage TO penknife_service;
  -- Notices older than --keep-notices are deleted.
  GRANT SELECT, INSERT, UPDATE, DELETE ON notices TO penknife_service;
  GRANT SELECT, INSERT, DELETE ON notice_attempts TO penknife_service;
  GRANT SELECT, INSERT, UPDATE ON admin_keys TO penknife_service;
  -- Nobody who has taken over a service can change what was done before: only penknife_owner runs 'penknife audit prune'.
  GRANT SELECT, INSERT ON audit TO penknife_service;
  GRANT SELECT, INSERT, UPDATE, DELETE ON replays, sign_in_links, email_links, sessions TO penknife_service;
  GRANT SELECT, INSERT ON email_link_tokens TO penknife_service;
  GRANT SELECT, INSERT, UPDATE ON people TO penknife_service;
  GRANT SELECT, INSERT, UPDATE, DELETE ON passkeys TO penknife_service;
  GRANT SELECT, INSERT, DELETE ON passkey_challenges TO penknife_service;
  -- Minutes become hours, and what is older than --history is deleted.
  GRANT SELECT, INSERT, UPDATE, DELETE ON history_calls, history_faults, history_credits, history_writers TO penknife_service;
  -- Charges note their sums, which are added up now and then.
  GRANT SELECT, INSERT, UPDATE ON usage_sums TO penknife_service;
  GRANT SELECT, INSERT, DELETE ON usage_changes TO penknife_service;
  GRANT INSERT ON usage_set_aside TO penknife_service;
  GRANT SELECT ON all_usage TO penknife_service;
  -- What was adjusted and what a statement says is never changed.
  GRANT SELECT, INSERT ON adjustments, plan_terms TO penknife_service;
  -- The plans, for commands on the database.
  GRANT SELECT, INSERT, UPDATE ON service_settings TO penknife_service;
  -- Mails older than --keep-notices are deleted.
  GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO penknife_service;

  -- Idempotency-Keys of calls count their replays, and are deleted after a day.
  GRANT SELECT, INSERT, UPDATE, DELETE ON call_replays TO penknife_service;
  -- Requests older than --keep-requests are deleted.
  GRANT SELECT, INSERT, DELETE ON kept_requests, kept_marks TO penknife_service;
  GRANT SELECT, INSERT ON kept_names TO penknife_service;
END $$;
RESET ROLE;
