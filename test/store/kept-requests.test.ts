/** Promises of every kind of store about the requests of `--keep-requests`. */
import { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import type { KeptRequests } from "../../src/store/kept-requests.ts"
import {
  createBlockBuilder,
  findInBody,
  type KeptRequest,
  type RequestFilter,
} from "../../src/store/request-block.ts"
import { indexRecent } from "../../src/store/request-index.ts"
import type { Run } from "../../src/store/rows.ts"
import { createRun } from "../../src/store/sqlite/statement.ts"
import { surfaces } from "../../src/values/request-events.ts"
import { type AnyTestStore, openAnyStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { tempDir } from "../support/temp.ts"

const start = Date.parse("2025-03-01T00:00:00Z")

describe.each(useStoreKinds())("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  beforeEach(async () => {
    opened = await openStore(await create())
  })
  const requests = () => opened.requests

  test("each search finds what a look at all requests finds, newest first, page after page", async () => {
    const all: (KeptRequest & { process: string })[] = []
    const add = async (process: string, atMs: number, list: readonly KeptRequest[]) => {
      await requests().add([blockOf(process, list, atMs)])
      all.push(...list.map((one) => ({ ...one, process })))
    }
    // Two processes whose blocks overlap in time, and some of one instant.
    for (let n = 0; n < 30; n++) {
      const list = Array.from({ length: 1 + (n % 7) }, (_, i) => requestOf(100 * n + i, n + i))
      await add(n % 3 === 0 ? "b" : "a", start + 100 * n + 500, list)
    }
    for (let n = 0; n < 3; n++)
      await add("c", start + 2_000 + n, [requestOf(2_000, n), requestOf(2_000, n + 9)])
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
        const expected = all
          .filter((one) => findInBody(blockOf("", [one], one.atMs).body, filter).length > 0)
          .sort((a, b) => b.atMs - a.atMs)
        const found = await findAll(requests(), filter, limit)
        expect(found.map(({ atMs }) => atMs)).toEqual(expected.map(({ atMs }) => atMs))
        expect(found.map(textOf).sort()).toEqual(expected.map(textOf).sort())
        expect(found.every((one) => fits(one, filter))).toBe(true)
      }),
      { seed: 28, numRuns: 150 },
    )
  })

  test("a block that is added again is there once, and another process may have the same time", async () => {
    const list = [requestOf(1, 1), requestOf(2, 2)]
    await requests().add([blockOf("a", list, start + 2), blockOf("b", list, start + 2)])
    await requests().add([blockOf("a", list, start + 2)])
    expect(await findAll(requests(), {}, 100)).toHaveLength(4)
  })

  test("a page ends after many blocks that have nothing of what is wanted, and the next goes on", async () => {
    // Each block has the account and the status, but no request has both.
    const blocks = Array.from({ length: 150 }, (_, n) =>
      blockOf(
        "a",
        [requestOf(10 * n, 0, { account: "acc_9" }), requestOf(10 * n, 0, { status: 204 })],
        start + 10 * n,
      ),
    )
    blocks[0] = blockOf("a", [requestOf(0, 0, { account: "acc_9", status: 204 })], start)
    await requests().add(blocks)
    const filter = { account: "acc_9", status: "204" }
    const first = await requests().find(filter, { limit: 10, after: null })
    expect([first.requests, first.next === null]).toEqual([[], false])
    expect(await findAll(requests(), filter, 10)).toMatchObject([{ atMs: start }])
  })

  test("a search goes on when more blocks overlap in time than a page may read", async () => {
    for (let second = 0; second < 3; second++)
      await requests().add(
        Array.from({ length: 90 }, (_, n) => {
          const fromMs = 1_000 * second + n
          const list = [0, 400, 900].map((ms) =>
            requestOf(fromMs + ms, n, { account: `acc_${n % 2}`, status: 200 }),
          )
          return blockOf(`p${n}`, list, start + fromMs + 1_000)
        }),
      )
    // A stopped clock: all end at one instant, in blocks that are named by later ones.
    await requests().add(
      Array.from({ length: 90 }, (_, n) =>
        blockOf("q", [requestOf(9_000, n, { account: "acc_2" })], start + 9_000 + n),
      ),
    )
    expect(await findAll(requests(), {}, 50)).toHaveLength(3 * 90 * 3 + 90)
    expect(await findAll(requests(), { account: "acc_1" }, 50)).toHaveLength(3 * 45 * 3)
    expect(await findAll(requests(), { account: "acc_2" }, 7)).toHaveLength(90)
    expect(await findAll(requests(), { account: "acc_1", status: "404" }, 50)).toEqual([])
  })

  test("what is old is deleted with its entries, in steps", async () => {
    const blocks = Array.from({ length: 40 }, (_, n) => blockOf("a", [requestOf(10 * n, n)], start + 10 * n))
    for (const block of blocks) await requests().add([block])
    const deleteAll = async (ms: number, limit: number) => {
      const steps: number[] = []
      for (let next: string | null = ""; next !== null; ) {
        const step = await requests().deleteBefore(ms, limit)
        steps.push(step.rows)
        next = step.next
      }
      return { count: steps.length, rows: steps.reduce((sum, rows) => sum + rows, 0) }
    }
    // A row with the requests of a block, and one with its values.
    expect(await deleteAll(start + 200, 160)).toEqual({ count: 9, rows: 40 })
    const left = (await findAll(requests(), {}, 100)).map(({ atMs }) => atMs - start)
    expect(left).toEqual(Array.from({ length: 20 }, (_, n) => 390 - 10 * n))
    expect((await deleteAll(start + 1_000_000, 500)).rows).toBe(40)
    expect(await findAll(requests(), { account: "acc_1" }, 10)).toEqual([])
  })

  test("what is old is deleted with its group and the entries of that", async () => {
    await requests().add(manyBlocks(600))
    await requests().index(start)
    const steps: number[] = []
    for (let next: string | null = ""; next !== null; ) {
      const step = await requests().deleteBefore(start + 1_000_000, 100)
      expect(step.rows).toBeLessThanOrEqual(100)
      steps.push(step.rows)
      next = step.next
    }
    const values = new Set(manyBlocks(512).flatMap((block) => block.values))
    // 88 blocks are in no group.
    expect(steps.reduce((sum, rows) => sum + rows, 0)).toBe(600 + 88 + values.size + 1)
    expect(await findAll(requests(), { account: "acc_1" }, 10)).toEqual([])
  })

  test("a search finds the same in the index, beside it and in a group that is not finished", async () => {
    const blocks = manyBlocks(1_200)
    const all = blocks.flatMap(({ body, process }) =>
      findInBody(body, {}).map((one) => ({ ...one, process })),
    )
    await requests().add(blocks.toReversed())
    const check = () =>
      fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 5, max: 300 }), async (filter, limit) => {
          const expected = all.filter((one) => fits(one, filter)).sort((a, b) => b.atMs - a.atMs)
          const found = await findAll(requests(), filter, limit)
          expect(found.map(({ atMs }) => atMs)).toEqual(expected.map(({ atMs }) => atMs))
          expect(found.map(textOf).sort()).toEqual(expected.map(textOf).sort())
        }),
        { seed: 28, numRuns: 25 },
      )
    for (let n = 0; n < 4; n++) {
      await requests().index(start)
      await check()
    }
    // Of 1,200, two groups of 512 are in the index, and these blocks were added again meanwhile.
    await requests().add(blocks.slice(0, 20))
    await check()
  })

  test.each([["x"], [["x"]], [[1, 2, 3, 4]], [[1, "a", 2]], [[1, "a", 2, 3, 4]]])(
    "a cursor of another list is refused: %j",
    async (after) => {
      await expect(requests().find({}, { limit: 1, after: after as never })).rejects.toThrow("'after'")
    },
  )
})

