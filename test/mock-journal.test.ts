/** The journal of the mock: what it keeps of requests, and how much. */
import { heapStats } from "bun:jsc"
import { beforeEach, expect, test } from "bun:test"
import fc from "fast-check"
import {
  createJournal,
  createJournalRoom,
  maxBodyCharacters,
  maxEntries,
  toMessage,
} from "../src/mock/journal.ts"
import { anyCharacter } from "./support/any-character.ts"
import { listOf, post, startTestMock, ways } from "./support/mock.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const call = (path: string, key = "mock-pro") => mock.fetch(path, { key })
const blank = { at: "", method: "GET", path: "/", apis: [], key: null, fault: null, response: null }

test("holds requests and answers, in order, and is filtered by API, status and key", async () => {
  await call("/v1/bluetoothlookup?companyid=76")
  await call("/v1/bluetoothlookup?companyid=x", "mock-free")
  await ways.batch(mock, "mock-expired")
  await ways.graphql(mock, "mock-pro")
  await call("/v1/nothing")
  const { requests: _, ...counts } = Object((await mock.control("GET", "/requests")).data)
  expect(counts).toEqual({ total: 5, dropped: 0 })
  const requests = await listOf(mock, "requests")
  const headers = { "x-api-credits-used": "1" }
  expect(requests[0]).toMatchObject({
    number: 1,
    at: "2025-01-01T00:00:00.000Z",
    method: "GET",
    path: "/v1/bluetoothlookup?companyid=76",
    apis: ["bluetoothlookup"],
    key: "mock-pro",
    fault: null,
    response: { status: 200, body: expect.stringContaining("Apple"), headers },
  })
  expect(requests[2]).toMatchObject({ request: { body: expect.stringContaining('"inputs"') } })
  const numbers = async (query: string) => (await listOf(mock, "requests", query)).map(({ number }) => number)
  expect(await numbers("?api=bluetoothlookup")).toEqual([1, 2, 3, 4])
  expect(await numbers("?status=400")).toEqual([2])
  expect(await numbers("?key=mock-pro")).toEqual([1, 4, 5])
  expect(await numbers("?key=mock-pro&status=404")).toEqual([5])
  expect(await numbers("?api=hmac")).toEqual([])
  await mock.control("DELETE", "/requests")
  expect(await listOf(mock, "requests")).toEqual([])
})

test("holds the beginning of a body that is too long", async () => {
  const message = "x".repeat(3_000_000)
  expect((await post(mock, "/v1/linesorter", "mock-pro", { lines: [message] })).status).toBe(413)
  const requests = (await listOf(mock, "requests")).map(({ request }) => request)
  expect(requests.map(({ body, cut }) => [body.slice(0, 14), body.length, cut])).toEqual([
    ['{"lines":["xxx', maxBodyCharacters, true],
  ])
})

test.each(["pk-", "pk_"])("shortens a key that may be a real one: %s…", async (start) => {
  const real = start + "a".repeat(38)
  await call("/v1/bluetoothlookup?companyid=76", real)
  const text = JSON.stringify((await mock.control("GET", "/requests")).data)
  expect(text).not.toContain(real)
  expect(text).toContain(`${start}aaaaaa…`)
  expect(await listOf(mock, "requests", `?key=${real}`)).toHaveLength(1)
})

test.each(["pk-", "pk_"])("shortens a real key that begins with %s, in any header", async (start) => {
  const real = start + "a".repeat(38)
  const headers = { "x-request-id": real, "x-forwarded-for": `${real}, 192.0.2.1`, cookie: `key=${real}` }
  await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro", headers })
  const text = JSON.stringify((await mock.control("GET", "/requests")).data)
  expect(text).not.toContain(real)
  expect(text).toContain(`key=${start}aaaaaa…`)
})

test("gives back any text as it came", async () => {
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: "grapheme" }), fc.string())
  const entry = fc.record({ path: text, header: text, body: text, apis: fc.array(text) })
  await fc.assert(
    fc.asyncProperty(fc.array(entry), async (entries) => {
      const journal = createJournal()
      const added = entries.map(({ header, body, ...rest }) => {
        const request = toMessage({ [header]: body, other: header }, body)
        return { at: "", method: "GET", key: null, fault: null, response: null, request, ...rest }
      })
      for (const one of added) journal.add(one, null)
      const kept = journal.records().records.map((record) => record.unpack().entry)
      expect(kept).toEqual(added.map((one, index) => ({ number: index + 1, ...one })))
    }),
  )
})

test("is bounded by entries and by their size, and says how many it has dropped", () => {
  const journal = createJournal()
  const add = (body: string) => journal.add({ ...blank, request: toMessage({}, body) }, null)
  for (let sent = 0; sent < maxEntries + 5; sent++) add("")
  const { records, dropped } = journal.records()
  expect([records.length, records[0]?.number, dropped]).toEqual([maxEntries, 6, 5])
  journal.clear()
  // 64 Mi characters in bodies of 64 Ki; the rest of a record has fewer than 200.
  for (let sent = 0; sent < 1_021 + 3; sent++) add("x".repeat(maxBodyCharacters))
  expect(journal.records().dropped).toBe(3)
})

test("keeps a request as a text, without functions of its own", () => {
  const journal = createJournal()
  const functions = () => {
    Bun.gc(true)
    return heapStats().objectTypeCounts.Function ?? 0
  }
  const before = functions()
  for (let sent = 0; sent < 1_000; sent++) journal.add({ ...blank, request: toMessage({}, `${sent}`) }, null)
  expect(functions() - before).toBeLessThan(500)
  expect(journal.records().records.at(-1)?.unpack().entry.request.body).toBe("999")
})

test("shares its room with those of sessions: the one that takes the most drops its oldest entries", () => {
  const room = createJournalRoom()
  const [large, small, other] = [createJournal(room), createJournal(room), createJournal(room)]
  const fill = (journal: typeof large, times: number, headers = {}) => {
    const request = toMessage(headers, "x".repeat(maxBodyCharacters))
    for (let sent = 0; sent < times; sent++) journal.add({ ...blank, request }, null)
  }
  const dropped = () => [large, small, other].map((journal) => journal.records().dropped)
  fill(large, 1_000)
  fill(small, 21)
  expect(dropped()).toEqual([0, 0, 0])
  fill(small, 10)
  fill(other, 1)
  expect(dropped()).toEqual([11, 0, 0])
  large.clear()
  fill(other, 900)
  expect(dropped()).toEqual([0, 0, 0])
  // Headers take room too.
  fill(small, 100, { cookie: "x".repeat(maxBodyCharacters) })
  expect(dropped()).toEqual([0, 0, 111])
  for (const journal of [small, other]) journal.clear()
  expect([room.characters, room.journals.size]).toEqual([0, 0])
})
