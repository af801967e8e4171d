ALTER TABLE accounts ADD COLUMN webhook_url TEXT;
ALTER TABLE accounts ADD COLUMN webhook_secret TEXT; -- not hashed: signing needs it
ALTER TABLE accounts ADD COLUMN webhook_allow_private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN webhook_gone_ms INTEGER; -- when its receiver answered 410
-- The highest threshold that raised a notice in the current month, in percent.
ALTER TABLE accounts ADD COLUMN notified INTEGER NOT NULL DEFAULT 0;

-- The outbox. A notice is inserted with the charge that raises it: at most two per account and month.
CREATE TABLE notices (
  id              TEXT PRIMARY KEY,
  account_id      TEXT NOT NULL REFERENCES accounts (id),
  period_start_ms INTEGER NOT NULL,
  threshold       INTEGER NOT NULL, -- percent
  plan            TEXT NOT NULL,
  used            INTEGER NOT NULL,
  allowance       INTEGER NOT NULL,
  raised_ms       INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  waited_ms       INTEGER NOT NULL DEFAULT 0, -- between attempts, in all
  next_attempt_ms INTEGER CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     INTEGER,
  last_error      TEXT,
  delivered_ms    INTEGER,
  UNIQUE (account_id, period_start_ms, threshold)
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_waiting ON notices (next_attempt_ms) WHERE state = 'pending';

-- The delivery log.
CREATE TABLE notice_attempts (
  notice_id   TEXT NOT NULL REFERENCES notices (id),
  attempt     INTEGER NOT NULL, -- 1, 2, …
  at_ms       INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status      INTEGER,
  error       TEXT,
  PRIMARY KEY (notice_id, attempt)
) STRICT, WITHOUT ROWID;
