CREATE TABLE accounts (
  id              TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  plan            TEXT NOT NULL,
  created_ms      INTEGER NOT NULL,
  closed_ms       INTEGER,
  period_start_ms INTEGER NOT NULL,
  used            INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
  bonus           INTEGER NOT NULL DEFAULT 0 CHECK (bonus >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER,
  allow_apis TEXT,          -- JSON array; null is all
  block_apis TEXT NOT NULL, -- JSON array
  allow_ips  TEXT,          -- JSON array of CIDR; null is any
  rate_limit INTEGER        -- per minute; null is the plan's
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_account ON keys (account_id);

-- A key has one current secret and, after rotations, older ones that still work until until_ms.
CREATE TABLE secrets (
  hash       TEXT PRIMARY KEY, -- SHA-256 of the key, hexadecimal
  key_id     TEXT NOT NULL REFERENCES keys (id),
  created_ms INTEGER NOT NULL,
  until_ms   INTEGER           -- null: current
) STRICT, WITHOUT ROWID;
CREATE INDEX secrets_by_key ON secrets (key_id);

-- Grows with accounts × days × APIs, not with calls.
CREATE TABLE usage (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day        TEXT NOT NULL, -- YYYY-MM-DD, UTC
  api        TEXT NOT NULL,
  calls      INTEGER NOT NULL,
  credits    INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, api)
) STRICT, WITHOUT ROWID;

-- Rate-limit buckets, by the time when each is full again, in microseconds since the Unix epoch.
CREATE TABLE rates (
  id         TEXT PRIMARY KEY, -- of an account or a key
  full_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every administrative change raises revision, so that other processes empty their caches.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', 1);
