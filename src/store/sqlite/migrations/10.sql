-- What happened in each minute, for plots. A row at a full hour holds the whole hour once its minutes were folded into it.
CREATE TABLE history_calls (
  at_ms    INTEGER NOT NULL,
  api      TEXT NOT NULL,
  calls    INTEGER NOT NULL, -- requests
  errors   INTEGER NOT NULL, -- requests that failed
  charged  INTEGER NOT NULL, -- successful calls that were charged
  credits  INTEGER NOT NULL,
  ms_0_5   INTEGER NOT NULL, -- requests that took up to 0.5 ms, and so on
  ms_1     INTEGER NOT NULL,
  ms_2_5   INTEGER NOT NULL,
  ms_5     INTEGER NOT NULL,
  ms_10    INTEGER NOT NULL,
  ms_25    INTEGER NOT NULL,
  ms_50    INTEGER NOT NULL,
  ms_100   INTEGER NOT NULL,
  ms_250   INTEGER NOT NULL,
  ms_500   INTEGER NOT NULL,
  ms_1000  INTEGER NOT NULL,
  ms_2500  INTEGER NOT NULL,
  ms_5000  INTEGER NOT NULL,
  ms_10000 INTEGER NOT NULL,
  ms_more  INTEGER NOT NULL,
  PRIMARY KEY (at_ms, api)
) STRICT, WITHOUT ROWID;

CREATE TABLE history_faults (
  at_ms    INTEGER NOT NULL,
  api      TEXT NOT NULL,
  fault    TEXT NOT NULL,
  calls    INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  last_ms  INTEGER NOT NULL,
  PRIMARY KEY (at_ms, api, fault)
) STRICT, WITHOUT ROWID;

CREATE TABLE history_credits (
  at_ms      INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  calls      INTEGER NOT NULL,
  credits    INTEGER NOT NULL,
  PRIMARY KEY (account_id, at_ms)
) STRICT, WITHOUT ROWID;
-- For folding, and for deleting what is too old.
CREATE INDEX history_credits_minutes ON history_credits (at_ms, account_id) WHERE at_ms % 3600000 <> 0;
CREATE INDEX history_credits_hours ON history_credits (at_ms) WHERE at_ms % 3600000 = 0;

-- The last batch of each process that is in the tables. One whose answer was lost is sent again, and must not count twice.
CREATE TABLE history_writers (
  process TEXT PRIMARY KEY,
  batch   INTEGER NOT NULL,
  at_ms   INTEGER NOT NULL -- of the newest row in it
) STRICT, WITHOUT ROWID;
