import { expect, test } from "bun:test"
import fc from "fast-check"
import packageJson from "../../../package.json" with { type: "json" }
import { anyCharacter } from "../../../test/support/any-character.ts"
import { noExchange } from "../../../test/support/dns.ts"
import { askApi } from "../../../test/support/run-api.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { Dns, DnsZone } from "../contract.ts"
import { builtInDisposable, readDisposableDomains } from "./disposable.ts"
import { emailvalidator } from "./index.ts"

const validate = (email: string, dns: DnsZone | Dns = {}, premium = true) =>
  askApi(emailvalidator, { email }, { dns, premium })

test.each([
  ["ann@example.com", "valid", [], "ann@example.com"],
  ["!#$%&'*+-/=?^_`{|}~@x.com", "valid", [], "!#$%&'*+-/=?^_`{|}~@x.com"],
  ["ann@EXÄMPLE。de", "valid", [], "ann@xn--exmple-cua.de"],
  ["ann@xn--exmple-cua.de", "valid", [], "ann@xn--exmple-cua.de"],
  ["zoë@x.com", "valid", [], null],
  [`${"é".repeat(32)}@x.com`, "valid", [], null],
  ['"a b"@x.com', "unusual", ["quoted_local_part"], '"a b"@x.com'],
  ['"a@\\"b"@x.com', "unusual", ["quoted_local_part"], '"a@\\"b"@x.com'],
  ["a@[192.0.2.1]", "unusual", ["literal"], "a@[192.0.2.1]"],
  ["a@[IPv6:2001:db8::1]", "unusual", ["literal"], "a@[IPv6:2001:db8::1]"],
  ["a@localhost", "unusual", ["single_label", "special_domain"], "a@localhost"],
  ["a@192.0.2.1", "unusual", ["numeric_tld"], "a@192.0.2.1"],
  ["a@b.onion", "unusual", ["special_domain"], "a@b.onion"],
  ["a\u200b@x.com", "unusual", ["hidden_character"], null],
  ["john@example.org\u200b", "unusual", ["hidden_character"], "john@example.org"],
  ["john@exam\u00adple.org", "unusual", ["hidden_character"], "john@example.org"],
  // The backslash is quoted itself, so that the letter stands alone.
  ['"a\\\\é"@x.com', "unusual", ["quoted_local_part"], null],
  ['"a\\""@x.com', "unusual", ["quoted_local_part"], '"a\\""@x.com'],
])("addresses that mail servers can be given: %s is %s %p", async (email, diagnosis, codes, ascii) =>
  expect(await validate(email)).toMatchObject({ is_valid: true, diagnosis, codes, ascii }),
)

test.each([
  ["ann", "invalid", ["no_at_sign"]],
  ["ann@", "invalid", ["no_at_sign"]],
  ["@x.com", "invalid", ["local_part"]],
  ["a b@x.com", "invalid", ["character"]],
  ["a@b@c", "invalid", ["character"]],
  ["Ann <ann@x.com>", "invalid", ["character"]],
  ["a\u0000@x.com", "invalid", ["character"]],
  ["a..b@x.com", "invalid", ["dot"]],
  [".a@x.com", "invalid", ["dot"]],
  ["a.@x.com", "invalid", ["dot"]],
  ["a@x.com.", "invalid", ["dot"]],
  ["a@x\u200b.\u200b.com", "invalid", ["dot", "hidden_character"]],
  // RFC 5321 §4.1.2 and RFC 6531 §3.3: only characters of ASCII can be quoted by a backslash.
  ['"test\\©"@iana.org', "invalid", ["character"]],
  ['"a\\\\\\é"@x.com', "invalid", ["character"]],
  ["a@-x.com", "invalid", ["domain"]],
  ["a@x-.com", "invalid", ["domain"]],
  ["a@x_y.com", "too_broad", ["domain"]],
  ["a@[192.0.2]", "too_broad", ["address_literal"]],
  ["a@[192.0.2.1", "invalid", ["address_literal"]],
  ["a(comment)b@x.com", "invalid", ["character"]],
  ["(comment)a@x.com", "header_only", ["comment"]],
  [" a@x.com", "header_only", ["comment"]],
  ["a @x.com", "obsolete", ["comment"]],
  ['"a".b@x.com', "obsolete", ["obsolete"]],
  ['"a@x.com', "invalid", ["local_part"]],
  ["a\r\n@x.com", "invalid", ["comment"]],
  ["a@☃.com", "invalid", ["idna"]],
  ["a@xn--zz.com", "invalid", ["idna"]],
  ["a@xn--bcher--kva.com", "invalid", ["idna"]],
  [`${"a".repeat(65)}@x.com`, "too_broad", ["too_long"]],
  [`${"é".repeat(33)}@x.com`, "too_broad", ["too_long"]],
  [`a@${"b".repeat(64)}.com`, "too_broad", ["too_long"]],
  [`a@${"b".repeat(58)}é.com`, "too_broad", ["too_long"]],
  [`a@${"b.".repeat(126)}com`, "too_broad", ["too_long"]],
])("addresses with a mistake: %s is %s %p", async (email, diagnosis, codes) =>
  expect(await validate(email)).toMatchObject({
    is_valid: false,
    diagnosis,
    codes,
    ascii: null,
    is_disposable: null,
    delivery: null,
    dmarc: null,
  }),
)

