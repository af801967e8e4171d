/**
 * Writes the replies that the examples of dnssecvalidator, danelookup and mailaudit are given, also for the test double.
 * `bun run generate` renews their answers.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Dns, DnsType } from "../../src/apis/contract.ts"
import { danelookup } from "../../src/apis/danelookup/index.ts"
import { dnssecvalidator } from "../../src/apis/dnssecvalidator/index.ts"
import { auditRecords } from "../../src/apis/mailaudit/example-domains.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { createManualClock } from "../../test/support/clock.ts"
import { noExchange } from "../../test/support/dns.ts"
import { createSignedDns, signedMessage, unsignedMessage } from "../../test/support/signed-dns.ts"
import { testAnchor } from "../../test/support/signed-zones.ts"

const apis = join(import.meta.dir, "../../src/apis")
const zoneFile = join(import.meta.dir, "../../src/mock/dns-zone.yaml")
const heading = "# Signed names of a root of their own, for the DNSSEC validator."
const names = ["www.ed25519.test", "www.plain.test", "www.expired.test"]
const audited = ["all.dane.test", "plain.test", "expired.test"]
const hosts = ["good.dane.test", "pkix.dane.test", "all.dane.test", "mail.plain.test"]

export async function writeExamples(): Promise<void> {
  const answers: Record<string, { type: DnsType; message: string }[]> = {}
  const context = { ports: portsThatNote(answers), giveWay: () => undefined, premium: true }
  for (const name of names) await dnssecvalidator.run({ name, trust_anchor: testAnchor }, context)
  answers["*"] = [{ type: "DS", message: unsignedMessage("*").toString("base64") }]
  for (const name of audited) {
    await dnssecvalidator.run({ name, type: "SOA", trust_anchor: testAnchor }, context)
    await danelookup.run({ host: name, trust_anchor: testAnchor }, context)
  }
  for (const host of hosts) await danelookup.run({ host, trust_anchor: testAnchor }, context)
  write(join(apis, "mail/dnssec/example-answers.json"), { trust_anchor: testAnchor, answers })
  const [unsigned = ""] = readFileSync(zoneFile, "utf8").split(heading)
  const lines = [...new Set([...Object.keys(answers), ...Object.keys(auditRecords)])].flatMap((name) => [
    `${/^[.*]$/.test(name) ? `"${name}"` : name}:`,
    ...(answers[name] ?? []).map(
      ({ type, message }) => `  - ANSWER:\n      type: ${type}\n      message: ${message}`,
    ),
    // JSON is YAML.
    ...(auditRecords[name] ?? []).map((entry) => `  - ${JSON.stringify(entry)}`),
  ])
  const explained = [
    heading,
    `# Its trust anchor is ${testAnchor}.`,
    "# `bun run data:dnssec-zones` writes these lines.",
  ]
  writeFileSync(zoneFile, `${unsigned}${[...explained, ...lines].join("\n")}\n`)
}

/** Ports whose DNS is that of the signed zones. Each reply is noted once. */
function portsThatNote(answers: Record<string, { type: DnsType; message: string }[]>) {
  const exchange: Dns["exchange"] = (name, type, options) => {
    const known = answers[name] ?? []
    answers[name] = known
    if (!known.some((one) => one.type === type))
      known.push({ type, message: signedMessage(name, type).toString("base64") })
    return createSignedDns().exchange(name, type, options)
  }
  const clock = createManualClock("2026-11-23T12:00:00Z")
  return {
    clock,
    random: systemRandom,
    timer: systemTimer,
    dns: { resolve: noExchange, exchange },
    web: webOff,
  }
}

function write(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`)
}
