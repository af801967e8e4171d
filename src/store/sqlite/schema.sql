-- The tables of a data file. Times are milliseconds since the Unix epoch unless a comment names another unit.

CREATE TABLE accounts (
  id              TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  plan            TEXT NOT NULL,
  created_ms      INTEGER NOT NULL,
  webhook_url     TEXT,
  webhook_secret  TEXT,                        -- not hashed: signing needs it
  webhook_allow_private INTEGER NOT NULL DEFAULT 0,
  webhook_gone_ms INTEGER,                     -- when its receiver answered 410
  version         INTEGER NOT NULL DEFAULT 1,  -- rises with each change by an operator
  external_id     TEXT,                        -- the operator's own id
  metadata        TEXT NOT NULL DEFAULT '{}',  -- JSON object
  events          TEXT NOT NULL DEFAULT '[]',  -- JSON array: types of events for the webhook
  email           TEXT,                        -- whoever reads mail to it may sign in to the portal; normalised
  notify          TEXT NOT NULL DEFAULT 'webhook', -- how it gets notices: webhook, mail, both, none
  lower_name      TEXT GENERATED ALWAYS AS (lower(name)) VIRTUAL -- the order of lists by name
) STRICT, WITHOUT ROWID;
-- Lists are read in the order of creation. Names and plans are in the index too, so that a search reads no other page.
CREATE INDEX accounts_by_creation ON accounts (created_ms, id, plan, name);
CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
CREATE INDEX accounts_by_name ON accounts (lower_name, id);
CREATE INDEX accounts_by_plan ON accounts (plan, created_ms, id, name);
-- For months that begin, which they do at the account's time of day.
CREATE INDEX accounts_by_time_of_day ON accounts (created_ms % 86400000, id) WHERE events <> '[]';

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
  rate_limit INTEGER,       -- per minute; null is the plan's
  version    INTEGER NOT NULL DEFAULT 1,
  disabled_ms INTEGER,      -- null: the key may be used
  external_id TEXT,
  metadata   TEXT NOT NULL DEFAULT '{}',
  lower_name TEXT GENERATED ALWAYS AS (lower(name)) VIRTUAL
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_account ON keys (account_id, created_ms, id);
CREATE INDEX keys_by_creation ON keys (created_ms, id);
CREATE INDEX keys_by_external_id ON keys (external_id, created_ms, id) WHERE external_id IS NOT NULL;
CREATE INDEX keys_by_expiry ON keys (expires_ms, id) WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL;
CREATE INDEX keys_by_name ON keys (lower_name, id);
CREATE INDEX keys_by_prefix ON keys (prefix, id);
-- A list with a condition that few rows meet looks at these alone.
CREATE INDEX keys_revoked ON keys (id) WHERE revoked_ms IS NOT NULL;
CREATE INDEX keys_disabled ON keys (id) WHERE disabled_ms IS NOT NULL;

-- A key has one current secret and, after rotations, older ones that still work until until_ms.
CREATE TABLE secrets (
  hash       TEXT PRIMARY KEY, -- SHA-256 of the key, hexadecimal
  key_id     TEXT NOT NULL REFERENCES keys (id),
  created_ms INTEGER NOT NULL,
  until_ms   INTEGER           -- null: current
) STRICT, WITHOUT ROWID;
CREATE INDEX secrets_by_key ON secrets (key_id);

-- Numbers by name. Every administrative change raises 'revision', so that other processes empty their caches.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('revision', 1);

-- Usage by credit month, day and API: a month may begin in the middle of a day. Grows with accounts × days × APIs, not with
-- calls. Before the time usage_months_until_ms (table meta) a month's usage is all in its first day. The same holds for key_usage.
CREATE TABLE usage (
  account_id      TEXT NOT NULL,
  period_start_ms INTEGER NOT NULL, -- 0: counts in no credit month
  day             TEXT NOT NULL,    -- YYYY-MM-DD, UTC
  api             TEXT NOT NULL,
  calls           INTEGER NOT NULL,
  credits         INTEGER NOT NULL,
  key_calls       INTEGER NOT NULL DEFAULT 0, -- the part that key_usage has too; the rest was charged without a key
  key_credits     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, period_start_ms, day, api)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_day ON usage (account_id, day);

