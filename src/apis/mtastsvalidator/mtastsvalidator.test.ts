import { expect, test } from "bun:test"
import fc from "fast-check"
import { expectWithinProcessorMs } from "../../../test/support/processor-time.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { Web, WebEntry, ZoneEntry } from "../contract.ts"
import { coverBy, readId, readPolicy } from "../mail/mta-sts-policy.ts"
import { isRecordOf } from "../mail/text-records.ts"
import { mtastsvalidator } from "./index.ts"

const url = "https://mta-sts.a.example/.well-known/mta-sts.txt"
const good = "version: STSv1\nmode: enforce\nmx: m.a.example\nmax_age: 86400\n"

interface Conditions {
  readonly texts?: readonly ZoneEntry[]
  readonly servers?: readonly ZoneEntry[]
  readonly reply?: WebEntry
  readonly web?: Web
}

async function validate(
  input: { readonly domain?: string; readonly policy?: string },
  {
    texts = [{ TXT: "v=STSv1; id=1" }],
    servers = [{ MX: [10, "M.a.example"] }],
    reply,
    web,
  }: Conditions = {},
) {
  const dns = { "_mta-sts.a.example": texts, "a.example": servers }
  const ports = portsFor({
    given: { now: "2025-01-01T00:00:00Z", dns, web: { [url]: reply ?? { body: good } } },
  })
  const context = { ports: { ...ports, ...(web && { web }) }, giveWay: () => undefined, premium: true }
  return mtastsvalidator.run(input, context)
}
const codesOf = async (...asked: Parameters<typeof validate>) =>
  (await validate(...asked)).problems.map(({ code }): string => code)
const domain = "a.example"

test("a domain without a fault has no problem", async () =>
  expect(await validate({ domain: "A.Example." })).toMatchObject({
    is_valid: true,
    problems: [],
    domain,
    id: "1",
    mode: "enforce",
    mx: ["m.a.example"],
    max_age: 86_400,
    mx_matches: [{ host: "m.a.example", preference: 10, matched_by: "m.a.example" }],
  }))

test.each([
  [[], ["no_record"]],
  [["x"], ["no_record"]],
  [["V=STSv1; id=1"], ["not_a_record", "no_record"]],
  [["v=STSv1 id=1"], ["not_a_record", "no_record"]],
  [["v=STSv1"], ["not_a_record", "no_record"]],
  [["v=STSv1; id=1", "v=STSv1; id=2"], ["multiple_records"]],
  [["v=STSv1; id=1", "google=x"], []],
  [["v=STSv1 \t; id=1 ;\t"], []],
  [["v=STSv1;id=1"], []],
  [["v=STSv1;"], ["record_syntax", "missing_id"]],
  [["v=STSv1; id="], ["id"]],
  [["v=STSv1; id=2025-01-01"], ["id"]],
  [[`v=STSv1; id=${"1".repeat(33)}`], ["id"]],
  [["v=STSv1; ID=1"], ["other_case", "missing_id"]],
  [["v=STSv1; id=1; id=2"], ["repeated_field"]],
  [["v=STSv1; id=1; x-y.z_1=a"], ["unknown_field"]],
  [["v=STSv1; id=1;; "], ["record_syntax"]],
  [["v=STSv1; id = 1"], ["record_syntax", "missing_id"]],
  [["v=STSv1; id=1; a=b=c"], ["record_syntax"]],
  [["v=STSv1; id=1; a=ä"], ["record_syntax"]],
])("records: %j have %j", async (texts, codes) =>
  expect(await codesOf({ domain }, { texts: texts.map((TXT) => ({ TXT })) })).toEqual(codes),
)

test("records that the DNS does not give refuse the call, and so do mail servers", async () => {
  const sentence = (name: string) => `The DNS gave no answer for ${name} (servfail).`
  await expect(validate({ domain }, { texts: ["SERVFAIL"] })).rejects.toThrow(sentence("_mta-sts.a.example"))
  await expect(validate({ domain }, { servers: ["SERVFAIL"] })).rejects.toThrow(sentence("a.example"))
})

test("records that are missing keep the host from being asked", async () => {
  const web: Web = { get: () => Promise.reject(new Error("the host was asked")) }
  expect(await codesOf({ domain }, { texts: [], web })).toEqual(["no_record"])
})

