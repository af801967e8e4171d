-- The tables of a database, the same as in a data file of SQLite. Times are milliseconds since the Unix epoch unless a comment
-- names another unit. Identifiers are compared byte by byte (COLLATE "C"), so that every process locks rows in the same order.
-- functions.sql comes before this file.

-- Numbers by name: 'store_version' is that of these tables, and 'oldest' the oldest version whose programs can work with them.
CREATE TABLE meta (
  name  text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
);
INSERT INTO meta VALUES ('oldest', 1), ('probes', 0);

CREATE TABLE accounts (
  id                    text COLLATE "C" PRIMARY KEY,
  name                  text NOT NULL,
  plan                  text NOT NULL,
  created_ms            bigint NOT NULL,
  webhook_url           text,
  webhook_secret        text,                        -- not hashed: signing needs it
  webhook_allow_private boolean NOT NULL DEFAULT false,
  webhook_gone_ms       bigint,                      -- when its receiver answered 410
  version               bigint NOT NULL DEFAULT 1,   -- rises with each change by an operator
  external_id           text COLLATE "C",            -- the operator's own id
  metadata              text NOT NULL DEFAULT '{}',  -- JSON object
  events                text NOT NULL DEFAULT '[]',  -- JSON array: types of events for the webhook
  -- For searches without regard to case: lowering 100,000 names takes longer than searching them.
  lower_name            text COLLATE "C" GENERATED ALWAYS AS (lower(name COLLATE "C")) STORED,
  lower_id              text COLLATE "C" GENERATED ALWAYS AS (lower(id)) STORED,
  email                 text COLLATE "C",            -- whoever reads mail to it may sign in to the portal; normalised
  notify                text COLLATE "C" NOT NULL DEFAULT 'webhook' -- how it gets notices: webhook, mail, both, none
);
CREATE INDEX accounts_by_creation ON accounts (created_ms, id);
CREATE UNIQUE INDEX accounts_by_external_id ON accounts (external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
CREATE INDEX accounts_by_name ON accounts (lower_name, id);
CREATE INDEX accounts_by_plan ON accounts (plan, created_ms, id);
CREATE INDEX accounts_by_lower_id ON accounts (lower_id);
-- Reading 100,000 names takes 20 to 70 ms, and this index less than one. New entries wait in a list until it has 256 kB, so that
-- 100,000 accounts are inserted in a quarter of the time. A search reads this list too, which takes less than 1 ms.
CREATE INDEX accounts_by_name_parts ON accounts USING gin (name_parts(lower_name)) WITH (gin_pending_list_limit = 256);
-- For months that begin, which they do at the account's time of day.
CREATE INDEX accounts_by_time_of_day ON accounts ((created_ms % 86400000), id) WHERE events <> '[]';
CREATE TRIGGER raise_revision AFTER UPDATE OF plan, created_ms ON accounts FOR EACH ROW EXECUTE FUNCTION raise_revision();

CREATE TABLE keys (
  id          text COLLATE "C" PRIMARY KEY,
  account_id  text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name        text NOT NULL,
  prefix      text NOT NULL,
  created_ms  bigint NOT NULL,
  expires_ms  bigint,
  revoked_ms  bigint,
  allow_apis  text,          -- JSON array; null is all
  block_apis  text NOT NULL, -- JSON array
  allow_ips   text,          -- JSON array of CIDR; null is any
  rate_limit  integer,       -- per minute; null is the plan's
  version     bigint NOT NULL DEFAULT 1,
  disabled_ms bigint,        -- null: the key may be used
  external_id text COLLATE "C",
  metadata    text NOT NULL DEFAULT '{}'
);
CREATE INDEX keys_by_account ON keys (account_id, created_ms, id);
CREATE INDEX keys_by_creation ON keys (created_ms, id);
CREATE INDEX keys_by_external_id ON keys (external_id, created_ms, id) WHERE external_id IS NOT NULL;
CREATE INDEX keys_by_expiry ON keys (expires_ms, id) WHERE expires_ms IS NOT NULL AND revoked_ms IS NULL;
CREATE INDEX keys_by_name ON keys ((lower(name COLLATE "C")), id);
CREATE INDEX keys_by_prefix ON keys (prefix COLLATE "C", id);
-- A list with a condition that few rows meet looks at these alone.
CREATE INDEX keys_revoked ON keys (id) WHERE revoked_ms IS NOT NULL;
CREATE INDEX keys_disabled ON keys (id) WHERE disabled_ms IS NOT NULL;
CREATE TRIGGER raise_revision AFTER INSERT OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- A key has one current secret and, after rotations, older ones that still work until until_ms.
CREATE TABLE secrets (
  hash       text COLLATE "C" PRIMARY KEY, -- SHA-256 of the key, hexadecimal
  key_id     text COLLATE "C" NOT NULL REFERENCES keys (id),
  created_ms bigint NOT NULL,
  until_ms   bigint -- null: current
);
CREATE INDEX secrets_by_key ON secrets (key_id);
CREATE TRIGGER raise_revision AFTER INSERT OR UPDATE ON secrets FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- The fields of an account that a charge reads and writes. Half of each page stays free, so that a new version of a row finds a
-- place next to the old one and no index changes.
CREATE TABLE ledger (
  account_id      text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
  revision        bigint NOT NULL DEFAULT 1,     -- rises with every administrative change of the account or its keys
  closed_ms       bigint,
  period_start_ms bigint NOT NULL,               -- start of the month that used counts
  used            bigint NOT NULL CHECK (used >= 0),
  bonus           bigint NOT NULL CHECK (bonus >= 0),
  notified        integer NOT NULL DEFAULT 0,    -- the highest threshold raised in that month, in percent
  allowance       bigint,                        -- of the last charge; null is unlimited
  day             text COLLATE "C" NOT NULL DEFAULT '', -- YYYY-MM-DD, UTC
  booked          jsonb NOT NULL DEFAULT '{}',   -- that day's usage in that month, {"api key": [calls, credits]}
  charges         bigint NOT NULL DEFAULT 0,     -- rises by 1 with a charge, or by 2 if before_charge has something to do
  debt            bigint NOT NULL DEFAULT 0      -- what adjustments took below zero; later ones pay it first
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX ledger_closed ON ledger (account_id) WHERE closed_ms IS NOT NULL;
-- Accounts that may be near the limit of their month. `notified` is 1 when only the plan was changed in the month: the new plan
-- may have less credits. A charge changes `notified` once or twice a month.
CREATE INDEX ledger_near_limit ON ledger (account_id) WHERE notified > 0 AND closed_ms IS NULL;
-- The statement that charges decides whether the function has something to do, since PostgreSQL parses the condition of a trigger
-- anew for each statement: the conditions themselves took 80 to 130 µs here.
CREATE TRIGGER before_charge BEFORE UPDATE ON ledger FOR EACH ROW
  WHEN (NEW.charges <> OLD.charges + 1) EXECUTE FUNCTION before_charge();
CREATE TRIGGER announce AFTER UPDATE OF revision ON ledger FOR EACH ROW
  WHEN (OLD.revision <> NEW.revision) EXECUTE FUNCTION announce();

-- Before the time usage_months_until_ms (table meta) a month's usage is all in its first day. The same holds for key_usage.
CREATE TABLE usage (
  account_id      text COLLATE "C" NOT NULL REFERENCES accounts (id),
  period_start_ms bigint NOT NULL, -- 0: counts in no credit month
  day             text COLLATE "C" NOT NULL,
  api             text COLLATE "C" NOT NULL,
  calls           bigint NOT NULL,
  credits         bigint NOT NULL,
  key_calls       bigint NOT NULL DEFAULT 0, -- the part that key_usage has too; the rest was charged without a key
  key_credits     bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, period_start_ms, day, api)
);
CREATE INDEX usage_by_day ON usage (account_id, day);

-- All usage, the current day included. A day may be in both parts.
CREATE VIEW all_usage AS
  SELECT account_id, period_start_ms, day, api, calls, credits FROM usage
  UNION ALL
  SELECT account_id, period_start_ms, day, api_of(key) COLLATE "C", (value ->> 0)::bigint, (value ->> 1)::bigint
  FROM ledger, jsonb_each(booked);

CREATE TABLE key_usage (
  account_id text COLLATE "C" NOT NULL,
  day        text COLLATE "C" NOT NULL, -- YYYY-MM-DD, UTC
  key_id     text COLLATE "C" NOT NULL,
  api        text COLLATE "C" NOT NULL,
  calls      bigint NOT NULL,
  credits    bigint NOT NULL,
  PRIMARY KEY (account_id, day, key_id, api)
);
CREATE INDEX key_usage_by_key ON key_usage (key_id, day);

-- Usage of all accounts together, also of the current days. Instances write the usage of each statement that charges to
-- usage_changes, which has no index and no row that two of them would wait for. Now and then these rows are added to usage_sums.
CREATE TABLE usage_sums (
  day     text COLLATE "C" NOT NULL,
  api     text COLLATE "C" NOT NULL,
  calls   bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (day, api)
);
CREATE TABLE usage_changes (
  entries jsonb NOT NULL CHECK (is_noted_usage(entries)) -- [[day, api, calls, credits], …]
) WITH (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- Rows of usage_changes that could not be read, and are missing in usage_sums. The usage of each account has what they stood for.
CREATE TABLE usage_set_aside (
  entries jsonb NOT NULL,
  at_ms   bigint NOT NULL DEFAULT now_ms()
);

-- Rate-limit buckets. Not logged: after a crash of the database every bucket is full, so callers gain a minute at most.
CREATE UNLOGGED TABLE rates (
  id         text COLLATE "C" PRIMARY KEY, -- of an account or a key
  full_at_us bigint NOT NULL,              -- when it is full again: microseconds since the Unix epoch
  ticks      bigint NOT NULL,              -- and so many parts of the microsecond, which has per_minute parts
  per_minute bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The outbox. A notice is inserted in the transaction of the charge or change that raises it. Its id follows from the account, the
-- month and the threshold, so that each is raised once.
CREATE TABLE notices (
  -- In the order in which they were raised, and in which those that are due at one time are sent.
  number          bigint GENERATED ALWAYS AS IDENTITY,
  id              text COLLATE "C" PRIMARY KEY,
  account_id      text COLLATE "C" NOT NULL REFERENCES accounts (id),
  type            text NOT NULL DEFAULT 'credits.threshold_reached',
  data            text,    -- JSON; null for a threshold
  period_start_ms bigint NOT NULL,
  threshold       integer, -- percent
  plan            text NOT NULL,
  used            bigint NOT NULL,
  allowance       bigint,
  raised_ms       bigint NOT NULL,
  state           text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent')),
  attempts        integer NOT NULL DEFAULT 0,
  waited_ms       bigint NOT NULL DEFAULT 0, -- between attempts, in all
  next_attempt_ms bigint CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     integer,
  last_error      text,
  delivered_ms    bigint,
  -- The trace of the request that raised it (W3C Trace Context): its delivery becomes a part of that trace. A session that
  -- charges sets it.
  traceparent     text DEFAULT nullif(current_setting('penknife.traceparent', true), ''),
  mailed          boolean NOT NULL DEFAULT false, -- whether there is a mail of it
  CHECK ((data IS NULL) = (threshold IS NOT NULL AND allowance IS NOT NULL))
);
CREATE INDEX notices_waiting ON notices (next_attempt_ms, number) WHERE state = 'pending';
CREATE INDEX notices_by_time ON notices (raised_ms, id);
CREATE INDEX notices_by_account ON notices (account_id, raised_ms, id);
-- By the state that lists show, see src/store/mails.ts. What that is made of is in the index too, so that a count reads no other page.
CREATE INDEX notices_by_state ON notices ((CASE WHEN state = 'unsent' AND mailed THEN 'mailed' ELSE state END), raised_ms, id, state, mailed);

-- The delivery log.
CREATE TABLE notice_attempts (
  notice_id   text COLLATE "C" NOT NULL REFERENCES notices (id),
  attempt     integer NOT NULL, -- 1, 2, …
  at_ms       bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status      integer,
  error       text,
  PRIMARY KEY (notice_id, attempt)
);
CREATE INDEX notice_attempts_by_time ON notice_attempts (at_ms, notice_id, attempt);

CREATE TABLE admin_keys (
  id          text COLLATE "C" PRIMARY KEY,
  hash        text COLLATE "C" NOT NULL UNIQUE, -- SHA-256 of the key, hexadecimal
  name        text NOT NULL,
  prefix      text NOT NULL,
  permissions text NOT NULL, -- JSON array
  created_ms  bigint NOT NULL,
  expires_ms  bigint,
  revoked_ms  bigint
);
CREATE INDEX admin_keys_by_creation ON admin_keys (created_ms, id);

-- The audit log. Rows are never changed, and deleted only by the owner's command, which records that and the time before which it does so.
CREATE TABLE audit (
  id          text COLLATE "C" PRIMARY KEY,
  at_ms       bigint NOT NULL,
  actor       text COLLATE "C" NOT NULL,
  actor_name  text NOT NULL,
  operation   text COLLATE "C" NOT NULL,
  target_kind text NOT NULL,
  target_id   text COLLATE "C" NOT NULL,
  account_id  text COLLATE "C",
  before_json text,
  after_json  text,
  source      text NOT NULL,
  request_id  text NOT NULL
);
CREATE INDEX audit_by_time ON audit (at_ms, id);
CREATE INDEX audit_by_actor ON audit (actor, at_ms, id);
CREATE INDEX audit_by_operation ON audit (operation, at_ms, id);
CREATE INDEX audit_by_operation_and_actor ON audit (operation, actor, at_ms, id);
CREATE INDEX audit_by_target ON audit (target_id, at_ms, id);
CREATE INDEX audit_by_account ON audit (account_id, at_ms, id);
-- The records that may be deleted. Statements of past months are made from the others, so they stay.
CREATE INDEX audit_deletable ON audit (at_ms, id)
  WHERE operation NOT IN ('accounts.close', 'accounts.reopen', 'accounts.update', 'credits.renew');
CREATE TRIGGER keep_audit BEFORE UPDATE OR TRUNCATE ON audit EXECUTE FUNCTION keep_audit();
CREATE TRIGGER keep_new_audit BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION keep_audit();

-- Changes that a client may ask for again with the same Idempotency-Key.
CREATE TABLE replays (
  actor        text COLLATE "C" NOT NULL,
  key          text COLLATE "C" NOT NULL,
  payload_hash text NOT NULL,
  operation    text NOT NULL,
  target_id    text NOT NULL,
  created_ms   bigint NOT NULL,
  answer       text, -- JSON; null until it is known
  PRIMARY KEY (actor, key)
);
CREATE INDEX replays_by_creation ON replays (created_ms);

-- Links that sign in once, and sessions of browsers. Tokens and cookies are stored as SHA-256, hexadecimal.
CREATE TABLE sign_in_links (
  hash         text COLLATE "C" PRIMARY KEY,
  id           text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        text COLLATE "C" NOT NULL, -- an account's id, or an administrator
  name         text NOT NULL,
  permissions  text NOT NULL,             -- JSON array
  admin_key_id text COLLATE "C",          -- null: needs no admin key
  account_id   text COLLATE "C" CHECK ((account_id IS NULL) = (kind = 'console')),
  created_ms   bigint NOT NULL,
  expires_ms   bigint NOT NULL
);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_ms);

CREATE TABLE sessions (
  hash         text COLLATE "C" PRIMARY KEY,
  id           text COLLATE "C" NOT NULL UNIQUE,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('console', 'portal')),
  owner        text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  permissions  text NOT NULL,
  admin_key_id text COLLATE "C",
  account_id   text COLLATE "C" CHECK ((account_id IS NULL) = (kind = 'console')),
  key_hash     text COLLATE "C", -- of the API key that signed in; null: a link did
  created_ms   bigint NOT NULL,
  expires_ms   bigint NOT NULL,
  passkey_id   text COLLATE "C" -- of the passkey that signed in; null: something else did
);
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);
CREATE INDEX sessions_by_owner ON sessions (kind, owner, created_ms, id);

