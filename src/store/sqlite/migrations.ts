import { Database } from "bun:sqlite"
import {
  lastKeyOf,
  type NewIndex,
  type SchemaStep,
  statesStep,
  toFillStatement,
  unfinishedName,
} from "../schema-step.ts"
import { StoreUnusable } from "../store.ts"
import { messageOf } from "./errors.ts"
import schema from "./schema.sql" with { type: "text" }
import takeover from "./takeover.sql" with { type: "text" }

/** Entry n takes a data file from version n + 1 to n + 2. Released entries never change. */
export const releasedSteps: readonly SchemaStep[] = [
  {
    change: `
      ALTER TABLE ledger ADD COLUMN debt INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE adjustments (
        id         TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES accounts (id),
        at_ms      INTEGER NOT NULL,
        kind       TEXT NOT NULL CHECK (kind IN ('sign_up', 'grant', 'adjustment', 'undo')),
        credits    INTEGER NOT NULL CHECK (credits <> 0),
        reason     TEXT NOT NULL,
        reference  TEXT,
        undoes     TEXT,
        made_by    TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX adjustments_by_account ON adjustments (account_id, at_ms, id);
      CREATE UNIQUE INDEX adjustments_by_reference ON adjustments (account_id, reference) WHERE reference IS NOT NULL;
      CREATE UNIQUE INDEX adjustments_by_undone ON adjustments (undoes) WHERE undoes IS NOT NULL;
      CREATE TRIGGER adjustments_are_not_changed BEFORE UPDATE ON adjustments
        BEGIN SELECT raise(ABORT, 'adjustments cannot be changed'); END;
      CREATE TRIGGER adjustments_are_not_deleted BEFORE DELETE ON adjustments
        BEGIN SELECT raise(ABORT, 'adjustments cannot be deleted'); END;
      CREATE TABLE statements (
        account_id TEXT NOT NULL REFERENCES accounts (id),
        month      TEXT NOT NULL,
        written_ms INTEGER NOT NULL,
        body       TEXT NOT NULL,
        PRIMARY KEY (account_id, month)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER statements_are_not_changed BEFORE UPDATE ON statements
        BEGIN SELECT raise(ABORT, 'statements cannot be changed'); END;
      CREATE TRIGGER statements_are_not_deleted BEFORE DELETE ON statements
        BEGIN SELECT raise(ABORT, 'statements cannot be deleted'); END;
      CREATE TABLE kept_requests (
        at_ms   INTEGER NOT NULL,
        process TEXT NOT NULL,
        from_ms INTEGER NOT NULL,
        body    TEXT NOT NULL,
        PRIMARY KEY (at_ms, process)
      ) STRICT;
      CREATE TABLE kept_request_recent (
        at_ms      INTEGER NOT NULL,
        process    TEXT NOT NULL,
        from_ms    INTEGER NOT NULL,
        count      INTEGER NOT NULL,
        value_list TEXT NOT NULL,
        PRIMARY KEY (at_ms, process)
      ) STRICT;
      CREATE TABLE kept_request_groups (
        number     INTEGER PRIMARY KEY,
        from_ms    INTEGER NOT NULL,
        until_ms   INTEGER NOT NULL,
        claimed_ms INTEGER,
        blocks     TEXT NOT NULL
      ) STRICT;
      CREATE TABLE kept_request_values (
        value   TEXT NOT NULL,
        number  INTEGER NOT NULL,
        members TEXT NOT NULL,
        PRIMARY KEY (value, number)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX kept_request_values_by_group ON kept_request_values (number);
      ALTER TABLE accounts ADD COLUMN email TEXT;
      CREATE TABLE email_links (
        hash       TEXT PRIMARY KEY,
        id         TEXT NOT NULL,
        kind       TEXT NOT NULL CHECK (kind IN ('sign-up', 'sign-in', 'invitation')),
        email      TEXT NOT NULL,
        name       TEXT NOT NULL,
        plan       TEXT,
        terms      TEXT,
        account_id TEXT CHECK ((account_id IS NULL) = (kind <> 'sign-in')),
        browser    TEXT,
        network    TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        used_ms    INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX email_links_by_id ON email_links (id);
      CREATE INDEX email_links_by_expiry ON email_links (expires_ms);
      CREATE INDEX email_links_by_email ON email_links (email);
      CREATE INDEX email_links_by_network ON email_links (network);
      CREATE INDEX email_links_by_account ON email_links (account_id) WHERE account_id IS NOT NULL;
      CREATE INDEX email_links_by_creation ON email_links (created_ms, id);
      CREATE TABLE mails (
        id              TEXT PRIMARY KEY,
        account_id      TEXT REFERENCES accounts (id),
        recipient       TEXT NOT NULL,
        template        TEXT NOT NULL,
        data            TEXT,
        raised_ms       INTEGER NOT NULL,
        expires_ms      INTEGER,
        state           TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'unsent', 'expired')),
        attempts        INTEGER NOT NULL DEFAULT 0,
        waited_ms       INTEGER NOT NULL DEFAULT 0,
        next_attempt_ms INTEGER CHECK ((next_attempt_ms IS NOT NULL) = (state = 'pending')),
        last_status     INTEGER,
        last_error      TEXT,
        delivered_ms    INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mails_waiting ON mails (next_attempt_ms) WHERE state = 'pending';
      CREATE INDEX mails_by_time ON mails (raised_ms, id);
      CREATE INDEX mails_by_account ON mails (account_id, raised_ms, id);
      CREATE INDEX mails_by_recipient ON mails (recipient, raised_ms, id);
      CREATE TABLE service_settings (
        name  TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mails_failed ON mails (raised_ms, id) WHERE state = 'failed';
      ALTER TABLE accounts ADD COLUMN notify TEXT NOT NULL DEFAULT 'webhook';
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
        END;
      ALTER TABLE sessions ADD COLUMN passkey_id TEXT;
      CREATE TABLE people (
        id          TEXT PRIMARY KEY,
        name        TEXT NOT NULL,
        permissions TEXT NOT NULL,
        created_ms  INTEGER NOT NULL,
        removed_ms  INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX people_by_creation ON people (created_ms, id) WHERE removed_ms IS NULL;
      CREATE TABLE passkeys (
        id            TEXT PRIMARY KEY,
        credential_id TEXT NOT NULL UNIQUE,
        person_id     TEXT NOT NULL REFERENCES people (id),
        name          TEXT NOT NULL,
        public_key    TEXT NOT NULL,
        counter       INTEGER NOT NULL,
        transports    TEXT NOT NULL,
        site          TEXT NOT NULL,
        created_ms    INTEGER NOT NULL,
        used_ms       INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX passkeys_by_person ON passkeys (person_id, created_ms, id);
      CREATE TABLE passkey_challenges (
        hash       TEXT PRIMARY KEY,
        browser    TEXT NOT NULL,
        expires_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_ms);
      ALTER TABLE accounts ADD COLUMN lower_name TEXT GENERATED ALWAYS AS (lower(name)) VIRTUAL;
      ALTER TABLE keys ADD COLUMN lower_name TEXT GENERATED ALWAYS AS (lower(name)) VIRTUAL;
      CREATE TABLE call_replays (
        account_id TEXT NOT NULL,
        key_hash   TEXT NOT NULL,
        input_hash TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        credits    INTEGER NOT NULL,
        replays    INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (account_id, key_hash)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX call_replays_by_creation ON call_replays (created_ms);`,
    indexes: [
      { name: "accounts_by_email", on: "accounts (email) WHERE email IS NOT NULL", isUnique: true },
      { name: "accounts_by_name", on: "accounts (lower_name, id)" },
      { name: "keys_by_name", on: "keys (lower_name, id)" },
      { name: "keys_by_prefix", on: "keys (prefix, id)" },
      { name: "keys_revoked", on: "keys (id) WHERE revoked_ms IS NOT NULL" },
      { name: "keys_disabled", on: "keys (id) WHERE disabled_ms IS NOT NULL" },
      { name: "audit_by_operation_and_actor", on: "audit (operation, actor, at_ms, id)" },
    ],
  },
  {
    change: `
      ALTER TABLE notices ADD COLUMN mailed INTEGER NOT NULL DEFAULT 0;
      CREATE TRIGGER mails_of_notices AFTER INSERT ON mails WHEN NEW.template = 'notice'
        BEGIN UPDATE notices SET mailed = 1 WHERE id = NEW.data ->> 'notice' AND NOT mailed; END;`,
    ...statesStep,
  },
]