const address = [{ A: "93.184.215.14" }]
const two: DnsZone = { "x.com": [{ MX: [2, "B.x.com"] }, { MX: [1, "a.x.com"] }] }
const both = ["1 a.x.com", "2 b.x.com"]

test.each<[string, DnsZone, boolean | null, string, string[]]>([
  ["the servers in their order", { ...two, "a.x.com": address }, true, "mx", both],
  ["a null MX", { "x.com": [{ MX: [0, "."] }, { A: "192.0.2.1" }] }, false, "null_mx", []],
  ["an address alone", { "x.com": [{ AAAA: "2001:db8::1" }] }, true, "implicit_mx", ["0 x.com"]],
  ["neither", { "x.com": [{ TXT: "a" }] }, false, "no_address", []],
  [
    "a mail server without an address",
    { "x.com": [{ MX: [1, "a.x.com"] }, ...address], "a.x.com": [{ TXT: "a" }] },
    false,
    "no_address",
    ["1 a.x.com"],
  ],
  ["a backup of IPv6 alone", { ...two, "b.x.com": [{ AAAA: "2606:2800:21f::1" }] }, true, "mx", both],
  ["a server without an answer", { ...two, "a.x.com": ["SERVFAIL"] }, null, "dns_failure", both],
  ["no domain", {}, false, "no_domain", []],
  ["no answer", { "x.com": ["SERVFAIL"] }, null, "dns_failure", []],
])("where mail goes: %s", async (_name, dns, is_accepting_mail, reason, servers) => {
  const { is_valid, delivery } = await validate("a@x.com", dns)
  expect(is_valid).toBe(true)
  expect(delivery).toMatchObject({ is_accepting_mail, reason } as never)
  expect(delivery?.mail_servers.map(({ preference, host }) => `${preference} ${host}`)).toEqual(servers)
})

test("where mail goes: an address in brackets has no domain to ask for", async () =>
  expect(await validate("a@[192.0.2.1]", { "[192.0.2.1]": ["SERVFAIL"] })).toMatchObject({
    delivery: null,
    dmarc: null,
    is_disposable: null,
  }))

test("where mail goes without premium fields nothing is asked", async () => {
  const dns = { resolve: () => Promise.reject(new Error("asked")), exchange: noExchange }
  expect(await validate("a@x.com", dns, false)).toMatchObject({ is_valid: true })
  await expect(validate("a@x.com", dns)).rejects.toThrow("asked")
})

const reject = "v=DMARC1; p=reject"

