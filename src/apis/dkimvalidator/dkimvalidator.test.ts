import { beforeAll, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import { askApi } from "../../../test/support/run-api.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { createZoneDns } from "../../ports/dns/zone.ts"
import type { Dns, DnsZone, ZoneEntry } from "../contract.ts"
import { dkimvalidator, lookUpKey } from "./index.ts"
import { readRecord } from "./record.ts"

const name = "s._domainkey.a.example"
const validate = (entries: readonly ZoneEntry[], input: object = {}, premium = true) =>
  askApi(
    dkimvalidator,
    { domain: "A.example", selector: "S", ...input },
    { dns: { [name]: entries }, premium },
  )

/** RFC 8463 appendix A.2. */
const ed25519 = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
const rsa = (bits: number, form: "spki" | "pkcs1" = "spki") =>
  generateKeyPairSync("rsa", { modulusLength: bits })
    .publicKey.export({ type: form, format: "der" })
    .toString("base64")
const keys = { k1024: "", k2048: "", pkcs1: "" }
beforeAll(() => {
  Object.assign(keys, { k1024: rsa(1_024), k2048: rsa(2_048), pkcs1: rsa(2_048, "pkcs1") })
})

test.each<[string, readonly string[]]>([
  ["v=DKIM1; k=rsa; p=K2048", []],
  ["p=K2048;", []],
  ["v=DKIM1; p=K2048; s=email:tlsrpt; t=s; h=sha256; n=any = text", []],
  ["k=ed25519; p=ED", []],
  ["v=DKIM1; p=K1024", ["weak_key"]],
  ["v=DKIM1; p=PKCS1", ["key_form"]],
  ["v=DKIM1; p=", ["revoked"]],
  ["v=DKIM1; p= \t", ["revoked"]],
  ["v=DKIM1", ["no_key"]],
  ["", ["syntax", "no_key"]],
  ["v=DKIM2; p=K2048", ["version"]],
  ["p=K2048; v=DKIM1", ["version"]],
  ["v=DKIM1; k=dsa; p=K2048", ["key_type"]],
  ["v=DKIM1; k=rsa; p=ED", ["key"]],
  ["v=DKIM1; k=ed25519; p=K2048", ["key"]],
  ["v=DKIM1; p=K2048x", ["key"]],
  ["v=DKIM1; p=K2048; p=K1024", ["repeated_tag"]],
  ["v=DKIM1; what; p=K2048", ["syntax"]],
  ["v=DKIM1;; p=K2048", ["syntax"]],
  ["v=DKIM1; P=K2048", ["unknown_tag", "no_key"]],
  ["v=DKIM1; g=*; p=K2048", ["unknown_tag"]],
  ["v=DKIM1; h=sha1; p=K2048", ["hash"]],
  ["v=DKIM1; h=sha1 : sha256; p=K2048", ["unknown_hash"]],
  ["v=DKIM1; s=tlsrpt; p=K2048", ["service"]],
  ["v=DKIM1; t=y:s:x; p=K2048", ["testing", "unknown_flag"]],
  [`v=DKIM1; n=${"x".repeat(9_000)}; p=K2048`, ["too_long"]],
  [`v=DKIM1; p=${"A".repeat(8_000)}`, ["key"]],
])("a record: %s has %j", async (text, codes) => {
  const record = text
    .replace("K2048", keys.k2048)
    .replace("K1024", keys.k1024)
    .replace("PKCS1", keys.pkcs1)
    .replace("p=ED", `p=${ed25519}`)
  expect<readonly string[]>((await validate([{ TXT: record }])).codes).toEqual(codes)
})

/** The usual mistakes of people who publish a key, each told by its name, with the part that is wrong. */
test("a record with a usual mistake names it", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 })
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")
  const pkcs1 = privateKey.export({ type: "pkcs1", format: "der" }).toString("base64")
  const { k2048 } = keys
  for (const [record, code, ...words] of [
    [`v=DKIM1; k=rsa; p=${k2048}`.slice(0, 255), "key", "was cut", "255 bytes", k2048.slice(225, 237)],
    [`v=DKIM1; p=${keys.k1024}`.slice(0, -30), "key", "was cut", "23 of its 162 bytes"],
    [
      `p=-----BEGIN PUBLIC KEY-----${k2048}-----END PUBLIC KEY-----`,
      "key",
      "PEM",
      "'-----BEGIN PUBLIC KEY-----'",
    ],
    [`v=DKIM1; p="${k2048}"`, "key", "quotation marks"],
    [`v=DKIM1; p=${k2048.slice(0, 200)}" "${k2048.slice(200)}`, "key", "quotation marks"],
    [`"v=DKIM1; p=${k2048}"`, "syntax", "quotation marks", `'"v=DKIM1'`],
    [`v=DKIM1\\; k=rsa\\; p=${k2048}`, "version", "backslash", "'v=DKIM1\\'"],
    [`v=DKIM1; p=${k2048}\\`, "key", "backslash"],
    [`v=DKIM1; p=p=${k2048}`, "key", "there twice: 'p='"],
    [`v=DKIM1; p=${k2048} t=s`, "key", "A semicolon is missing", "'t=s'"],
    [`v=DKIM1; p=${k2048.replaceAll("/", "_").replaceAll("+", "-")}-`, "key", "base64url"],
    [`v=DKIM1; p=${k2048.slice(0, 40)}...`, "key", "'...'"],
    [`v=DKIM1; k=ed25519; p=MCowBQYDK2VwAyEA${ed25519}`, "key", "frame", "RFC 8463 §4"],
    [`v=DKIM1; k=ed25519; p=${k2048}`, "key", "It is an RSA key", "k=rsa"],
    [`v=DKIM1; p=${ed25519}`, "key", "k=ed25519"],
    [`v=DKIM1; p=${pkcs8}`, "key", "private key"],
    [`v=DKIM1; p=${pkcs1}`, "key", "private key"],
    [`v=DKIM1; p=${k2048.slice(10)}`, "key", "begin with MI"],
    [`v=DKIM1; k=RSA; p=${k2048}`, "key_type", "'RSA'", "Write rsa"],
    [`v=dkim1; p=${k2048}`, "version", "DKIM1, in capitals"],
    ["v=spf1 -all", "version", "another kind (spf1)"],
  ] as const) {
    const { problems, is_valid } = await validate([{ TXT: record }])
    const message = problems.find((one) => one.code === code)?.message
    for (const word of words) expect([record, message]).toEqual([record, expect.stringContaining(word)])
    expect(is_valid).toBe(false)
  }
})

