import fc from "fast-check"
import type { DnsZone } from "../../src/apis/contract.ts"
import { reversedns } from "../../src/apis/reversedns/index.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { fromBytes, parseAddress, toReverseName } from "../../src/values/ip.ts"
import { startDnsServer } from "../../test/support/dns-server.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { ask, debianVersion, defineOracle, dig } from "./oracle.ts"

interface Case {
  readonly ip: string
  /** The names of the address, and whether each has it. */
  readonly names: readonly { readonly has: boolean; readonly others: readonly string[] }[]
}
interface Answer {
  readonly names: readonly { readonly addresses: readonly string[]; readonly confirmed: boolean }[]
}

/** Without a bias to small values: all addresses of a run are in one zone, so each must be another one. */
const address = fc
  .constantFrom(4, 16)
  .chain((length) => fc.noBias(fc.uint8Array({ minLength: length, maxLength: length })))
  .map((bytes) => fromBytes(bytes).toString())
const generate = address.chain((ip) => {
  const other = ip.includes(":")
    ? fc.constantFrom("2001:db8::1", "2001:db8::2")
    : fc.constantFrom("192.0.2.1", "192.0.2.2")
  const names = fc.array(fc.record({ has: fc.boolean(), others: fc.uniqueArray(other) }), { maxLength: 4 })
  return fc.record({ ip: fc.constant(ip), names })
})

/** The records of a case; the names end in the number of the case. */
function zoneOf({ ip, names }: Case, label: string): DnsZone {
  const parsed = parseAddress(ip)
  if (parsed === null) throw new Error(`${ip} is no address`)
  const entry = (text: string) => (text.includes(":") ? { AAAA: text } : { A: text })
  const hosts = names.map(({ has, others }, index) => {
    return [`n${index}.${label}.test`, [...(has ? [ip] : []), ...others].map(entry)] as const
  })
  return Object.fromEntries([[toReverseName(parsed), hosts.map(([PTR]) => ({ PTR }))], ...hosts])
}

export const oracle = defineOracle<Case, Answer>({
  api: "reversedns",
  against: "dig -x",
  cases: 2_000,
  generate,
  version: () => debianVersion("bind9-dnsutils"),
  async ours(test) {
    const dns = createZoneDns(zoneOf(test, "case"))
    const answer = await ask(reversedns, { ip: test.ip }, { ...portsFor({}), dns })
    const names = answer?.names ?? []
    return {
      names: names.map(({ ips, is_confirmed }) => ({
        addresses: ips.toSorted(),
        confirmed: is_confirmed === true,
      })),
    }
  },
  async theirs(tests) {
    const zones = tests.map((test, index) => zoneOf(test, `c${index}`))
    const server = await startDnsServer(Object.assign({}, ...zones))
    try {
      const answers = new Map<string, string[]>()
      const add = async (questions: readonly string[]) => {
        for (const line of await dig(server.port, questions)) {
          const [owner, , , type, value = ""] = line.split(/\s+/)
          const key = `${owner} ${type}`
          answers.set(key, [...(answers.get(key) ?? []), value])
        }
      }
      await add(tests.map(({ ip }) => `-x ${ip}`))
      await add([...answers.values()].flat().flatMap((host) => [`${host} A`, `${host} AAAA`]))
      return tests.map(({ ip }) => {
        const parsed = parseAddress(ip)
        const reverse = parsed ? `${toReverseName(parsed)}. PTR` : ""
        const type = ip.includes(":") ? "AAAA" : "A"
        const names = (answers.get(reverse) ?? []).map((host) => answers.get(`${host} ${type}`) ?? [])
        const normal = names.map((list) => list.map((one) => String(parseAddress(one))))
        return { names: normal.map((list) => ({ addresses: list.toSorted(), confirmed: list.includes(ip) })) }
      })
    } finally {
      await server.stop()
    }
  },
  known: [],
})