/** The version of the tables that this program makes. */
export const schemaVersion = releasedSteps.length + 1

/** "pknf" in the header says that a file is a data file of penknife (https://sqlite.org/pragma.html#pragma_application_id). */
const applicationId = 0x706b6e66
/** The version of the last builds before the first release. Their files have no application id. */
const lastUnreleased = 13
/** Other processes may write for this long after each batch of rows. Milliseconds. */
const pauseMs = 5

/** The header of a file. */
interface FoundSchema {
  /** 0 for an empty file. */
  readonly version: number
  /** Whether a build before the first release made the file. */
  readonly isUnreleased: boolean
}

interface MigrationOptions {
  /** Tests add a step to the next version. */
  readonly steps?: readonly SchemaStep[]
  /** Blocks the process, which does nothing else while it opens a file. */
  readonly pause?: (ms: number) => void
}

/**
 * Makes the tables of an empty file, or brings those of an older version to this one. Other processes may work on the file
 * meanwhile, and several may migrate it at the same time.
 * @throws StoreUnusable for the files that {@link requireOwnSchema} refuses
 */
export function migrate(
  database: Database,
  file: string,
  { steps = releasedSteps, pause = Bun.sleepSync }: MigrationOptions = {},
): void {
  const newest = steps.length + 1
  const found = requireOwnSchema(database, file, newest)
  if (found.version === 0 || found.isUnreleased) {
    const begin = database.transaction(() => {
      const { version, isUnreleased } = requireOwnSchema(database, file, newest)
      if (version === 0) database.run(schema)
      if (isUnreleased) database.run(takeover)
      if (version === 0 || isUnreleased) markVersion(database, version === 0 ? newest : version)
    })
    begin.exclusive()
  }
  for (const [index, step] of steps.entries()) takeStep(database, step, { to: index + 2, pause })
}

