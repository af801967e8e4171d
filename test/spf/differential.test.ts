/** Results are compared with those of an independent implementation, mailauth, on the same zones. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import type { DNSResolver } from "mailauth"
import { spf } from "mailauth/lib/spf/index.js"
import type { Dns } from "../../src/apis/contract.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { type RecordTree, recordTrees } from "./record-trees.ts"
import { validateIn } from "./support.ts"

test("500 generated record trees give the result and the explanation that mailauth gives", async () => {
  const results = new Map<string, number>()
  let explanations = 0
  let explained = 0
  await fc.assert(
    fc.asyncProperty(recordTrees, async (tree) => {
      const dns = createZoneDns(tree.zone)
      const { ip, sender, helo } = tree
      const ours = await validateIn(dns, { domain: "d0.example.com", ip, sender, helo })
      const theirs = await spf({ sender, ip, helo, mta: "unknown", strict: true, resolver: toResolver(dns) })

      const expected = { result: theirs.status.result, explanation: theirs.explanation }
      const actual = { result: ours.ip_result, explanation: ours.ip_explanation }
      const isEqual = Bun.deepEquals(actual, expected)
      if (!isEqual && isAboutValidatedName(tree, ours.ip_result, theirs.status.result)) explained++
      else expect(actual).toEqual(expected as never)

      results.set(expected.result, (results.get(expected.result) ?? 0) + 1)
      if (actual.explanation !== undefined) explanations++
    }),
    { numRuns: 500 },
  )
  // The trees must give every result.
  expect([...results.keys()].sort()).toEqual("fail neutral none pass permerror softfail temperror".split(" "))
  expect(Math.min(...results.values())).toBeGreaterThan(15)
  expect(explanations).toBeGreaterThan(10)
  expect(explained).toBeLessThan(5)
}, 300_000)

/**
 * The one difference, explained. The limits of RFC 7208 §4.6.4 count terms, so the PTR question of a `p` macro is
 * neither a look-up nor a void one; mailauth counts it. And where no name is validated, `%{p}` is "unknown" (§7.3), a
 * single label that is asked for like any other name, since names are not checked again after expansion (§7.1, §4.8);
 * mailauth does not ask. Either way one of the two reaches a limit, a permerror, where the other does not.
 */
const isAboutValidatedName = ({ zone }: RecordTree, ours: string | undefined, theirs: string): boolean =>
  JSON.stringify(zone).includes("%{p") && (ours === "permerror" || theirs === "permerror")

/** A zone as a resolver in the form of node:dns, which mailauth takes. */
function toResolver(dns: Dns): DNSResolver {
  const resolve = async (name: string, type: string): Promise<unknown[]> => {
    const answer = await dns.resolve(name, type as "A" | "AAAA" | "MX" | "PTR" | "TXT")
    if (answer.kind === "failure") throw Object.assign(new Error(answer.reason), { code: "ESERVFAIL" })
    if (answer.kind !== "records") {
      throw Object.assign(new Error(name), { code: answer.kind === "nodata" ? "ENODATA" : "ENOTFOUND" })
    }
    return answer.records.map((data) => {
      if (typeof data !== "string") return { priority: data.preference, exchange: data.exchange }
      return type === "TXT" ? [data] : data
    })
  }
  return resolve as DNSResolver
}