test.each<[string, Record<string, string>, object]>([
  ["none", {}, { has_record: false, policy: null, record_domain: null, record: null }],
  [
    "its own",
    { "a.b.com": "v=DMARC1; p=Quarantine", "b.com": reject },
    { has_record: true, policy: "quarantine", record_domain: "a.b.com", record: "v=DMARC1; p=Quarantine" },
  ],
  ["that of subdomains", { "b.com": "v=DMARC1;p=none;sp=reject" }, { policy: "reject" }],
  ["that of the domain above", { "b.com": reject }, { policy: "reject", record_domain: "b.com" }],
  ["one without p", { "a.b.com": "v=DMARC1; rua=mailto:a@b.com" }, { policy: "none" }],
  [
    "a public suffix says psd=y",
    { "b.com": reject, com: "v=DMARC1; p=none; psd=y" },
    { policy: "reject", record_domain: "b.com" },
  ],
  ["only of the public suffix", { com: "v=DMARC1; p=none; psd=y" }, { policy: "none", record_domain: "com" }],
  ["psd=n ends the walk", { "b.com": "v=DMARC1; p=none; psd=n", com: reject }, { record_domain: "b.com" }],
])("DMARC: %s", async (_name, records, dmarc) => {
  const dns = Object.entries(records).map(([domain, TXT]) => [`_dmarc.${domain}`, [{ TXT }]] as const)
  expect(await validate("x@a.b.com", Object.fromEntries(dns))).toMatchObject({ dmarc })
})

test.each<[string, DnsZone[string], object]>([
  ["two records count as none", [{ TXT: "v=DMARC1; p=none" }, { TXT: reject }], { has_record: false }],
  ["another text", [{ TXT: "v=DMARC10; p=none" }, { TXT: "v=spf1" }], { has_record: false }],
  ["no answer", ["TIMEOUT"], { has_record: null, policy: null }],
])("DMARC: %s", async (_name, entries, dmarc) =>
  expect(await validate("x@a.b.com", { "_dmarc.a.b.com": entries })).toMatchObject({ dmarc }),
)

test("DMARC: at most eight questions, the last of them for the highest domain", async () => {
  const asked: string[] = []
  const dns = {
    resolve: async (name: string, type: string) => {
      if (type === "TXT") asked.push(name)
      return { kind: "nodata" } as const
    },
    exchange: noExchange,
  }
  await validate(`x@${"a.".repeat(20)}com`, dns)
  expect(asked.map((name) => name.split(".").length - 1)).toEqual([21, 7, 6, 5, 4, 3, 2, 1])
})

test.each([
  ["mailinator.com", true],
  ["x.mailinator.com", true],
  ["example.com", false],
])("%s is disposable: %p", async (domain, expected) =>
  expect((await validate(`a@${domain}`)).is_disposable).toBe(expected),
)

test.each([
  ["Postmaster", true],
  ["support+fr", true],
  ["anna", false],
  ["information", false],
])("%s@ is that of a role: %p", async (local, expected) =>
  expect((await validate(`${local}@x.com`)).is_role).toBe(expected),
)

test("the date of the list is that of the package's version", () =>
  expect([packageJson.dependencies["disposable-email-domains-js"], builtInDisposable.date]).toEqual([
    "1.26.0",
    "2026-09-21",
  ]))

test("a newer list of disposable domains is read as it is published, with the day that a comment tells", async () => {
  const text = "# date: 2027-03-01\r\nMail.example\n\n  xn--bcher-kva.example\r\n# more\n"
  const list = readDisposableDomains(text)
  const domains = await list.domains()
  expect([list.date, ...domains]).toEqual(["2027-03-01", "mail.example", "xn--bcher-kva.example"])
  expect(readDisposableDomains("a.example").date).toBeNull()
})

test.each([
  ["", "the list has no domains"],
  ["# date: 2027-03-01\n", "the list has no domains"],
  ["a.example\n@b.example", "line 2: '@b.example' is not a domain such as mail.example"],
  ["a.example\n\nbücher.example", "line 3: 'bücher.example' is not a domain"],
  ["localhost", "line 1: 'localhost' is not a domain"],
  ["a..example", "line 1: 'a..example' is not a domain"],
  [`${"a".repeat(64)}.example`, `line 1: '${"a".repeat(50)}' is not a domain`],
  ['["a.example"]', `line 1: '["a.example"]' is not a domain`],
  ["a.example\u0000", "is not a domain"],
  ["# date: 2027-02-30\na.example", "the date of the list must be YYYY-MM-DD or YYYY-MM"],
])("a newer list of disposable domains: %j is refused: %s", (text, problem) =>
  expect(() => readDisposableDomains(text)).toThrow(problem),
)