test("a process may end at any point while it makes a group: another one finishes it, and each search finds the same", async () => {
  const file = join(tempDir(), "requests.db")
  const { requests, store } = await openAnyStore(file)
  const blocks = manyBlocks(520)
  await requests.add(blocks)
  const database = new Database(file)
  const run = createRun(database, (work) => work())
  const timer = { turn: () => Promise.resolve() }
  const accounts = async () => (await findAll(requests, { account: "acc_1" }, 500)).map(textOf)
  const expected = await accounts()
  expect(expected.length).toBeGreaterThan(100)
  const isUnfinished = () =>
    database.query("SELECT 1 FROM kept_request_groups WHERE claimed_ms IS NOT NULL").get() !== null
  let nowMs = start
  /** Ends before the n-th change of the tables, and says whether there was one. */
  const endBefore = async (n: number): Promise<boolean> => {
    let changes = 0
    const change: Run = async (statement, parameters) => {
      if (++changes === n) throw new Error("killed")
      return run(statement, parameters)
    }
    nowMs += 60_000
    try {
      await indexRecent({ read: run, change, timer, entriesAtOnce: 8 }, nowMs)
      return false
    } catch (cause) {
      expect(String(cause)).toBe("Error: killed")
      return true
    }
  }
  for (let n = 1; await endBefore(n); n++) {
    expect(await accounts()).toEqual(expected)
    // Nobody takes over a group that was claimed just now.
    const change: Run = () => Promise.reject(new Error("changed"))
    if (isUnfinished()) await indexRecent({ read: run, change, timer, entriesAtOnce: 8 }, nowMs)
  }
  expect(await accounts()).toEqual(expected)
  const count = (table: string) =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n
  const values = new Set(blocks.slice(0, 512).flatMap((block) => block.values))
  expect([count("kept_request_groups"), count("kept_request_values"), count("kept_request_recent")]).toEqual([
    1,
    values.size,
    8,
  ])
  database.close()
  await store.close()
})

