import { expect, test } from "bun:test"
import "reflect-metadata"
import fc from "fast-check"
import {
  codesOf,
  domain,
  logo,
  logoUrl,
  reject,
  unmarked,
  validate,
  withRecord,
} from "../../../test/support/bimi-domains.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { ZoneEntry } from "../contract.ts"
import { readRecord } from "../mail/bimi.ts"
import { isRecordOf } from "../mail/text-records.ts"
import { bimivalidator } from "./index.ts"

test.each([
  [`v=BIMI1; l=${logoUrl}; a=`, [unmarked]],
  [`v=BIMI1;l=${logoUrl};`, [unmarked]],
  [`V = bimi1 ;\tL = ${logoUrl}`, [unmarked]],
  ["v=BIMI1; l=; a=;", ["declined"]],
  ["v=BIMI1; l=", ["declined"]],
  ["v=BIMI1", ["location", unmarked]],
  ["v=BIMI1; a=", ["location", unmarked]],
  [`v=BIMI1; l=http://a.example/x`, ["location", unmarked]],
  [`v=BIMI1; l=https://`, ["location", unmarked]],
  [`v=BIMI1; l=${logoUrl}; a=ftp://a.example/`, ["authority"]],
  [`v=BIMI1; l=${logoUrl}; l=${logoUrl}`, ["repeated_tag", unmarked]],
  [`v=BIMI1; l=${logoUrl};; a=`, ["syntax", unmarked]],
  [`v=BIMI1; l=${logoUrl}; x`, ["syntax", unmarked]],
  [`v=BIMI1; l=${logoUrl}; zz=1`, ["unknown_tag", unmarked]],
  [`v=BIMI1; l=${logoUrl}; avp=brand`, [unmarked]],
  [`v=BIMI1; l=${logoUrl}; avp=logo`, ["tag_value", unmarked]],
  ["v=BIMI2; l=", ["not_a_record", "no_record"]],
  ["x", ["no_record"]],
])("records: %s has %j", async (record, codes) => expect(await withRecord(record)).toEqual(codes))

test("records may be several, which is none", async () => {
  const TXT = `v=BIMI1; l=${logoUrl}`
  expect(await codesOf({ texts: [{ TXT }, { TXT }] })).toEqual(["multiple_records"])
})

test("records of the organizational domain count for a name below it, by the same selector", async () => {
  const answer = await validate({ domain: "mail.a.example" })
  expect(answer.problems.map(({ code }): string => code)).toEqual(["organizational_domain", unmarked])
  expect(answer.record_name).toBe("default._bimi.a.example")
  expect((await validate({ domain: "mail.a.example", selector: "other" })).record).toBeNull()
})

test.each<[readonly ZoneEntry[], string[]]>([
  [reject, []],
  [[{ TXT: "v=DMARC1; p=quarantine" }], []],
  [[{ TXT: "v=DMARC1; p=none" }], ["dmarc"]],
  [[{ TXT: "v=DMARC1; p=reject; sp=none" }], ["dmarc"]],
  [[], ["dmarc"]],
])("records with the policy %j have %j", async (dmarc, codes) =>
  expect(await codesOf({ dmarc })).toEqual([unmarked, ...codes]),
)

test("records that the DNS does not give refuse the call", async () => {
  const silent = validate({ domain }, { texts: ["TIMEOUT"] })
  await expect(silent).rejects.toThrow("no answer for default._bimi.a.example")
  const failing = validate({ domain }, { dmarc: ["SERVFAIL"] })
  await expect(failing).rejects.toThrow("no answer for _dmarc.a.example")
})

test("records of any text are read without an error only if they follow the grammar of tag lists", () => {
  const piece = fc.oneof(
    fc.constantFrom(";", " ", "=", "l=", "a=", logoUrl, "avp=brand", "lps=x", "x1", "\t"),
    fc.string({ maxLength: 3 }),
  )
  let without = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const record = `v=BIMI1; l=${logoUrl};${pieces.join("")}`
      expect(isRecordOf("bimi", record)).toBe(true)
      const { problems } = readRecord(record)
      if (problems.some(({ severity }) => severity === "error")) return
      without++
      expect(record).toMatch(
        /^v=BIMI1;(?:[ \t]*[A-Za-z]\w*[ \t]*=[^;]*;)*(?:[ \t]*[A-Za-z]\w*[ \t]*=[^;]*|[ \t]*)$/,
      )
    }),
    { numRuns: 4_000, seed: 20_26 },
  )
  expect(without).toBeGreaterThan(300)
})

test.each([
  [{ status: 302 }, "document_redirect"],
  [{ status: 404 }, "document_status"],
  [{ failure: "timeout" as const }, "document_timeout"],
  [{ failure: "private-address" as const }, "document_private_address"],
  [{ failure: "url" as const }, "document_unreachable"],
  [{ failure: "wrong-certificate" as const }, "document_certificate"],
  [{ failure: "too-large" as const }, "document_too_large"],
])("documents answered %j give no logo", async (reply, code) => {
  const answer = await validate({ domain }, { web: { [logoUrl]: reply } })
  expect(answer.problems.map((one): string => one.code)).toEqual([unmarked, code])
  expect(answer).toMatchObject({ is_valid: false, is_svg_valid: null })
})

test("documents of another type are told, and none is asked for a logo that is given", async () => {
  expect(await codesOf({ web: { [logoUrl]: { body: logo } } })).toEqual([unmarked, "document_type"])
  const given = await validate({ domain, svg: logo }, { web: { [logoUrl]: { failure: "timeout" } } })
  expect(given).toMatchObject({ is_valid: true, is_svg_valid: true, svg_title: "A" })
  await expect(validate({ domain }, { web: { [logoUrl]: { failure: "off" } } })).rejects.toThrow(
    "The 'svg' parameter must be given, since this service sends no HTTPS requests.",
  )
})

test("documents may be compressed, up to 65,536 bytes", async () => {
  const reply = (text: string) => ({
    get: async () => ({
      ...({ kind: "reply", status: 200, contentType: "image/svg+xml", certificates: [] } as const),
      body: new Uint8Array(Bun.gzipSync(text)),
    }),
  })
  const dns = { "default._bimi.a.example": [{ TXT: `v=BIMI1; l=${logoUrl}` }], "_dmarc.a.example": reject }
  const run = (text: string) => {
    const ports = { ...portsFor({ given: { dns } }), web: reply(text) }
    return bimivalidator.run({ domain }, { ports, giveWay: () => undefined, premium: true })
  }
  expect(await run(logo)).toMatchObject({ is_valid: true, is_svg_valid: true })
  const bomb = await run(" ".repeat(20_000_000))
  expect(bomb.problems.map(({ code }): string => code)).toEqual([unmarked, "document_too_large"])
})

test("the domain may be an internationalized name in both forms", async () => {
  for (const name of ["bücher.example", "xn--bcher-kva.example"])
    expect(await validate({ domain: name })).toMatchObject({ domain: "xn--bcher-kva.example" })
})

test.each([
  [{}, "must be given, or 'svg'"],
  [{ domain: "a" }, "must be a full domain name"],
  [{ domain: `${"a.".repeat(120)}example` }, "must be at most 239 bytes long"],
])("the domain: %j is refused", (input, message) =>
  expect(validate(input)).rejects.toThrow(new RegExp(`^The 'domain' parameter .*${message}`)),
)
