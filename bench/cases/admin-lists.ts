import { Database } from "bun:sqlite"
import { join } from "node:path"
import { SQL } from "bun"
import type { Finding } from "../../scripts/findings.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import type { AdminStore } from "../../src/store/admin-store.ts"
import { openStore } from "../../src/store/open.ts"
import { startPostgres } from "../../test/support/postgres.ts"
import { postgresFill, sqliteFill } from "../admin-fill.ts"
import type { Case } from "../case.ts"

const goal = { atMost: 50 }
const rounds = 9
const page = { limit: 101, after: null }
const days = { fromDay: "2027-01-01", toDay: "2027-01-31" }
const account = "acc_0000000000050000"
const key = "key_0000000000500000"

type Query = readonly [what: string, run: (admin: AdminStore) => Promise<unknown>]

const queries: readonly Query[] = [
  ["account by id", (admin) => admin.findAccount(account)],
  ["key by id", (admin) => admin.findKey(key)],
  ["key by hash", (admin) => admin.findKeyByHash("hash 500000")],
  ["accounts", (admin) => admin.accounts({}, page)],
  ["accounts of a plan", (admin) => admin.accounts({ plan: "mega" }, page)],
  ["accounts by external id", (admin) => admin.accounts({ externalId: "customer 77777" }, page)],
  ["closed accounts", (admin) => admin.accounts({ closed: true }, page)],
  ["accounts by a name that one has", (admin) => admin.accounts({ search: "Account 99999" }, page)],
  ["keys", (admin) => admin.keys({}, page)],
  ["keys of an account", (admin) => admin.keys({ accountId: account }, page)],
  ["notices", (admin) => admin.notices({}, page)],
  ["failed notices", (admin) => admin.notices({ state: "failed" }, page)],
  ["audit", (admin) => admin.audit({}, page)],
  ["audit of an account", (admin) => admin.audit({ accountId: account }, page)],
  ["usage by day and API", (admin) => admin.usage({ ...days, by: ["day", "api"] }, page)],
  ["usage of one API, of all accounts", (admin) => admin.usage({ ...days, api: "hmac", by: [] }, page)],
  ["plans in use, at each start", (admin) => admin.plansInUse()],
  ["usage by account", (admin) => admin.usage({ ...days, by: ["account"] }, page)],
  ["usage by account and key", (admin) => admin.usage({ ...days, by: ["account", "key"] }, page)],
  ["usage by all", (admin) => admin.usage({ ...days, by: ["account", "key", "day", "api"] }, page)],
  [
    "usage of an API that few use, by account",
    (admin) => admin.usage({ ...days, api: "rare", by: ["account"] }, page),
  ],
  [
    "usage of an account by day and API",
    (admin) => admin.usage({ ...days, accountId: account, by: ["day", "api"] }, page),
  ],
  [
    "usage of a key by day",
    (admin) => admin.usage({ ...days, accountId: account, keyId: key, by: ["day"] }, page),
  ],
]

export const adminLists: Case = {
  name: "admin-lists",
  title:
    "first pages of the administration in ms, with 100,000 accounts, 1,000,000 keys and 31 days of usage",
  onRequest: true,
  async run(bench) {
    const file = join(bench.directory, "admin.db")
    await (await open(file)).store.close()
    bench.say("fills a data file")
    const database = new Database(file)
    for (const sql of sqliteFill) database.run(sql)
    database.close()
    const findings = await measure("data file", file)

    const server = await startPostgres()
    try {
      const db = await server.createDatabase()
      await (await open(db)).store.close()
      bench.say("fills a database")
      const sql = new SQL({ url: db, max: 1 })
      for (const statement of postgresFill) await sql.unsafe(statement)
      await sql.close()
      findings.push(...(await measure("PostgreSQL", db)))
    } finally {
      await server.stop()
    }
    const notes = ["The value is the median, the rounds are the lowest and the highest."]
    return { rows: [], findings, notes }
  },
}

function open(db: string) {
  return openStore(db, { timer: keepAliveTimer, clock: systemClock, random: systemRandom })
}

async function measure(kind: string, db: string): Promise<Finding[]> {
  const { admin: store, store: toClose } = await open(db)
  const findings: Finding[] = []
  for (const [what, run] of queries) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now()
      await run(store)
      times.push(performance.now() - startMs)
    }
    times.sort((a, b) => a - b)
    const [lowest = 0, median = 0, highest = 0] = [times[0], times[rounds >> 1], times.at(-1)]
    findings.push({ what: `${kind}: ${what}`, value: median, range: [lowest, highest], goal })
  }
  await toClose.close()
  return findings
}
