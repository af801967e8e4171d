/** Which runs of isolated APIs take place in the service: those whose steps have a bound that the size of their input gives. */
import { afterAll, expect, test } from "bun:test"
import fc from "fast-check"
import { ports } from "../../test/support/held-pool.ts"
import { type ApiDefinition, InputRejected, type RunContext } from "../apis/contract.ts"
import { cronparser } from "../apis/cronparser/index.ts"
import { dataconverter } from "../apis/dataconverter/index.ts"
import { isolatedRuns } from "../apis/isolated-runs.ts"
import { jsondiff } from "../apis/jsondiff/index.ts"
import { jsonpath } from "../apis/jsonpath/index.ts"
import { jsonschemavalidator } from "../apis/jsonschemavalidator/index.ts"
import { mailreportparser } from "../apis/mailreportparser/index.ts"
import { markdownconverter } from "../apis/markdownconverter/index.ts"
import { messageauth } from "../apis/messageauth/index.ts"
import { qrcodegenerator } from "../apis/qrcodegenerator/index.ts"
import { systemClock } from "../ports/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { createIsolatedThreads } from "./isolated-threads.ts"
import { createThreadTime } from "./thread-time.ts"

const context: RunContext = { ports, giveWay: () => undefined, premium: true }
const author = "From: ann@a.test\r\n"
const signature = "DKIM-Signature: v=1\r\n"
const seals = "ARC-Seal: i=1\r\nARC-Message-Signature: i=1\r\n"
const fromYaml = { from: "yaml", to: "json" }
const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)])

/** Threads that have no code, so that a run in one of them fails. */
const threads = createIsolatedThreads({
  ...{ clock: systemClock, timer: systemTimer, time: createThreadTime(systemClock), memory: null },
  onUncaught() {},
  runs: "/there/is/no/such/file.ts",
})
afterAll(threads.end)

function isolated(api: ApiDefinition): ApiDefinition {
  if (!api.isolated) throw new Error(`'${api.id}' is not isolated`)
  return threads.isolate(api, api.isolated, { maxWorkers: 1, maxMemoryBytes: 1 << 28 })
}

async function placeOf(api: ApiDefinition, input: Record<string, unknown>): Promise<string> {
  const run = isolated(api).run(input, context)
  return Promise.resolve(run).then(
    () => "service",
    (thrown: Error) => (thrown.message.includes("no/such/file") ? "thread" : `service: ${thrown.message}`),
  )
}

