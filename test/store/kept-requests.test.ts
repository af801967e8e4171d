/** Promises of every kind of store about the requests of `--keep-requests`. */
import { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import {
  firstRowAt,
  type KeptRequest,
  type KeptRequests,
  type NewRequest,
  type RequestFilter,
  splitRequestId,
  timeOfRow,
} from "../../src/store/kept-requests.ts"
import { surfaces } from "../../src/values/request-events.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { tempDir } from "../support/temp.ts"

const start = Date.parse("2025-03-01T00:00:00Z")

const openStore = useOpenStores()
describe.each(useStoreKinds())("$name", ({ create }) => {
  let db = ""
  let opened: AnyTestStore
  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
  })
  const requests = () => opened.requests
  const add = (process: string, list: readonly NewRequest[]) => requests().add({ process, requests: list })

  test("each search finds what a look at all requests finds, newest first, page after page", async () => {
    const all: KeptRequest[] = []
    // Two processes whose batches overlap in time.
    for (let n = 0; n < 30; n++) {
      const list = Array.from({ length: 1 + (n % 7) }, (_, i) => requestOf(100 * n + 10 * i, n + i))
      await add(n % 3 === 0 ? "b" : "a", list)
      all.push(...list.map(toKept))
    }
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
        const expected = all.filter((one) => fits(one, filter)).sort((a, b) => b.atMs - a.atMs)
        const found = await findAll(requests(), filter, limit)
        expect(found.map(({ atMs }) => atMs)).toEqual(expected.map(({ atMs }) => atMs))
        expect(found.map(textOf).sort()).toEqual(expected.map(textOf).sort())
      }),
      { numRuns: 150 },
    )
  })

  test("a request comes back as it was, whatever it was", async () => {
    const text = (choices: readonly string[]) => fc.constantFrom(...choices)
    const request = fc.record({
      requestId: fc.oneof(
        fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
        fc.integer({ min: 0, max: 5_000 }).map((n) => `AbCd.${n.toString(36)}`),
        text(["AbCd.01", "AbCd.Z", "AbCd.", ".a", "AbCd.zzzzzzzzzzzzz"]),
      ),
      surface: fc.constantFrom(...surfaces),
      api: text(["none", "hmac", "hmac,linesorter", "own_api-2"]),
      status: fc.integer({ min: 100, max: 599 }),
      fault: fc.option(text(["inputRejected", "overloaded"])),
      parameter: fc.option(text(["text", "X-Request-ID"])),
      account: fc.option(text(["acc_1", "acc_2"])),
      key: fc.option(fc.integer({ min: 0, max: 40 }).map((n) => `key_${n}`)),
      credits: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      isReplay: fc.boolean(),
      ms: fc.integer({ min: 0, max: 1e10 }).map((n) => n / 1_000),
      address: fc.option(text(["192.0.2.1", "2001:db8::1"])),
      isOwn: fc.boolean(),
    })
    let row = firstRowAt(start)
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 20 }), async (made) => {
        const list = made.map(({ isOwn, ...one }) => {
          return { ...one, ownId: isOwn ? splitRequestId(one.requestId) : null, row: row++ }
        })
        await add("a", list)
        const { requests: found } = await requests().find({}, { limit: list.length, after: null })
        expect(found.map(textOf)).toEqual(list.toReversed().map((one) => textOf(toKept(one))))
        const [one] = list
        if (!one) throw new Error("an empty list")
        const byId = await findAll(requests(), { requestId: one.requestId }, 100)
        expect(byId.map(textOf)).toContain(textOf(toKept(one)))
        expect(byId.every(({ requestId }) => requestId === one.requestId)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test("rows that are added again are there once, and another process may have the same ones", async () => {
    const list = [requestOf(1, 1), requestOf(2, 2)]
    await add("a", list)
    const other = await openStore(db)
    const ofOther = list.map((one) => ({ ...one, ...{ requestId: `other-${one.row}`, ownId: null } }))
    await other.requests.add({ process: "b", requests: ofOther })
    // A database may have lost its answer. A data file always answers.
    if (db.startsWith("postgres")) await add("a", list)
    expect((await findAll(requests(), {}, 1)).map(textOf).sort()).toEqual(
      [...list, ...ofOther].map((one) => textOf(toKept(one))).sort(),
    )
  })

  test("an id of this program is found among many, also if its request took long or the clock was set back", async () => {
    const idOf = (n: number) => `AbCdEfGhIjKl.${n.toString(36)}`
    const at = (ms: number, n: number) => {
      const own = { ownId: splitRequestId(idOf(n)), requestId: idOf(n) }
      return { ...requestOf(ms, n < 1_200 ? 1 : 2), ...own }
    }
    // Half a day, with a mark a minute. Number 7 is slow, and the clock is set back by an hour once.
    for (let minute = 0; minute < 700; minute++) {
      const ms = (minute < 400 ? minute : minute - 60) * 60_000
      const inTime = [0, 1, 2].filter((n) => 3 * minute + n !== 7).map((n) => at(ms + n, 3 * minute + n))
      await add("a", minute === 3 ? [...inTime, at(ms + 9, 7)] : inTime)
    }
    for (const n of [0, 1, 7, 8, 9, 1_199, 1_200, 1_201, 1_500, 2_098, 2_099]) {
      const found = await findAll(requests(), { requestId: idOf(n) }, 5)
      expect(found.map(({ requestId }) => requestId)).toEqual([idOf(n)])
    }
    for (const id of [idOf(2_100), idOf(99_999), "AbCdEfGhIjKl.07", "Other.7", "AbCdEfGhIjKl"])
      expect(await findAll(requests(), { requestId: id }, 5)).toEqual([])
  })

  test("what is old is deleted in steps, with its marks", async () => {
    const list = Array.from({ length: 400 }, (_, n) => requestOf(n, n))
    for (let first = 0; first < 400; first += 100) await add("a", list.slice(first, first + 100))
    const steps: number[] = []
    for (let next: string | null = ""; next !== null; ) {
      const step = await requests().deleteBefore(start + 200, 90)
      steps.push(step.rows)
      next = step.next
    }
    expect(steps).toEqual([90, 90, 20, 0])
    const left = (await findAll(requests(), {}, 100)).map(({ atMs }) => atMs - start)
    expect(left).toEqual(Array.from({ length: 200 }, (_, n) => 399 - n))
  })

  test.each([["x"], [["x"]], [[1]], [[1, "a"]], [[1, 2, 3]]])("no cursor of another list: %j", (after) =>
    expect(requests().find({}, { limit: 1, after: after as never })).rejects.toThrow("'after'"),
  )
})