-- Rate-limit buckets, by the time when each is full again.
CREATE TABLE rates (
  id         TEXT PRIMARY KEY,  -- of an account or a key
  full_at_us INTEGER NOT NULL,  -- when it is full again: microseconds since the Unix epoch
  ticks      INTEGER NOT NULL,  -- and so many parts of the microsecond, which has per_minute parts
  per_minute INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The fields of an account that a charge reads and writes, in one narrow row: with thousands of accounts, the cost of a charge is
-- the number of pages it touches. The current day's usage moves to the table usage when the day or the month ends.
CREATE TABLE ledger (
  number          INTEGER PRIMARY KEY,
  account_id      TEXT NOT NULL UNIQUE REFERENCES accounts (id),
  closed_ms       INTEGER,
  period_start_ms INTEGER NOT NULL,           -- start of the month that used counts
  used            INTEGER NOT NULL CHECK (used >= 0),
  bonus           INTEGER NOT NULL CHECK (bonus >= 0),
  notified        INTEGER NOT NULL DEFAULT 0, -- the highest threshold raised in that month, in percent
  day             TEXT NOT NULL DEFAULT '',   -- YYYY-MM-DD, UTC
  booked          TEXT NOT NULL DEFAULT '{}', -- JSON: that day's usage in that month, {"api key": [calls, credits]}
  debt            INTEGER NOT NULL DEFAULT 0  -- what adjustments took below zero; later ones pay it first
) STRICT;
CREATE INDEX ledger_closed ON ledger (account_id) WHERE closed_ms IS NOT NULL;
-- Accounts that may be near the limit of their month. `notified` is 1 when only the plan was changed in the month: the new plan
-- may have less credits. A charge changes `notified` once or twice a month.
CREATE INDEX ledger_near_limit ON ledger (account_id) WHERE notified > 0 AND closed_ms IS NULL;

-- The account may be near the limit of its new plan.
CREATE TRIGGER accounts_plan_is_changed AFTER UPDATE OF plan ON accounts WHEN NEW.plan <> OLD.plan
  BEGIN UPDATE ledger SET notified = max(notified, 1) WHERE account_id = NEW.id; END;

-- All usage, the current day included. A day may be in both parts.
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, substr(key, 1, instr(key || ' ', ' ') - 1), value ->> 0, value ->> 1
  FROM ledger, json_each(booked);

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

-- The audit log. Rows are never changed, and deleted only by the owner's command, which records that and the time before which it does so.
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
CREATE INDEX audit_by_operation_and_actor ON audit (operation, actor, at_ms, id);
CREATE INDEX audit_by_target ON audit (target_id, at_ms, id);
CREATE INDEX audit_by_account ON audit (account_id, at_ms, id);
-- The records that may be deleted. Statements of past months are made from the others, so they stay.
CREATE INDEX audit_deletable ON audit (at_ms, id)
  WHERE operation NOT IN ('accounts.close', 'accounts.reopen', 'accounts.update', 'credits.renew');
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
  BEGIN SELECT raise(ABORT, 'audit records cannot be changed'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
  WHEN OLD.at_ms >= coalesce((SELECT value FROM meta WHERE name = 'audit_from_ms'), 0)
    OR OLD.operation IN ('accounts.close', 'accounts.reopen', 'accounts.update', 'credits.renew')
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

-- The outbox. A notice is inserted in the transaction of the charge or change that raises it. Its id follows from the account, the
-- month and the threshold, so that each is raised once. Those that are due at one time are sent by their number, so that a slow
-- receiver gets them in the same order as a fast one.
CREATE TABLE notices (
  number          INTEGER PRIMARY KEY, -- in the order in which they were raised
  id              TEXT NOT NULL UNIQUE,
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
  mailed          INTEGER NOT NULL DEFAULT 0, -- 1: there is a mail of it
  CHECK ((data IS NULL) = (threshold IS NOT NULL AND allowance IS NOT NULL))
) STRICT;
CREATE INDEX notices_waiting ON notices (next_attempt_ms) WHERE state = 'pending';
CREATE INDEX notices_by_time ON notices (raised_ms, id);
CREATE INDEX notices_by_account ON notices (account_id, raised_ms, id);
-- By the state that lists show, see src/store/mails.ts. What that is made of is in the index too, so that a count reads no other page.
CREATE INDEX notices_by_state ON notices ((CASE WHEN state = 'unsent' AND mailed THEN 'mailed' ELSE state END), raised_ms, id, state, mailed);

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
CREATE INDEX notice_attempts_by_time ON notice_attempts (at_ms, notice_id, attempt);

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

-- Usage of all accounts together, the current day included.
CREATE TABLE usage_totals (
  day    TEXT PRIMARY KEY, -- YYYY-MM-DD, UTC
  booked TEXT NOT NULL     -- JSON: {api: [calls, credits]}
) STRICT, WITHOUT ROWID;

-- Links that sign in once, and sessions of browsers. Tokens and cookies are stored as SHA-256, hexadecimal.
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
  expires_ms   INTEGER NOT NULL,
  passkey_id   TEXT  -- of the passkey that signed in; null: something else did
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);
CREATE INDEX sessions_by_owner ON sessions (kind, owner, created_ms, id);

-- Calls and charges of each minute, for plots. A row at a full hour holds the whole hour once its minutes were folded into it.
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
-- For folding. Old rows are deleted account by account.
CREATE INDEX history_credits_minutes ON history_credits (at_ms, account_id) WHERE at_ms % 3600000 <> 0;

-- The last batch of each process that is in the tables. A batch whose answer was lost is sent again, and must not count twice.
CREATE TABLE history_writers (
  process TEXT PRIMARY KEY,
  batch   INTEGER NOT NULL,
  at_ms   INTEGER NOT NULL -- of the newest row in it
) STRICT, WITHOUT ROWID;

-- Changes of the bonus credits of accounts by operators. Rows are never changed or deleted.
CREATE TABLE adjustments (
  id         TEXT PRIMARY KEY,                -- adj_…
  account_id TEXT NOT NULL REFERENCES accounts (id),
  at_ms      INTEGER NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('sign_up', 'grant', 'adjustment', 'undo')),
  credits    INTEGER NOT NULL CHECK (credits <> 0),
  reason     TEXT NOT NULL,
  reference  TEXT,                            -- the operator's own, such as the number of a payment
  undoes     TEXT,                            -- the entry that this one takes back
  made_by    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX adjustments_by_account ON adjustments (account_id, at_ms, id);
CREATE UNIQUE INDEX adjustments_by_reference ON adjustments (account_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX adjustments_by_undone ON adjustments (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER adjustments_are_not_changed BEFORE UPDATE ON adjustments
  BEGIN SELECT raise(ABORT, 'adjustments cannot be changed'); END;
CREATE TRIGGER adjustments_are_not_deleted BEFORE DELETE ON adjustments
  BEGIN SELECT raise(ABORT, 'adjustments cannot be deleted'); END;

-- The displayed prices and credits of plans, a row when they change: statements of past months show those of their time.
CREATE TABLE plan_terms (
  plan            TEXT NOT NULL,
  from_ms         INTEGER NOT NULL,
  price           TEXT,    -- null: none
  monthly_credits INTEGER, -- null: no limit
  PRIMARY KEY (plan, from_ms)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER plan_terms_are_not_changed BEFORE UPDATE ON plan_terms
  BEGIN SELECT raise(ABORT, 'terms of plans cannot be changed'); END;
CREATE TRIGGER plan_terms_are_not_deleted BEFORE DELETE ON plan_terms
  BEGIN SELECT raise(ABORT, 'terms of plans cannot be deleted'); END;

-- The requests of --keep-requests, in the order of their ends: see request-table.ts.
CREATE TABLE kept_requests (
  id         INTEGER PRIMARY KEY, -- 4,096 times the millisecond in which it ended, and a count
  process    INTEGER NOT NULL,    -- of kept_names: the prefix of its id, or who has added it
  count      INTEGER,             -- the rest of its id, if the id was made here
  request_id TEXT,                -- any other id
  surface    INTEGER NOT NULL,    -- of kept_names, as all of these
  api        INTEGER,
  apis       TEXT,                -- several APIs, each with a comma before and after it
  status     INTEGER NOT NULL,
  fault      INTEGER,
  parameter  TEXT,
  account    INTEGER,
  key        INTEGER,
  credits    INTEGER NOT NULL,
  is_replay  INTEGER NOT NULL,
  us         INTEGER NOT NULL,    -- microseconds until the answer was made
  address    TEXT
) STRICT;
-- None has accounts: it would cost seven times as much as the rows.
CREATE INDEX kept_requests_by_fault ON kept_requests (fault) WHERE fault IS NOT NULL;
CREATE INDEX kept_requests_by_id ON kept_requests (request_id) WHERE request_id IS NOT NULL;
-- Texts that come often: ids of accounts and keys, APIs and faults. They are never deleted.
CREATE TABLE kept_names (
  n    INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
-- Requests whose id has a higher count than `last` ended after the row `id`.
CREATE TABLE kept_marks (
  process INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  id      INTEGER NOT NULL,
  PRIMARY KEY (process, last)
) STRICT, WITHOUT ROWID;

-- Links that were sent by e-mail, and questions of visitors for one. All stay until they expire, since the questions of an hour are
-- limited. One that found nothing to send has a row without a token, so that it counts and cannot be used.
CREATE TABLE email_links (
  id         TEXT PRIMARY KEY,
  kind       TEXT NOT NULL CHECK (kind IN ('sign-up', 'sign-in', 'invitation')),
  email      TEXT NOT NULL,
  name       TEXT NOT NULL,    -- of the account to make; empty: the address
  plan       TEXT,             -- of the account to make; null: that of the settings
  terms      TEXT,             -- the address of the terms that were accepted with the question for the link
  account_id TEXT CHECK ((account_id IS NULL) = (kind <> 'sign-in')),
  browser    TEXT,             -- SHA-256 of the cookie of the browser that asked; null: any browser
  network    TEXT NOT NULL,    -- of the client that asked
  asked      TEXT CHECK (asked IN ('sign-up', 'sign-in')), -- what a visitor asked for, whatever was found; null: an invitation
  mailbox    TEXT,             -- that of the address, however it is written; null: an invitation
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  used_ms    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX email_links_by_expiry ON email_links (expires_ms);
CREATE INDEX email_links_by_email ON email_links (email);
CREATE INDEX email_links_by_network ON email_links (network);
CREATE INDEX email_links_by_mailbox ON email_links (mailbox) WHERE mailbox IS NOT NULL;
CREATE INDEX email_links_by_question ON email_links (asked, expires_ms) WHERE asked IS NOT NULL;
CREATE INDEX email_links_by_account ON email_links (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX email_links_by_creation ON email_links (created_ms, id);

-- A link has a token for each attempt to mail it, made then, and an invitation one for its maker. The tokens themselves are stored nowhere.
CREATE TABLE email_link_tokens (
  hash    TEXT PRIMARY KEY, -- SHA-256 of the token, hexadecimal
  link_id TEXT NOT NULL REFERENCES email_links (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX email_link_tokens_by_link ON email_link_tokens (link_id);

-- The outbox of mails, inserted in the transaction of the change or charge that they tell of.
CREATE TABLE mails (
  number          INTEGER PRIMARY KEY, -- in the order in which they were raised, and in which those that are due at one time are sent
  id              TEXT NOT NULL UNIQUE, -- mail_…, also the left part of its Message-ID; that of a notice ends as the notice's id
  account_id      TEXT REFERENCES accounts (id),
  recipient       TEXT NOT NULL,
  template        TEXT NOT NULL,    -- sign-in, confirmation, invitation, address-changed, notice
  data            TEXT,             -- JSON; null once a mail with a link is over
  raised_ms       INTEGER NOT NULL,
  expires_ms      INTEGER,          -- not sent after this time
  state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent', 'expired')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  waited_ms       INTEGER NOT NULL DEFAULT 0,-- between attempts, in all
  next_attempt_ms INTEGER CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     INTEGER,          -- of SMTP
  last_error      TEXT,
  delivered_ms    INTEGER
) STRICT;
CREATE INDEX mails_waiting ON mails (next_attempt_ms) WHERE state = 'pending';
CREATE INDEX mails_by_time ON mails (raised_ms, id);
CREATE INDEX mails_by_account ON mails (account_id, raised_ms, id);
CREATE INDEX mails_by_recipient ON mails (recipient, raised_ms, id);
CREATE INDEX mails_by_state ON mails (state, raised_ms, id);
-- A notice is mailed as its account has chosen. Rows that a move brings were sent before.
CREATE TRIGGER notices_by_mail AFTER INSERT ON notices
  WHEN NEW.type <> 'test' AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'moving')
    AND (SELECT notify FROM accounts WHERE id = NEW.account_id) <> 'webhook'
  BEGIN
    UPDATE notices SET state = 'unsent', next_attempt_ms = NULL
      WHERE id = NEW.id AND state = 'pending' AND (SELECT notify FROM accounts WHERE id = NEW.account_id) <> 'both';
    INSERT INTO mails (id, account_id, recipient, template, data, raised_ms, state, next_attempt_ms)
      SELECT 'mail_' || replace(NEW.id, 'msg_', ''), id, email, 'notice',
        json_object('notice', NEW.id, 'type', NEW.type, 'account', NEW.account_id, 'plan', NEW.plan, 'threshold', NEW.threshold,
          'used', NEW.used, 'allowance', NEW.allowance, 'data', NEW.data),
        NEW.raised_ms, 'pending', NEW.raised_ms
      FROM accounts WHERE id = NEW.account_id AND notify IN ('mail', 'both') AND email IS NOT NULL
      ON CONFLICT (id) DO NOTHING;
    UPDATE notices SET mailed = changes() WHERE id = NEW.id;
  END;

-- People who sign in to the console, and their passkeys. Rows of people stay when they are removed, for their names.
CREATE TABLE people (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  permissions TEXT NOT NULL, -- JSON array
  held        TEXT NOT NULL, -- JSON array: all permissions that they have or ever had
  created_ms  INTEGER NOT NULL,
  removed_ms  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX people_by_creation ON people (created_ms, id) WHERE removed_ms IS NULL;

CREATE TABLE passkeys (
  id            TEXT PRIMARY KEY,
  credential_id TEXT NOT NULL UNIQUE, -- base64url, chosen by the authenticator
  person_id     TEXT NOT NULL REFERENCES people (id),
  name          TEXT NOT NULL,
  public_key    TEXT NOT NULL,    -- COSE key, base64url
  counter       INTEGER NOT NULL, -- signatures of the authenticator; stays 0 where it does not count
  transports    TEXT NOT NULL,    -- JSON array
  site          TEXT NOT NULL,    -- the host name that it was made for (RP ID)
  permissions   TEXT NOT NULL,    -- JSON array: those of its person when it was added, and it never gives more
  created_ms    INTEGER NOT NULL,
  used_ms       INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_person ON passkeys (person_id, created_ms, id);

-- Challenges that a passkey has to sign. Each is used once.
CREATE TABLE passkey_challenges (
  hash       TEXT PRIMARY KEY, -- SHA-256 of the challenge, hexadecimal
  browser    TEXT NOT NULL,    -- the session that adds a passkey, or the SHA-256 of the cookie of a browser that signs in
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_ms);

-- Charges of calls with an Idempotency-Key, so that a repeated call is not charged again. Hashes are SHA-256, hexadecimal.
CREATE TABLE call_replays (
  account_id TEXT NOT NULL,
  key_hash   TEXT NOT NULL,
  input_hash TEXT NOT NULL, -- of the path and the input
  created_ms INTEGER NOT NULL,
  credits    INTEGER NOT NULL,
  replays    INTEGER NOT NULL DEFAULT 0, -- how often the call was answered again
  PRIMARY KEY (account_id, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_replays_by_creation ON call_replays (created_ms);

-- Settings of the service that commands on the store need: its plans.
CREATE TABLE service_settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;
