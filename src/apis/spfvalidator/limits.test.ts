/** Records made by an attacker reach each limit and never exceed it. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { answering, contextWith, recording, txt, validateIn } from "../../../test/spf/support.ts"
import { anyCharacter } from "../../../test/support/any-character.ts"
import type { Dns, DnsAnswer, DnsType, RunContext } from "../contract.ts"
import { createLookups } from "../mail/look-up.ts"
import { limits } from "./record.ts"
import { validate } from "./validate.ts"

const nodata: DnsAnswer = { kind: "nodata" }
const client = { ip: "192.0.2.1", sender: `${"a-".repeat(150)}@d.example`, helo: "h.example" }

/** A DNS in which `record` makes the record of every name. */
const dnsOf = (
  record: (name: string) => string,
  other: (name: string, type: DnsType) => DnsAnswer = () => nodata,
) => recording(answering((name, type) => (type === "TXT" ? txt(record(name)) : other(name, type))))

async function attack(dns: Dns & { readonly questions: string[] }, input: Partial<typeof client> = client) {
  const report = await validateIn(dns, { domain: "d.example", ...input })
  expect(dns.questions.length).toBeLessThanOrEqual(limits.queries)
  expect(new Set(dns.questions).size).toBe(dns.questions.length)
  expect(report.issues_found.length).toBeLessThanOrEqual(limits.issues)
  return report
}

test("the size of the tree: a record that includes ever more domains: treeRecords; further terms are counted without look-ups", async () => {
  const dns = dnsOf(
    (name) => `v=spf1 ${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `include:${n}.${name}`).join(" ")} -all`,
  )
  const report = await attack(dns)
  expect(report.spf_records_list).toHaveLength(limits.treeRecords)
  expect(report.dns_lookups_num).toBe(10 * limits.treeRecords)
  expect([report.ip_result, report.spf_valid]).toEqual(["permerror", false])
  expect(report.issues_found[0]).toMatchObject({ code: "TOO_MANY_LOOKUPS", severity: "error" })
  expect(report.issues_found[0]?.message).toContain(`at least ${10 * limits.treeRecords} DNS look-ups`)
})

test("the size of the tree: an endless chain: treeDepth", async () => {
  const dns = dnsOf((name) => `v=spf1 redirect=x.${name}`)
  const report = await attack(dns)
  expect(report.spf_records_list).toHaveLength(1 + limits.treeDepth)
  expect(dns.questions).toHaveLength(1 + limits.treeDepth)
  expect(report.issues_found[0]).toMatchObject({ code: "TOO_MANY_LOOKUPS" })
})

test("the size of the tree: domains that all include each other: each is walked once", async () => {
  const names = Array.from({ length: 25 }, (_, n) => `n${n}.example`)
  const report = await attack(dnsOf(() => `v=spf1 ${names.map((name) => `include:${name}`).join(" ")} -all`))
  expect(report.spf_records_list).toHaveLength(26)
  expect(report.spf_valid).toBe(false)
})

test("the size of the tree: more look-ups than a number can hold exactly: the count stays a safe integer", async () => {
  // Ten levels of 230 includes each are 230¹⁰ look-ups.
  const dns = dnsOf((name) => {
    const level = name === "d.example" ? 0 : name.charCodeAt(0) - 96
    return `v=spf1${` include:${String.fromCharCode(97 + level)}.b`.repeat(230)} -all`
  })
  const report = await attack(dns)
  expect(report.spf_records_list).toHaveLength(1 + limits.treeDepth)
  expect(report.dns_lookups_num).toBe(Number.MAX_SAFE_INTEGER)
  const least = `The record needs at least ${Number.MAX_SAFE_INTEGER} DNS look-ups`
  expect(report.issues_found[0]?.message).toStartWith(least)
})

const words = (count: number, term: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => term(n)).join(" ")

test("the number of questions: hundreds of terms: treeTerms; further terms are counted without look-ups", async () => {
  const dns = dnsOf(() => `v=spf1 ${words(400, (n) => `a:${n}.x.example`)} -all`)
  const report = await attack(dns, {})
  expect(dns.questions).toHaveLength(1 + 2 * limits.treeTerms)
  expect(report.dns_lookups_num).toBe(400)
  expect(report.issues_found[0]?.message).toStartWith("The record needs 400 DNS look-ups")
})