test.each<[place: string, what: string, api: ApiDefinition, input: Record<string, unknown>]>([
  ["service", "documents that are compared", jsondiff, { from: { a: [1, 2] }, to: { a: [2] } }],
  ["service", "texts and values of 300", jsondiff, { from: "x".repeat(99), to: "y".repeat(193) }],
  ["thread", "texts and values of 301", jsondiff, { from: "x".repeat(99), to: "y".repeat(194) }],
  ["thread", "301 values", jsondiff, { from: Array(293).fill(0), to: 1 }],
  ["thread", "a patch, which may copy a document into itself", jsondiff, { from: [], patch: [] }],
  ["service", "one descent", jsonpath, { document: nested(98, 1), path: "$..[*][*][::2]" }],
  ["service", "a filter", jsonpath, { document: [{ a: 1 }], path: "$[?@.a < 10 && @.b].c" }],
  ["thread", "two descents", jsonpath, { document: [1], path: "$..a..b" }],
  ["thread", "several selectors", jsonpath, { document: [1], path: "$[0,0][0,0]" }],
  ["thread", "a filter below a descent", jsonpath, { document: [1], path: "$..[?@.a]" }],
  ["thread", "a filter in a filter", jsonpath, { document: [1], path: "$[?@[?@.a]]" }],
  ["thread", "a filter after a filter", jsonpath, { document: [1], path: "$[?@.a][?@.b]" }],
  ["thread", "a descent in a filter", jsonpath, { document: [1], path: "$[?@..a]" }],
  ["thread", "all values in a filter", jsonpath, { document: [1], path: "$[?@.*]" }],
  ["thread", "a slice in a filter", jsonpath, { document: [1], path: "$[?@[::]]" }],
  ["thread", "the document in a filter", jsonpath, { document: [1], path: "$[?$ == $]" }],
  ["thread", "a function", jsonpath, { document: [1], path: "$[?match(@, 'a')]" }],
  ["service", "a short Markdown text", markdownconverter, { text: "*a*".repeat(98) }],
  ["thread", "a longer one", markdownconverter, { text: "*a*".repeat(99) }],
  ["service", "a short text as QR code", qrcodegenerator, { text: "é".repeat(270), scale: 16 }],
  ["thread", "a longer one", qrcodegenerator, { text: "1".repeat(300) }],
  ["service", "three aliases", dataconverter, { ...fromYaml, text: "a: &a 1\nb: [*a, *a, *a]" }],
  ["thread", "four aliases", dataconverter, { ...fromYaml, text: "a: &a 1\nb: [*a, *a, *a, *a]" }],
  [
    "service",
    "a working day",
    cronparser,
    { expression: "0 9 * * 1-5", timezone: "Europe/Berlin", count: 100 },
  ],
  ["service", "July and Wednesday", cronparser, { expression: "0 9 ? JUL WED *" }],
  ["thread", "the last day of a month", cronparser, { expression: "0 9 L * *" }],
  ["thread", "the nearest working day", cronparser, { expression: "0 9 1W * *" }],
  ["thread", "the fifth Monday", cronparser, { expression: "0 9 * * 1#5" }],
  ["thread", "two days that must both fit", cronparser, { expression: "0 9 31 * +1" }],
  ["thread", "a year", cronparser, { expression: "0 9 ? 1 1 2099" }],
  ["thread", "the language of another module", cronparser, { expression: "0 9 * * *", language: "de" }],
  ["service", "a mail of four signatures", messageauth, { message: signature.repeat(2) + seals + author }],
  ["thread", "five", messageauth, { message: signature.repeat(3) + seals + author }],
  ["service", "a mail of 4,000", messageauth, { message: author.padEnd(3_992) }],
  ["thread", "a longer one", messageauth, { message: author.padEnd(3_993) }],
  ["thread", "a mail in base64", messageauth, { message: btoa(author) }],
  ["service", "a report as text", mailreportparser, { report: " <feedback><record/></feedback>" }],
  ["thread", "a longer one", mailreportparser, { report: `<feedback>${"<a/>".repeat(1_000)}</feedback>` }],
  ["thread", "a file, which may be packed", mailreportparser, { report: btoa("<feedback/>") }],
  [
    "service",
    "a schema without references",
    jsonschemavalidator,
    {
      schema: { $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { format: "date" } } },
      document: {},
    },
  ],
  ["thread", "a reference", jsonschemavalidator, { schema: { not: { $ref: "#" } }, document: 1 }],
  ["thread", "an identifier", jsonschemavalidator, { schema: { $id: "https://a.test/a" }, document: 1 }],
  ["thread", "a pattern", jsonschemavalidator, { schema: { pattern: "(a{100}){10}" }, document: "" }],
  ["thread", "name patterns", jsonschemavalidator, { schema: { patternProperties: { a: {} } }, document: 1 }],
  ["thread", "formats", jsonschemavalidator, { schema: {}, document: 1, assert_formats: true }],
  ["thread", "other schemas", jsonschemavalidator, { schema: {}, document: 1, others: {} }],
])("a run takes place in the %s: %s", async (place, _what, api, input) =>
  expect(await placeOf(api, input)).toBe(place),
)

