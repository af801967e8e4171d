-- Usage by key. The current day's usage of an account has entries {"api key": [calls, credits]}; older instances write {"api": …}.
-- The part of the usage that key_usage has too. The rest was recorded for no key.
ALTER TABLE usage
  ADD COLUMN key_calls bigint NOT NULL DEFAULT 0,
  ADD COLUMN key_credits bigint NOT NULL DEFAULT 0;
CREATE INDEX usage_by_day ON usage (account_id, day);

CREATE TABLE key_usage (
  account_id text COLLATE "C" NOT NULL,
  day        text COLLATE "C" NOT NULL, -- YYYY-MM-DD, UTC
  key_id     text COLLATE "C" NOT NULL,
  api        text COLLATE "C" NOT NULL,
  calls      bigint NOT NULL,
  credits    bigint NOT NULL,
  PRIMARY KEY (account_id, day, key_id, api)
);
CREATE INDEX key_usage_by_key ON key_usage (key_id, day);

-- The parts of an entry's name.
CREATE FUNCTION api_of(entry text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT split_part(entry, ' ', 1) $$;
CREATE FUNCTION key_of(entry text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT substr(entry, strpos(entry || ' ', ' ') + 1) $$;

CREATE OR REPLACE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, api_of(key) COLLATE "C", (value ->> 0)::bigint, (value ->> 1)::bigint
  FROM ledger, jsonb_each(booked);

-- Adds the usage of a day to the tables by API and by key.
CREATE FUNCTION move_usage(account text, period_ms bigint, of_day text, entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
    SELECT account, period_ms, of_day, api_of(key), sum((value ->> 0)::bigint), sum((value ->> 1)::bigint),
      coalesce(sum((value ->> 0)::bigint) FILTER (WHERE key_of(key) <> ''), 0),
      coalesce(sum((value ->> 1)::bigint) FILTER (WHERE key_of(key) <> ''), 0)
    FROM jsonb_each(entries) GROUP BY api_of(key)
  ON CONFLICT (account_id, period_start_ms, day, api)
    DO UPDATE SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits,
      key_calls = usage.key_calls + excluded.key_calls, key_credits = usage.key_credits + excluded.key_credits;
  INSERT INTO key_usage (account_id, day, key_id, api, calls, credits)
    SELECT account, of_day, key_of(key), api_of(key), (value ->> 0)::bigint, (value ->> 1)::bigint
    FROM jsonb_each(entries) WHERE key_of(key) <> ''
  ON CONFLICT (account_id, day, key_id, api)
    DO UPDATE SET calls = key_usage.calls + excluded.calls, credits = key_usage.credits + excluded.credits;
END $$;

CREATE OR REPLACE FUNCTION close_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_usage(OLD.account_id, OLD.period_start_ms, OLD.day, OLD.booked);
  RETURN NEW;
END $$;

-- The day's usage of many keys would make a row large, and each charge writes the row anew.
CREATE FUNCTION shorten_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM move_usage(NEW.account_id, NEW.period_start_ms, NEW.day, NEW.booked);
  NEW.booked := '{}';
  RETURN NEW;
END $$;
CREATE TRIGGER shorten_day BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (pg_column_size(NEW.booked) > 1600) EXECUTE FUNCTION shorten_day();

CREATE OR REPLACE FUNCTION renew_month(account text, new_created_ms bigint, new_period_ms bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Moves the day's usage to the usage table.
  UPDATE ledger SET day = '', booked = '{}' WHERE account_id = account;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE ledger SET period_start_ms = new_period_ms, used = 0, notified = 0, revision = revision + 1
    WHERE account_id = account;
  INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
    SELECT account_id, 0, day, api, calls, credits, key_calls, key_credits FROM usage
    WHERE account_id = account AND period_start_ms = new_period_ms
  ON CONFLICT (account_id, period_start_ms, day, api)
    DO UPDATE SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits,
      key_calls = usage.key_calls + excluded.key_calls, key_credits = usage.key_credits + excluded.key_credits;
  DELETE FROM usage WHERE account_id = account AND period_start_ms = new_period_ms;
  UPDATE accounts SET created_ms = new_created_ms WHERE id = account;
  RETURN true;
END $$;