test("a record: folded in several strings, with blanks in its key, is read as one", async () => {
  const [first, rest] = [keys.k2048.slice(0, 100), keys.k2048.slice(100)]
  const folded = await validate([{ TXT: ["v=DKIM1; t = y : s ; p=", `${first} \t`, rest] }])
  const plain = await validate([{ TXT: `p=${keys.k2048}` }])
  expect(folded).toMatchObject({ key_algorithm: "rsa", key_bits: 2_048, is_testing: true, is_strict: true })
  expect([folded.key_sha256, folded.codes]).toEqual([plain.key_sha256, ["testing"]])
})

test("a record of RFC 8463 is a key of 256 bits", async () =>
  expect(await validate([{ TXT: `v=DKIM1; k=ed25519; p=${ed25519}` }])).toMatchObject({
    is_valid: true,
    key_algorithm: "ed25519",
    key_bits: 256,
  }))

test("a record of any text is read or refused, without a throw", async () => {
  const piece = fc.oneof(
    fc.constantFrom(";", "=", "v=DKIM1", "p=", "k=rsa", "k=ed25519", ed25519, "AAAA", " ", ":", "t=y", "h="),
    fc.string({ maxLength: 4 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 9 }), async (pieces) => {
      const { key, problems } = await readRecord(pieces.join(""))
      // If there is no usable key, an error says why.
      if (key === null) expect(problems.filter(({ severity }) => severity === "error")).not.toEqual([])
    }),
    { numRuns: 3_000, seed: 6376 },
  )
})

