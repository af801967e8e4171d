import fc from "fast-check"
import type { DnsZone, ZoneEntry } from "../../src/apis/contract.ts"

/** A zone with records that include, redirect to and look up each other, and a client to check against it. */
export interface RecordTree {
  readonly zone: DnsZone
  readonly ip: string
  readonly sender: string
  readonly helo: string
}

const domains = ["d0.example.com", "d1.example.com", "d2.example.com", "d3.example.net", "d4.example.net"]
const hosts = ["h0.example.com", "h1.example.com", "h2.example.net", "h3.example.net"]
const absent = ["no.example.org", "gone.example.com"]
const addresses4 = ["192.0.2.1", "192.0.2.77", "198.51.100.9", "203.0.113.200"]
const addresses6 = ["2001:db8::1", "2001:db8:0:1::9", "2001:db8:ffff::3"]

const qualifier = fc.constantFrom("", "", "", "+", "-", "~", "?")
const name = fc.constantFrom(...domains, ...hosts, ...absent)
const macro = fc.constantFrom(
  ..."%{d} %{i}.list.example.com %{ir}.%{v}.list.example.com %{l}.users.example.com".split(" "),
  ..."%{l1r-}.users.example.com %{o} %{h} %{d2} h0.%{d1r}.example.com".split(" "),
  ..."%{L}%%%_.users.example.com %{p} %{p2}.users.example.com".split(" "),
)
const target = fc.oneof({ weight: 5, arbitrary: name }, { weight: 1, arbitrary: macro })
const cidr = fc.constantFrom("", "", "/24", "/32", "/0", "//64", "/16//48", "//0")
const network = fc.oneof(
  fc
    .tuple(fc.constantFrom(...addresses4), fc.constantFrom("", "/24", "/16", "/31", "/0"))
    .map(([a, p]) => `ip4:${a}${p}`),
  fc
    .tuple(fc.constantFrom(...addresses6), fc.constantFrom("", "/64", "/32", "/127"))
    .map(([a, p]) => `ip6:${a}${p}`),
)
const mechanism = fc.oneof(
  { weight: 6, arbitrary: network },
  { weight: 4, arbitrary: fc.constantFrom(...domains, ...absent).map((domain) => `include:${domain}`) },
  { weight: 1, arbitrary: macro.map((domain) => `include:${domain}`) },
  { weight: 3, arbitrary: fc.tuple(target, cidr).map(([domain, prefix]) => `a:${domain}${prefix}`) },
  { weight: 2, arbitrary: cidr.map((prefix) => `a${prefix}`) },
  { weight: 2, arbitrary: fc.tuple(target, cidr).map(([domain, prefix]) => `mx:${domain}${prefix}`) },
  { weight: 1, arbitrary: cidr.map((prefix) => `mx${prefix}`) },
  { weight: 1, arbitrary: fc.constantFrom("ptr", "ptr:example.com", "ptr:h1.example.com") },
  { weight: 2, arbitrary: target.map((domain) => `exists:${domain}`) },
  { weight: 1, arbitrary: fc.constant("all") },
)
/** Terms that break a record, or look as if they did. */
const oddity = fc.constantFrom(
  ..."x=y redirect:d1.example.com ip4:192.0.2.1/33 ip4:192.0.2.01 ip6:2001:db8::/129 a:single".split(" "),
  ..."include: all: exists:%{x} exists:%{d0}.example.com 1x=y moo A:H0.EXAMPLE.COM".split(" "),
)
const directive = fc.tuple(qualifier, mechanism).map(([sign, text]) => `${sign}${text}`)
const ending = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("-all", "~all", "?all", "") },
  { weight: 2, arbitrary: fc.constantFrom(...domains, ...absent).map((domain) => `redirect=${domain}`) },
  { weight: 1, arbitrary: fc.constantFrom("exp=exp.example.com -all", "-all exp=%{o}.exp.example.com") },
)
const record = fc
  .tuple(fc.array(directive, { maxLength: 6 }), rarely(oddity, ""), ending)
  .map(([terms, odd, end]) => ["v=spf1", ...terms, odd, end].filter((term) => term !== "").join(" "))

const addressEntries = fc
  .tuple(fc.subarray(addresses4, { maxLength: 2 }), fc.subarray(addresses6, { maxLength: 2 }))
  .map(([four, six]): ZoneEntry[] => [...four.map((A) => ({ A })), ...six.map((AAAA) => ({ AAAA }))])
const mxEntries = fc
  .array(fc.tuple(fc.constantFrom(0, 10, 20), fc.constantFrom(...hosts, ...absent, "")), { maxLength: 3 })
  .map((list): ZoneEntry[] => list.map((MX) => ({ MX })))
const trouble = rarely(fc.constantFrom<ZoneEntry>("SERVFAIL", "TIMEOUT"), null)

const domainNode = fc
  .tuple(fc.option(record, { freq: 10, nil: null }), addressEntries, mxEntries, trouble)
  .map(([text, addresses, exchangers, failure]): ZoneEntry[] =>
    failure !== null ? [failure] : [...(text === null ? [] : [{ TXT: text }]), ...addresses, ...exchangers],
  )
const hostNode = fc
  .tuple(addressEntries, trouble)
  .map(([addresses, failure]): ZoneEntry[] => (failure !== null ? [failure] : addresses))

function rarely<T, N>(arbitrary: fc.Arbitrary<T>, otherwise: N): fc.Arbitrary<T | N> {
  return fc.oneof({ weight: 15, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary })
}

/** Trees whose first domain is d0.example.com. */
export const recordTrees: fc.Arbitrary<RecordTree> = fc
  .record({
    domains: fc.tuple(...domains.map(() => domainNode)),
    hosts: fc.tuple(...hosts.map(() => hostNode)),
    names: fc.subarray([...hosts, ...domains], { maxLength: 3 }),
    ip: fc.constantFrom(...addresses4, ...addresses6, "::ffff:192.0.2.77"),
    localPart: fc.constantFrom("ann", "bob-smith", "a.b"),
    helo: fc.constantFrom(...hosts, "mail.example.org"),
  })
  .map((drawn) => {
    const zone: Record<string, readonly ZoneEntry[]> = {
      "ann.users.example.com": [{ A: "127.0.0.2" }],
      "bob.users.example.com": [{ A: "127.0.0.2" }],
      "192.0.2.1.list.example.com": [{ A: "127.0.0.2" }],
      "1.2.0.192.in-addr.list.example.com": [{ A: "127.0.0.2" }],
      "exp.example.com": [{ TXT: "%{c} is not for %{s} (%{h})" }],
      "d0.example.com.exp.example.com": [{ TXT: "Not %{l1r-}, says %{O}" }],
    }
    for (const [index, entries] of drawn.domains.entries()) zone[domains[index] ?? ""] = entries
    for (const [index, entries] of drawn.hosts.entries()) zone[hosts[index] ?? ""] = entries
    const pointers = drawn.names.map((PTR): ZoneEntry => ({ PTR }))
    zone["1.2.0.192.in-addr.arpa"] = pointers
    zone["1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"] = pointers
    const { ip, helo, localPart } = drawn
    return { zone, ip, helo, sender: `${localPart}@d0.example.com` }
  })
