/** The step of docs/adding-a-column.md on both stores, while a server of the version before charges on them. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import type { Timer } from "../../src/apis/contract.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import {
  schemaSteps as databaseSteps,
  migrate as migrateDatabase,
} from "../../src/store/postgres/migrations.ts"
import type { SchemaStep } from "../../src/store/schema-step.ts"
import {
  schemaSteps as fileSteps,
  migrate as migrateFile,
  schemaVersion,
} from "../../src/store/sqlite/migrations.ts"
import { type AnyTestStore, openAnyStore } from "../support/any-store.ts"
import { usePostgres } from "../support/postgres.ts"
import { columnPage as page, sampleStep as step, stepOfLedger } from "../support/sample-step.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"

const root = join(import.meta.dir, "../..")
const dir = tempDir()
const postgres = usePostgres()
const accounts = 2_500
/** The version that the step leads to. */
const newer = schemaVersion + 1

const insertAccounts = (numbers: string) => `
  INSERT INTO accounts (id, name, plan, created_ms) SELECT 'many_' || n, 'Name ' || n, 'free', 1000 FROM ${numbers}`

const numbersInFile = `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ${accounts}) SELECT n FROM s)`
const filled = "SELECT count(*) AS n FROM accounts WHERE trial = plan || ' ' || name"

/** Takes the step in another process, and returns its exit code. */
function migrateInProcess(file: string): Promise<number> {
  const program = `
    import { Database } from "bun:sqlite"
    import { migrate, schemaSteps } from ${JSON.stringify(join(root, "src/store/sqlite/migrations.ts"))}
    const database = new Database(process.argv.at(-1), { strict: true })
    database.run("PRAGMA busy_timeout = 5000")
    migrate(database, "file", { steps: [...schemaSteps, ${JSON.stringify(step)}] })`
  return Bun.spawn([process.execPath, "-e", program, "--", file], { stderr: "inherit" }).exited
}

