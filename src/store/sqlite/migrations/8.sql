-- Usage by key. The current day's usage of an account has entries {"api key": [calls, credits]}, or {"api": …} without a key.
CREATE TABLE key_usage (
  account_id TEXT NOT NULL,
  day        TEXT NOT NULL, -- YYYY-MM-DD, UTC
  key_id     TEXT NOT NULL,
  api        TEXT NOT NULL,
  calls      INTEGER NOT NULL,
  credits    INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, key_id, api)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_usage_by_key ON key_usage (key_id, day);

-- The part of the usage that key_usage has too. The rest was recorded before keys were.
ALTER TABLE usage ADD COLUMN key_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN key_credits INTEGER NOT NULL DEFAULT 0;
CREATE INDEX usage_by_day ON usage (account_id, day);

DROP VIEW all_usage;
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, substr(key, 1, instr(key || ' ', ' ') - 1), value ->> 0, value ->> 1
  FROM ledger, json_each(booked);

-- Usage of all accounts together, the current day included.
CREATE TABLE usage_totals (
  day    TEXT PRIMARY KEY, -- YYYY-MM-DD, UTC
  booked TEXT NOT NULL     -- JSON: {api: [calls, credits]}
) STRICT, WITHOUT ROWID;
INSERT INTO usage_totals
  SELECT day, json_group_object(api, json_array(calls, credits)) FROM (
    SELECT day, api, sum(calls) AS calls, sum(credits) AS credits FROM all_usage GROUP BY day, api)
  GROUP BY day;
