import { expect, test } from "bun:test"
import fc from "fast-check"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { ZoneEntry } from "../contract.ts"
import { readRecord, tlsrptvalidator } from "./index.ts"

async function validate(...entries: ZoneEntry[]) {
  const ports = portsFor({ given: { dns: { "_smtp._tls.a.example": entries } } })
  return tlsrptvalidator.run({ domain: "A.example." }, { ports, giveWay() {}, premium: true })
}
const codesOf = async (...texts: string[]) =>
  (await validate(...texts.map((TXT) => ({ TXT })))).problems.map(({ code }) => code)

test.each([
  ["v=TLSRPTv1;rua=mailto:r@a.example", []],
  ["v=TLSRPTv1; rua=mailto:r@a.example;", []],
  ["v=TLSRPTv1; \t rua=https://a.example/ , mailto:r@a.example\t;", []],
  ["v=TLSRPTv1; rua=MAILTO:r@a.example?subject=x", []],
  ["v=TLSRPTv1; rua=mailto:r@a.example; x-1._=y", ["unknown_field"]],
  ["v=TLSRPTv1; a=b; rua=mailto:r@a.example", ["unknown_field"]],
  ["v=TLSRPTv1; RUA=mailto:r@a.example", ["other_case", "missing_rua"]],
  ["v=TLSRPTv1;", ["syntax", "missing_rua"]],
  ["v=TLSRPTv1; rua=", ["syntax", "missing_rua"]],
  ["v=TLSRPTv1; rua", ["syntax", "missing_rua"]],
  ["v=TLSRPTv1;; rua=mailto:r@a.example", ["syntax"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example;;", ["syntax"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example; a=b=c", ["syntax"]],
  [`v=TLSRPTv1; rua=mailto:r@a.example; ${"a".repeat(33)}=b`, ["syntax"]],
  ["v=TLSRPTv1; rua =mailto:r@a.example", ["syntax", "missing_rua"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example; rua=mailto:s@a.example", ["repeated_rua"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example,mailto:r@a.example", ["repeated_uri"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example,", ["uri"]],
  ["v=TLSRPTv1; rua=r@a.example", ["uri"]],
  ["v=TLSRPTv1; rua=mailto:a.example", ["uri"]],
  ["v=TLSRPTv1; rua=mailto:r!10m@a.example", ["uri"]],
  ["v=TLSRPTv1; rua=mailto:r@a.example%2", ["uri"]],
  ["v=TLSRPTv1; rua=https://", ["uri"]],
  ["v=TLSRPTv1; rua=https://a.example:99999/", ["uri"]],
  ["v=TLSRPTv1; rua=ftp://a.example", ["scheme"]],
  ["v=TLSRPTv1; rua=mailto:\xfc@a.example", ["uri"]],
  [`v=TLSRPTv1; rua=${",".repeat(60_000)}`, ["too_long"]],
])("%s has %j", async (record, codes) => expect<string[]>(await codesOf(record)).toEqual(codes))

test.each([
  [[], ["no_record"]],
  [["x"], ["no_record"]],
  [["v=TLSRPTv1 ; rua=mailto:r@a.example"], ["not_a_record", "no_record"]],
  [["V=TLSRPTv1;rua=mailto:r@a.example"], ["not_a_record", "no_record"]],
  [["v=TLSRPTv1;rua=mailto:r@a.example", "v=TLSRPTv2;x=y", "google=1"], ["not_a_record"]],
  [["v=TLSRPTv1;rua=mailto:r@a.example", "v=TLSRPTv1;rua=mailto:r@a.example"], ["multiple_records"]],
])("records of a name: %j has %j", async (texts, codes) =>
  expect<string[]>(await codesOf(...texts)).toEqual(codes),
)

test("records of a name that the DNS does not give refuse the call", () =>
  expect(validate("SERVFAIL")).rejects.toThrow("The DNS gave no answer for _smtp._tls.a.example (servfail)."))

/** RFC 8460 §3, with the URIs of the two schemes. */
const wsp = fc.array(fc.constantFrom(" ", "\t"), { maxLength: 2 }).map((spaces) => spaces.join(""))
const unit = "abcXYZ019-._~:@$&'()*+="
const text = (characters: string, least = 1) =>
  fc.array(fc.constantFrom(...characters), { minLength: least, maxLength: 8 }).map((all) => all.join(""))
const escaped = fc.constantFrom("%2C", "%21", "%3b")
const part = fc.array(fc.oneof(text(unit.replace("@", "")), escaped), { minLength: 1, maxLength: 3 })
const mail = fc.tuple(part, text("abc019-.")).map(([local, host]) => `mailto:${local.join("")}@${host}`)
const web = fc.tuple(text("abc"), part).map(([host, path]) => `https://${host}.example/${path.join("")}`)
const uris = fc.uniqueArray(fc.oneof(mail, web), { minLength: 1, maxLength: 4 })
const extension = fc
  .tuple(text("abcXYZ019"), text("ab_-.9", 0), text("!#$%:<>?~aZ9,"))
  .map(([first, more, value]) => `${first}${more}x=${value}`)

test("the grammar gives records without an error, with every address", () =>
  fc.assert(
    fc.property(
      fc.tuple(uris, wsp, wsp, fc.array(extension, { maxLength: 3 }), fc.nat(3), fc.boolean()),
      ([addresses, one, two, extensions, at, ends]) => {
        const fields = [...extensions]
        fields.splice(at, 0, `rua=${addresses.join(`${one},${two}`)}`)
        const record = `v=TLSRPTv1;${one}${fields.join(`${two};${one}`)}${ends ? `${one};${two}` : ""}`
        const { rua, problems } = readRecord(record)
        expect(problems.filter(({ severity }) => severity !== "info")).toEqual([])
        expect(rua.map(({ uri }) => uri)).toEqual(addresses)
      },
    ),
    { numRuns: 2_000, seed: 8460 },
  ))

test("the grammar: any text after the version is read, and without a problem only what follows the grammar", () => {
  // The grammar has no blanks after the last field; they do no harm.
  const uri = "(?:mailto|https):(?:[A-Za-z0-9._~:/?#\\[\\]@$&'()*+=-]|%[0-9A-Fa-f]{2})+"
  const rua = `rua=${uri}(?:[ \\t]*,[ \\t]*${uri})*`
  const grammar = new RegExp(`^v=TLSRPTv1[ \\t]*;[ \\t]*${rua}(?:[ \\t]*;)?[ \\t]*$`, "i")
  const piece = fc.oneof(
    fc.constantFrom(..."; , rua= mailto: https:// a@b.example a.example/ x=y %2 =".split(" "), " "),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const record = `v=TLSRPTv1;${pieces.join("")}`
      if (readRecord(record).problems.length === 0) expect(record).toMatch(grammar)
    }),
    { numRuns: 5_000, seed: 8461 },
  )
})
