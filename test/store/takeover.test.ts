/**
 * Stores of builds before the first release: those of the last step are taken over, all others are refused and left unchanged.
 */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import { requireServerVersion } from "../../src/store/postgres/migrations.ts"
import { describeTables, type RunScript } from "../../src/store/postgres/takeover.ts"
import { schemaVersion } from "../../src/store/sqlite/migrations.ts"
import { openDatabase } from "../../src/store/sqlite/open.ts"
import { openAnyStore } from "../support/any-store.ts"
import { runCliForTest } from "../support/cli.ts"
import { usePostgres } from "../support/postgres.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"
import { makeDatabaseVersion1, makeFileVersion1 } from "../support/version-1.ts"

const dir = tempDir()
const postgres = usePostgres()
let files = 0

/** Makes a store with an account that was charged, and a key. */
async function fill(db: string): Promise<string> {
  const { store } = await openAnyStore(db)
  await store.createAccount(accountOf({ bonus: 5 }))
  await store.createKey(keyOf(), { hash: "h1", prefix: "pk-abcdef", createdMs: 1_000 })
  await store.charge([chargeOf({ credits: 3, keyId: "key_1" })])
  await store.close()
  return db
}

/** The account goes on with what it had. */
async function expectFilled(db: string): Promise<void> {
  const { store, admin } = await openAnyStore(db)
  expect(await store.findKey("h1")).toMatchObject({ key: { id: "key_1" }, account: { used: 3, bonus: 5 } })
  expect(await store.charge([chargeOf({ credits: 2 })])).toMatchObject([{ charged: true, used: 5 }])
  const query = { by: ["api"], fromDay: "2025-01-01", toDay: "2025-12-31" } as const
  const { sums } = await admin.usage(query, { limit: 10, after: null })
  expect(sums).toMatchObject([{ api: "hmac", calls: 2, credits: 5 }])
  await store.close()
}

describe("a data file", () => {
  /** Changes a file of this version to one that the last build before it would have made, and then as `more` says. */
  async function makeUnreleased(more = ""): Promise<string> {
    const file = await fill(join(dir, `unreleased-${++files}.db`))
    makeFileVersion1(file)
    const database = new Database(file)
    database.run(`PRAGMA legacy_alter_table = ON; ALTER TABLE notices RENAME TO old; DROP INDEX notices_waiting; DROP INDEX notices_by_time;
      DROP INDEX notices_by_account; DROP INDEX notices_failed;
      ${toUnreleased(database)}; INSERT INTO notices SELECT * FROM old; DROP TABLE old;
      INSERT INTO notices (id, account_id, period_start_ms, threshold, plan, used, allowance, raised_ms, state)
        VALUES ('msg_1', 'acc_1', 1000, 80, 'free', 80, 100, 5, 'delivered');
      INSERT INTO notice_attempts VALUES ('msg_1', 1, 6, 1, 200, NULL);
      CREATE INDEX audit_by_actor_and_operation ON audit (actor, operation, at_ms, id);
      CREATE INDEX history_credits_hours ON history_credits (at_ms) WHERE at_ms % 3600000 = 0`)
    // Steps added columns at the end of a row, with the text of their statement.
    database.run("ALTER TABLE notices DROP COLUMN traceparent")
    database.run("ALTER TABLE notices   ADD COLUMN traceparent TEXT")
    database.run(`PRAGMA application_id = 0; PRAGMA user_version = 13; ${more}`)
    database.run("PRAGMA journal_mode = DELETE")
    database.close()
    return file
  }

  test("of the last step is taken over with its data", async () => {
    const file = await makeUnreleased()
    await expectFilled(file)
    const database = openDatabase(file)
    expect(
      database.query("SELECT id, status FROM notices JOIN notice_attempts ON notice_id = id").all(),
    ).toEqual([{ id: "msg_1", status: 200 }])
    expect(database.query("PRAGMA foreign_key_check").all()).toEqual([])
    expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: schemaVersion })
    expect(database.query("PRAGMA application_id").get()).toEqual({ application_id: 0x706b6e66 })
    database.close()
    await expectFilled(await fill(join(dir, `unreleased-${++files}.db`)))
  })

  test.each([
    ["PRAGMA user_version = 12", "with tables of step 12. Only those of step 13 can be taken over."],
    ["ALTER TABLE keys ADD COLUMN mine TEXT", "its tables are not those that this build made: keys differ."],
    ["DROP INDEX keys_by_expiry", "not those that this build made: keys_by_expiry differ."],
    ["PRAGMA application_id = 7", "is not a data file of penknife."],
  ])("that differs is refused and left unchanged: %s", async (change, problem) => {
    const file = await makeUnreleased(change)
    const before = readFileSync(file)
    const { code, err } = await runCliForTest(["account", "list", "--db", file])
    expect([code, err]).toEqual([1, expect.stringContaining(problem)])
    expect(readFileSync(file)).toEqual(before)
  })

  test("with tables of a newer version is refused and left unchanged", async () => {
    const file = await fill(join(dir, "newer.db"))
    const database = new Database(file)
    database.run(`PRAGMA user_version = ${schemaVersion + 1}; PRAGMA journal_mode = DELETE`)
    database.close()
    const before = readFileSync(file)
    const { code, err } = await runCliForTest(["account", "list", "--db", file])
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(
        `newer penknife (store version ${schemaVersion + 1}; this one knows ${schemaVersion})`,
      ),
    ])
    expect(readFileSync(file)).toEqual(before)
  })
})

