/** Records full of names that no server answers for must not delay another caller's validation. */
import { expect, test } from "bun:test"
import type { DnsZone, ZoneEntry } from "../../src/apis/contract.ts"
import { limits } from "../../src/apis/spfvalidator/record.ts"
import { validate } from "../../src/apis/spfvalidator/validate.ts"
import { resolverFor, throughSilence, useDns } from "../support/resolver.ts"
import { until } from "../support/until.ts"
import { contextWith } from "./support.ts"

const bursts = 60
const namesEach = 75
const names = (burst: number) => Array.from({ length: namesEach }, (_, n) => `s${n}.b${burst}.example`)
const silent: readonly ZoneEntry[] = ["TIMEOUT"]

const zone: DnsZone = {
  "honest.example": [
    { TXT: "v=spf1 mx a:www.honest.example include:one.example -all" },
    { MX: [10, "m.honest.example"] },
  ],
  "www.honest.example": [{ A: "93.184.215.14" }],
  "m.honest.example": [{ A: "93.184.215.15" }],
  "one.example": [{ TXT: "v=spf1 include:two.example ~all" }],
  "two.example": [{ TXT: "v=spf1 ip4:93.184.216.0/24 ~all" }],
}
for (let burst = 0; burst < bursts; burst++) {
  const terms = names(burst).map((name) => `a:${name}`)
  Object.assign(zone, { [`b${burst}.example`]: [{ TXT: `v=spf1 ${terms.join(" ")} -all` }] })
  for (const name of names(burst)) Object.assign(zone, { [name]: silent })
}

const { serve } = useDns(zone)

async function startResolver() {
  const server = await serve()
  // No silent question ends before the test does, so none makes room for another.
  return { server, dns: resolverFor([server], { queryTimeoutMs: 600_000 }) }
}

test("an honest validation is answered while sixty with silent names wait", async () => {
  const { server, dns } = await startResolver()
  const end = new AbortController()
  // One signal each, as calls have it.
  const run = (domain: string) => validate({ domain }, contextWith(dns), AbortSignal.any([end.signal]))
  let ended = 0
  const waiting = Array.from({ length: bursts }, (_, burst) => run(`b${burst}.example`).then(() => ended++))
  // Each has read its record and asked for two addresses of ten names.
  const asked = bursts * (1 + 2 * limits.treeTerms)
  await until(() => dns.stats().cacheMisses >= asked)

  // Time moves on, since the server's socket may lose some of so many datagrams.
  const report = await throughSilence(run("honest.example"), dns.timer)
  expect([report.spf_valid, report.dns_lookups_num, report.spf_records_list.length]).toEqual([true, 4, 3])
  expect(ended).toBe(0)

  end.abort()
  await Promise.all(waiting)
  const sent = new Set(server.queries.map(({ name, type }) => `${type} ${name}`))
  for (let burst = 0; burst < bursts; burst++)
    expect([...sent].filter((question) => question.includes(`.b${burst}.`)).length).toBeLessThanOrEqual(16)
})

test("the same where each asks for all of its names at once", async () => {
  const { dns } = await startResolver()
  const end = new AbortController()
  const waiting = Array.from({ length: bursts }, (_, burst) => {
    const signal = AbortSignal.any([end.signal])
    return names(burst).map((name) => dns.resolve(name, "A", signal))
  }).flat()
  const honest = AbortSignal.any([end.signal])
  for (const name of ["www.honest.example", "m.honest.example"])
    expect(await throughSilence(dns.resolve(name, "A", honest), dns.timer)).toMatchObject({ kind: "records" })
  end.abort()
  const answers = await Promise.all(waiting)
  expect(answers).toHaveLength(bursts * namesEach)
  expect(answers.every((answer) => answer.kind === "failure" && answer.reason === "aborted")).toBe(true)
})