test("a block gives back what was put in, whatever it was", () => {
  const text = (choices: readonly string[]) => fc.constantFrom(...choices)
  const request = fc.record({
    requestId: fc.oneof(
      text(["a", "ab", "abc", "abd", "abcde"]),
      fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
      fc.integer({ min: 0, max: 5_000 }).map((n) => `AbCd.${n.toString(36)}`),
    ),
    surface: fc.constantFrom(...surfaces),
    api: text(["none", "hmac", "hmac,linesorter", 'é\n"0']),
    status: text(["200", "400", "404", "503"]).map(Number),
    fault: fc.option(text(["inputRejected", "overloaded"])),
    parameter: fc.option(text(["text", "\n"])),
    account: fc.option(text(["acc_1", "acc_2"])),
    key: fc.option(fc.integer({ min: 0, max: 40 }).map((n) => `key_${n}`)),
    credits: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    isReplay: fc.boolean(),
    ms: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 1e12 })).map((n) => n / 1_000),
    address: fc.option(text(["192.0.2.1", "2001:db8::1"])),
  })
  const timed = fc.record({ request, laterMs: fc.integer({ min: 0, max: 2_000 }) })
  fc.assert(
    fc.property(fc.array(timed, { minLength: 1, maxLength: 600 }), (made) => {
      let atMs = start
      const list = made.map(({ request: one, laterMs }) => {
        atMs += laterMs
        return { ...one, atMs }
      })
      const { body, count } = blockOf("a", list, atMs)
      expect(findInBody(body, {})).toEqual(list.map((one, index) => ({ ...one, index })))
      expect(count).toBe(list.length)
    }),
    { seed: 28, numRuns: 200 },
  )
})

test("a body that is cut off within a request is an error, and takes no endless time", () => {
  const { body } = blockOf("a", [requestOf(0, 1), requestOf(1, 2), requestOf(2, 3)], start + 1)
  const whole = findInBody(body, {}).map(textOf)
  const ends = Array.from({ length: body.length - body.indexOf("\n") }, (_, n) => {
    try {
      const found = findInBody(body.slice(0, body.indexOf("\n") + 1 + n), {})
      expect(found.map(textOf)).toEqual(whole.slice(0, found.length))
      return found.length
    } catch (cause) {
      expect(String(cause)).toBe("Error: a block of kept requests is cut off")
      return "cut off"
    }
  })
  expect(ends.filter((end) => end !== "cut off")).toEqual([0, 1, 2, 3])
})

