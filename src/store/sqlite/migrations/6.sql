-- What the administration keeps of accounts and keys.
ALTER TABLE accounts ADD COLUMN version INTEGER NOT NULL DEFAULT 1; -- rises with each change by an operator
ALTER TABLE accounts ADD COLUMN external_id TEXT;                   -- the operator's own id
ALTER TABLE accounts ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'; -- JSON object
ALTER TABLE accounts ADD COLUMN events TEXT NOT NULL DEFAULT '[]';  -- JSON array: types of events for the webhook
-- Lists are read in the order of creation. Names and plans are in the index too, so that a search reads no other page.
CREATE INDEX accounts_by_creation ON accounts (created_ms, id, plan, name);
CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX ledger_closed ON ledger (account_id) WHERE closed_ms IS NOT NULL;

ALTER TABLE keys ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE keys ADD COLUMN disabled_ms INTEGER; -- null: the key may be used
ALTER TABLE keys ADD COLUMN external_id TEXT;
ALTER TABLE keys ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
DROP INDEX keys_by_account;
CREATE INDEX keys_by_account ON keys (account_id, created_ms, id);
CREATE INDEX keys_by_creation ON keys (created_ms, id);
CREATE INDEX keys_by_external_id ON keys (external_id, created_ms, id) WHERE external_id IS NOT NULL;

CREATE TABLE admin_keys (
  id          TEXT PRIMARY KEY,
  hash        TEXT NOT NULL UNIQUE, -- SHA-256 of the key, hexadecimal
  name        TEXT NOT NULL,
  prefix      TEXT NOT NULL,
  permissions TEXT NOT NULL, -- JSON array
  created_ms  INTEGER NOT NULL,
  expires_ms  INTEGER,
  revoked_ms  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX admin_keys_by_creation ON admin_keys (created_ms, id);

-- Who changed what. Rows are never changed or deleted.
CREATE TABLE audit (
  id          TEXT PRIMARY KEY,
  at_ms       INTEGER NOT NULL,
  actor       TEXT NOT NULL,
  actor_name  TEXT NOT NULL,
  operation   TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id   TEXT NOT NULL,
  account_id  TEXT,
  before_json TEXT,
  after_json  TEXT,
  source      TEXT NOT NULL,
  request_id  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (at_ms, id);
CREATE INDEX audit_by_actor ON audit (actor, at_ms, id);
CREATE INDEX audit_by_operation ON audit (operation, at_ms, id);
CREATE INDEX audit_by_target ON audit (target_id, at_ms, id);
CREATE INDEX audit_by_account ON audit (account_id, at_ms, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
  BEGIN SELECT raise(ABORT, 'audit records cannot be changed'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
  BEGIN SELECT raise(ABORT, 'audit records cannot be deleted'); END;

-- Changes that a client may ask for again with the same Idempotency-Key.
CREATE TABLE replays (
  actor        TEXT NOT NULL,
  key          TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  operation    TEXT NOT NULL,
  target_id    TEXT NOT NULL,
  created_ms   INTEGER NOT NULL,
  answer       TEXT, -- JSON; null until it is known
  PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX replays_by_creation ON replays (created_ms);

-- Notices of other kinds than thresholds have their data as JSON. SQLite cannot drop NOT NULL, so both tables are made anew.
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
  CHECK ((data IS NULL) = (threshold IS NOT NULL AND allowance IS NOT NULL)),
  UNIQUE (account_id, period_start_ms, threshold)
) STRICT, WITHOUT ROWID;
INSERT INTO new_notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, attempts, waited_ms,
    next_attempt_ms, last_status, last_error, delivered_ms)
  SELECT id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, attempts, waited_ms,
    next_attempt_ms, last_status, last_error, delivered_ms
  FROM notices;
CREATE TABLE new_notice_attempts (
  notice_id   TEXT NOT NULL REFERENCES new_notices (id),
  attempt     INTEGER NOT NULL, -- 1, 2, …
  at_ms       INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status      INTEGER,
  error       TEXT,
  PRIMARY KEY (notice_id, attempt)
) STRICT, WITHOUT ROWID;
INSERT INTO new_notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error)
  SELECT notice_id, attempt, at_ms, duration_ms, status, error FROM notice_attempts;
DROP TABLE notice_attempts;
DROP TABLE notices;
ALTER TABLE new_notices RENAME TO notices;
ALTER TABLE new_notice_attempts RENAME TO notice_attempts;
CREATE INDEX notice_attempts_by_time ON notice_attempts (at_ms, notice_id, attempt);
CREATE INDEX notices_waiting ON notices (next_attempt_ms) WHERE state = 'pending';
CREATE INDEX notices_by_time ON notices (raised_ms, id);
CREATE INDEX notices_by_account ON notices (account_id, raised_ms, id);
CREATE INDEX notices_by_state ON notices (state, raised_ms, id);