function markVersion(database: Database, version: number): void {
  database.run(`PRAGMA application_id = ${applicationId}`)
  database.run(`PRAGMA user_version = ${version}`)
}

/** Takes one step, or the rest of it. */
function takeStep(
  database: Database,
  { change, fills = [], indexes = [] }: SchemaStep,
  { to, pause }: { readonly to: number; readonly pause: (ms: number) => void },
): void {
  const alter = database.transaction(() => {
    if (versionOf(database) >= to) return
    database.run(change)
    database.run("INSERT INTO meta (name, value) VALUES (?1, ?2)", [unfinishedName, to])
    markVersion(database, to)
  })
  if (versionOf(database) < to) alter.exclusive()
  const isUnfinished = database.query("SELECT 1 FROM meta WHERE name = ?1 AND value = ?2")
  if (isUnfinished.get(unfinishedName, to) === null) return

  for (const fill of fills) {
    const setNext = database.query<{ key: string }, [string]>(toFillStatement(fill, "?1"))
    for (let after: string | null = ""; after !== null; ) {
      after = lastKeyOf(setNext.all(after))
      pause(pauseMs)
    }
  }
  for (const index of indexes) database.run(toIndexStatement(index))
  database.run("DELETE FROM meta WHERE name = ?1 AND value = ?2", [unfinishedName, to])
}

