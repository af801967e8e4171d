/** The history of a service: what it counts is written each minute, and shown by time. */
import { expect, test } from "bun:test"
import { createMinutes } from "../src/history/minute.ts"
import { createHistoryWriter } from "../src/history/writer.ts"
import { createAccountSums, createCounts } from "../src/observe/counts.ts"
import type { HistoryBatch } from "../src/store/history.ts"
import { StoreUnavailable } from "../src/store/store.ts"
import { createManualClock } from "./support/clock.ts"
import { createManualTimer } from "./support/timer.ts"

const start = "2025-03-01T12:00:00Z"
const startMs = Date.parse(start)
const minute = 60_000

test("a minute is what was counted since the one before, by API over all surfaces", () => {
  const { counts, accounts, take, at } = newCounts()
  const [rest, batch] = [counts.tallyOf("hmac", "rest"), counts.tallyOf("hmac", "batch")]
  counts.add(rest, 200, 0.3)
  counts.add(batch, 200, 30)
  counts.addCharged("hmac", "batch", 50, 50)
  counts.add(rest, 400, 0.2)
  counts.addFault(rest, "inputRejected", 1_000)
  counts.addFault(batch, "inputRejected", 900)
  accounts.add("acc_1", 50, 50)
  expect(take(at)).toEqual({
    calls: [
      {
        atMs: at,
        api: "hmac",
        calls: 3,
        errors: 2,
        charged: 50,
        credits: 50,
        latency: [2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      },
    ],
    faults: [{ atMs: at, api: "hmac", fault: "inputRejected", calls: 2, firstMs: 900, lastMs: 1_000 }],
    credits: [{ atMs: at, account: "acc_1", calls: 50, credits: 50 }],
  })
  expect(take(at)).toEqual({ calls: [], faults: [], credits: [] })
  counts.add(rest, 200, 0.3)
  expect(take(at).calls).toMatchObject([{ calls: 1, errors: 0, charged: 0 }])
})

test("a minute leaves out the administration and health checks, but not paths that do not exist", () => {
  const { counts, take, at } = newCounts()
  for (const surface of ["admin", "unkeyed", "none"] as const) {
    const tally = counts.tallyOf("none", surface)
    counts.add(tally, 404, 1)
    counts.addFault(tally, "notFound", 5)
  }
  expect(take(at)).toMatchObject({ calls: [], faults: [{ api: "none", fault: "notFound", calls: 1 }] })
})

test("a minute keeps so many accounts, and counts the calls of the others", () => {
  const accounts = createAccountSums(2, () => true)
  for (const id of ["acc_1", "acc_2", "acc_3", "acc_1", "acc_4"]) accounts.add(id, 2, 5)
  expect([...accounts.take()]).toEqual([
    ["acc_1", { calls: 4, credits: 10 }],
    ["acc_2", { calls: 2, credits: 5 }],
  ])
  expect(accounts.leftOut()).toBe(4)
  accounts.add("acc_3", 1, 1)
  expect([...accounts.take().keys()]).toEqual(["acc_3"])
})

test("the writer writes one batch at the end of each minute, and nothing for a minute without calls", async () => {
  const writer = newWriter()
  writer.start()
  writer.call()
  expect(writer.timer.waiting).toEqual([minute])
  await writer.pass(minute)
  const written = writer.added.map(({ calls }) => calls.map(({ atMs, calls }) => [atMs - startMs, calls]))
  expect(written).toEqual([[[0, 1]]])
  await writer.pass(minute)
  expect(writer.added).toHaveLength(1)
  writer.call()
  writer.call()
  await writer.pass(minute)
  expect(writer.added[1]?.calls).toMatchObject([{ atMs: startMs + 2 * minute, calls: 2 }])
})

test("the writer divides the accounts of a minute into batches", async () => {
  const writer = newWriter()
  for (let i = 0; i < 450; i++) writer.call(`acc_${i}`)
  await writer.write()
  expect(writer.added.map(({ calls, credits }) => [calls.length, credits.length])).toEqual([
    [1, 200],
    [0, 200],
    [0, 50],
  ])
  expect(writer.added.map(({ number }) => number)).toEqual([1, 2, 3])
})

test("the writer keeps what a store does not take, sends the same batch again, and tells once", async () => {
  const writer = newWriter()
  writer.start()
  writer.failing = 3
  for (let i = 0; i < 3; i++) {
    writer.call()
    await writer.pass(minute)
  }
  expect(writer.waiting()).toBe(3)
  expect(writer.logged).toEqual(["history not written; it is kept in memory for an hour and written later"])
  await writer.pass(minute)
  expect(writer.waiting()).toBe(0)
  expect(writer.added.map(({ number, calls }) => [number, (calls[0]?.atMs ?? 0) - startMs])).toEqual([
    [1, 0],
    [2, minute],
    [3, 2 * minute],
  ])
  expect(writer.attempts).toEqual([1, 1, 1, 1, 2, 3])
  expect(writer.logged.at(-1)).toBe("history is written again")
})

test("the writer drops the oldest minutes after an hour, and counts their calls", async () => {
  const writer = newWriter()
  writer.failing = Number.POSITIVE_INFINITY
  for (let i = 0; i < 63; i++) {
    writer.call()
    await writer.pass(minute)
    await writer.write()
  }
  expect(writer.waiting()).toBe(60)
  expect(writer.dropped()).toBe(3)
  writer.failing = 0
  await writer.write()
  expect(writer.added.map(({ calls }) => (calls[0]?.atMs ?? 0) - startMs)[0]).toBe(3 * minute)
})

test("the writer keeps no more rows than fit, however many accounts there are", async () => {
  const writer = newWriter()
  writer.failing = Number.POSITIVE_INFINITY
  for (let i = 0; i < 8; i++) {
    for (let account = 0; account < 10_000; account++) writer.call(`acc_${account}`)
    await writer.write()
  }
  expect(writer.waiting()).toBe(4)
  expect(writer.dropped()).toBe(4 * 10_000)
})

test("the writer writes what is left when it stops, and gives up a store that does not answer", async () => {
  const writer = newWriter()
  writer.start()
  writer.call()
  await writer.stop()
  expect(writer.added).toHaveLength(1)
  expect(writer.timer.waiting).toEqual([])
  const lost = newWriter()
  lost.failing = 1
  lost.call()
  await lost.stop()
  expect(lost.added).toHaveLength(0)
  expect(lost.logged.at(-1)).toBe("history of the last minutes lost")
})

test("the writer writes nothing while the history is turned off", async () => {
  const writer = newWriter()
  writer.days = 0
  writer.call()
  await writer.write()
  writer.days = 90
  writer.call()
  await writer.write()
  expect(writer.added.map(({ calls, credits }) => [calls[0]?.calls, credits.length])).toEqual([[1, 1]])
})

function newCounts() {
  const counts = createCounts([])
  const accounts = createAccountSums(100, () => true)
  return { counts, accounts, take: createMinutes(counts, accounts), at: startMs }
}

/** A writer on a store that keeps what it was given, and fails as often as is asked for. */
function newWriter() {
  const clock = createManualClock(start)
  const timer = createManualTimer()
  const counts = createCounts([])
  const state = { failing: 0, days: 90 }
  const accounts = createAccountSums(10_000, () => state.days > 0)
  const added: HistoryBatch[] = []
  const attempts: number[] = []
  const logged: string[] = []
  const writer = createHistoryWriter({
    history: {
      async add(batch) {
        attempts.push(batch.number)
        if (state.failing-- > 0) throw new StoreUnavailable("no answer")
        added.push(batch)
      },
    },
    takeMinute: createMinutes(counts, accounts),
    keepDays: () => state.days,
    process: "p1",
    clock,
    timer,
    log: { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
  })
  const tally = counts.tallyOf("hmac", "rest")
  return Object.assign(state, writer, {
    added,
    attempts,
    logged,
    timer,
    call(account = "acc_1") {
      counts.add(tally, 200, 0.1)
      counts.addCharged("hmac", "rest", 1, 1)
      accounts.add(account, 1, 1)
    },
    async pass(ms: number) {
      clock.advance(ms)
      timer.advance(ms)
      // A store answers in later turns.
      for (let turn = 0; turn < 20; turn++) await timer.turn()
    },
  })
}
