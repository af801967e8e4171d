/** Promises of every kind of store about the history. */
import { beforeEach, describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  type CallsQuery,
  type CallsSum,
  type HistoryBatch,
  hourMs,
  latencyColumns,
} from "../../src/store/history.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf } from "../support/store.ts"

const minute = 60_000
const start = Date.parse("2025-03-01T00:00:00Z")
const always = { fromMs: start, toMs: start + 100 * hourMs, stepMs: minute }
const firstPage = { limit: 10_000, after: null }

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  /** Two processes on one store. */
  let processes: AnyTestStore[] = []
  let lastBatch = 0
  beforeEach(async () => {
    const db = await create()
    processes = [await openStore(db), await openStore(db)]
    for (const id of ["acc_1", "acc_2", "acc_3"]) await one().store.createAccount(accountOf({ id }))
  })
  const one = () => processes[0] as AnyTestStore
  const other = () => processes[1] as AnyTestStore

  test("what several processes add comes into the same rows", async () => {
    const limited = { api: "hmac", fault: "rateLimited", firstMs: start + 5, lastMs: start + 9 }
    for (const { history } of processes)
      await history.add(
        batchOf({
          calls: [callsOf({ calls: 3, errors: 1, latency: [1, 2] }), callsOf({ api: "linesorter" })],
          faults: [{ ...limited, atMs: start, calls: 2 }],
          credits: [creditsOf({ account: "acc_2" }), creditsOf({})],
        }),
      )
    expect(await one().history.calls(always)).toEqual([
      sumOf({ calls: 6, errors: 2, latency: [2, 4] }),
      sumOf({ api: "linesorter", calls: 2, latency: [2] }),
    ])
    expect(await one().history.charges(always)).toEqual([{ atMs: start, calls: 4, credits: 20 }])
    expect(await one().history.calls({ ...always, api: "linesorter" })).toHaveLength(1)
    expect(await one().history.faults(always)).toEqual([{ ...limited, calls: 4 }])
    expect((await one().history.credits(always, firstPage)).sums).toEqual([
      creditsOf({ calls: 4, credits: 10 }),
      creditsOf({ account: "acc_2", calls: 4, credits: 10 }),
    ])
  })

  test("a batch that is sent again counts once, and a later one counts", async () => {
    const batch = batchOf({ calls: [callsOf({})] })
    await one().history.add(batch)
    await one().history.add(batch)
    await other().history.add({ ...batch, process: "another" })
    await one().history.add({ ...batch, number: batch.number + 1 })
    expect(await one().history.calls(always)).toMatchObject([{ calls: 3 }])
  })

  test("times are from the first to without the last, and sums are made for each step", async () => {
    for (const at of [0, 1, 59, 60, 119, 120]) await one().history.add(batchAt(start + at * minute))
    const hours = { fromMs: start, toMs: start + 2 * hourMs, stepMs: hourMs }
    const textOf = ({ atMs, calls }: { atMs: number; calls: number }) => `${atMs - start} ${calls}`
    const times = (await one().history.calls(hours)).map(textOf)
    expect(times).toEqual(["0 3", `${hourMs} 2`])
    expect((await one().history.credits(hours, firstPage)).sums.map(textOf)).toEqual(["0 6", `${hourMs} 4`])
    expect(await one().history.calls({ ...hours, stepMs: minute })).toHaveLength(5)
    expect((await one().history.charges(hours)).map(textOf)).toEqual(times)
  })

  test("pages of credits show every account and time once", async () => {
    const rows = ["acc_1", "acc_2", "acc_3"].flatMap((account) =>
      [0, 1, 2, 3].map((at) => creditsOf({ account, atMs: start + at * hourMs, credits: at })),
    )
    await one().history.add(batchOf({ credits: rows }))
    const query = { fromMs: start, toMs: start + 4 * hourMs, stepMs: hourMs }
    const found = []
    for (let after: readonly (string | number)[] | null = null; ; ) {
      const { sums, next } = await one().history.credits(query, { limit: 5, after })
      found.push(...sums)
      if (next === null) break
      after = next
    }
    expect(found).toEqual(rows)
    const ofOne = await one().history.credits({ ...query, account: "acc_2" }, firstPage)
    expect(ofOne).toEqual({ sums: rows.slice(4, 8), next: null })
  })

  test("folding changes no sum, at any place where it ends, also by two processes at once", async () => {
    const minutes = fc.integer({ min: 0, max: 5 * 60 - 1 })
    const anyBatch = fc.array(
      fc.record({
        at: minutes,
        api: fc.constantFrom("hmac", "linesorter"),
        calls: fc.integer({ min: 1, max: 9 }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyBatch, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        async (batches, limit) => {
          await deleteAll()
          for (const rows of batches) await one().history.add(toBatch(rows))
          const before = await sums()
          for (let count = 1; count > 0; ) {
            const fold = ({ history }: AnyTestStore) => history.fold(start + 3 * hourMs, limit)
            const counts = await Promise.all(processes.map(fold))
            count = Math.max(...counts)
            expect(await sums()).toEqual(before)
          }
          const left = await one().history.calls({ ...always, toMs: start + 3 * hourMs })
          expect(left.filter(({ atMs }) => atMs % hourMs !== 0)).toEqual([])
        },
      ),
      { numRuns: 15 },
    )
  })

  test("minutes after the hour where folding ends stay minutes", async () => {
    const at = start + 3 * hourMs + minute
    await one().history.add(batchAt(at))
    expect(await one().history.fold(start + 3 * hourMs, 10)).toBe(0)
    expect(await one().history.calls(always)).toMatchObject([{ atMs: at }])
    expect(await one().history.fold(start + 4 * hourMs, 10)).toBe(1)
    expect(await one().history.calls(always)).toMatchObject([{ atMs: start + 3 * hourMs }])
  })

  test("what is older than a time is deleted, part by part", async () => {
    for (const at of [0, 1, 2]) {
      const atMs = start + at * hourMs
      await one().history.add(
        batchOf({
          calls: [callsOf({ atMs })],
          faults: [{ atMs, api: "hmac", fault: "internal", calls: 1, firstMs: atMs, lastMs: atMs }],
          credits: [creditsOf({ atMs })],
        }),
      )
    }
    expect(await one().history.deleteBefore(start + 2 * hourMs, 1)).toBe(1)
    expect(await one().history.deleteBefore(start + 2 * hourMs, 1)).toBe(1)
    expect(await one().history.deleteBefore(start + 2 * hourMs, 1)).toBe(0)
    expect(await one().history.calls(always)).toHaveLength(1)
    expect(await one().history.faults(always)).toMatchObject([{ calls: 1 }])
    const deleteCredits = (place: string) => one().retention.deleteCredits(start + 2 * hourMs, place, 1)
    expect(await deleteCredits("")).toEqual({ rows: 1, next: "" })
    expect(await deleteCredits("")).toEqual({ rows: 1, next: "" })
    expect(await deleteCredits("")).toEqual({ rows: 0, next: "acc_1" })
    expect((await one().history.credits(always, firstPage)).sums).toHaveLength(1)
  })

  async function deleteAll() {
    for (const { history, retention } of processes) {
      while ((await history.fold(always.toMs, 1_000)) > 0);
      while ((await history.deleteBefore(always.toMs, 1_000)) > 0);
      await retention.deleteCredits(always.toMs, "", 100_000)
    }
  }

  /** The sums by hour, and of all time. */
  async function sums() {
    const { history } = one()
    const query: CallsQuery = { ...always, stepMs: hourMs }
    return {
      calls: await history.calls(query),
      charges: await history.charges(query),
      credits: await history.credits(query, firstPage),
      faults: (await history.faults(query)).toSorted((a, b) => a.api.localeCompare(b.api)),
    }
  }

  function toBatch(rows: readonly { at: number; api: string; calls: number }[]): HistoryBatch {
    const unique = [...new Map(rows.map((row) => [`${row.at} ${row.api}`, row])).values()]
    return batchOf({
      calls: unique.map(({ at, api, calls }) =>
        callsOf({ atMs: start + at * minute, api, calls, latency: [calls, 1] }),
      ),
      faults: unique.map(({ at, api, calls }) => {
        const atMs = start + at * minute
        return { atMs, api, fault: "internal", calls, firstMs: atMs + 1, lastMs: atMs + calls }
      }),
      credits: unique
        .filter(({ api }) => api === "hmac")
        .map(({ at, calls }) => creditsOf({ atMs: start + at * minute, calls, credits: calls * 5 })),
    })
  }

  const batchAt = (atMs: number) => batchOf({ calls: [callsOf({ atMs })], credits: [creditsOf({ atMs })] })

  function batchOf(rows: Partial<HistoryBatch>): HistoryBatch {
    return { process: "p1", number: ++lastBatch, calls: [], faults: [], credits: [], ...rows }
  }
})

function callsOf(change: Partial<HistoryBatch["calls"][number]>): HistoryBatch["calls"][number] {
  const { latency = [1], ...rest } = change
  const all = latencyColumns.map((_, index) => latency[index] ?? 0)
  return { atMs: start, api: "hmac", calls: 1, errors: 0, charged: 1, credits: 5, ...rest, latency: all }
}

function sumOf(change: Partial<HistoryBatch["calls"][number]>): CallsSum {
  const { charged: _charged, credits: _credits, ...sum } = callsOf(change)
  return sum
}

function creditsOf(change: Partial<HistoryBatch["credits"][number]>): HistoryBatch["credits"][number] {
  return { atMs: start, account: "acc_1", calls: 2, credits: 5, ...change }
}