test("a run in the service that exceeds the stack is refused as one in a thread is", async () => {
  let reads = 0
  const document = {
    get a() {
      // The first read measures the input.
      if (++reads === 2) throw new RangeError("Maximum call stack size exceeded.")
      return 1
    },
  }
  expect(await placeOf(jsonpath, { document, path: "$.a" })).toBe(
    "service: The 'document' parameter is nested too deeply. Make it shorter or simpler, or change 'path'.",
  )
})

test("other work may run between the loading of a library and a run in the service", async () => {
  const events: string[] = []
  const document = {
    get a() {
      events.push("read")
      return 1
    },
  }
  const giveWay = async () => void events.push("pause")
  await isolated(jsonpath).run({ document, path: "$.a" }, { ...context, giveWay })
  // The first read measures the input.
  expect(events.slice(0, 3)).toEqual(["read", "pause", "read"])
})

/** A document that counts how often its values and names are read. */
function countedReads(document: unknown) {
  const counted = { reads: 0, document: wrap(document) }
  function wrap(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value
    return new Proxy(value, {
      get(target, name, self) {
        counted.reads++
        return wrap(Reflect.get(target, name, self))
      },
      ownKeys(target) {
        counted.reads++
        return Reflect.ownKeys(target)
      },
    })
  }
  return counted
}

/** Twice the square of the size of a small input. */
const maxReads = 180_000

/** Segments of bounded paths, and others that make a path unbounded in the wrong place. */
const oneByOne = [".a", "[*]", "[::]", "[0]"]
const others = ["..[*]", "..a", "[0,0]", "[*,*]", "[?@.a]", "[?@[*]]", "[?@..a]", "[?$==@]", "[?@==@]"]
const paths = fc
  .tuple(
    fc.array(fc.constantFrom(...oneByOne), { maxLength: 20 }),
    fc
      .tuple(fc.constantFrom(...others), fc.integer({ min: 0, max: 12 }))
      .map(([segment, times]) => Array<string>(times).fill(segment)),
    fc.array(fc.constantFrom(...oneByOne), { maxLength: 40 }),
  )
  .map((parts) => `$${parts.flat().join("")}`)
const documents = fc.oneof(
  fc.integer({ min: 1, max: 98 }).map((depth) => nested(depth, 1)),
  fc
    .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 2 }))
    .map(([depth, width]) => tree(depth, width)),
)
function tree(depth: number, width: number): unknown {
  if (depth === 0) return 1
  return depth % 2 === 0
    ? { a: tree(depth - 1, width) }
    : Array.from({ length: width }, () => tree(depth - 1, width))
}

test("no bounded path reads a small document more often than the square of its size", async () => {
  const { run } = (await isolatedRuns.jsonpath?.()) ?? {}
  await fc.assert(
    fc.asyncProperty(documents, paths, async (document, path) => {
      const input = { document, path }
      if (!jsonpath.isolated?.isBounded?.(input)) return
      const counted = countedReads(document)
      try {
        await run?.({ ...input, document: counted.document }, context)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(InputRejected)
      }
      expect(counted.reads).toBeGreaterThan(0)
      expect(counted.reads).toBeLessThan(maxReads)
    }),
    { numRuns: 500 },
  )
})

test("no comparison reads small documents more often than the square of their size", async () => {
  const { run } = (await isolatedRuns.jsondiff?.()) ?? {}
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const pairs: [unknown, unknown][] = [
    [numbers(145), numbers(145).reverse()],
    [nested(98, [1]), nested(98, [2])],
    [numbers(40).map((one) => [one, one]), numbers(40).map((one) => [one, -one])],
    [numbers(145).map((one) => (one % 2 ? [] : {})), numbers(145).map((one) => (one % 3 ? [] : {}))],
  ]
  for (const [from, to] of pairs) {
    const counted = [countedReads(from), countedReads(to)] as const
    await run?.({ from: counted[0].document, to: counted[1].document }, context)
    const reads = counted[0].reads + counted[1].reads
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(maxReads)
  }
})