/** The statements that make the table of notices and its indexes as the last builds before this version had them. */
function toUnreleased(database: Database): string {
  const rows = database
    .query<{ sql: string }, []>(
      "SELECT sql FROM sqlite_schema WHERE tbl_name = 'notices' AND sql IS NOT NULL ORDER BY rowid",
    )
    .all()
  return rows
    .map(({ sql }) => sql)
    .join(";")
    .replace("\n) STRICT", ", UNIQUE (account_id, period_start_ms, threshold)\n) STRICT")
}

describe("a database", () => {
  /** The tables that only the last build before this version had. */
  const leftovers = `
    ALTER TABLE usage_sums ADD COLUMN writer integer NOT NULL DEFAULT 0;
    ALTER TABLE usage_sums DROP CONSTRAINT usage_sums_pkey, ADD PRIMARY KEY (day, api, writer);
    INSERT INTO usage_sums SELECT day, api, calls, credits, 7 FROM usage_sums;
    UPDATE usage_sums SET calls = 0, credits = 0 WHERE writer = 7;
    CREATE TABLE usage_totals (day text);
    CREATE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE FUNCTION add_totals() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE FUNCTION subtract_totals() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE FUNCTION apply_other_mutation(mutation jsonb) RETURNS text LANGUAGE sql AS 'SELECT mutation::text';
    CREATE FUNCTION add_older_usage(of_day text, before jsonb, after jsonb) RETURNS void LANGUAGE sql AS 'SELECT 1';
    CREATE TRIGGER raise_version BEFORE UPDATE OF plan ON accounts FOR EACH ROW EXECUTE FUNCTION raise_version();
    CREATE TRIGGER raise_version BEFORE UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION raise_version();
    CREATE TRIGGER add_inserted AFTER INSERT ON usage FOR EACH STATEMENT EXECUTE FUNCTION add_totals();
    CREATE TRIGGER add_updated AFTER UPDATE ON usage FOR EACH STATEMENT EXECUTE FUNCTION add_totals();
    CREATE TRIGGER subtract_updated AFTER UPDATE ON usage FOR EACH STATEMENT EXECUTE FUNCTION subtract_totals();
    CREATE TRIGGER subtract_deleted AFTER DELETE ON usage FOR EACH STATEMENT EXECUTE FUNCTION subtract_totals();
    DROP FUNCTION raise_notice;
    DROP TABLE usage_set_aside;
    CREATE INDEX history_credits_hours ON history_credits (at_ms) WHERE at_ms % 3600000 = 0;
    CREATE INDEX audit_by_actor_and_operation ON audit (actor, operation, at_ms, id);
    DROP INDEX notices_failed;
    CREATE INDEX notices_by_state ON notices (state, raised_ms, id);
    DROP TRIGGER keep_new_audit ON audit;
    ALTER TABLE notices ADD UNIQUE (account_id, period_start_ms, threshold);
    ALTER TABLE usage_changes DROP CONSTRAINT usage_changes_entries_check;
    ALTER TABLE usage_changes ALTER COLUMN entries TYPE text;
    DROP FUNCTION is_noted_usage;
    UPDATE meta SET name = 'schema', value = 10 WHERE name = 'version'`

  async function makeUnreleased(more = ""): Promise<string> {
    const db = await fill(await postgres.createDatabase())
    await makeDatabaseVersion1(db)
    await inDatabase(db, (run) => run(`${leftovers}; ${more}`))
    return db
  }

  const describeAll = (db: string) =>
    inDatabase(db, async (run) => [
      [...(await describeTables(run))].sort(),
      await run("SELECT name, value FROM meta ORDER BY name"),
      await run("SELECT * FROM usage_sums ORDER BY 1, 2"),
    ])

  test("of the last step is taken over with its data, and has the tables of a new one", async () => {
    const db = await makeUnreleased("INSERT INTO usage_changes VALUES ('no JSON'), ('[1]')")
    await expectFilled(db)
    const fresh = await postgres.createDatabase({ isEmpty: true })
    const first = await openAnyStore(fresh)
    expect(first.isNew).toBe(true)
    await first.store.close()
    await fill(fresh)
    expect((await describeAll(db))[0]).toEqual((await describeAll(fresh))[0])
    await expectFilled(fresh)
  })

  test.each([
    ["UPDATE meta SET value = 9 WHERE name = 'schema'", "with tables of step 9. Only those of step 10"],
    ["ALTER TABLE keys ADD COLUMN mine text", "not those that this build made: keys.mine differ."],
    ["DROP TABLE usage_totals", "could not be taken over"],
    ["ALTER TABLE rates ALTER COLUMN ticks TYPE numeric", "made: rates.ticks differ."],
    ["DROP INDEX keys_by_expiry", "not those that this build made: keys_by_expiry differ."],
    ["ALTER TABLE secrets DROP CONSTRAINT secrets_key_id_fkey", "this build made: secrets differ."],
    ["DROP TRIGGER announce ON ledger", "this build made: announce on ledger differ."],
    ["CREATE FUNCTION mine() RETURNS text LANGUAGE sql AS 'SELECT 1::text'", "made: mine() differ."],
  ])("that differs is refused and left unchanged: %s", async (change, problem) => {
    const db = await makeUnreleased(change)
    const before = await describeAll(db)
    const { code, err } = await runCliForTest(["account", "list", "--db", db])
    expect([code, err]).toEqual([1, expect.stringContaining(problem)])
    expect(await describeAll(db)).toEqual(before)
  })
})

test("a server older than 15 is refused", () => {
  const address = "postgres://ann@db:5432/x"
  const old = { number: 140_012, name: "14.12", encoding: "UTF8" }
  expect(() => requireServerVersion(old, address)).toThrow(
    "postgres://ann@db:5432/x is on PostgreSQL 14.12. Use version 15 or newer.",
  )
  requireServerVersion({ number: 150_000, name: "15.0", encoding: "UTF8" }, address)
})

async function inDatabase<T>(db: string, work: (run: RunScript) => Promise<T>): Promise<T> {
  const sql = new SQL({ url: db, max: 1 })
  try {
    return await work(async (statements) => [...(await sql.unsafe(statements).simple())])
  } finally {
    await sql.close()
  }
}