/** Charges one after the other until it is stopped. Each must be made. */
function startCharging({ store }: Pick<AnyTestStore, "store">) {
  let made = 0
  let isStopped = false
  const done = (async () => {
    while (!isStopped) {
      expect(await store.charge([chargeOf({ allowance: null })])).toMatchObject([{ charged: true }])
      made++
      // A data file answers without a turn of the event loop.
      await nextTurn()
    }
  })()
  return {
    count: () => made,
    /** Resolves once so many more are made. */
    async more(charges: number) {
      for (const end = made + charges; made < end; ) await Promise.race([done, nextTurn()])
    },
    async stop() {
      isStopped = true
      await done
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

test("the page names files that exist", () => {
  const files = [...page.matchAll(/`((?:src|test|docs)\/[\w/.-]+\.\w+)`/g)].map(([, file = ""]) => file)
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test("a data file gets the column while another process charges on it", async () => {
  const file = join(dir, "steps.db")
  const older = await openAnyStore(file)
  await older.store.createAccount(accountOf({ name: "Ann" }))
  const database = new Database(file)
  database.run(insertAccounts(numbersInFile))
  const charging = startCharging(older)
  await charging.more(10)
  expect(await migrateInProcess(file)).toBe(0)
  await charging.more(10)
  await charging.stop()

  expect(database.query("PRAGMA user_version").get()).toEqual({ user_version: newer })
  expect(database.query(filled).get()).toEqual({ n: accounts + 1 })
  expect(database.query("SELECT sql FROM sqlite_schema WHERE name = 'accounts_by_trial'").get()).toEqual({
    sql: "CREATE INDEX accounts_by_trial ON accounts (trial, id)",
  })
  expect(database.query("SELECT value FROM meta WHERE name = 'unfinished'").get()).toBeNull()
  await older.store.createAccount(accountOf({ id: "acc_2" }))
  expect((await older.admin.findAccount("acc_1"))?.used).toBe(charging.count())
  await older.store.close()
  database.close()
  await expect(openAnyStore(file)).rejects.toThrow(
    `newer penknife (store version ${newer}; this one knows ${schemaVersion})`,
  )
})

test("a step on a data file that fails changes nothing, and one that was interrupted goes on", async () => {
  const file = join(dir, "interrupted.db")
  const older = await openAnyStore(file)
  await older.store.createAccount(accountOf({ name: "Ann" }))
  await older.store.close()
  using database = new Database(file, { strict: true })
  const migrate = (one: SchemaStep) => migrateFile(database, file, { steps: [...fileSteps, one], pause() {} })
  const state = () =>
    database
      .query(
        "SELECT (SELECT user_version FROM pragma_user_version) AS version, group_concat(name) AS meta FROM meta",
      )
      .get()

  const wrong = { change: `${step.change}; ALTER TABLE nothing ADD COLUMN trial TEXT` }
  expect(() => migrate(wrong)).toThrow("nothing")
  expect(state()).toEqual({ version: schemaVersion, meta: "revision" })
  expect(() =>
    migrate({ ...step, fills: [{ table: "accounts", key: "id", set: "trial = nothing" }] }),
  ).toThrow()
  expect(state()).toEqual({ version: newer, meta: "revision,unfinished" })
  migrate(step)
  expect(state()).toEqual({ version: newer, meta: "revision" })
  expect(database.query("SELECT trial FROM accounts").all()).toEqual([{ trial: "free Ann" }])
})

test("a database gets the column while an instance charges, and while another session keeps a lock", async () => {
  const db = await postgres.createDatabase()
  const older = await openAnyStore(db)
  await older.store.createAccount(accountOf({ name: "Ann" }))
  const [sql, other] = [new SQL({ url: db, max: 1 }), new SQL({ url: db, max: 1 })]
  await other.unsafe(insertAccounts(`generate_series(1, ${accounts}) AS n`))
  // As a dump does. An instance that charges needs the same tables.
  await other.unsafe("BEGIN; LOCK TABLE accounts, ledger IN ACCESS SHARE MODE").simple()
  const charging = startCharging(older)
  await charging.more(5)

  const pauses: number[] = []
  // Charges go on in each pause. After the third attempt the other session ends.
  const timer: Timer = {
    ...keepAliveTimer,
    after(ms, run) {
      void (async () => {
        await charging.more(5)
        if (pauses.push(ms) === 3) await other.unsafe("COMMIT").simple()
        run()
      })()
      return () => {}
    },
  }
  const steps = [...databaseSteps, stepOfLedger]
  expect(await migrateDatabase(sql, db, { timer, steps })).toEqual({ isNew: false, version: newer })
  // Three attempts; on a busy machine a charge may keep the table from a further one, too.
  const attempts = pauses.filter((ms) => ms !== 5)
  expect(attempts.slice(0, 3)).toEqual([200, 400, 800])
  // Three batches of rows and the end of them.
  expect(pauses.slice(attempts.length)).toEqual([5, 5, 5, 5])
  await charging.more(5)
  await charging.stop()

  expect([...(await other.unsafe(filled))]).toMatchObject([{ n: String(accounts + 1) }])
  const index = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'accounts_by_trial'::regclass"
  expect([...(await other.unsafe(index))]).toEqual([{ indisvalid: true }])
  expect(await readMeta(other)).toEqual(["oldest 1", "probes 0", `store_version ${newer}`])
  await older.store.createAccount(accountOf({ id: "acc_2" }))
  expect((await older.admin.findAccount("acc_1"))?.used).toBe(charging.count())
  for (const one of [sql, other]) await one.close()
  await older.store.close()
})

test("a step on a database that fails changes nothing, and one that was interrupted goes on", async () => {
  const db = await postgres.createDatabase()
  const older = await openAnyStore(db)
  for (const id of ["acc_1", "acc_2"]) await older.store.createAccount(accountOf({ id, name: "Ann" }))
  await older.store.close()
  const sql = new SQL({ url: db, max: 1 })
  const migrate = (one: SchemaStep) =>
    migrateDatabase(sql, db, { timer: keepAliveTimer, steps: [...databaseSteps, one] })

  await expect(
    migrate({ change: `${step.change}; ALTER TABLE nothing ADD COLUMN trial text` }),
  ).rejects.toThrow("nothing")
  expect(await readMeta(sql)).toEqual(["oldest 1", "probes 0", `store_version ${schemaVersion}`])
  await expect(
    migrate({ ...step, indexes: [{ name: "accounts_by_trial", on: "accounts (trial)", isUnique: true }] }),
  ).rejects.toThrow("could not create unique index")
  const both = [`store_version ${newer}`, `unfinished ${newer}`]
  expect(await readMeta(sql)).toEqual(["oldest 1", "probes 0", ...both])
  await Promise.all([migrate(step), openAnyStore(db).then(({ store }) => store.close())])
  expect(await readMeta(sql)).toEqual(["oldest 1", "probes 0", `store_version ${newer}`])
  const index =
    "SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = 'accounts_by_trial'::regclass"
  expect([...(await sql.unsafe(index))]).toEqual([{ indisvalid: true, indisunique: false }])
  await sql.close()
})

test("two processes carry on together with a data file whose update was interrupted between two batches", async () => {
  const file = join(dir, "batches.db")
  await (await openAnyStore(file)).store.close()
  using database = new Database(file, { strict: true })
  database.run(insertAccounts(numbersInFile))
  let pauses = 0
  const interrupt = () => {
    if (++pauses === 2) throw new Error("interrupted")
  }
  const options = { steps: [...fileSteps, step], pause: interrupt }
  expect(() => migrateFile(database, file, options)).toThrow("interrupted")
  expect(database.query(filled).get()).toEqual({ n: 2_000 })

  expect(await Promise.all([migrateInProcess(file), migrateInProcess(file)])).toEqual([0, 0])
  expect(database.query(filled).get()).toEqual({ n: accounts })
  expect(database.query("SELECT value FROM meta WHERE name = 'unfinished'").get()).toBeNull()
})

test("two instances carry on with a database whose update was interrupted between two batches", async () => {
  const db = await postgres.createDatabase()
  const [sql, other, third] = [1, 2, 3].map(() => new SQL({ url: db, max: 1 }))
  if (!sql || !other || !third) throw new Error("three clients were made")
  await sql.unsafe(insertAccounts(`generate_series(1, ${accounts}) AS n`))
  const [{ pid } = { pid: 0 }] = await sql.unsafe<{ pid: number }[]>("SELECT pg_backend_pid() AS pid")
  let pauses = 0
  const interrupt: Timer = {
    ...keepAliveTimer,
    after(ms, run) {
      if (++pauses < 2) return keepAliveTimer.after(ms, run)
      void other.unsafe("SELECT pg_terminate_backend($1::integer, 5000)", [pid]).then(run)
      return () => {}
    },
  }
  const options = { timer: interrupt, steps: [...databaseSteps, step] }
  await expect(migrateDatabase(sql, db, options)).rejects.toThrow()
  expect([...(await other.unsafe(filled))]).toMatchObject([{ n: "2000" }])
  const both = [`store_version ${newer}`, `unfinished ${newer}`]
  expect(await readMeta(other)).toEqual(["oldest 1", "probes 0", ...both])

  const migrate = (client: SQL) =>
    migrateDatabase(client, db, { timer: keepAliveTimer, steps: [...databaseSteps, step] })
  await Promise.all([migrate(other), migrate(third)])
  expect([...(await other.unsafe(filled))]).toMatchObject([{ n: String(accounts) }])
  expect(await readMeta(other)).toEqual(["oldest 1", "probes 0", `store_version ${newer}`])
  for (const one of [sql, other, third]) await one.close()
})

test("a session that keeps a row ends the update after a minute, and the next update goes on", async () => {
  const db = await postgres.createDatabase()
  const [sql, other] = [new SQL({ url: db, max: 1 }), new SQL({ url: db, max: 1 })]
  await sql.unsafe(insertAccounts(`generate_series(1, ${accounts}) AS n`))
  await other.unsafe("BEGIN; SELECT 1 FROM accounts WHERE id = 'many_7' FOR UPDATE").simple()
  let waitedMs = 0
  const timer: Timer = {
    ...keepAliveTimer,
    after(ms, run) {
      waitedMs += ms
      return keepAliveTimer.after(0, run)
    },
  }
  const migration = migrateDatabase(sql, db, { timer, steps: [...databaseSteps, step] })
  await expect(migration).rejects.toThrow("could not be changed for a minute, because of another session.")
  expect(waitedMs).toBeWithin(50_000, 70_000)
  await other.unsafe("ROLLBACK").simple()
  await migrateDatabase(sql, db, { timer, steps: [...databaseSteps, step] })
  expect([...(await other.unsafe(filled))]).toMatchObject([{ n: String(accounts) }])
  for (const one of [sql, other]) await one.close()
})

async function readMeta(sql: SQL): Promise<string[]> {
  const statement = "SELECT name, value FROM meta ORDER BY name"
  const rows = await sql.unsafe<{ name: string; value: string }[]>(statement)
  return rows.map(({ name, value }) => `${name} ${value}`)
}