function toIndexStatement({ name, on, isUnique = false }: NewIndex): string {
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${name} ON ${on}`
}

/**
 * Refuses files of other programs and versions, and leaves them unchanged.
 * @throws StoreUnusable when the file is not empty, and not a data file that this version knows
 */
export function requireOwnSchema(database: Database, file: string, known = schemaVersion): FoundSchema {
  // One statement reads one instant: another process may be migrating the file right now.
  const header = database
    .query<{ version: number; id: number; all: number; own: number }, []>(
      `SELECT (SELECT user_version FROM pragma_user_version) AS version,
         (SELECT application_id FROM pragma_application_id) AS id, count(*) AS "all",
         count(*) FILTER (WHERE type = 'table' AND name IN ('accounts', 'keys', 'secrets', 'meta')) AS own
       FROM sqlite_schema`,
    )
    .get()
  const { version, id, all, own } = header ?? { version: 0, id: 0, all: 0, own: 0 }
  if (version === 0 && all === 0) return { version: 0, isUnreleased: false }
  if (own !== 4 || version < 1 || (id !== 0 && id !== applicationId)) throw foreignFile(file)
  if (id === 0) {
    requireBaseline(database, file, version)
    return { version: 1, isUnreleased: true }
  }
  if (version <= known) return { version, isUnreleased: false }
  throw new StoreUnusable(
    `${file} was written by a newer penknife (store version ${version}; this one knows ${known}). ` +
      "Use that version, or another file.",
  )
}

/**
 * As {@link requireOwnSchema}, but also refuses an empty file.
 * @returns the version of its tables
 */
export function requireStore(database: Database, file: string): number {
  const { version } = requireOwnSchema(database, file)
  if (version < 1) throw foreignFile(file)
  return version
}

/** Refuses a file of a build before the first release, unless its tables can be made those of version 1. */
function requireBaseline(database: Database, file: string, version: number): void {
  const build = `${file} was made by a build of penknife before version 0.1.0`
  if (version !== lastUnreleased) {
    throw new StoreUnusable(
      `${build}, with tables of step ${version}. Only those of step ${lastUnreleased} can be taken over. ` +
        "Open the file once with the last of those builds, or name a new file.",
    )
  }
  using fresh = new Database(":memory:")
  fresh.run(schema)
  using taken = new Database(":memory:")
  try {
    for (const sql of statementsOf(database).values()) taken.run(sql)
    taken.run(takeover)
    for (const { change, indexes = [] } of releasedSteps) {
      taken.run(change)
      for (const index of indexes) taken.run(toIndexStatement(index))
    }
  } catch (cause) {
    throw new StoreUnusable(
      `${build}, and its tables cannot be changed: ${messageOf(cause)}. Name a new file.`,
      {
        cause,
      },
    )
  }
  const [expected, actual] = [statementsOf(fresh), statementsOf(taken)]
  const names = new Set([...expected.keys(), ...actual.keys()])
  const different = [...names].filter((name) => expected.get(name) !== actual.get(name)).sort()
  if (different.length === 0) return
  throw new StoreUnusable(
    `${build}, and its tables are not those that this build made: ${different.join(", ")} differ. ` +
      "Restore a backup, or name a new file.",
  )
}

/** The statements that made the tables, by name, without comments, quotation marks and differences in space. */
function statementsOf(database: Database): ReadonlyMap<string, string> {
  const rows = database
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all()
  const toNormal = (sql: string) =>
    sql
      .replace(/--.*$/gm, "")
      .replaceAll('"', "")
      .replace(/\s+/g, " ")
      .replace(/ ?([(),]) ?/g, "$1")
  return new Map(rows.map(({ name, sql }) => [name, toNormal(sql)]))
}

function foreignFile(file: string): StoreUnusable {
  return new StoreUnusable(`${file} is not a data file of penknife. Name another file.`)
}

function versionOf(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0
}
