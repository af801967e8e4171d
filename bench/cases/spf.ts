import type { DnsZone, Ports } from "../../src/apis/contract.ts"
import { spfvalidator } from "../../src/apis/spfvalidator/index.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createSystemDns } from "../../src/ports/dns/system-dns.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { startDnsServer } from "../../test/support/dns-server.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"

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

/** One validation in this process: ten look-ups, three levels below the domain. */
export const spf: Case = {
  name: "spf",
  title: "One SPF validation of ten look-ups on three levels",
  async run() {
    const delay = (send: () => void) => systemTimer.after(latencyMs, send)
    const server = await startDnsServer(zone, { delay, ttlSeconds: 3600 })
    try {
      const cold: number[] = []
      for (let run = 0; run < coldRuns; run++) cold.push(await validateMs(createPorts(server.address)))
      const warm = createPorts(server.address)
      await validateMs(warm)
      const cached: number[] = []
      for (let run = 0; run < cachedRuns; run++) cached.push(await validateMs(warm))
      return {
        rows: [],
        findings: [
          toFinding(`ms, DNS answers in ${latencyMs} ms`, cold, { atMost: 100 }),
          toFinding("ms, answers from the cache", cached, { atMost: 1 }),
        ],
        notes: [],
      }
    } finally {
      await server.stop()
    }
  },
}

/** Ports with an empty DNS cache. */
function createPorts(dnsServer: string): Ports {
  const parts = { clock: systemClock, random: systemRandom, timer: systemTimer }
  return { ...parts, dns: createSystemDns([dnsServer], parts), web: webOff }
}

async function validateMs(ports: Ports): Promise<number> {
  const startedMs = performance.now()
  const report = await spfvalidator.run({ domain: "shop.example" }, { ports, giveWay() {}, premium: true })
  const elapsedMs = performance.now() - startedMs
  if (report.dns_lookups_num !== 10 || !report.spf_valid)
    throw new Error("the validation did not ask all ten names")
  return elapsedMs
}
