-- Brings the tables of the last builds before version 0.1.0 to those of schema.sql. It is taken only if the result is the same.

CREATE TABLE new_notices (
  id              TEXT PRIMARY KEY,
  account_id      TEXT NOT NULL REFERENCES accounts (id),
  type            TEXT NOT NULL DEFAULT 'credits.threshold_reached',
  data            TEXT,    -- JSON; null for a threshold
  period_start_ms INTEGER NOT NULL,
  threshold       INTEGER, -- percent
  plan            TEXT NOT NULL,
  used            INTEGER NOT NULL,
  allowance       INTEGER,
  raised_ms       INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  waited_ms       INTEGER NOT NULL DEFAULT 0, -- between attempts, in all
  next_attempt_ms INTEGER CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     INTEGER,
  last_error      TEXT,
  delivered_ms    INTEGER,
  traceparent     TEXT, -- of the request that raised it (W3C Trace Context): its delivery becomes a part of that trace
  CHECK ((data IS NULL) = (threshold IS NOT NULL AND allowance IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO new_notices
  SELECT id, account_id, type, data, period_start_ms, threshold, plan, used, allowance, raised_ms, state, attempts,
    waited_ms, next_attempt_ms, last_status, last_error, delivered_ms, traceparent
  FROM notices;
DROP TABLE notices;
ALTER TABLE new_notices RENAME TO notices;
CREATE INDEX notices_waiting ON notices (next_attempt_ms) WHERE state = 'pending';
CREATE INDEX notices_by_time ON notices (raised_ms, id);
CREATE INDEX notices_by_account ON notices (account_id, raised_ms, id);
CREATE INDEX notices_failed ON notices (raised_ms, id) WHERE state = 'failed';

DROP INDEX audit_by_actor_and_operation;
DROP INDEX history_credits_hours;
DROP TRIGGER audit_is_not_deleted;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
  WHEN OLD.at_ms >= coalesce((SELECT value FROM meta WHERE name = 'audit_from_ms'), 0)
  BEGIN SELECT raise(ABORT, 'audit records cannot be deleted'); END;
