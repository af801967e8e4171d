-- The fields of an account that a charge reads and writes, in one narrow row: with thousands of accounts, the cost of a
-- charge is the number of pages it touches. The current day's usage is in the row too, and moves to the usage table when
-- the day or the month ends.
CREATE TABLE ledger (
  number          INTEGER PRIMARY KEY,
  account_id      TEXT NOT NULL UNIQUE REFERENCES accounts (id),
  closed_ms       INTEGER,
  period_start_ms INTEGER NOT NULL,           -- start of the month that used counts
  used            INTEGER NOT NULL CHECK (used >= 0),
  bonus           INTEGER NOT NULL CHECK (bonus >= 0),
  notified        INTEGER NOT NULL DEFAULT 0, -- the highest threshold raised in that month, in percent
  day             TEXT NOT NULL DEFAULT '',   -- YYYY-MM-DD, UTC
  booked          TEXT NOT NULL DEFAULT '{}'  -- JSON: that day's usage in that month, {api: [calls, credits]}
) STRICT;
INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus, notified)
  SELECT id, closed_ms, period_start_ms, used, bonus, notified FROM accounts;
ALTER TABLE accounts DROP COLUMN closed_ms;
ALTER TABLE accounts DROP COLUMN period_start_ms;
ALTER TABLE accounts DROP COLUMN used;
ALTER TABLE accounts DROP COLUMN bonus;
ALTER TABLE accounts DROP COLUMN notified;

-- All usage, the current day included. A day may be in both parts.
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, key, value ->> 0, value ->> 1 FROM ledger, json_each(booked);
