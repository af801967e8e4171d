-- A store of version 1, as the release that wrote it made it. Never edited.
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

-- A key has one current secret and, after rotations, older ones that are graced until until_ms.
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

-- Rate-limit buckets: when each is full again, in microseconds since the Unix epoch.
CREATE TABLE rates (
  id         TEXT PRIMARY KEY, -- of an account or a key
  full_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- revision rises with every administrative change, so that other processes drop what they keep in memory.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', 1);

INSERT INTO accounts (id, name, plan, created_ms, closed_ms, period_start_ms, used, bonus) VALUES
  ('acc_free', 'Ann', 'free', 1730000000000, NULL, 1732678400000, 640, 500),
  ('acc_pro', 'O''Hara & Søn', 'pro', 1730100000000, NULL, 1732778400000, 812345, 0),
  ('acc_gone', 'closed', 'starter', 1720000000000, 1731000000000, 1730368000000, 7, 3);
INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, allow_apis, block_apis, allow_ips, rate_limit) VALUES
  ('key_1', 'acc_free', '', 'pk_AAAA', 1730000001000, NULL, NULL, NULL, '[]', NULL, NULL),
  ('key_2', 'acc_pro', 'ci', 'pk_BBBB', 1730100001000, 1830100001000, NULL, '["hmac","linesorter"]', '[]', '["10.0.0.0/8","2001:db8::/32"]', 30),
  ('key_3', 'acc_pro', 'old', 'pk_CCCC', 1730100002000, NULL, 1731100001000, NULL, '["spfvalidator"]', NULL, NULL);
INSERT INTO secrets (hash, key_id, created_ms, until_ms) VALUES
  ('a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 'key_1', 1730000001000, NULL),
  ('b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1', 'key_2', 1730100001000, 1732000000000),
  ('b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2', 'key_2', 1731900000000, NULL),
  ('c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1', 'key_3', 1730100002000, NULL);
INSERT INTO usage (account_id, day, api, calls, credits) VALUES
  ('acc_free', '2024-11-28', 'hmac', 600, 600),
  ('acc_free', '2024-11-29', 'spfvalidator', 8, 40),
  ('acc_pro', '2024-12-01', 'linesorter', 812345, 812345),
  ('acc_gone', '2024-11-01', 'hmac', 7, 7);
INSERT INTO rates (id, full_at_us) VALUES ('acc_free', 1733000000000000), ('key_2', 1733000001000000);
UPDATE meta SET value = 17 WHERE name = 'revision';
PRAGMA user_version = 1;
