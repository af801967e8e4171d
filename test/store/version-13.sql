-- A store of version 8, as the release that wrote it made it. Never edited.
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
ALTER TABLE accounts ADD COLUMN webhook_url TEXT;
ALTER TABLE accounts ADD COLUMN webhook_secret TEXT; -- as it is: signing needs it
ALTER TABLE accounts ADD COLUMN webhook_allow_private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN webhook_gone_ms INTEGER; -- when its receiver answered 410
-- The highest threshold raised in the month that used counts, in percent.
ALTER TABLE accounts ADD COLUMN notified INTEGER NOT NULL DEFAULT 0;

-- The outbox: written with the charge that raised a notice. Two a month and account at most.
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
-- Usage by the credit month that it counts in, too: a month may begin in the middle of a day.
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
-- Buckets to a fraction of a microsecond. What a bucket holds is worth a minute, so none is carried over.
DROP TABLE rates;
CREATE TABLE rates (
  id         TEXT PRIMARY KEY,  -- of an account or a key
  full_at_us INTEGER NOT NULL,  -- when it is full again: microseconds since the Unix epoch
  ticks      INTEGER NOT NULL,  -- and so many parts of the microsecond, which has per_minute parts
  per_minute INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- All that a charge reads and writes of an account, in one narrow row: with thousands of accounts, pages touched are what
-- a charge costs. Usage of the day under way rides along and goes to its table when the day or the month is over.
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

-- Usage with the day under way. A day may be in both parts.
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, key, value ->> 0, value ->> 1 FROM ledger, json_each(booked);

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

-- For events that come with time: keys that expire soon, and months that begin, which they do at the account's time of day.
CREATE INDEX keys_by_expiry ON keys (expires_ms, id) WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL;
CREATE INDEX accounts_by_time_of_day ON accounts (created_ms % 86400000, id) WHERE events <> '[]';

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

-- Who is signed in with a browser, and the links that sign in once. Cookies and tokens are stored as SHA-256, hexadecimal.
CREATE TABLE sign_in_links (
  hash         TEXT PRIMARY KEY,
  id           TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        TEXT NOT NULL, -- an account's id, or an administrator
  name         TEXT NOT NULL,
  permissions  TEXT NOT NULL, -- JSON array
  admin_key_id TEXT,          -- null: needs no admin key
  account_id   TEXT CHECK ((account_id IS NULL) = (kind = 'console')),
  created_ms   INTEGER NOT NULL,
  expires_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_ms);

CREATE TABLE sessions (
  hash         TEXT PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        TEXT NOT NULL,
  name         TEXT NOT NULL,
  permissions  TEXT NOT NULL,
  admin_key_id TEXT,
  account_id   TEXT CHECK ((account_id IS NULL) = (kind = 'console')),
  key_hash     TEXT, -- of the API key that signed in; null: a link did
  created_ms   INTEGER NOT NULL,
  expires_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);
CREATE INDEX sessions_by_owner ON sessions (kind, owner, created_ms, id);

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

-- The trace of the request that raised the notice (W3C Trace Context): its delivery becomes a part of that trace.
ALTER TABLE notices ADD COLUMN traceparent TEXT;

CREATE INDEX audit_by_actor_and_operation ON audit (actor, operation, at_ms, id);

-- Accounts that may be near the limit of their month. `notified` is the highest threshold raised in the month, and 1 when only the
-- plan was changed in it: the new one may have less credits. A charge changes `notified` once or twice a month.
CREATE INDEX accounts_by_plan ON accounts (plan, created_ms, id, name);
CREATE INDEX ledger_near_limit ON ledger (account_id) WHERE notified > 0 AND closed_ms IS NULL;

INSERT INTO accounts (id, name, plan, created_ms) VALUES
  ('acc_free', 'Ann', 'free', 1730000000000),
  ('acc_pro', 'O''Hara & Søn', 'pro', 1730100000000),
  ('acc_gone', 'closed', 'starter', 1720000000000);
INSERT INTO ledger (number, account_id, closed_ms, period_start_ms, used, bonus, notified, day, booked) VALUES
  (1, 'acc_free', NULL, 1732678400000, 640, 500, 0, '2024-11-29', '{"spfvalidator key_1":[3,15],"spfvalidator":[5,25]}'),
  (2, 'acc_pro', NULL, 1732778400000, 812345, 0, 80, '2024-12-01', '{"linesorter key_2":[812345,812345]}'),
  (3, 'acc_gone', 1731000000000, 1730368000000, 7, 3, 0, '', '{}');
INSERT INTO keys (id, account_id, name, prefix, created_ms, expires_ms, revoked_ms, allow_apis, block_apis, allow_ips, rate_limit) VALUES
  ('key_1', 'acc_free', '', 'pk_AAAA', 1730000001000, NULL, NULL, NULL, '[]', NULL, NULL),
  ('key_2', 'acc_pro', 'ci', 'pk_BBBB', 1730100001000, 1830100001000, NULL, '["hmac","linesorter"]', '[]', '["10.0.0.0/8","2001:db8::/32"]', 30),
  ('key_3', 'acc_pro', 'old', 'pk_CCCC', 1730100002000, NULL, 1731100001000, NULL, '["spfvalidator"]', NULL, NULL);
INSERT INTO secrets (hash, key_id, created_ms, until_ms) VALUES
  ('a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 'key_1', 1730000001000, NULL),
  ('b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1', 'key_2', 1730100001000, 1732000000000),
  ('b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2', 'key_2', 1731900000000, NULL),
  ('c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1', 'key_3', 1730100002000, NULL);
INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits) VALUES
  ('acc_free', 1732678400000, '2024-11-28', 'hmac', 600, 600, 400, 400),
  ('acc_gone', 1730368000000, '2024-11-01', 'hmac', 7, 7, 0, 0),
  ('acc_gone', 0, '2024-10-31', 'hmac', 11, 11, 0, 0);
INSERT INTO key_usage (account_id, day, key_id, api, calls, credits) VALUES ('acc_free', '2024-11-28', 'key_1', 'hmac', 400, 400);
INSERT INTO usage_totals (day, booked) VALUES
  ('2024-10-31', '{"hmac":[11,11]}'), ('2024-11-01', '{"hmac":[7,7]}'), ('2024-11-28', '{"hmac":[600,600]}'),
  ('2024-11-29', '{"spfvalidator":[8,40]}'), ('2024-12-01', '{"linesorter":[812345,812345]}');
INSERT INTO rates (id, full_at_us, ticks, per_minute) VALUES ('acc_free', 1733000000000000, 7, 60), ('key_2', 1733000001000000, 0, 30);
UPDATE meta SET value = 17 WHERE name = 'revision';

UPDATE accounts SET webhook_url = 'https://hooks.example.com/penknife', webhook_secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
  WHERE id = 'acc_pro';
UPDATE accounts SET webhook_url = 'http://localhost:9/hook', webhook_secret = 'whsec_GBkaGxwdHh8gISIjJCUmJygpKissLS4v', webhook_allow_private = 1,
  webhook_gone_ms = 1732900000000 WHERE id = 'acc_free';
INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state, attempts, waited_ms, next_attempt_ms, last_status, last_error, delivered_ms) VALUES
  ('msg_1', 'acc_pro', 1732778400000, 80, 'pro', 800000, 1000000, 1732900000000, 'delivered', 2, 5000, NULL, 204, NULL, 1732900006000),
  ('msg_2', 'acc_free', 1729999900000, 95, 'free', 950, 1000, 1731900000000, 'pending', 1, 5000, 1731900009000, NULL, 'no answer', NULL);
