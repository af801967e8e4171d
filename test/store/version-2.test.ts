/** A store of version 1 gets the tables of a new one, and keeps its rows. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { SQL } from "bun"
import { describeTables } from "../../src/store/postgres/takeover.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { usePostgres } from "../support/postgres.ts"
import { accountOf, chargeOf } from "../support/store.ts"
import { tempDir } from "../support/temp.ts"
import { makeDatabaseVersion1, makeFileVersion1 } from "../support/version-1.ts"

const dir = tempDir()
const postgres = usePostgres()

/** Makes a store with an account that was charged. */
async function fill(db: string): Promise<string> {
  const { store } = await openAnyStore(db)
  await store.createAccount(accountOf({ bonus: 5 }))
  await store.charge([chargeOf({ credits: 3 })])
  await store.close()
  return db
}

async function expectFilled(db: string): Promise<void> {
  const { store } = await openAnyStore(db)
  expect(await store.charge([chargeOf({ credits: 2 })])).toMatchObject([{ charged: true, used: 5, bonus: 5 }])
  await store.close()
}

/** The tables, indexes and triggers, without comments and differences in space. */
function describeFile(file: string): readonly unknown[] {
  using database = new Database(file)
  const rows = database
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .all()
  return rows.map(({ sql }) =>
    sql
      .replace(/--.*$/gm, "")
      .replace(/\s+/g, " ")
      .replace(/ ?([(),]) ?/g, "$1"),
  )
}

describe.each(useStoreKinds())("$name: adjustments and statements", ({ create }) => {
  test("rows are only added", async () => {
    const db = await create()
    const { store, admin } = await openAnyStore(db)
    await store.createAccount(accountOf({ bonus: 5 }))
    await admin.keepStatement({ accountId: "acc_1", month: "2025-01", writtenMs: 1, body: "{}" })
    expect(
      await admin.keepStatement({ accountId: "acc_1", month: "2025-01", writtenMs: 2, body: "[]" }),
    ).toBe("{}")
    await store.close()
    const sql = new SQL(db.startsWith("postgres") ? db : `sqlite://${db}`, { max: 1 })
    for (const change of [
      "UPDATE adjustments SET credits = 6",
      "DELETE FROM adjustments",
      "UPDATE statements SET body = '[]'",
      "DELETE FROM statements",
    ])
      await expect(sql.unsafe(change).execute()).rejects.toThrow(/cannot be (changed|deleted)/)
    await sql.close()
  })
})

test("a data file", async () => {
  const file = await fill(join(dir, "older.db"))
  makeFileVersion1(file)
  expect(describeFile(file).join()).not.toContain("adjustments")
  await expectFilled(file)
  expect(describeFile(file)).toEqual(describeFile(await fill(join(dir, "new.db"))))
})

test("a database", async () => {
  const db = await fill(await postgres.createDatabase())
  const describe = async () => {
    const sql = new SQL({ url: db, max: 1 })
    const lines = await describeTables(async (statements) => [...(await sql.unsafe(statements).simple())])
    await sql.close()
    return [...lines].sort()
  }
  const fresh = await describe()
  await makeDatabaseVersion1(db)
  expect((await describe()).join()).not.toContain("adjustments")
  await expectFilled(db)
  expect(await describe()).toEqual(fresh)
})
