/** A new version that would change the tables under a running older one, which could not work with them, changes nothing. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { join } from "node:path"
import { SQL } from "bun"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { schemaSteps as databaseSteps, migrate, schemaVersion } from "../../src/store/postgres/migrations.ts"
import { schemaSteps as fileSteps } from "../../src/store/sqlite/migrations.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import { StoreUnusable } from "../../src/store/store.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { eventually } from "../support/eventually.ts"
import { sampleStep } from "../support/sample-step.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"

const dir = tempDir()
const [, postgres] = useStoreKinds()
const serving = { onChange() {} }
const newer = { timer: keepAliveTimer, steps: [...fileSteps, sampleStep] }
const charge = () => chargeOf({ allowance: null })

test("a data file on which a server works keeps its tables, whether a command or a server of a newer version opens it", async () => {
  const file = join(dir, "served.db")
  const older = await openAnyStore(file, undefined, { serving })
  await older.store.createAccount(accountOf({ name: "Ann" }))
  using database = new Database(file)
  const versionNow = () =>
    database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version
  const before = versionNow()
  for (const options of [newer, { ...newer, serving }]) {
    expect(() => openSqliteStore(file, options)).toThrow(StoreUnusable)
    expect(() => openSqliteStore(file, options)).toThrow(
      `${file} is in use. Stop the server, then start this version, which changes the tables.`,
    )
  }
  expect(versionNow()).toBe(before)
  expect(database.query("PRAGMA table_info(accounts)").all()).not.toContainEqual(
    expect.objectContaining({ name: "trial" }),
  )
  // The server goes on: it charges, and its reads in a thread open the file anew.
  expect(await older.store.charge([charge()])).toMatchObject([{ charged: true }])
  expect(await older.admin.accounts({}, { limit: 5, after: null })).toHaveLength(1)

  await older.store.close()
  const first = openSqliteStore(file, { ...newer, serving })
  // A second worker of the newer version finds nothing to change.
  const second = openSqliteStore(file, { ...newer, serving })
  expect(versionNow()).toBe((before ?? 0) + 1)
  expect(await first.store.charge([charge()])).toMatchObject([{ charged: true }])
  for (const { store } of [first, second]) await store.close()
})

test("a command that has an older data file open keeps nobody from changing its tables", async () => {
  const file = join(dir, "open.db")
  const command = await openAnyStore(file)
  await command.store.createAccount(accountOf({ name: "Ann" }))
  const { store } = openSqliteStore(file, newer)
  expect(await store.findAccount("acc_1")).toMatchObject({ id: "acc_1" })
  expect(await command.store.charge([charge()])).toMatchObject([{ charged: true }])
  await store.close()
  await command.store.close()
})

test("a database keeps its tables while an instance is connected that could not work with the new ones", async () => {
  const db = (await postgres?.create()) ?? ""
  const older = await openAnyStore(db)
  await older.store.createAccount(accountOf({ name: "Ann" }))
  expect(await older.store.charge([charge()])).toMatchObject([{ charged: true }])
  const sql = new SQL({ url: db, max: 1 })
  const take = (change: string) =>
    migrate(sql, "db.example/penknife", { timer: keepAliveTimer, steps: [...databaseSteps, { change }] })
  const breaking = `ALTER TABLE accounts ADD COLUMN trial text;
    UPDATE meta SET value = ${schemaVersion + 1} WHERE name = 'oldest'`
  await expect(take(breaking)).rejects.toThrow(StoreUnusable)
  await expect(take(breaking)).rejects.toThrow(
    /An older version of penknife works on db\.example\/penknife \(\d+ connections from 127\.0\.0\.1\).*Nothing was changed/,
  )
  const columns = () =>
    sql`SELECT 1 FROM information_schema.columns WHERE table_name = 'accounts' AND column_name = 'trial'`
  const versions = async () => [
    ...(await sql`SELECT name, value::int AS value FROM meta WHERE name <> 'probes' ORDER BY name`),
  ]
  expect([...(await columns())]).toEqual([])
  const version = { name: "store_version", value: schemaVersion }
  expect(await versions()).toEqual([{ name: "oldest", value: 1 }, version])
  expect(await older.store.charge([charge()])).toMatchObject([{ charged: true }])

  await older.store.close()
  // PostgreSQL ends a session some time after its client has closed the connection.
  await eventually(async () =>
    expect(await take(breaking)).toEqual({ isNew: false, version: schemaVersion + 1 }),
  )
  expect([...(await columns())]).toHaveLength(1)
  await sql.close()
})
