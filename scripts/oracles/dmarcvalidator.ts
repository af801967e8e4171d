import fc from "fast-check"
import {
  createRecordLookup,
  discoverPolicy,
  domainExists,
  getPolicyTags,
} from "mailauth/lib/dmarc/get-dmarc-record.js"
import mailauth from "mailauth/package.json" with { type: "json" }
import type { DnsType, DnsZone, ZoneEntry } from "../../src/apis/contract.ts"
import { dmarcvalidator } from "../../src/apis/dmarcvalidator/index.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { ask, defineOracle } from "./oracle.ts"

interface Case {
  readonly domain: string
  readonly zone: DnsZone
}
interface Answer {
  readonly recordDomain: string | null
  readonly organizational: string | null
  readonly policy: string | null
  readonly isInDns: boolean
}

const policy = fc.constantFrom("none", "quarantine", "reject", "Reject", "x")
const tag = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant("p"), policy) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom("sp", "np", "SP"), policy) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("psd"), fc.constantFrom("y", "n", "u", "Y", "x")) },
  fc.tuple(
    fc.constant("rua"),
    fc.constantFrom("mailto:a@b.c", "a@b.c", "mailto:a@b.c , https://b.c", "x,mailto:a@b.c"),
  ),
  fc.tuple(fc.constantFrom("t", "pct", "adkim"), fc.constantFrom("y", "s", "20")),
)
const separator = fc.constantFrom(";", "; ", " ;\t")
const record = fc
  .tuple(
    fc.constantFrom("v=DMARC1", "V = DMARC1", "v=DMARC1", "v=dmarc1", "v=DMARC10", "v=spf1"),
    fc.uniqueArray(tag, { maxLength: 5, selector: ([name]) => name.toLowerCase() }),
    separator,
    fc.boolean(),
  )
  .map(([version, tags, between, ends]) => {
    const written = tags.map(([name, value]) => `${between}${name}=${value}`)
    return `${version}${written.join("")}${ends ? ";" : ""}`
  })
const labels = "a b c d e f g h i j".split(" ")
const name = fc.nat(labels.length - 1).map((first) => labels.slice(first).join("."))

const generate = fc
  .record({
    domain: name.filter((text) => text.includes(".")),
    records: fc.uniqueArray(fc.tuple(name, fc.array(record, { minLength: 1, maxLength: 2 })), {
      maxLength: 4,
      selector: ([owner]) => owner,
    }),
    own: fc.constantFrom<readonly ZoneEntry[] | null>(
      null,
      [],
      [{ A: "192.0.2.1" }],
      [{ CNAME: "gone.test" }],
    ),
  })
  .map(({ domain, records, own }): Case => {
    const texts = records.map(([owner, list]) => [`_dmarc.${owner}`, list.map((TXT) => ({ TXT }))])
    return { domain, zone: Object.fromEntries([...texts, ...(own ? [[domain, own]] : [])]) }
  })

/** The zone in the form of node:dns, which mailauth takes. */
function resolverOf(zone: DnsZone) {
  const dns = createZoneDns(zone)
  return async (asked: string, type: string): Promise<unknown[]> => {
    const answer = await dns.resolve(asked, type as Extract<DnsType, "A" | "TXT" | "CNAME">)
    if (answer.kind === "records") return answer.records.map((text) => (type === "TXT" ? [text] : text))
    throw Object.assign(new Error(asked), { code: answer.kind === "nodata" ? "ENODATA" : "ENOTFOUND" })
  }
}

async function mailauthAnswer({ domain, zone }: Case): Promise<Answer> {
  const resolver = resolverOf(zone)
  const { record, recordDomain, orgDomain } = await discoverPolicy(domain, createRecordLookup(resolver))
  const isInDns = await domainExists(domain, resolver)
  const tags = record === false ? null : getPolicyTags(record)
  const below = tags && (isInDns ? (tags.sp ?? tags.p) : (tags.np ?? tags.sp ?? tags.p))
  return {
    recordDomain,
    organizational: orgDomain,
    policy: recordDomain === domain ? (tags?.p ?? null) : below,
    isInDns,
  }
}

/** Its answers where records of top-level names without a psd that counts say psd=y. */
const answersWithSuffix = new Map<Case, Answer>()

function withSuffix(zone: Case["zone"]): Case["zone"] {
  const entries = Object.entries(zone).map(([name, records]) => {
    const isTop = name.startsWith("_dmarc.") && name.split(".").length === 2
    return [
      name,
      isTop
        ? records.map((one) =>
            typeof one === "object" && "TXT" in one ? { TXT: addPsd(String(one.TXT)) } : one,
          )
        : records,
    ]
  })
  return Object.fromEntries(entries)
}

function addPsd(text: string): string {
  if (/psd\s*=\s*[yn]\b/i.test(text)) return text
  return `${text
    .replace(/psd\s*=[^;]*/gi, "")
    .replace(/[\s;]+$/, "")
    .replace(/;[\s;]*;/g, ";")};psd=y`
}

export const oracle = defineOracle<Case, Answer>({
  api: "dmarcvalidator",
  against: "mailauth",
  cases: 10_000,
  generate,
  version: async () => mailauth.version,
  async ours({ domain, zone }) {
    const answer = await ask(dmarcvalidator, { domain }, { ...portsFor({}), dns: createZoneDns(zone) })
    return {
      recordDomain: answer?.record_domain ?? null,
      organizational: answer?.organizational_domain ?? null,
      policy: answer?.policy ?? null,
      isInDns: answer?.is_in_dns ?? false,
    }
  },
  async theirs(tests) {
    for (const test of tests)
      answersWithSuffix.set(test, await mailauthAnswer({ ...test, zone: withSuffix(test.zone) }))
    return Promise.all(tests.map(mailauthAnswer))
  },
  known: [
    {
      reason:
        "a top-level name without psd is a public suffix here: as an organizational domain (RFC 9989 §4.10.2) it would let all domains below it pass for each other; with psd=y the answer of mailauth is ours",
      fits: (test, our, their) =>
        their.organizational?.includes(".") === false && Bun.deepEquals(our, answersWithSuffix.get(test)),
    },
  ],
})
