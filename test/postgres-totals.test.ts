/** The sums of usage that a PostgreSQL database keeps, so that nobody has to read the usage of every account. */
import { expect, test } from "bun:test"
import { SQL } from "bun"
import step1 from "../src/store/postgres/migrations/1.sql" with { type: "text" }
import step2 from "../src/store/postgres/migrations/2.sql" with { type: "text" }
import step3 from "../src/store/postgres/migrations/3.sql" with { type: "text" }
import step4 from "../src/store/postgres/migrations/4.sql" with { type: "text" }
import step5 from "../src/store/postgres/migrations/5.sql" with { type: "text" }
import step6 from "../src/store/postgres/migrations/6.sql" with { type: "text" }
import { migrate } from "../src/store/postgres/migrations.ts"
import { selectTotals } from "../src/store/postgres/usage.ts"
import { usePostgres } from "./support/postgres.ts"

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

test("are made from the usage that is there when the tables are updated, and follow what older instances write", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test", [step1, step2, step3, step4, step5, step6])
    await sql.unsafe("SET session_replication_role = replica")
    await sql.unsafe(insert)
    await sql.unsafe("SET session_replication_role = origin")
    await migrate(sql, "test")
    expect(await totals(sql)).toEqual([...sums])
    await sql.unsafe("UPDATE usage SET calls = calls + 1, credits = credits + 5 WHERE account_id = 'acc_3'")
    await sql.unsafe("DELETE FROM usage WHERE account_id = 'acc_2'")
    expect(await totals(sql)).toEqual([["2025-01-01", 19, 41], sums[1], ["2025-01-03", 13, 26]])
  })
})

test("are read without the usage of each account", async () => {
  await withDatabase(async (sql) => {
    await migrate(sql, "test")
    const [text, values] = selectTotals(query)
    const plan = JSON.stringify(await sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, values))
    expect([...plan.matchAll(/"Relation Name":\s*"(\w+)"/g)].map(([, name]) => name).sort()).toEqual([
      "ledger",
      "usage_totals",
    ])
  })
})
