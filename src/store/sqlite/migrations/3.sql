-- Usage by credit month too, since a month may begin in the middle of a day.
CREATE TABLE usage_by_month (
  account_id      TEXT NOT NULL,
  period_start_ms INTEGER NOT NULL, -- 0: counts in no month any more
  day             TEXT NOT NULL,    -- YYYY-MM-DD, UTC
  api             TEXT NOT NULL,
  calls           INTEGER NOT NULL,
  credits         INTEGER NOT NULL,
  PRIMARY KEY (account_id, period_start_ms, day, api)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_by_month
  SELECT account_id, iif(day >= date(period_start_ms / 1000, 'unixepoch'), period_start_ms, 0), day, api, calls, credits
  FROM usage JOIN accounts ON accounts.id = account_id;
DROP TABLE usage;
ALTER TABLE usage_by_month RENAME TO usage;
