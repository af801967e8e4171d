/** Writes the replies that the examples of dnssecvalidator are given, also for the test double, and those parts of their answers that change with the keys. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DnsType } from "../../src/apis/contract.ts"
import { toReport } from "../../src/apis/dnssecvalidator/report.ts"
import { readAnchor } from "../../src/apis/dnssecvalidator/root-anchors.ts"
import { Session } from "../../src/apis/dnssecvalidator/session.ts"
import { validate } from "../../src/apis/dnssecvalidator/validate.ts"
import { createSignedDns, signedMessage } from "../../test/support/signed-dns.ts"
import { testAnchor } from "../../test/support/signed-zones.ts"

const file = join(import.meta.dir, "../../src/apis/dnssecvalidator/example-answers.json")
const zoneFile = join(import.meta.dir, "../../src/mock/dns-zone.yaml")
const heading = "# Signed names of a root of their own, for the DNSSEC validator."
const now = Date.parse("2026-11-23T12:00:00Z") / 1000
const names = { secure: "www.ed25519.test", insecure: "www.plain.test", bogus: "www.expired.test" }

export async function writeExamples(): Promise<void> {
  const anchor = readAnchor(testAnchor)
  if (!anchor) throw new Error(`no trust anchor: ${testAnchor}`)
  const answers: Record<string, { type: DnsType; message: string }[]> = {}
  const reports: Record<string, object> = {}
  for (const [kind, name] of Object.entries(names)) {
    const session = new Session(
      async (asked, type) => {
        const known = answers[asked] ?? []
        answers[asked] = known
        if (!known.some((one) => one.type === type))
          known.push({ type, message: signedMessage(asked, type).toString("base64") })
        return createSignedDns().exchange(asked, type, { dnssec: true })
      },
      now,
      () => undefined,
    )
    const { signed_until, chain } = toReport(name, "A", await validate(name, "A", session, [anchor]), session)
    reports[kind] = { signed_until, chain }
  }
  writeFileSync(file, `${JSON.stringify({ trust_anchor: testAnchor, answers, reports }, null, 1)}\n`)
  const [unsigned = ""] = readFileSync(zoneFile, "utf8").split(heading)
  const lines = Object.entries(answers).flatMap(([name, messages]) => [
    `${name === "." ? '"."' : name}:`,
    ...messages.map(({ type, message }) => `  - ANSWER:\n      type: ${type}\n      message: ${message}`),
  ])
  const explained = [
    heading,
    `# Its trust anchor is ${testAnchor}.`,
    "# `bun run data:dnssec-zones` writes these lines.",
  ]
  writeFileSync(zoneFile, `${unsigned}${[...explained, ...lines].join("\n")}\n`)
}
