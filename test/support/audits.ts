/** Audits of domains of a DNS that is given, and what they find once all that they propose is published. */
import { expect } from "bun:test"
import { mailaudit } from "../../src/apis/catalog.ts"
import type { DnsZone, WebFixture, ZoneEntry } from "../../src/apis/contract.ts"
import { exampleGiven, exampleAnchor as trust_anchor } from "../../src/apis/mail/dnssec/example-zone.ts"
import { countingDns } from "./counting-dns.ts"
import { portsFor } from "./zone-ports.ts"

export type Zone = Record<string, readonly ZoneEntry[]>
type Input = Parameters<typeof mailaudit.run>[0]
type Answer = Awaited<ReturnType<typeof audit>>

const { now, dns: signed } = exampleGiven

/** Audits a domain whose DNS has these records below the signed root of the examples. */
export async function audit(zone: DnsZone, input: Partial<Input> = {}, web: WebFixture = {}, premium = true) {
  const ports = portsFor({ given: { now, dns: { ...signed, ...zone }, web } })
  const counting = countingDns(ports.dns)
  const answer = await mailaudit.run(
    { domain: "firm.example", trust_anchor, ...input },
    { ports: { ...ports, dns: counting }, giveWay: () => undefined, premium },
  )
  const statusOf = (id: string) => answer.checks.find((check) => check.id === id)?.status
  const whyOf = (id: string) => answer.checks.find((check) => check.id === id)?.why
  return { ...answer, statusOf, whyOf, questions: counting.questions }
}

/** Publishes all lines and files of an answer, audits again, and demands the promised score. */
export async function applyAll(before: Answer, zone: Zone, web: WebFixture = {}, input: Partial<Input> = {}) {
  const lines = before.fixes.filter(({ line }) => line !== null)
  const owners = lines.map(({ line }) => line?.split(" ").slice(0, 4).join(" "))
  expect(new Set(owners).size).toBe(owners.length)
  const files = lines.flatMap(({ file }) => (file ? [[file.url, { body: file.text }] as const] : []))
  const changed = lines.reduce((all, { line, action }) => applied(all, line ?? "", action), zone)
  const after = await audit(
    changed,
    { ...input, domain: before.domain },
    { ...web, ...Object.fromEntries(files) },
  )
  const promised = before.score + lines.reduce((sum, { points }) => sum + points, 0)
  expect({ domain: before.domain, score: after.score }).toEqual({ domain: before.domain, score: promised })
  return after
}

/** The line of the fix for a check. */
export const lineOf = (answer: Answer, check: string) => answer.fixes.find((fix) => fix.check === check)?.line

/** A zone with a line of a zone file, in the place of the records of its kind if it replaces them. */
function applied(zone: Zone, line: string, action: "add" | "replace" | null): Zone {
  const [, name = "", type = "", data = ""] = /^(\S+)\. 3600 IN (TXT|CAA|MX) (.*)$/.exec(line) ?? []
  const text = data.replace(/^"|"$/g, "").replaceAll('" "', "")
  const [preference = "", exchange = ""] = data.split(" ")
  const entry: ZoneEntry =
    type === "TXT"
      ? { TXT: text }
      : type === "MX"
        ? { MX: [Number(preference), exchange.replace(/\.$/, "")] }
        : { CAA: data }
  const version = (one: ZoneEntry) =>
    typeof one === "object" && "TXT" in one ? String(one.TXT).slice(0, 6).toLowerCase() : null
  const present = zone[name] ?? []
  const others = present.filter((one) => version(one) === null || version(one) !== version(entry))
  const isChanged = others.length < present.length
  expect({ line, isChanged }).toEqual({ line, isChanged: action === "replace" })
  return { ...zone, [name]: [...others, entry] }
}