/** What a search finds on all of its pages. */
async function findAll(
  requests: Pick<KeptRequests, "find">,
  filter: RequestFilter,
  limit: number,
): Promise<readonly KeptRequest[]> {
  const found: KeptRequest[] = []
  for (let after: readonly (string | number)[] | null = null, pages = 0; pages < 1_000; pages++) {
    const page = await requests.find(filter, { limit, after })
    expect(page.requests.length).toBeLessThanOrEqual(limit)
    found.push(...page.requests)
    if (page.next === null) return found
    after = page.next
  }
  throw new Error("the pages do not end")
}

/** Blocks of three processes, of which one is late. */
function manyBlocks(count: number) {
  return Array.from({ length: count }, (_, n) => {
    const list = Array.from({ length: 1 + (n % 3) }, (_, i) => requestOf(10 * n + i, n + i))
    return blockOf("abc"[n % 3] ?? "", list, start + 10 * n + 3)
  })
}

function blockOf(process: string, list: readonly KeptRequest[], atMs: number) {
  const builder = createBlockBuilder(list[0]?.atMs ?? 0)
  for (const one of list) builder.add(one)
  return builder.end(process, atMs)
}

function requestOf(ms: number, n: number, more: Partial<KeptRequest> = {}): KeptRequest {
  const hasFailed = n % 4 === 0
  return {
    atMs: start + ms,
    requestId: n % 5 === 0 ? "mine" : `AbCdEfGhIjKl.${(1_290 + n).toString(36)}`,
    surface: "rest",
    api: n % 6 === 0 ? "hmac,linesorter" : n % 2 === 0 ? "hmac" : "linesorter",
    status: hasFailed ? (n % 8 === 0 ? 400 : 503) : 200,
    fault: hasFailed ? (n % 8 === 0 ? "inputRejected" : "overloaded") : null,
    parameter: hasFailed ? "text" : null,
    account: n % 7 === 0 ? null : `acc_${n % 3}`,
    key: n % 7 === 0 ? null : `key_${n % 5}`,
    credits: n,
    isReplay: n % 3 === 0,
    ms: n / 1_000,
    address: n % 2 === 0 ? "192.0.2.1" : null,
    ...more,
  }
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const filters: fc.Arbitrary<RequestFilter> = fc.record({
  account: maybe(fc.constantFrom("acc_0", "acc_1", "acc_2", "acc_none")),
  key: maybe(fc.constantFrom("key_0", "key_1", "key_4")),
  api: maybe(fc.constantFrom("hmac", "linesorter", "hma")),
  status: maybe(fc.constantFrom("200", "400", "4xx", "5xx", "2xx", "404")),
  fault: maybe(fc.constantFrom("inputRejected", "overloaded")),
  requestId: maybe(fc.constantFrom("mine", "min", "AbCdEfGhIjKl.zw", "AbCdEfGhIjKl.100")),
  fromMs: maybe(fc.integer({ min: start - 10, max: start + 4_000 })),
  toMs: maybe(fc.integer({ min: start - 10, max: start + 4_000 })),
})

/** The same once more, as the words of the filter say it. */
function fits(
  one: KeptRequest,
  { account, key, api, status, fault, requestId, fromMs, toMs }: RequestFilter,
): boolean {
  return (
    (account === undefined || one.account === account) &&
    (key === undefined || one.key === key) &&
    (api === undefined || one.api.split(",").includes(api)) &&
    (status === undefined || new RegExp(`^${status.replace("xx", "..")}$`).test(String(one.status))) &&
    (fault === undefined || one.fault === fault) &&
    (requestId === undefined || one.requestId === requestId) &&
    (fromMs === undefined || one.atMs >= fromMs) &&
    (toMs === undefined || one.atMs < toMs)
  )
}

function textOf({
  atMs,
  requestId,
  surface,
  api,
  status,
  fault,
  parameter,
  account,
  key,
  credits,
  ms,
  address,
}: KeptRequest) {
  return JSON.stringify([
    atMs,
    requestId,
    surface,
    api,
    status,
    fault,
    parameter,
    account,
    key,
    credits,
    ms,
    address,
  ])
}