test("the number of questions: hosts, records and explanations together: treeQueries", async () => {
  const dns = dnsOf((name) => {
    const level = Number(/^r(\d+)\./.exec(name)?.[1] ?? 0)
    if (name.startsWith("i")) return "v=spf1 -all"
    const first =
      level === 0
        ? `${words(10, (n) => `a:${n}.x.example`)} ${words(19, (n) => `include:i${n}.example`)}`
        : ""
    return `v=spf1 ${first} exp=e.${name} redirect=r${level + 1}.example`
  })
  expect((await attack(dns, {})).spf_records_list).toHaveLength(limits.treeRecords)
  expect(dns.questions).toHaveLength(limits.treeQueries)
})

test("the number of questions: many mail exchangers: mxHosts per term, and mxHostQueries in all", async () => {
  const exchangers = (name: string): DnsAnswer => ({
    kind: "records",
    records: Array.from({ length: 10 }, (_, n) => ({ preference: 10 - n, exchange: `${n}.${name}` })),
    messageBytes: 0,
  })
  const hostsOf = async (count: number) => {
    const dns = dnsOf(
      () => `v=spf1 ${words(count, (n) => `mx:m${n}.example`)} -all`,
      (name, type) =>
        type === "MX" ? exchangers(name) : { kind: "records", records: ["203.0.113.1"], messageBytes: 0 },
    )
    await attack(dns, {})
    return dns.questions.filter((question) => question.startsWith("A"))
  }
  const hosts = [9, 8, 7, 6, 5].flatMap((n) => [`A ${n}.m0.example`, `AAAA ${n}.m0.example`])
  expect(await hostsOf(1)).toEqual(hosts)
  expect((await hostsOf(1)).length).toBe(2 * limits.mxHosts)
  expect((await hostsOf(10)).length).toBe(limits.mxHostQueries)
})

test("the number of questions: the most that an ip adds: ten terms, ten exchangers each, ten host names", async () => {
  const record = `v=spf1 ${words(10, (n) => `mx:%{p}.${n}.example`)} ${words(400, (n) => `a:${n}.x.example`)} -all`
  const dns = dnsOf(
    () => record,
    (name, type) => {
      if (type === "MX") {
        const records = Array.from({ length: 10 }, (_, n) => ({ preference: n, exchange: `${n}.${name}` }))
        return { kind: "records", records, messageBytes: 0 }
      }
      if (type !== "PTR") return { kind: "records", records: ["203.0.113.1"], messageBytes: 0 }
      const records = Array.from({ length: 99 }, (_, n) => `p${n}.example`)
      return { kind: "records", records, messageBytes: 0 }
    },
  )
  expect((await attack(dns)).ip_result).toBe("permerror")
  expect(dns.questions.length).toBeGreaterThan(2 * limits.treeQueries)
  expect(dns.questions.filter((question) => question.startsWith("PTR"))).toHaveLength(1)
  expect(dns.questions.filter((question) => /^A p\d+\.example$/.test(question))).toHaveLength(limits.ptrNames)
})

test("queries: further names are not asked for, and known names are still answered", async () => {
  const dns = recording(answering(() => ({ kind: "nxdomain" })))
  const lookups = createLookups(dns, new AbortController().signal, limits.queries)
  const names = Array.from({ length: limits.queries + 5 }, (_, n) => `${n}.example`)
  const asked = [...names, "0.EXAMPLE", "a..example"]
  const answers = await Promise.all(asked.map((name) => lookups.ask(name, "A")))
  expect(dns.questions).toHaveLength(limits.queries)
  expect(answers.slice(limits.queries)).toEqual([
    ...Array.from({ length: 5 }, () => ({ kind: "failure", reason: "aborted" }) as const),
    { kind: "nxdomain" },
    { kind: "nxdomain" },
  ])
})

const filler = (bytes: number) => Array.from({ length: bytes / 100 }, (_, n) => `${n}`.padEnd(100, "x"))

