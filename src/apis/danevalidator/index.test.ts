import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { keySha256 } from "../../../test/data/tlsa-samples.ts"
import { anyCharacter } from "../../../test/support/any-character.ts"
import { runApi } from "../../../test/support/run-api.ts"
import { InputRejected, isPremium } from "../contract.ts"
import { danevalidator } from "./index.ts"

const run = async (record: string) => runApi(danevalidator, { record })

test("only the interpretation is premium", () => {
  const fields = Object.entries(danevalidator.output.properties)
  expect(fields.filter(([, schema]) => isPremium(schema)).map(([name]) => name)).toEqual(["interpretation"])
})

test("the longest possible record is accepted, also with line breaks", () => {
  const data = "0".repeat(2 * 65_532).replace(/.{64}/g, "$&\n  ")
  const record = `_443._tcp.example.com. IN TLSA ( 3 0 0 ${data} )`
  expect(Value.Check(danevalidator.input, { record })).toBe(true)
  expect(Value.Check(danevalidator.input, { record: " ".repeat(150_001) })).toBe(false)
})

test("a rejection names the parameter", async () => {
  const message = "The 'record' parameter must be of type TLSA, not A."
  await expect(run("a.example. IN A 192.0.2.1")).rejects.toThrow(message)
})

test.each(["256", "99999999999999999999", "9".repeat(400)])(
  "the usage %s is an answer: the record is not valid",
  async (usage) => {
    const record = `_443._tcp.example.com. IN TLSA ${usage} 1 1 ${keySha256}`
    const answer = await run(record)
    expect(Value.Check(danevalidator.output, answer)).toBe(true)
    const { validation, parsed, interpretation } = answer
    expect(validation).toEqual({
      is_valid: false,
      certificate_data_format: "Valid hexadecimal",
      certificate_data_length_valid: true,
    })
    expect(parsed).toMatchObject({ port: 443, selector: 1, matching: 1, certificate_data: keySha256 })
    expect(parsed.usage).toBe(Math.min(Number(usage), Number.MAX_VALUE))
    expect(interpretation).toMatchObject({ usage: { name: "Out of range" }, security_level: "Insecure" })
  },
)

/** Fails unless the record gets an answer that fits the schema, or a rejection of `record`. */
async function requireAnswerOrRejection(record: string): Promise<void> {
  try {
    const answer = await run(record)
    expect(Value.Check(danevalidator.output, answer)).toBe(true)
    expect(answer.raw_record).toBe(record)
    expect(answer.interpretation.security_level === "Insecure").toBe(!answer.validation.is_valid)
  } catch (error) {
    if (!(error instanceof InputRejected)) throw error
    expect(error.parameter).toBe("record")
    expect(error.message).toMatch(/^The 'record' parameter must [^\n]{1,220}[^.]\.$/)
  }
}

const parts = fc.constantFrom(
  ...'_443._tcp.www.example.com.|_1._udp.a|TLSA|TYPE52|SMIMEA|IN|CLASS1|3600|1h|3|1|0|2|255|-1|(|)|;|\n|\t| |\\#|\\|"|35|ab|g|é|\u00a0|$TTL'.split(
    "|",
  ),
  keySha256,
)
const records = fc
  .tuple(
    fc.constantFrom("_443._tcp.www.example.com.", "_25._udp.a"),
    fc.array(parts, { maxLength: 3 }),
    fc.array(parts, { maxLength: 8 }),
  )
  .map(([owner, head, tail]) => [owner, ...head, "TLSA", ...tail].join(" "))

// Enough for thousands of runs on a busy machine.
const timeoutMs = 60_000

test(
  "any text of any characters",
  async () => {
    const texts = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.string({ maxLength: 200 }))
    await fc.assert(fc.asyncProperty(texts, requireAnswerOrRejection), { numRuns: 500 })
  },
  timeoutMs,
)

test(
  "any text of the words of zone files",
  async () => {
    const texts = fc.oneof(
      records,
      fc.array(parts, { maxLength: 14 }).map((words) => words.join(" ")),
      fc.array(parts, { maxLength: 14 }).map((words) => words.join("")),
    )
    await fc.assert(fc.asyncProperty(texts, requireAnswerOrRejection), { numRuns: 500 })
  },
  timeoutMs,
)

