import { mailaudit } from "../../src/apis/catalog.ts"
import type { Ports, Web } from "../../src/apis/contract.ts"
import { exampleAnchor } from "../../src/apis/mail/dnssec/example-zone.ts"
import { auditGiven, auditRecords } from "../../src/apis/mailaudit/example-domains.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createSystemDns } from "../../src/ports/dns/system-dns.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { createFixedWeb } from "../../src/ports/web/fixed-web.ts"
import { type DnsQuery, toReply, toServedZone } from "../../test/support/dns-reply.ts"
import { startDnsServer } from "../../test/support/dns-server.ts"
import { answerFrom, loadSignedZones } from "../../test/support/signed-zones.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"

const latencyMs = 20
const coldRuns = 30

/** One audit in this process, of a signed domain with everything, without anything in the cache. */
export const mailAudit: Case = {
  name: "mail-audit",
  title: "One audit of a signed domain's mail",
  async run() {
    const zones = loadSignedZones()
    const plain = toServedZone(auditRecords)
    const answer = (query: DnsQuery) => {
      const entries = auditRecords[query.name] ?? []
      const isPlain = entries.some((entry) => typeof entry === "object" && query.type in entry)
      return isPlain ? toReply(plain, query, replyOptions) : answerFrom(zones, query)
    }
    const delay = (send: () => void) => systemTimer.after(latencyMs, send)
    const server = await startDnsServer({}, { delay, answer })
    try {
      const cold: number[] = []
      const questions: number[] = []
      const repeated: number[] = []
      for (let run = 0; run < coldRuns; run++) {
        const before = server.queries.length
        cold.push(await auditMs(createPorts(server.address)))
        const asked = server.queries.slice(before).map(({ name, type }) => `${name} ${type}`)
        questions.push(asked.length)
        repeated.push(asked.length - new Set(asked).size)
      }
      return {
        rows: [],
        findings: [
          toFinding(`ms, DNS and web server answer in ${latencyMs} ms`, cold, { atMost: 400 }),
          toFinding("questions", questions, { atMost: 240 }),
          toFinding("questions asked with and without DNSSEC", repeated, null),
        ],
        notes: [],
      }
    } finally {
      await server.stop()
    }
  },
}

const replyOptions = { ttlSeconds: 60, negativeTtlSeconds: 60, aliasOnly: false, refuseEdns: false }

/** Ports with an empty DNS cache. */
function createPorts(dnsServer: string): Ports {
  const parts = { clock: systemClock, random: systemRandom, timer: systemTimer }
  const fixed = createFixedWeb(auditGiven.web)
  const web: Web = {
    async get(...request) {
      await new Promise<void>((resolve) => void systemTimer.after(latencyMs, resolve))
      return fixed.get(...request)
    },
  }
  return { ...parts, dns: createSystemDns([dnsServer], parts), web }
}

async function auditMs(ports: Ports): Promise<number> {
  const startedMs = performance.now()
  const input = { domain: "all.dane.test", trust_anchor: exampleAnchor }
  const { grade } = await mailaudit.run(input, { ports, giveWay: () => undefined, premium: true })
  if (grade !== "A") throw new Error(`the grade is ${grade}`)
  return performance.now() - startedMs
}