-- Calls and charges of each minute, for plots. A row at a full hour holds the whole hour once its minutes were folded into it.
CREATE TABLE history_calls (
  at_ms    bigint NOT NULL,
  api      text COLLATE "C" NOT NULL,
  calls    bigint NOT NULL, -- requests
  errors   bigint NOT NULL, -- requests that failed
  charged  bigint NOT NULL, -- successful calls that were charged
  credits  bigint NOT NULL,
  ms_0_5   bigint NOT NULL, -- requests that took up to 0.5 ms, and so on
  ms_1     bigint NOT NULL,
  ms_2_5   bigint NOT NULL,
  ms_5     bigint NOT NULL,
  ms_10    bigint NOT NULL,
  ms_25    bigint NOT NULL,
  ms_50    bigint NOT NULL,
  ms_100   bigint NOT NULL,
  ms_250   bigint NOT NULL,
  ms_500   bigint NOT NULL,
  ms_1000  bigint NOT NULL,
  ms_2500  bigint NOT NULL,
  ms_5000  bigint NOT NULL,
  ms_10000 bigint NOT NULL,
  ms_more  bigint NOT NULL,
  PRIMARY KEY (at_ms, api)
);

CREATE TABLE history_faults (
  at_ms    bigint NOT NULL,
  api      text COLLATE "C" NOT NULL,
  fault    text COLLATE "C" NOT NULL,
  calls    bigint NOT NULL,
  first_ms bigint NOT NULL,
  last_ms  bigint NOT NULL,
  PRIMARY KEY (at_ms, api, fault)
);

