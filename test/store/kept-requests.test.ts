/** Promises of every kind of store about the requests of `--keep-requests`. */
import { beforeEach, describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  createBlockBuilder,
  findInBody,
  type KeptRequest,
  type RequestFilter,
} from "../../src/store/request-block.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"

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
        const found = await findAll(filter, limit)
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
    expect(await findAll({}, 100)).toHaveLength(4)
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
    expect(await findAll(filter, 10)).toMatchObject([{ atMs: start }])
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
    const rowsOf = (part: typeof blocks) => part.reduce((sum, { values }) => sum + 1 + values.length, 0)
    const { count, rows } = await deleteAll(start + 200, 20)
    expect([count > 3, rows]).toEqual([true, rowsOf(blocks.slice(0, 20))])
    const left = (await findAll({}, 100)).map(({ atMs }) => atMs - start)
    expect(left).toEqual(Array.from({ length: 20 }, (_, n) => 390 - 10 * n))
    expect((await deleteAll(start + 1_000_000, 500)).rows).toBe(rowsOf(blocks.slice(20)))
    expect(await findAll({ account: "acc_1" }, 10)).toEqual([])
  })

  test.each([["x"], [["x"]], [[1, 2, 3, 4]], [[1, "a", 2]], [[1, "a", 2, 3, 4]]])(
    "a cursor of another list is refused: %j",
    async (after) => {
      await expect(requests().find({}, { limit: 1, after: after as never })).rejects.toThrow("'after'")
    },
  )

  async function findAll(filter: RequestFilter, limit: number): Promise<readonly KeptRequest[]> {
    const found: KeptRequest[] = []
    for (let after: readonly (string | number)[] | null = null, pages = 0; pages < 1_000; pages++) {
      const page = await requests().find(filter, { limit, after })
      expect(page.requests.length).toBeLessThanOrEqual(limit)
      found.push(...page.requests)
      if (page.next === null) return found
      after = page.next
    }
    throw new Error("the pages do not end")
  }
})

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
