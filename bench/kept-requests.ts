/**
 * Measures kept requests: `bun bench/kept-requests.ts [--millions 10] [--postgres]` the first page of each search, and
 * `bun bench/kept-requests.ts --cost [--postgres]` what it costs the process to take and write a request. The store is a data
 * file in the folder for temporary files, or a PostgreSQL server that is started for it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { batchSize, createRequestWriter } from "../src/history/request-writer.ts"
import { createCounts } from "../src/observe/counts.ts"
import { systemClock } from "../src/ports/clock.ts"
import { systemRandom } from "../src/ports/random.ts"
import { keepAliveTimer } from "../src/ports/timer.ts"
import { firstRowAt, type RequestFilter } from "../src/store/kept-requests.ts"
import { openStore } from "../src/store/open.ts"
import { startPostgres } from "../test/support/postgres.ts"

const { values: given } = parseArgs({
  options: {
    millions: { type: "string", default: "10" },
    cost: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
  },
})
const millions = Number(given.millions)
const directory = mkdtempSync(join(tmpdir(), "penknife-kept-"))
const server = given.postgres ? await startPostgres(["-c", "autovacuum=on"]) : null
const db = server ? await server.createDatabase() : join(directory, "store.db")
/** 10,000,000 requests in 30 days. */
const msPerRequest = 260
const firstMs = Date.parse("2027-01-01T00:00:00Z")
const count = millions * 1_000_000
const accounts = 10_000
const faults = ["inputRejected", "rateLimited", "keyExpired", "overloaded"]
const apis = Array.from({ length: 40 }, (_, n) => `api${n}`)

const { requests, store } = await openStore(db, {
  ...{ timer: keepAliveTimer, clock: systemClock, random: systemRandom },
  serving: { onChange() {} },
})
try {
  if (given.cost) await measureCost()
  else {
    await fill()
    await measure()
  }
} finally {
  await store.close()
  await server?.stop()
  rmSync(directory, { recursive: true })
}

/** Takes a million requests for each number of accounts that call equally often, 5,000 a second. */
async function measureCost(): Promise<void> {
  const each = 1_048_576
  const tally = createCounts([]).tallyOf("hmac", "rest")
  let nowMs = firstMs
  for (const callers of [1, 100, 1_000, 10_000]) {
    const { offer, write, stop } = createRequestWriter({
      requests,
      keeping: () => ({ keepRequests: 30, keepAddresses: false }),
      process: `p${callers}`,
      clock: { now: () => nowMs, monotonicMs: () => nowMs },
      timer: { after: () => () => {}, turn: keepAliveTimer.turn },
      log: { info: console.log, warn: console.warn },
    })
    const known = Array.from({ length: callers }, (_, n) => ({
      account: { id: `acc_${n}` },
      key: { id: `key_${n}` },
    }))
    const before = process.cpuUsage()
    for (let n = 0; n < each; n++) {
      const hash = Math.imul(n, 2_654_435_761) >>> 0
      const hasFailed = hash % 19 === 0
      const requestId = `Ab3dEfGh1jKl.${n.toString(36)}`
      const start = { requestId, hasOwnId: true, address: () => "", startedMs: 0 }
      const end = hasFailed ? { status: 400, fault: "inputRejected" } : { status: 200 }
      offer(tally, start, { ...end, caller: known[hash % callers] ?? null }, 0.4)
      if (n % 5 === 4) nowMs++
      if (n % batchSize === batchSize - 1) await write()
    }
    await stop()
    const { user, system } = process.cpuUsage(before)
    console.log(`${callers} accounts: ${((user + system) / each).toFixed(2)} µs of processor time a request`)
  }
}

/** One request in 20 fails. A few accounts make most calls, and each batch has some of the others. */
async function fill(): Promise<void> {
  const startMs = performance.now()
  for (let from = 0; from < count; from += 10_000) {
    const requestsOfBatch = Array.from({ length: Math.min(10_000, count - from) }, (_, index) => {
      const n = from + index
      const hash = Math.imul(n, 2_654_435_761) >>> 0
      const account = hash % 10 < 9 ? hash % 20 : hash % accounts
      const hasFailed = hash % 19 === 0
      return {
        row: firstRowAt(firstMs + n * msPerRequest),
        requestId: `Ab3dEfGh1jKl.${n.toString(36)}`,
        ...{ ownId: { prefix: "Ab3dEfGh1jKl", count: n }, surface: "rest" as const },
        api: apis[hash % 7 < 6 ? hash % 5 : hash % 40] ?? "",
        status: hasFailed ? ([400, 429, 401, 503][n % 4] ?? 400) : 200,
        fault: hasFailed ? (faults[n % 4] ?? null) : null,
        ...{ parameter: null, account: `acc_${account}`, key: `key_${account}`, credits: 1 },
        ...{ isReplay: false, ms: 0.4, address: null },
      }
    })
    await requests.add({ process: "p", requests: requestsOfBatch })
  }
  const seconds = (performance.now() - startMs) / 1_000
  console.log(`${count.toLocaleString("en-US")} requests in ${seconds.toFixed(0)} s`)
}

async function measure(): Promise<void> {
  const half = firstMs + (count / 2) * msPerRequest
  const values: readonly RequestFilter[] = [
    {},
    { account: "acc_3" },
    { account: "acc_779" },
    { account: "acc_none" },
    { key: "key_889" },
    { api: "api3" },
    { api: "api39" },
    { status: "200" },
    { status: "4xx" },
    { status: "503" },
    { status: "404" },
    { fault: "keyExpired" },
    { requestId: `Ab3dEfGh1jKl.${Math.floor(count / 3).toString(36)}` },
    { requestId: "none.zzzzz" },
    { account: "acc_3", status: "5xx" },
    { account: "acc_779", fault: "inputRejected" },
    { account: "acc_3", api: "api39" },
    { account: "acc_3", api: "api39", status: "503" },
    { account: "acc_3", key: "key_4" },
    { api: "api38", fault: "overloaded" },
    { api: "api38", status: "200", account: "acc_779" },
  ]
  const rows: object[] = []
  for (const value of values) {
    for (const time of [{}, { toMs: half }, { fromMs: half, toMs: half + 60_000 }]) {
      const filter = { ...value, ...time }
      const times: number[] = []
      let found = 0
      let isMore = false
      for (let n = 0; n < 5; n++) {
        const startMs = performance.now()
        const page = await requests.find(filter, { limit: 51, after: null })
        times.push(performance.now() - startMs)
        found = page.requests.length
        isMore = page.next !== null
      }
      const [best = 0] = times.toSorted((a, b) => a - b)
      const round = (ms: number) => Math.round(ms * 10) / 10
      rows.push({
        ...value,
        time: Object.keys(time).join(),
        found,
        isMore,
        ms: round(best),
        most: round(Math.max(...times)),
      })
    }
  }
  rows.sort((a, b) => Number(Reflect.get(b, "ms")) - Number(Reflect.get(a, "ms")))
  console.table(rows)
}