// Work that grows with the square of the length would exceed the time limit of the test.
const owner = "_443._tcp.example.com."
const anywhere = [..."( ) () ;\n".split(" "), '"', '"" ', ..."\\ \\\\. a. _1._tcp. \u00a0 \n 1h 1".split(" ")]
const rdata = ["a ", "aa:", "=", "aaaa="].map((unit) => [`${owner} TLSA 3 1 1 `, unit] as const)
test.each<readonly [prefix: string, unit: string]>([
  ...anywhere.map((unit) => ["", unit] as const),
  ...["1h", "IN ", "TLSA "].map((unit) => [`${owner} `, unit] as const),
  ...["1 ", "1"].map((unit) => [`${owner} TLSA `, unit] as const),
  ...rdata,
  [`${owner} TLSA 3 1 0 `, "3000"],
  [`${owner} TLSA 3 1 0 30830124f0`, "3083"],
  [`${owner} TLSA \\# `, "1"],
  [`${owner} TLSA \\# 35 `, "0 "],
])("any text of the greatest length: %j, then many of %j", (prefix, unit) =>
  requireAnswerOrRejection(prefix + unit.repeat((150_000 - prefix.length) / unit.length)),
)

const blank = fc.constantFrom(" ", "\t", "   ", " \t ")
const inParentheses = fc.constantFrom(" ", "\t", "\n", "\r\n  ", " ; a ) comment (\n\t")
const anyCase = (word: string) =>
  fc
    .nat(2 ** word.length - 1)
    .map((bits) => [...word].map((c, at) => (bits & (1 << at) ? c.toLowerCase() : c.toUpperCase())).join(""))
const fields = fc.record({
  port: fc.integer({ min: 1, max: 65_535 }),
  protocol: fc.constantFrom("tcp", "udp"),
  host: fc.stringMatching(/^[a-z][a-z0-9]{0,9}(\.[a-z]{1,9}){0,3}$/),
  ttl: fc.option(fc.integer({ min: 0, max: 2_147_483_647 })),
  usage: fc.integer({ min: 0, max: 3 }),
  selector: fc.integer({ min: 0, max: 1 }),
  matching: fc.integer({ min: 1, max: 2 }),
  bytes: fc.uint8Array({ minLength: 64, maxLength: 64 }),
})
const layout = fc.record({
  blanks: fc.array(blank, { minLength: 6, maxLength: 6 }),
  breaks: fc.array(inParentheses, { minLength: 8, maxLength: 8 }),
  cuts: fc.array(fc.integer({ min: 1, max: 63 }), { maxLength: 4 }),
  type: anyCase("TLSA"),
  rrClass: fc.oneof(anyCase("IN"), anyCase("CLASS1"), fc.constant("")),
  hasDot: fc.boolean(),
  isClassFirst: fc.boolean(),
  comment: fc.constantFrom("", " ; end", "\n", "\n\n; end (\n"),
})

test("the layout of a record never changes its content", async () => {
  const property = fc.asyncProperty(fields, layout, async (f, l) => {
    const data = f.bytes.toHex().slice(0, f.matching * 64)
    const cuts = [0, ...l.cuts.toSorted((a, b) => a - b), data.length]
    const dataParts = cuts.slice(1).map((cut, at) => data.slice(cuts[at], cut))
    const name = `_${f.port}._${f.protocol}.${f.host}`
    const ttlAndClass = [f.ttl === null ? "" : String(f.ttl), l.rrClass]
    if (l.isClassFirst) ttlAndClass.reverse()
    const head = [l.hasDot ? `${name}.` : name, ...ttlAndClass, l.type].filter((field) => field !== "")
    const parts = [f.usage, f.selector, f.matching, ...dataParts]
    const rdata = parts.map((part, at) => `${l.breaks[at] ?? " "}${part}`)
    const record = `${head.map((field, at) => field + (l.blanks[at] ?? " ")).join("")}(${rdata.join("")})${l.comment}`

    const { parsed, validation } = await run(record)
    const { port, protocol, host: hostname, ttl, usage, selector, matching } = f
    expect(parsed).toEqual({
      ...{ name: `${name}.`, port, protocol, hostname, ttl, class: "IN", usage, selector, matching },
      certificate_data: data,
      certificate_data_length: data.length,
    })
    expect(validation).toEqual({
      is_valid: true,
      certificate_data_format: "Valid hexadecimal",
      certificate_data_length_valid: true,
    })
  })
  await fc.assert(property, { numRuns: 300 })
})