test("any text is answered; what is valid is valid again in ASCII", async () => {
  const text = fc.oneof(
    fc.emailAddress(),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 320 }),
    fc.string({
      unit: fc.constantFrom(...'ab.@"\\()[]:< \té\u0301\u200b-\n\u0000'),
      minLength: 1,
      maxLength: 30,
    }),
  )
  await fc.assert(
    fc.asyncProperty(text, async (email) => {
      const { is_valid, ascii, local_part, domain, codes } = await validate(email, {}, false)
      if (codes.length === 0) expect(is_valid).toBe(true)
      if (ascii === null) return
      expect(ascii).toBe(`${local_part}@${domain}`)
      expect(ascii.length).toBeLessThanOrEqual(254)
      expect(await validate(ascii, {}, false)).toMatchObject({ is_valid: true, ascii })
    }),
    { numRuns: 500, seed: 26 },
  )
})

test("the longest input takes no time", async () => {
  for (const unit of ["(", '"', "\\", "a.", "@", "[", " ", "é", "xn--a.", '"\\'])
    expect(await validate(unit.repeat(320 / unit.length), {}, false)).toMatchObject({ is_valid: false })
})

test("it gives way once the library is there, since many calls may wait for it", async () => {
  let count = 0
  const giveWay = () => {
    count++
    return undefined
  }
  await emailvalidator.run({ email: "a@b.example" }, { ports: portsFor({}), giveWay, premium: false })
  expect(count).toBe(1)
})

test("invisible characters are named by their code points", async () => {
  const messages = async (email: string) => (await validate(email)).problems.map(({ message }) => message)
  expect(await messages("john@example.org\u200b")).toEqual(["The domain has invisible characters: U+200B."])
  expect(await messages("jo\u200dhn\u2060@x.com")).toEqual([
    "The local part has invisible characters: U+200D, U+2060.",
  ])
})

test.each([
  ["ann@gmial.com", "ann@gmail.com"],
  ["ann@GMAIL.CON", "ann@gmail.com"],
  ["ann+x@gmail.co", "ann+x@gmail.com"],
  ["ann@gmail", "ann@gmail.com"],
  ["ann@hotmal.con", "ann@hotmail.com"],
  ["ann@yahoo.co.ik", "ann@yahoo.co.uk"],
  ["ann@gmail.com.", "ann@gmail.com"],
  ["zoë@outlok.com", "zoë@outlook.com"],
  // These have mailboxes of their own, or are too different.
  ..."ann@gmail.com ann@mail.com ann@email.com ann@small.com ann@gmx.com ann@example.com ann@x.y"
    .split(" ")
    .map((email) => [email, null] as const),
  ...["a b@gmial.com", "gmial.com", "<ann@gmial.com>", "@gmial.com"].map((email) => [email, null] as const),
])("did you mean: %s is %p", async (email, suggestion) =>
  expect((await validate(email)).suggestion).toBe(suggestion),
)

test("a suggestion is valid, has none itself, and no well-known domain has one", async () => {
  const providers = "gmail.com yahoo.fr hotmail.com outlook.com icloud.com t-online.de"
  const domain = fc.constantFrom(...providers.split(" "))
  await fc.assert(
    fc.asyncProperty(domain, fc.nat(), fc.constantFrom(..."abcmor.", ""), async (name, at, character) => {
      expect((await validate(`ann@${name}`)).suggestion).toBeNull()
      const place = at % name.length
      const { suggestion } = await validate(`ann@${name.slice(0, place)}${character}${name.slice(place + 1)}`)
      if (suggestion !== null)
        expect(await validate(suggestion)).toMatchObject({ is_valid: true, suggestion: null })
    }),
    { numRuns: 200 },
  )
})