test("a page ends after many requests that are not wanted, and the next goes on", async () => {
  const { requests } = await openStore(join(tempDir(), "many.db"))
  const add = (list: readonly NewRequest[]) => requests.add({ process: "a", requests: list })
  const many = 260_000
  await add([requestOf(0, 1, { account: "acc_9", status: 204 })])
  for (let first = 1; first < many; first += 20_000)
    await add(Array.from({ length: 20_000 }, (_, n) => requestOf(first + n, 1, { account: "acc_9" })))
  const filter = { account: "acc_9", status: "204" }
  const first = await requests.find(filter, { limit: 10, after: null })
  expect([first.requests, first.next === null]).toEqual([[], false])
  expect(await findAll(requests, filter, 10, false)).toMatchObject([{ atMs: start }])
})

test("texts that clients choose are in rows, which are deleted, and not among the names, which stay", async () => {
  const file = join(tempDir(), "names.db")
  const { requests } = await openStore(file)
  const list = Array.from({ length: 50 }, (_, n) =>
    requestOf(n, 1, {
      ...{ account: null, key: null, fault: "inputRejected", parameter: `x-${n}`, address: `192.0.2.${n}` },
      ...{ api: `hmac,api${n}`, requestId: `AbCdEfGhIjK${n}.1` },
    }),
  ).map((one) => ({ ...one, ownId: null }))
  await requests.add({ process: "a", requests: list })
  using database = new Database(file)
  const names = database.query<{ name: string }, []>("SELECT name FROM kept_names ORDER BY name").all()
  expect(names.map(({ name }) => name)).toEqual(["a", "inputRejected", "rest"])
})

/** The results of a search, from all of its pages. */
async function findAll(
  requests: Pick<KeptRequests, "find">,
  filter: RequestFilter,
  limit: number,
  areFull = true,
): Promise<readonly KeptRequest[]> {
  const found: KeptRequest[] = []
  for (let after: readonly (string | number)[] | null = null, pages = 0; pages < 1_000; pages++) {
    const page = await requests.find(filter, { limit, after })
    expect(page.requests.length).toBeLessThanOrEqual(limit)
    found.push(...page.requests)
    if (page.next === null) return found
    // Only a page that has looked at very many requests ends before it is full.
    if (areFull) expect(page.requests).toHaveLength(limit)
    after = page.next
  }
  throw new Error("the pages do not end")
}

function toKept({ row, ownId: _, ...request }: NewRequest): KeptRequest {
  return { ...request, atMs: timeOfRow(row) }
}

/** The last digits of the row keep those of one millisecond apart. */
function requestOf(ms: number, n: number, more: Partial<KeptRequest> = {}): NewRequest {
  const hasFailed = n % 4 === 0
  return {
    row: firstRowAt(start + ms) + (n % 1_000),
    ownId: n % 5 === 0 ? null : { prefix: "AbCdEfGhIjKl", count: 1_290 + n },
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
  api: maybe(fc.constantFrom("hmac", "linesorter", "hma", "HMAC")),
  status: maybe(fc.constantFrom("200", "400", "4xx", "5xx", "2xx", "404")),
  fault: maybe(fc.constantFrom("inputRejected", "overloaded")),
  requestId: maybe(fc.constantFrom("mine", "min", "AbCdEfGhIjKl.zw", "AbCdEfGhIjKl.100")),
  fromMs: maybe(fc.integer({ min: start - 10, max: start + 4_000 })),
  toMs: maybe(fc.integer({ min: start - 10, max: start + 4_000 })),
})

/** The same once more, as the words of the filter say it. */
const fits = (
  one: KeptRequest,
  { account, key, api, status, fault, requestId, fromMs, toMs }: RequestFilter,
): boolean =>
  (account === undefined || one.account === account) &&
  (key === undefined || one.key === key) &&
  (api === undefined || one.api.split(",").includes(api)) &&
  (status === undefined || new RegExp(`^${status.replace("xx", "..")}$`).test(String(one.status))) &&
  (fault === undefined || one.fault === fault) &&
  (requestId === undefined || one.requestId === requestId) &&
  (fromMs === undefined || one.atMs >= fromMs) &&
  (toMs === undefined || one.atMs < toMs)

const shown = "atMs requestId surface api status fault parameter account key credits ms address".split(" ")
const textOf = (request: KeptRequest): string =>
  JSON.stringify(shown.map((name) => Reflect.get(request, name)))
