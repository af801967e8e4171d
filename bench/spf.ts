/**
 * Measures one SPF validation in this process: `bun bench/spf.ts`. A tree of ten look-ups, three levels below the
 * domain, from a DNS server on loopback that answers after 20 ms, and then from the resolver's cache.
 */
import type { DnsZone, Ports } from "../src/apis/contract.ts"
import { spfvalidator } from "../src/apis/spfvalidator/index.ts"
import { systemClock } from "../src/ports/clock.ts"
import { createSystemDns } from "../src/ports/dns/system-dns.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { startDnsServer } from "../test/support/dns-server.ts"

const latencyMs = 20
const coldRuns = 30
const cachedRuns = 2_000

const zone: DnsZone = {
  "shop.example": [
    { TXT: "v=spf1 mx a:www.shop.example include:one.example include:two.example -all" },
    { MX: [10, "mail.shop.example"] },
  ],
  "www.shop.example": [{ A: "93.184.215.14" }],
  "mail.shop.example": [{ A: "93.184.215.15" }],
  "one.example": [{ TXT: "v=spf1 include:one-a.example include:one-b.example ip4:93.184.216.0/24 ~all" }],
  "two.example": [{ TXT: "v=spf1 include:two-a.example ip6:2606:2800:21f::/48 ~all" }],
  "one-a.example": [{ TXT: "v=spf1 include:deep-a.example ip4:93.184.217.0/24 ~all" }],
  "one-b.example": [{ TXT: "v=spf1 include:deep-b.example ip4:93.184.218.0/24 ~all" }],
  "two-a.example": [{ TXT: "v=spf1 include:deep-c.example ip4:93.184.219.0/24 ~all" }],
  "deep-a.example": [{ TXT: "v=spf1 ip4:93.184.220.0/24 ~all" }],
  "deep-b.example": [{ TXT: "v=spf1 ip4:93.184.221.0/24 ~all" }],
  "deep-c.example": [{ TXT: "v=spf1 ip4:93.184.222.0/24 ~all" }],
}

const server = await startDnsServer(zone, {
  delay: (send) => systemTimer.after(latencyMs, send),
  ttlSeconds: 3600,
})
try {
  const cold: number[] = []
  for (let run = 0; run < coldRuns; run++) cold.push(await measure(createPorts()))
  const warm = createPorts()
  await measure(warm)
  const cached: number[] = []
  for (let run = 0; run < cachedRuns; run++) cached.push(await measure(warm))
  print(`DNS answering in ${latencyMs} ms`, cold, 100)
  print("from the cache", cached, 1)
} finally {
  await server.stop()
}

/** A fresh resolver, and so an empty cache. */
function createPorts(): Ports {
  const parts = { clock: systemClock, random: systemRandom, timer: systemTimer }
  return { ...parts, dns: createSystemDns([server.address], parts) }
}

async function measure(ports: Ports): Promise<number> {
  const startedAt = performance.now()
  const report = await spfvalidator.run({ domain: "shop.example" }, { ports, giveWay() {} })
  const elapsedMs = performance.now() - startedAt
  if (report.dns_lookups_num !== 10 || !report.spf_valid) throw new Error("the tree was not walked")
  return elapsedMs
}

function print(what: string, milliseconds: readonly number[], goalMs: number): void {
  const sorted = milliseconds.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2)
  console.log(
    `10 look-ups, 3 levels, ${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms (goal: under ${goalMs} ms)`,
  )
}