test.each<[WebEntry, string]>([
  [{ failure: "no-address" }, "policy_unreachable"],
  [{ failure: "dns" }, "policy_unreachable"],
  [{ failure: "unreachable" }, "policy_unreachable"],
  [{ failure: "tls" }, "policy_unreachable"],
  [{ failure: "broken" }, "policy_unreachable"],
  [{ failure: "private-address" }, "policy_private_address"],
  [{ failure: "timeout" }, "policy_timeout"],
  [{ failure: "too-large" }, "policy_too_large"],
  [{ failure: "expired-certificate" }, "policy_certificate"],
  [{ failure: "wrong-certificate" }, "policy_certificate"],
  [{ failure: "weak-certificate" }, "policy_certificate"],
  [{ failure: "untrusted-certificate" }, "policy_certificate"],
  [{ status: 301 }, "policy_redirect"],
  [{ status: 304 }, "policy_redirect"],
  [{ status: 404 }, "policy_status"],
  [{ status: 206, body: good }, "policy_status"],
])("the policy's host that answers %j gives no policy", async (reply, code) => {
  const answer = await validate({ domain }, { reply })
  expect(answer.problems.map((one): string => one.code)).toEqual([code])
  expect(answer).toMatchObject({ is_valid: false, policy: null, mode: null, mx: [], mx_matches: [] })
})

test.each([
  ["text/plain; charset=utf-8", []],
  ["TEXT/PLAIN", []],
  ["text/plainx", ["content_type"]],
  ["text/html", ["content_type"]],
  ["application/octet-stream", ["content_type"]],
])("the policy's host that says %s has %j", async (type, codes) =>
  expect(await codesOf({ domain }, { reply: { type, body: good } })).toEqual(codes),
)

test("the policy's host that sends no UTF-8, or a byte order mark, is told so", async () => {
  const reply = (bytes: Uint8Array): Web => ({
    get: async () => ({
      kind: "reply",
      status: 200,
      contentType: "text/plain",
      body: bytes,
      certificates: [],
    }),
  })
  expect(await codesOf({ domain }, { web: reply(Uint8Array.of(0xff, 0xfe)) })).toEqual(["policy_text"])
  const marked = await codesOf({ domain }, { web: reply(Buffer.from(`\ufeff${good}`)) })
  expect(marked).toEqual(["policy_syntax", "version"])
})

test("the policy's host that shows what is no certificate has none", async () => {
  const certificate = "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----"
  expect((await validate({ domain }, { reply: { body: good, certificate } })).certificate).toBeNull()
})

test("the policy's host is not asked for a policy that the caller gives, or when the service asks nobody", async () => {
  const web: Web = { get: () => Promise.reject(new Error("the host was asked")) }
  expect(await codesOf({ domain, policy: good }, { web })).toEqual([])
  expect(await codesOf({ policy: good }, { web })).toEqual([])
  await expect(validate({ domain }, { reply: { failure: "off" } })).rejects.toThrow(
    "The 'policy' parameter must be given, since this service sends no HTTPS requests.",
  )
  const late = validate({ domain }, { reply: { failure: "aborted" } })
  await expect(late).rejects.toThrow("was not read in time")
})

test.each([
  ["", ["policy_syntax", "version", "mode", "max_age", "mx", "mx_not_covered"]],
  [good.trimEnd(), []],
  [good.replaceAll("\n", "\r\n"), []],
  [good.replaceAll("\n", "\r"), ["version", "mode", "max_age", "mx", "mx_not_covered"]],
  [good.replace("mode: ", "mode:\t "), []],
  [good.replace("enforce", "enforce \t"), []],
  [good.replace("enforce", "Enforce"), ["mode"]],
  [good.replace("enforce", "testing"), ["testing"]],
  [good.replace("enforce", "none"), ["none"]],
  ["version: STSv1\nmode: none\nmax_age: 86400", ["none"]],
  [good.replace("mode", "Mode"), ["other_case", "mode"]],
  [good.replace("STSv1", "STSv2"), ["version"]],
  [good.replace("86400", "0"), ["short_max_age"]],
  [good.replace("86400", "31557600"), []],
  [good.replace("86400", "31557601"), ["max_age"]],
  [good.replace("86400", "-1"), ["max_age"]],
  [good.replace("86400", "1e5"), ["max_age"]],
  [`${good}max_age: 1\n`, ["repeated_field"]],
  [`${good}\n`, ["policy_syntax"]],
  [`${good} x: y\n`, ["policy_syntax"]],
  [`${good}x y\n`, ["policy_syntax"]],
  [`${good}x:\n`, ["policy_syntax"]],
  [`${good}x: ä b\n`, ["unknown_field"]],
  [good.replace("mx: m.a.example", "mx: *.a.example"), []],
  [good.replace("m.a.example", "*.example"), ["mx_not_covered", "unused_mx"]],
  [good.replace("m.a.example", "m.a.example."), ["mx", "mx_not_covered"]],
  [good.replace("m.a.example", "*.*.example"), ["mx", "mx_not_covered"]],
  [good.replace("m.a.example", "m.*.example"), ["mx", "mx_not_covered"]],
  [good.replace("m.a.example", "mä.example"), ["mx", "mx_not_covered"]],
  [good.replace("m.a.example", "-m.example"), ["mx", "mx_not_covered"]],
  [good.replace("mx: m.a.example\n", ""), ["mx", "mx_not_covered"]],
])("policies: %j have %j", async (policy, codes) => expect(await codesOf({ domain, policy })).toEqual(codes))