test.each<[readonly ZoneEntry[], string]>([
  [[], "no_record"],
  [[{ TXT: "p=" }, { TXT: "p=" }], "multiple_records"],
  [[{ TXT: "v=DKIM1; p=MIIB" }, { TXT: "IjANBg+/AB==" }], "multiple_records"],
])("%j is %s", async (entries, code) =>
  expect(await validate(entries)).toMatchObject({ is_valid: false, record: null, codes: [code] }),
)

test("a key in a wrong place is named, and one that is in its place too is not", async () => {
  const entry = { TXT: `v=DKIM1; p=${keys.k2048}` }
  const run = (zone: DnsZone, looks: boolean) =>
    lookUpKey(
      { domain: "a.example", selector: "s" },
      { ports: { ...portsFor({}), dns: createZoneDns(zone) }, giveWay() {}, premium: false },
      looks,
    )
  const found = await run({ "s.a.example": [entry], [`${name}.a.example`]: [entry] }, true)
  expect(found.problems.map(({ code, where }) => [code, where])).toEqual([
    ["no_record", name],
    ["wrong_place", `${name}.a.example`],
    ["wrong_place", "s.a.example"],
  ])
  expect(found.problems[2]?.message).toEndWith(`Its place is ${name}.`)
  expect(found.is_valid).toBe(false)
  expect((await run({ "s.a.example": [entry], [name]: [entry] }, true)).problems).toEqual([])
  // An audit looks at many selectors, and asks only for them.
  const { problems } = await run({ "s.a.example": [entry] }, false)
  expect(problems.map(({ code }) => code)).toEqual(["no_record"])
})

test("the rest of a key in a record of its own is told", async () => {
  const messageOf = async (...texts: readonly string[]) =>
    (await validate(texts.map((TXT) => ({ TXT })))).problems[0]?.message
  const hint =
    "One of them, 'IjANBg+/AB==', seems to be the rest of a key: make it a further string of the record."
  expect(await messageOf("v=DKIM1; p=MIIB", "IjANBg+/AB==")).toEndWith(hint)
  expect(await messageOf("IjANBg+/AB==", "v=DKIM1; p=MIIB")).toEndWith(hint)
  expect(await messageOf("p=MIIB", "p=MIIB")).not.toContain("rest")
})

test.each([
  [{ selector: "a b" }, "selector", "must be a name of letters"],
  [{ selector: "a..b" }, "selector", "must be a name of letters"],
  [{ selector: "a".repeat(64) }, "selector", "must be a name of letters"],
  [{ selector: `${"a.".repeat(120)}a` }, "selector", "at most 253 bytes"],
  [{ domain: "example" }, "domain", "a full domain name"],
])("%j is refused", (input, parameter, words) =>
  expect(validate([], input)).rejects.toThrow(new RegExp(`^The '${parameter}' parameter .*${words}`)),
)

test("usual selectors are asked for with premium fields alone, and only keys count", async () => {
  const asked: string[] = []
  const zone = createZoneDns({
    [name]: [{ TXT: `p=${keys.k2048}` }],
    "selector1._domainkey.a.example": [{ CNAME: name }],
    "google._domainkey.a.example": [{ TXT: "v=DKIM1; p=" }],
    "k1._domainkey.a.example": [{ TXT: "v=spf1 -all" }],
    "zoho._domainkey.a.example": ["SERVFAIL"],
  })
  const dns: Dns = {
    ...zone,
    resolve(question, type) {
      asked.push(question)
      return zone.resolve(question, type)
    },
  }
  const run = (premium: boolean) =>
    askApi(dkimvalidator, { domain: "a.example", selector: "s" }, { dns, premium })
  expect((await run(true)).usual_selectors).toEqual(["selector1"])
  expect(asked).toHaveLength(21)
  asked.length = 0
  expect((await run(false)).usual_selectors).toEqual([])
  expect(asked).toEqual([name])
})

test("a server that fails refuses the call", () =>
  expect(validate(["SERVFAIL"])).rejects.toThrow(`The DNS gave no answer for ${name} (servfail).`))
