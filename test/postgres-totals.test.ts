/** The sums of usage that a PostgreSQL database keeps, so that nobody has to read the usage of every account. */
import { expect, test } from "bun:test"
import { SQL } from "bun"
import step1 from "../src/store/postgres/migrations/1.sql" with { type: "text" }
import step2 from "../src/store/postgres/migrations/2.sql" with { type: "text" }
import step3 from "../src/store/postgres/migrations/3.sql" with { type: "text" }
import step4 from "../src/store/postgres/migrations/4.sql" with { type: "text" }
import step5 from "../src/store/postgres/migrations/5.sql" with { type: "text" }
import step6 from "../src/store/postgres/migrations/6.sql" with { type: "text" }
import step7 from "../src/store/postgres/migrations/7.sql" with { type: "text" }
import { migrate } from "../src/store/postgres/migrations.ts"
import { selectTotals } from "../src/store/postgres/usage.ts"
import { foldChanges, prepareFolding } from "../src/store/postgres/usage-sums.ts"
import { openAnyStore } from "./support/any-store.ts"
import { usePostgres } from "./support/postgres.ts"
import { accountOf, chargeOf } from "./support/store.ts"

const postgres = usePostgres()
const query = { by: ["day", "api"], fromDay: "2025-01-01", toDay: "2025-12-31" } as const
const insert = `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits)
  SELECT 'acc_' || n, 0, '2025-01-0' || (n % 3 + 1), 'hmac', n, 2 * n FROM generate_series(1, 9) AS n`
const sums = [
  ["2025-01-01", 18, 36],
  ["2025-01-02", 12, 24],
  ["2025-01-03", 15, 30],
] as const

async function withDatabase(work: (sql: SQL) => Promise<void>): Promise<void> {
  const sql = new SQL({ url: await postgres.createDatabase(), max: 1 })
  try {
    await work(sql)
  } finally {
    await sql.close()
  }
}

async function totals(sql: SQL) {
  const [text, values] = selectTotals(query)
  const rows: { day: string; calls: number; credits: number }[] = await sql.unsafe(text, values)
  return rows.map(({ day, calls, credits }) => [day, calls, credits] as const).sort()
}

/** What an instance of version 7 sends for a charge of one call. */
const olderCharge = `UPDATE ledger SET used = used + 2, day = $2::text, booked = CASE WHEN day = $2::text
  THEN booked || jsonb_build_object('hmac key_1', jsonb_build_array(coalesce((booked -> 'hmac key_1' -> 0)::bigint, 0) + 1,
    coalesce((booked -> 'hmac key_1' -> 1)::bigint, 0) + 2))
  ELSE jsonb_build_object('hmac key_1', jsonb_build_array(1, 2)) END WHERE account_id = $1::text`

test("are made from the usage that is there when the tables are updated, and follow what older instances write", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test", [step1, step2, step3, step4, step5, step6, step7])
    await sql.unsafe("SET session_replication_role = replica")
    await sql.unsafe(insert)
    await sql.unsafe("SET session_replication_role = origin")
    await sql.unsafe(
      "INSERT INTO usage_totals SELECT day, api, 0, sum(calls), sum(credits) FROM usage GROUP BY day, api",
    )
    await sql.unsafe("INSERT INTO accounts (id, name, plan, created_ms) VALUES ('acc_1', 'ann', 'free', 0)")
    await sql.unsafe(
      "INSERT INTO ledger (account_id, period_start_ms, used, bonus) VALUES ('acc_1', 0, 0, 0)",
    )
    await sql.unsafe(olderCharge, ["acc_1", "2025-01-03"])
    await migrate(sql, "test")
    expect(await totals(sql)).toEqual([sums[0], sums[1], ["2025-01-03", 16, 32]])
    for (const day of ["2025-01-03", "2025-01-04", "2025-01-04"])
      await sql.unsafe(olderCharge, ["acc_1", day])
    const after: [string, number, number][] = [
      [...sums[0]],
      [...sums[1]],
      ["2025-01-03", 17, 34],
      ["2025-01-04", 2, 4],
    ]
    expect(await totals(sql)).toEqual(after)
    await sql.unsafe("SELECT renew_month('acc_1', 0, 1000)")
    expect(await totals(sql)).toEqual(after)
    const [{ moved }] = await sql.unsafe(
      "SELECT sum(calls)::float8 AS moved FROM usage WHERE account_id = 'acc_1' AND day > '2025-01-02'",
    )
    expect(moved).toBe(4)
  })
})

test("are read without the usage of each account", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test")
    const [text, values] = selectTotals(query)
    const plan = JSON.stringify(await sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, values))
    expect([...plan.matchAll(/"Relation Name":\s*"(\w+)"/g)].map(([, name]) => name).sort()).toEqual([
      "usage_changes",
      "usage_sums",
    ])
  })
})

test("are the same before and after changes are added up, also when only a part of a statement was charged", async () => {
  const db = await postgres.createDatabase()
  const opened = await openAnyStore(db)
  const sql = new SQL({ url: db, max: 1 })
  try {
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
  } finally {
    await sql.close()
    await opened.store.close()
  }
})

test("of a statement that charged a part of its groups have the usage of these groups alone", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test")
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
  const folding = prepareFolding({ run }, (cause) => problems.push(String(cause)), 3)
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
