/** The sums of usage that a PostgreSQL database keeps, so that nobody has to read the usage of every account. */
import { expect, test } from "bun:test"
import { SQL } from "bun"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { migrate } from "../src/store/postgres/migrations.ts"
import { foldChanges, prepareFolding, usageDialect } from "../src/store/postgres/usage-sums.ts"
import { selectTotals } from "../src/store/usage-sql.ts"
import { useOpenStores } from "./support/any-store.ts"
import { usePostgres } from "./support/postgres.ts"
import { accountOf, chargeOf } from "./support/store.ts"

const postgres = usePostgres()
const openStore = useOpenStores()
const query = { by: ["day", "api"], fromDay: "2025-01-01", toDay: "2025-12-31" } as const
async function withDatabase(work: (sql: SQL) => Promise<void>): Promise<void> {
  await using sql = new SQL({ url: await postgres.createDatabase(), max: 1 })
  await work(sql)
}

test("are read without the usage of each account", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test", { timer: keepAliveTimer })
    const [text, values] = selectTotals(query, usageDialect, { monthsUntil: null, after: null, most: 101 })
    const plan = JSON.stringify(await sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, [...values]))
    expect([...plan.matchAll(/"Relation Name":\s*"(\w+)"/g)].map(([, name]) => name).sort()).toEqual([
      "usage_changes",
      "usage_sums",
    ])
  })
})

test("are the same before and after changes are added up, also when only a part of a statement was charged", async () => {
  const db = await postgres.createDatabase()
  const opened = await openStore(db)
  await using sql = new SQL({ url: db, max: 1 })
  for (const id of ["acc_1", "acc_2", "acc_3"]) await opened.store.createAccount(accountOf({ id }))
  const charge = (...charges: Parameters<typeof chargeOf>[0][]) =>
    opened.store.charge(
      charges.map((one) => chargeOf({ allowance: 10, keyId: "key_1", day: "2025-01-01", ...one })),
    )
  const items = [
    { api: "hmac", calls: 1, credits: 1 },
    { api: "spfvalidator", calls: 2, credits: 5 },
  ]
  await charge({ accountId: "acc_1" }, { accountId: "acc_2", items })
  // The second account has not enough left, so the statement charges two of three.
  const outcomes = await charge(
    { accountId: "acc_1" },
    { accountId: "acc_2", items },
    { accountId: "acc_3", items },
  )
  expect(outcomes.map(({ charged }) => charged)).toEqual([true, false, true])
  const read = async () => {
    const { sums } = await opened.admin.usage({ ...query, by: ["api"] }, { limit: 10, after: null })
    return sums.map(({ api, calls, credits }) => [api, calls, credits])
  }
  const expected = [
    ["hmac", 4, 4],
    ["spfvalidator", 4, 10],
  ]
  const countChanges = async () =>
    (await sql.unsafe("SELECT count(*)::integer AS count FROM usage_changes"))[0].count
  expect([(await countChanges()) > 0, await read()]).toEqual([true, expected])
  await sql.unsafe(foldChanges)
  expect([await countChanges(), await read()]).toEqual([0, expected])
  await charge({ accountId: "acc_1" })
  await sql.unsafe(foldChanges)
  expect((await read())[0]).toEqual(["hmac", 5, 5])
})

test("of a statement that charged a part of its groups have the usage of these groups alone", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test", { timer: keepAliveTimer })
    const [row] =
      await sql.unsafe(`SELECT entries_of(ARRAY[1, 3], ARRAY['d1', 'd2', 'd3'], ARRAY['hmac key_1', 'rare', NULL],
      ARRAY[1, 2, NULL]::bigint[], ARRAY[4, 5, NULL]::bigint[], ARRAY[NULL, NULL, '{"hmac key_2":[7,8],"spfvalidator":[9,0]}']) AS entries`)
    expect(JSON.parse(row.entries)).toEqual([
      ["d1", "hmac", 1, 4],
      ["d3", "hmac", 7, 8],
      ["d3", "spfvalidator", 9, 0],
    ])
  })
})

test("an instance adds changes up after so many statements, and again after it failed", async () => {
  const asked: string[] = []
  const problems: unknown[] = []
  let fails = true
  const run = async (statement: string) => {
    asked.push(statement)
    if (fails) throw new Error("the database is away")
    return []
  }
  const folding = prepareFolding(
    { run },
    { onProblem: (cause) => problems.push(String(cause)), onSetAside() {} },
    3,
  )
  const note = async (times: number) => {
    for (let time = 0; time < times; time++) folding.noted()
    await folding.settled()
  }
  await note(2)
  expect(asked).toEqual([])
  await note(1)
  expect([asked, problems]).toEqual([[foldChanges], ["Error: the database is away"]])
  fails = false
  await note(3)
  expect([asked.length, problems.length]).toEqual([2, 1])
})

test("go on after a row that cannot be read: no statement writes one, and one that is there is set aside and told", async () => {
  const db = await postgres.createDatabase()
  const opened = await openStore(db)
  await using sql = new SQL({ url: db, max: 1 })
  const read = async () =>
    (await opened.admin.usage({ ...query, by: ["api"] }, { limit: 10, after: null })).sums.map(
      ({ api, credits }) => [api, credits],
    )
  const bad = [`"no list"`, "{}", `[["2025-01-01","hmac",1]]`, `[["2025-01-01","hmac",1,null]]`, "[3]"]
  bad.push(`[["2025-01-01","hmac",1,"5"]]`, `[["2025-01-01","hmac",1.5,2]]`, `[["2025-01-01","hmac",-1,2]]`)
  for (const entries of ["no JSON", ...bad]) {
    const insert = sql.unsafe("INSERT INTO usage_changes (entries) VALUES ($1::text::jsonb)", [entries])
    await expect(Promise.resolve(insert)).rejects.toThrow(/invalid input syntax|violates check constraint/)
  }
  await opened.store.createAccount(accountOf())
  await opened.store.charge([chargeOf({ credits: 3, day: "2025-01-01" })])
  // As someone with all rights could write it.
  await sql.unsafe("ALTER TABLE usage_changes DROP CONSTRAINT usage_changes_entries_check")
  for (const entries of [...bad, `[["2025-01-01","spfvalidator",1.0,5]]`])
    await sql.unsafe("INSERT INTO usage_changes (entries) VALUES ($1::text::jsonb)", [entries])
  const expected = [
    ["hmac", 3],
    ["spfvalidator", 5],
  ]
  expect(await read()).toEqual(expected)
  const told: unknown[] = []
  const run = async <Row>(statement: string) => [...(await sql.unsafe<Row[]>(statement))]
  const folding = prepareFolding(
    { run },
    { onProblem: (cause) => told.push(cause), onSetAside: (rows) => told.push(rows) },
    1,
  )
  for (let time = 0; time < 2; time++) {
    folding.noted()
    await folding.settled()
  }
  expect([told, await read()]).toEqual([[bad.length], expected])
  const aside = await sql.unsafe("SELECT entries::text AS entries FROM usage_set_aside")
  expect(aside.map(({ entries }: { entries: string }) => entries.replaceAll(" ", "")).sort()).toEqual(
    bad.map((entries) => entries.replaceAll(" ", "")).sort(),
  )
  expect((await sql.unsafe("SELECT 1 FROM usage_changes")).length).toBe(0)
})
