/** How many rows PostgreSQL looks at for lists of accounts: an index finds them, since reading all names takes too long. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { SQL } from "bun"
import type { AccountFilter } from "../src/store/list-filters.ts"
import { prepareAdminStore } from "../src/store/postgres/postgres-admin.ts"
import { prepareKeptRequests } from "../src/store/request-table.ts"
import type { Parameter, Run } from "../src/store/rows.ts"
import { firstPage } from "./support/admin-store.ts"
import { openAnyStore } from "./support/any-store.ts"
import { usePostgres } from "./support/postgres.ts"

const postgres = usePostgres()
const accounts = 20_000
/** Rows of the page and of its index. */
const few = 3 * firstPage.limit
/** Rows of a step of accounts. Each has a row of the ledger, and is counted again when it is left out. */
const ofStep = 3 * 1_024 + few

let sql: SQL
beforeAll(async () => {
  const url = await postgres.createDatabase()
  await (await openAnyStore(url)).store.close()
  sql = new SQL({ url, max: 1 })
  await sql
    .unsafe(
      `INSERT INTO accounts (id, name, plan, created_ms)
         SELECT 'acc_' || lpad(n::text, 6, '0'), 'Account ' || n, CASE WHEN n % 2000 = 0 THEN 'big' ELSE 'free' END, n
         FROM generate_series(1, ${accounts}) AS n;
       INSERT INTO ledger (account_id, closed_ms, period_start_ms, used, bonus)
         SELECT id, CASE WHEN created_ms % 50 = 0 THEN 5 END, 0, 0, 0 FROM accounts;
       ANALYZE`,
    )
    .simple()
})
afterAll(() => sql.close())

const filters: readonly (readonly [filter: AccountFilter, found: number])[] = [
  [{}, 100],
  [{ search: "nobody" }, 0],
  [{ search: "nobody", closed: true }, 0],
  [{ search: "nobody", closed: false }, 0],
  [{ search: "q" }, 0],
  [{ search: "ACCOUNT 19999" }, 1],
  [{ search: "account" }, 100],
  [{ search: "acc_01499" }, 10],
  [{ search: "acc_x" }, 0],
  [{ search: "unt acc" }, 0],
  [{ closed: true }, 100],
  [{ closed: true, plan: "big" }, 10],
  [{ closed: false, search: "99", plan: "free" }, 100],
  [{ plan: "none" }, 0],
  [{ plan: "big" }, 10],
  [{ plan: "big", search: "nobody" }, 0],
]
test.each(filters)("%p", async (filter, found) => {
  let [most, statements] = [0, 0]
  const run: Run = async <Row>(statement: string, parameters: readonly Parameter[]) => {
    const explained = `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`
    const texts = parameters.map(String)
    const [row] = await sql.unsafe<{ "QUERY PLAN": [{ Plan: PlanNode }] }[]>(explained, texts)
    if (!row) throw new Error("no plan")
    most = Math.max(most, rowsOf(row["QUERY PLAN"][0].Plan))
    statements++
    return [...(await sql.unsafe<Row[]>(statement, parameters.map(String)))]
  }
  const admin = prepareAdminStore({ run, close: async () => {} }, run, { clear() {} })
  expect(await admin.accounts(filter, firstPage)).toHaveLength(found)
  expect(most).toBeLessThanOrEqual(ofStep)
  // The first rows, three indexes, all rows, and the accounts that were found.
  expect(statements).toBeLessThanOrEqual(6)
})

test("the plans are found in their index", async () => {
  let looked = 0
  const run: Run = async <Row>(statement: string) => {
    const explained = `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`
    const [row] = await sql.unsafe<{ "QUERY PLAN": [{ Plan: PlanNode }] }[]>(explained)
    if (!row) throw new Error("no plan")
    looked += rowsOf(row["QUERY PLAN"][0].Plan)
    return [...(await sql.unsafe<Row[]>(statement))]
  }
  const admin = prepareAdminStore({ run, close: async () => {} }, run, { clear() {} })
  expect(await admin.planNames()).toHaveLength(2)
  expect(looked).toBeLessThanOrEqual(few)
})

test("a page of kept requests begins at the newest, and does not sort all of them", async () => {
  await sql
    .unsafe(
      `INSERT INTO kept_names (n, name) VALUES (1, 'p'), (2, 'rest'), (3, 'hmac');
       INSERT INTO kept_requests (id, process, count, surface, api, status, credits, is_replay, us)
         SELECT n * 4096, 1, n, 2, 3, 200, 1, 0, 900 FROM generate_series(1, 3000) AS n;
       ANALYZE kept_requests; SET enable_sort = off; SET enable_seqscan = off`,
    )
    .simple()
  const plans: string[] = []
  const read: Run = async <Row>(statement: string, parameters: readonly Parameter[]) => {
    const texts = parameters.map(String)
    if (statement.includes("OFFSET"))
      plans.push(JSON.stringify(await sql.unsafe(`EXPLAIN (FORMAT JSON) ${statement}`, texts)))
    return [...(await sql.unsafe<Row[]>(statement, texts))]
  }
  const parts = { read, change: read, insert: () => Promise.reject(new Error("nothing is added")) }
  const requests = prepareKeptRequests({ ...parts, hasAccountIndex: true, mostInOrder: 1_000, alive: [] })
  const page = await requests.find({ status: "5xx" }, firstPage)
  expect(page).toEqual({ requests: [], next: [2_001 * 4_096, 1] })
  expect(plans).toHaveLength(1)
  expect(plans[0]).toContain('"kept_requests_pkey"')
  expect(plans[0]).not.toContain("Sort")
  await sql.unsafe("RESET enable_sort; RESET enable_seqscan").simple()
})

/** A step of a plan, as EXPLAIN shows it. */
interface PlanNode {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: readonly PlanNode[]
}

/** The rows that a step and those below it return or leave out, without those that only pass through. */
function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  const below = node.Plans ?? []
  const own = below.length === 0 ? node["Actual Rows"] : 0
  return (own + removed) * node["Actual Loops"] + below.reduce((sum, plan) => sum + rowsOf(plan), 0)
}