CREATE TABLE history_credits (
  at_ms      bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  calls      bigint NOT NULL,
  credits    bigint NOT NULL,
  PRIMARY KEY (account_id, at_ms)
);
-- For folding. Old rows are deleted account by account.
CREATE INDEX history_credits_minutes ON history_credits (at_ms, account_id) WHERE at_ms % 3600000 <> 0;

-- The last batch of each process that is in the tables. A batch whose answer was lost is sent again, and must not count twice.
CREATE TABLE history_writers (
  process text COLLATE "C" PRIMARY KEY,
  batch   bigint NOT NULL,
  at_ms   bigint NOT NULL -- of the newest row in it
);

-- Changes of the bonus credits of accounts by operators. Rows are never changed or deleted.
CREATE TABLE adjustments (
  id         text COLLATE "C" PRIMARY KEY,                -- adj_…
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  at_ms      bigint NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('sign_up', 'grant', 'adjustment', 'undo')),
  credits    bigint NOT NULL CHECK (credits <> 0),
  reason     text NOT NULL,
  reference  text COLLATE "C",                            -- the operator's own, such as the number of a payment
  undoes     text COLLATE "C",                            -- the entry that this one takes back
  made_by    text NOT NULL
);
CREATE INDEX adjustments_by_account ON adjustments (account_id, at_ms, id);
CREATE UNIQUE INDEX adjustments_by_reference ON adjustments (account_id, reference) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX adjustments_by_undone ON adjustments (undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON adjustments FOR EACH ROW EXECUTE FUNCTION keep_rows();

-- The displayed prices and credits of plans, a row when they change: statements of past months show those of their time.
CREATE TABLE plan_terms (
  plan            text COLLATE "C" NOT NULL,
  from_ms         bigint NOT NULL,
  price           text,   -- null: none
  monthly_credits bigint, -- null: no limit
  PRIMARY KEY (plan, from_ms)
);
CREATE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON plan_terms FOR EACH ROW EXECUTE FUNCTION keep_rows();

-- The requests of --keep-requests, in the order of their ends: see request-table.ts.
CREATE TABLE kept_requests (
  id         bigint NOT NULL,   -- 4,096 times the millisecond in which it ended, and a count
  process    integer NOT NULL,  -- of kept_names: the prefix of its id, or who has added it
  count      bigint,            -- the rest of its id, if the id was made here
  request_id text COLLATE "C",  -- any other id
  surface    integer NOT NULL,  -- of kept_names, as all of these
  api        integer,
  apis       text,              -- several APIs, each with a comma before and after it
  status     smallint NOT NULL,
  fault      integer,
  parameter  text,
  account    integer,
  key        integer,
  credits    bigint NOT NULL,
  is_replay  smallint NOT NULL,
  us         bigint NOT NULL,   -- microseconds until the answer was made
  address    text,
  PRIMARY KEY (id, process)
);
CREATE INDEX kept_requests_by_account ON kept_requests (account, id);
CREATE INDEX kept_requests_by_fault ON kept_requests (fault, id) WHERE fault IS NOT NULL;
CREATE INDEX kept_requests_by_id ON kept_requests (request_id, id) WHERE request_id IS NOT NULL;
-- Texts that come often: ids of accounts and keys, APIs and faults. They are never deleted.
CREATE TABLE kept_names (
  n    integer PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE
);
-- Requests whose id has a higher count than `last` ended after the row `id`.
CREATE TABLE kept_marks (
  process integer NOT NULL,
  last    bigint NOT NULL,
  id      bigint NOT NULL,
  PRIMARY KEY (process, last)
);

-- Links that were sent by e-mail, and questions of visitors for one. All stay until they expire, since the questions of an hour are
-- limited. One that found nothing to send has a row without a token, so that it counts and cannot be used.
CREATE TABLE email_links (
  id         text COLLATE "C" PRIMARY KEY,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('sign-up', 'sign-in', 'invitation')),
  email      text COLLATE "C" NOT NULL,
  name       text NOT NULL,                -- of the account to make; empty: the address
  plan       text,                         -- of the account to make; null: that of the settings
  terms      text,                         -- the address of the terms that were accepted with the question for the link
  account_id text COLLATE "C" CHECK ((account_id IS NULL) = (kind <> 'sign-in')),
  browser    text COLLATE "C",             -- SHA-256 of the cookie of the browser that asked; null: any browser
  network    text COLLATE "C" NOT NULL,    -- of the client that asked
  asked      text COLLATE "C" CHECK (asked IN ('sign-up', 'sign-in')), -- what a visitor asked for, whatever was found; null: an invitation
  mailbox    text COLLATE "C",             -- that of the address, however it is written; null: an invitation
  created_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  used_ms    bigint
);
CREATE INDEX email_links_by_expiry ON email_links (expires_ms);
CREATE INDEX email_links_by_email ON email_links (email);
CREATE INDEX email_links_by_network ON email_links (network);
CREATE INDEX email_links_by_mailbox ON email_links (mailbox) WHERE mailbox IS NOT NULL;
CREATE INDEX email_links_by_question ON email_links (asked, expires_ms) WHERE asked IS NOT NULL;
CREATE INDEX email_links_by_account ON email_links (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX email_links_by_creation ON email_links (created_ms, id);

-- A link has a token for each attempt to mail it, made then, and an invitation one for its maker. The tokens themselves are stored nowhere.
CREATE TABLE email_link_tokens (
  hash    text COLLATE "C" PRIMARY KEY, -- SHA-256 of the token, hexadecimal
  link_id text COLLATE "C" NOT NULL REFERENCES email_links (id) ON DELETE CASCADE
);
CREATE INDEX email_link_tokens_by_link ON email_link_tokens (link_id);

-- The outbox of mails, inserted in the transaction of the change or charge that they tell of.
CREATE TABLE mails (
  -- In the order in which they were raised, and in which those that are due at one time are sent.
  number          bigint GENERATED ALWAYS AS IDENTITY,
  id              text COLLATE "C" PRIMARY KEY, -- mail_…, also the left part of its Message-ID; that of a notice ends as the notice's id
  account_id      text COLLATE "C" REFERENCES accounts (id),
  recipient       text COLLATE "C" NOT NULL,
  template        text COLLATE "C" NOT NULL,    -- sign-in, confirmation, invitation, address-changed, notice
  data            text,                         -- JSON; null once a mail with a link is over
  raised_ms       bigint NOT NULL,
  expires_ms      bigint,                       -- not sent after this time
  state           text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent', 'expired')),
  attempts        integer NOT NULL DEFAULT 0,
  waited_ms       bigint NOT NULL DEFAULT 0,    -- between attempts, in all
  next_attempt_ms bigint CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')), -- or the end of a lease
  last_status     integer,                      -- of SMTP
  last_error      text,
  delivered_ms    bigint
);
CREATE INDEX mails_waiting ON mails (next_attempt_ms) WHERE state = 'pending';
CREATE INDEX mails_by_time ON mails (raised_ms, id);
CREATE INDEX mails_by_account ON mails (account_id, raised_ms, id);
CREATE INDEX mails_by_recipient ON mails (recipient, raised_ms, id);
CREATE INDEX mails_by_state ON mails (state, raised_ms, id);
CREATE TRIGGER mail_notice AFTER INSERT ON notices FOR EACH ROW WHEN (NEW.type <> 'test') EXECUTE FUNCTION mail_notice();

-- People who sign in to the console, and their passkeys. Rows of people stay when they are removed, for their names.
CREATE TABLE people (
  id          text COLLATE "C" PRIMARY KEY,
  name        text NOT NULL,
  permissions text NOT NULL, -- JSON array
  held        text NOT NULL, -- JSON array: all permissions that they have or ever had
  created_ms  bigint NOT NULL,
  removed_ms  bigint
);
CREATE INDEX people_by_creation ON people (created_ms, id) WHERE removed_ms IS NULL;

CREATE TABLE passkeys (
  id            text COLLATE "C" PRIMARY KEY,
  credential_id text COLLATE "C" NOT NULL UNIQUE, -- base64url, chosen by the authenticator
  person_id     text COLLATE "C" NOT NULL REFERENCES people (id),
  name          text NOT NULL,
  public_key    text NOT NULL,    -- COSE key, base64url
  counter       bigint NOT NULL, -- signatures of the authenticator; stays 0 where it does not count
  transports    text NOT NULL,    -- JSON array
  site          text NOT NULL,    -- the host name that it was made for (RP ID)
  permissions   text NOT NULL,    -- JSON array: those of its person when it was added, and it never gives more
  created_ms    bigint NOT NULL,
  used_ms       bigint
);
CREATE INDEX passkeys_by_person ON passkeys (person_id, created_ms, id);

-- Challenges that a passkey has to sign. Each is used once.
CREATE TABLE passkey_challenges (
  hash       text COLLATE "C" PRIMARY KEY, -- SHA-256 of the challenge, hexadecimal
  browser    text NOT NULL,    -- the session that adds a passkey, or the SHA-256 of the cookie of a browser that signs in
  expires_ms bigint NOT NULL
);
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_ms);

-- Charges of calls with an Idempotency-Key, so that a repeated call is not charged again. Hashes are SHA-256, hexadecimal.
CREATE TABLE call_replays (
  account_id text COLLATE "C" NOT NULL,
  key_hash   text COLLATE "C" NOT NULL,
  input_hash text NOT NULL, -- of the path and the input
  created_ms bigint NOT NULL,
  credits    bigint NOT NULL,
  replays    bigint NOT NULL DEFAULT 0, -- how often the call was answered again
  PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX call_replays_by_creation ON call_replays (created_ms);

-- Settings of the service that commands on the store need: its plans.
CREATE TABLE service_settings (
  name  text COLLATE "C" PRIMARY KEY,
  value text NOT NULL -- JSON
);