INSERT INTO notice_attempts (notice_id, attempt, at_ms, duration_ms, status, error) VALUES
  ('msg_1', 1, 1732900000500, 12, 503, 'HTTP 503'),
  ('msg_1', 2, 1732900005900, 9, 204, NULL),
  ('msg_2', 1, 1731900000500, 10000, NULL, 'no answer');
UPDATE accounts SET version = 4, external_id = 'customer 7', metadata = '{"team":"blue"}', events = '["key.created"]' WHERE id = 'acc_pro';
UPDATE keys SET version = 2, disabled_ms = 1732900000000, external_id = 'ext', metadata = '{"a":1}' WHERE id = 'key_2';
INSERT INTO admin_keys (id, hash, name, prefix, permissions, created_ms, expires_ms, revoked_ms) VALUES
  ('adm_1', 'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', 'ci', 'pka-AAAA', '["keys.*"]', 1732900000000, 1832900000000, NULL);
INSERT INTO audit (id, at_ms, actor, actor_name, operation, target_kind, target_id, account_id, before_json, after_json, source, request_id) VALUES
  ('aud_1', 1732900000000, 'admin-key:adm_1', 'ci', 'keys.disable', 'key', 'key_2', 'acc_pro', '{"disabled":null}', '{"disabled":"now"}', '192.0.2.1', 'req_1');
INSERT INTO replays (actor, key, payload_hash, operation, target_id, created_ms, answer) VALUES
  ('admin-key:adm_1', 'again', 'ff', 'keys.disable', 'key_2', 1732900000000, '{"id":"key_2"}');
INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms) VALUES
  ('msg_3', 'acc_pro', 'key.created', '{"key":"key_2"}', 1732778400000, 'pro', 5, 1732900000000, 'unsent', NULL);
INSERT INTO sign_in_links (hash, id, kind, owner, name, permissions, admin_key_id, account_id, created_ms, expires_ms) VALUES
  ('e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1', 'lnk_1', 'console', 'admin-key:adm_1', 'ci', '["keys.*"]', 'adm_1', NULL, 1732900000000, 1732901800000);
INSERT INTO sessions (hash, id, kind, owner, name, permissions, admin_key_id, account_id, key_hash, created_ms, expires_ms) VALUES
  ('f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1', 'ses_1', 'portal', 'acc_free', 'Ann', '["keys.read"]', NULL, 'acc_free', 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 1732900000000, 1732986400000);
INSERT INTO history_calls VALUES (1732899600000, 'hmac', 3, 1, 2, 2, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO history_faults VALUES (1732899600000, 'hmac', 'inputRejected', 1, 1732899601000, 1732899601000);
INSERT INTO history_credits VALUES (1732899600000, 'acc_pro', 2, 2);
INSERT INTO history_writers VALUES ('p1', 1, 1732899600000);
UPDATE notices SET traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' WHERE id = 'msg_2';
PRAGMA user_version = 13;
