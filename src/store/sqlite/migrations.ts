import type { Database } from "bun:sqlite"
import { StoreUnusable } from "../store.ts"

/**
 * Entry n takes the schema from version n to n + 1. Released entries never change: a change is a new entry. A data file has
 * its version in `PRAGMA user_version`.
 */
export const migrations: readonly string[] = [
  `
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
  `,
  `
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
  `,
  `
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
  `,
  `
  -- Buckets to a fraction of a microsecond. What a bucket holds is worth a minute, so none is carried over.
  DROP TABLE rates;
  CREATE TABLE rates (
    id         TEXT PRIMARY KEY,  -- of an account or a key
    full_at_us INTEGER NOT NULL,  -- when it is full again: microseconds since the Unix epoch
    ticks      INTEGER NOT NULL,  -- and so many parts of the microsecond, which has per_minute parts
    per_minute INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
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
  `,
]

/** The schema version that this program writes. */
export const schemaVersion = migrations.length

/** Brings a data file to {@link schemaVersion}, all or nothing. Two processes may do so at the same time. */
export function migrate(database: Database, file: string): void {
  if (versionOf(database) === schemaVersion) return
  const run = database.transaction(() => {
    const version = versionOf(database)
    requireKnown(version, file)
    for (const step of migrations.slice(version)) database.run(step)
    database.run(`PRAGMA user_version = ${schemaVersion}`)
  })
  run.exclusive()
}

/**
 * Refuses the SQLite files of other programs, and leaves them unchanged.
 * @returns the schema version; 0 for an empty file
 * @throws StoreUnusable when the file is not empty, and not a data file that this version knows
 */
export function requireOwnSchema(database: Database, file: string): number {
  // One statement reads one instant: another process may be migrating the file right now.
  const { version, all, own } = database
    .query<{ version: number; all: number; own: number }, []>(
      `SELECT (SELECT user_version FROM pragma_user_version) AS version, count(*) AS "all",
         count(*) FILTER (WHERE type = 'table' AND name IN ('accounts', 'keys', 'secrets', 'meta')) AS own
       FROM sqlite_schema`,
    )
    .get() ?? { version: 0, all: 0, own: 0 }
  requireKnown(version, file)
  const isEmpty = version === 0 && all === 0
  if (!isEmpty && (version < 1 || own !== 4)) throw foreignFile(file)
  return version
}

/** As {@link requireOwnSchema}, but also refuses an empty file. */
export function requireStore(database: Database, file: string): number {
  const version = requireOwnSchema(database, file)
  if (version < 1) throw foreignFile(file)
  return version
}

function foreignFile(file: string): StoreUnusable {
  return new StoreUnusable(`${file} is not a data file of penknife. Name another file.`)
}

function requireKnown(version: number, file: string): void {
  if (version <= schemaVersion) return
  throw new StoreUnusable(
    `${file} was written by a newer penknife (store version ${version}; this one knows ${schemaVersion}). ` +
      "Use that version, or another file.",
  )
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
}