test("policies of 65,536 characters are read within 100 ms, with a hundred problems at most", async () => {
  for (const line of ["mx: m.a.example\n", "mx: m\n", "\n", "x:y\n", "x", ":", "a: \t", "mx:\n"]) {
    const policy = line.repeat(65_536 / line.length)
    let problems: readonly unknown[] = []
    await expectWithinProcessorMs(100, async () => {
      problems = (await validate({ domain, policy })).problems
    })
    expect(problems.length).toBeLessThanOrEqual(100)
  }
  const { problems } = await validate({ policy: "\n".repeat(1_000) })
  const message = "905 more are left out, 905 of them errors."
  expect(problems.at(-1)).toMatchObject({ code: "more", message })
})

test("mail servers are in the order of their preferences, each with what covers it", async () => {
  const servers = [20, 10].map((preference) => ({ MX: [preference, `m${preference}.b.example`] as const }))
  const policy = good.replace("m.a.example", "*.b.example\nmx: m20.b.example")
  expect((await validate({ domain, policy }, { servers })).mx_matches).toEqual([
    { host: "m10.b.example", preference: 10, matched_by: "*.b.example" },
    { host: "m20.b.example", preference: 20, matched_by: "m20.b.example" },
  ])
})

test("mail servers may be none", async () => {
  expect(await codesOf({ domain }, { servers: [] })).toEqual(["no_mail"])
  expect(await codesOf({ domain }, { servers: [{ MX: [0, "."] }] })).toEqual(["no_mail"])
})