test("the size of all records: reportTextBytes and checkTextBytes: all TXT records count, and exceeding them is a permerror", async () => {
  const more = (name: string) => txt(`v=spf1 include:x.${name} ip4:203.0.113.1 -all`, ...filler(10_000))
  const dns = recording(answering((name, type) => (type === "TXT" ? more(name) : nodata)))
  const report = await attack(dns)
  const origins = report.spf_records_list.map(({ origin }) => origin)
  expect(origins).toEqual(["d.example", "x.d.example", "x.x.d.example"])
  expect([report.ip_result, report.spf_valid]).toEqual(["permerror", false])
  expect(report.issues_found).toContainEqual(
    expect.objectContaining({
      code: "RECORD_TOO_LARGE",
      domain: "x.x.d.example",
      term: "include:x.x.x.d.example",
      message: expect.stringContaining("The TXT records at 'x.x.x.d.example' have "),
    }),
  )
  // A record that is not read leads nowhere.
  expect(dns.questions).not.toContain("TXT x.x.x.x.d.example")
})

test("the size of all records: the domain's own TXT records can exceed them too", async () => {
  const records = txt("v=spf1 -all", ...filler(40_000))
  const report = await attack(recording(answering((_, type) => (type === "TXT" ? records : nodata))))
  expect(report).toMatchObject({ has_spf_record: false, spf_valid: false })
  expect(report).toMatchObject({ ip_result: "permerror", risk_score: 100 })
  expect(report.issues_found).toMatchObject([{ code: "RECORD_TOO_LARGE", severity: "error", term: null }])
  expect(report.issues_found[0]?.message).toContain("TXT records have 40011 bytes")
})

test("the size of all records: a domain that is included twice counts once", async () => {
  const dns = recording(
    answering((name, type) =>
      type !== "TXT"
        ? nodata
        : txt(
            name === "d.example" ? "v=spf1 include:e.example include:e.example -all" : "v=spf1 ~all",
            ...filler(15_000),
          ),
    ),
  )
  expect(await attack(dns)).toMatchObject({ ip_result: "fail", spf_valid: true })
})

/** A run that waits before each of its steps. */
function slow(dns: Dns, onTurn: () => void): RunContext {
  return { ...contextWith(dns), giveWay: async () => onTurn() }
}
const nested = (name: string) =>
  `v=spf1 ${/^x\.x/.test(name) ? "" : `include:x.${name} include:y.${name}`} -all`

test("giving way: other calls get a turn before each domain is read", async () => {
  let turns = 0
  const dns = dnsOf(nested)
  const { signal } = new AbortController()
  const report = await validate(
    { domain: "d.example" },
    slow(dns, () => turns++),
    signal,
  )
  expect(report.spf_records_list.length).toBeGreaterThan(4)
  expect(turns).toBe(report.spf_records_list.length)
})

test("giving way: nothing is read or asked when the time limit is reached during such a turn", async () => {
  const limit = new AbortController()
  const dns = dnsOf(nested)
  const report = await validate(
    { domain: "d.example", ip: client.ip },
    slow(dns, () => {
      if (dns.questions.length > 1) limit.abort()
    }),
    limit.signal,
  )
  expect(report.spf_records_list).toHaveLength(1)
  expect([report.ip_result, report.spf_valid]).toEqual(["temperror", false])
  expect(dns.questions.filter((question) => /[xy]\.[xy]/.test(question))).toEqual([])
})

test("the size of a record: recordBytes and recordTerms: a permerror without any look-up", async () => {
  const tooLong = `v=spf1 x=${"y".repeat(limits.recordBytes)}`
  for (const record of [tooLong, `v=spf1${" a".repeat(limits.recordTerms + 1)}`]) {
    const dns = dnsOf(() => record)
    const report = await attack(dns)
    expect(dns.questions).toEqual(["TXT d.example"])
    expect([report.ip_result, report.spf_valid, report.dns_lookups_num]).toEqual(["permerror", false, 0])
    const found = report.issues_found.map(({ code, severity }) => `${code} ${severity}`)
    expect(found).toContain("RECORD_TOO_LARGE error")
  }
})

test("the size of a record: issues and termCharacters: an answer stays small", async () => {
  const term = `%${"x".repeat(1000)}`
  const dns = dnsOf((name) => `v=spf1 ${`a:${term} `.repeat(7)}${"a ".repeat(300)}include:x.${name} -all`)
  const report = await attack(dns, {})
  expect(report.issues_found).toHaveLength(limits.issues)
  for (const issue of report.issues_found) {
    expect(issue.term?.length ?? 0).toBeLessThanOrEqual(limits.termCharacters)
    expect(issue.message.length).toBeLessThan(1000)
  }
})