test("the domain may be an internationalized name in both forms", async () => {
  for (const name of ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example."])
    expect(await validate({ domain: name })).toMatchObject({ domain: "xn--bcher-kva.example" })
})

test.each([
  [{}, "must be given, or 'policy'"],
  [{ domain: "a" }, "must be a full domain name"],
  [{ domain: "https://a.example" }, "not a URL"],
  [{ domain: "192.0.2.1" }, "not an IP address"],
  [{ domain: `${"a.".repeat(120)}example` }, "must be at most 244 bytes long"],
])("the domain: %j is refused", (input, message) =>
  expect(validate(input)).rejects.toThrow(new RegExp(`^The 'domain' parameter .*${message}`)),
)

/** RFC 8461 §3.1 and §3.2. */
const text = (characters: string, minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((all) => all.join(""))
const blanks = text(" \t", 0, 2)
const alnum = "azAZ09"
const name = fc
  .tuple(text(alnum, 1, 1), text(`${alnum}_-.`, 0, 5))
  .map(([first, more]) => `${first}${more}x`)
  .filter((one) => !/^(?:id|mx)$/i.test(one))

test("the grammar gives records without a problem but unknown fields, with the id", () => {
  const value = text("!#:<>~aZ9", 1, 5)
  const extensions = fc.array(fc.tuple(name, value), { maxLength: 3 })
  const parts = fc.tuple(text(alnum, 1, 32), extensions, fc.nat(3), blanks, blanks, fc.boolean())
  fc.assert(
    fc.property(parts, ([id, more, at, one, two, ends]) => {
      const fields = more.map(([key, value]) => `${key}=${value}`)
      fields.splice(at, 0, `id=${id}`)
      const delimiter = `${one};${two}`
      const record = `v=STSv1${delimiter}${fields.join(delimiter)}${ends ? delimiter : ""}`
      expect(isRecordOf("mtaSts", record)).toBe(true)
      const read = readId(record)
      expect(read.id).toBe(id)
      expect(read.problems.filter(({ code }) => code !== "unknown_field")).toEqual([])
    }),
    { numRuns: 2_000, seed: 8461 },
  )
})

test("the grammar gives policies without an error, with every field", () => {
  const label = fc.tuple(text("az09", 1, 1), text("az-09", 0, 3)).map(([first, more]) => `${first}${more}z`)
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."))
  const mx = fc.tuple(fc.boolean(), host).map(([isWide, one]) => (isWide ? `*.${one}` : one))
  const visible = text("!#:;aZ9ä漢😀", 1, 4)
  const parts = fc.record({
    mode: fc.constantFrom("enforce", "testing", "none"),
    mx: fc.uniqueArray(mx, { minLength: 1, maxLength: 5 }),
    age: fc.integer({ min: 86_400, max: 31_557_600 }),
    more: fc.array(fc.tuple(name, visible, visible), { maxLength: 3 }),
    order: fc.infiniteStream(fc.nat()),
    term: fc.constantFrom("\n", "\r\n"),
    one: blanks,
    two: blanks,
    ends: fc.boolean(),
  })
  fc.assert(
    fc.property(parts, ({ mode, mx, age, more, order, term, one, two, ends }) => {
      const lines = [
        `version:${one}STSv1${two}`,
        `mode:${one}${mode}${two}`,
        `max_age:${one}${age}${two}`,
        ...mx.map((host) => `mx:${one}${host}${two}`),
        ...more.map(([key, first, second]) => `${key}:${one}${first} ${second}${two}`),
      ]
      const shuffled = lines
        .map((line, index) => ({ line, place: order.next().value ?? index }))
        .sort((a, b) => a.place - b.place)
        .map(({ line }) => line)
      const { policy, problems } = readPolicy(`${shuffled.join(term)}${ends ? term : ""}`)
      expect(problems.filter(({ severity }) => severity !== "info")).toEqual([])
      expect(policy).toMatchObject({ version: "STSv1", mode, max_age: age })
      expect(policy.mx.toSorted()).toEqual(mx.toSorted())
    }),
    { numRuns: 2_000, seed: 8462 },
  )
})

test("the grammar: any text is read, and without an error only what follows the grammar", () => {
  const mx = String.raw`(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*`
  const known = String.raw`version:[ \t]*STSv1|mode:[ \t]*(?:enforce|testing|none)|mx:[ \t]*${mx}|max_age:[ \t]*\d{1,10}`
  const extension = String.raw`[A-Za-z0-9][\w.-]{0,31}:[ \t]*[^\x00-\x20\x7f](?:[^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?`
  const grammar = new RegExp(String.raw`^(?:(?:${known}|${extension})[ \t]*(?:\r?\n|$))+$`)
  const pieces = [
    ..."version: STSv1|mode: none|mode:enforce|mx: a.b|mx: *.b|max_age: 86400|\n|\r\n|x|:| ".split("|"),
    ..."\t|*|é".split("|"),
  ]
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
  )
  let without = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (middle) => {
      const policy = `version: STSv1\nmode: none\nmax_age: 86400\n${middle.join("")}`
      const { problems } = readPolicy(policy)
      // No value of a repeated field is read.
      if (problems.some(({ code, severity }) => severity === "error" || code === "repeated_field")) return
      without++
      expect(policy).toMatch(grammar)
    }),
    { numRuns: 5_000, seed: 8463 },
  )
  expect(without).toBeGreaterThan(500)
})

test("the grammar: a pattern covers exactly one label", () => {
  const host = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(host, fc.boolean(), host, (pattern, isWide, name) => {
      const expected = isWide
        ? name.length === pattern.length + 1 && name.slice(1).join(".") === pattern.join(".")
        : name.join(".") === pattern.join(".")
      const mx = `${isWide ? "*." : ""}${pattern.join(".")}`
      expect(coverBy([mx])(name.join(".").toUpperCase())).toBe(expected ? mx : null)
    }),
    { numRuns: 2_000, seed: 8464 },
  )
})