test("the size of a record: explanationBytes: a longer explanation is dropped", async () => {
  const explained = (text: string) =>
    answering((name, type) =>
      type !== "TXT" ? nodata : txt(name === "e.example" ? text : "v=spf1 exp=e.example -all"),
    )
  const result = async (text: string) => (await attack(recording(explained(text)))).ip_explanation
  expect(await result("x".repeat(limits.explanationBytes))).toHaveLength(limits.explanationBytes)
  expect(await result("x".repeat(limits.explanationBytes + 1))).toBeUndefined()
  expect(await result("%{s}".repeat(20))).toBeUndefined()
})

// Work that grows with the square of a record's length would exceed the time limit of the test many times.
const largest = (unit: (n: number) => string) => {
  let record = "v=spf1"
  const fits = (n: number) => record.length + unit(n).length + 30 < limits.recordBytes
  for (let n = 0; n < limits.recordTerms - 2 && fits(n); n++) record += ` ${unit(n)}`
  return record
}

test.each([
  ["macros", largest(() => `exists:${"%{s9r-}".repeat(100)}`)],
  ["one long label", largest(() => `a:x.${"a".repeat(7900)}!`)],
  ["one long row of digits", largest(() => `a:x.example/${"9".repeat(7900)}x`)],
  ["networks of every length", largest((n) => `ip6:::/${n % 129}`)],
  ["dots", largest(() => `a:${".".repeat(7900)}`)],
  ["slashes", largest(() => `a${"/1".repeat(3900)}x`)],
  ["blanks", `v=spf1${" ".repeat(8000)}`],
])(
  "the time it takes to compute: %s: as many records of it as are read, ten times",
  async (_title, record) => {
    for (let time = 0; time < 10; time++) {
      const dns = dnsOf((name) => `${record} include:x.${name} include:y.${name}`)
      expect((await attack(dns)).spf_records_list.length).toBeGreaterThan(2)
    }
  },
  60_000,
)

test("whatever bytes the DNS answers, the validation stays within its limits and gives a report", async () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1"))
  const term = fc.constantFrom(
    ..."a|mx|ptr|include:|exists:|redirect=|exp=|%{p}|%{l}|%{d}|.x|.example| |/0|-all|\xe9".split("|"),
  )
  const record = fc
    .oneof(
      bytes,
      fc.array(term, { maxLength: 30 }).map((terms) => terms.join("")),
    )
    .map((text) => `v=spf1 ${text}`)
  const text = fc.oneof(record, bytes)
  const answer = fc.oneof(
    fc.constant<DnsAnswer>(nodata),
    fc.constant<DnsAnswer>({ kind: "nxdomain" }),
    fc.constant<DnsAnswer>({ kind: "failure", reason: "servfail" }),
  )
  const zones = fc.record({
    texts: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
    root: record,
    exchangers: fc.array(fc.record({ preference: fc.nat(65535), exchange: bytes }), { maxLength: 12 }),
    names: fc.array(bytes, { maxLength: 12 }),
    other: answer,
  })
  await fc.assert(
    fc.asyncProperty(
      zones,
      fc.string({ unit: anyCharacter, maxLength: 100 }),
      async ({ texts, root, exchangers, names, other }, sender) => {
        const pick = <T>(list: readonly T[], name: string) => list[name.length % list.length]
        const dns = answering((name, type): DnsAnswer => {
          if (type === "TXT") return txt(...(name === "d.example" ? [root] : (pick(texts, name) ?? [])))
          if (type === "MX" && exchangers.length > 0)
            return { kind: "records", records: exchangers, messageBytes: 0 }
          if (type === "PTR" && names.length > 0) return { kind: "records", records: names, messageBytes: 0 }
          return other
        })
        const report = await attack(recording(dns), { ip: "2001:db8::1", sender, helo: sender })
        expect(report.host).toBe("d.example")
        expect(["none", "neutral", "pass", "fail", "softfail", "temperror", "permerror"]).toContain(
          report.ip_result ?? "",
        )
        expect(report.spf_records_list.length).toBeLessThanOrEqual(limits.treeRecords * 3)
      },
    ),
    { numRuns: 100 },
  )
})
