import { readFileSync } from "node:fs"
import { parseAllDocuments } from "yaml"
import type { DnsZone, ZoneEntry } from "../../src/apis/contract.ts"

/** One case of the public RFC 7208 suite (rfc7208-tests.yml). */
export interface SuiteCase {
  readonly id: string
  readonly spec: string
  readonly helo: string
  readonly ip: string
  readonly mailFrom: string
  /** The domain of MAIL FROM, or of HELO when the reverse-path is empty. */
  readonly domain: string
  /** Allowed results, the preferred one first. */
  readonly results: readonly string[]
  /** Expected explanation; "DEFAULT" when the domain gives none. */
  readonly explanation: string | null
}

export interface SuiteScenario {
  readonly name: string
  readonly cases: readonly SuiteCase[]
  readonly zone: DnsZone
}

/** Reads the suite: a stream of YAML documents, one scenario each. */
export const loadSuite = (path: string): SuiteScenario[] =>
  parseAllDocuments(readFileSync(path, "utf8"))
    .map((document) => document.toJS() as RawScenario | null)
    .filter((raw) => raw !== null)
    .map((raw) => ({
      name: raw.description,
      cases: Object.entries(raw.tests).map(([id, test]) => toCase(id, test)),
      zone: toZone(raw.zonedata),
    }))

interface RawTest {
  readonly spec: string | readonly string[]
  readonly helo?: string | null
  readonly host: string
  readonly mailfrom?: string | null
  readonly result: string | readonly string[]
  readonly explanation?: string
}
interface RawScenario {
  readonly description: string
  readonly tests: Readonly<Record<string, RawTest>>
  readonly zonedata: Readonly<Record<string, readonly ZoneEntry[]>>
}

function toCase(id: string, test: RawTest): SuiteCase {
  const mailFrom = test.mailfrom ?? ""
  const helo = test.helo ?? ""
  return {
    id,
    spec: String(test.spec),
    helo,
    ip: test.host,
    mailFrom,
    domain: mailFrom === "" ? helo : mailFrom.slice(mailFrom.lastIndexOf("@") + 1),
    results: [test.result].flat(),
    explanation: test.explanation ?? null,
  }
}

/**
 * A scenario's zone. As the suite asks, SPF records count as TXT records too, unless the name has a TXT entry ("TXT: NONE"
 * is one).
 */
const toZone = (raw: RawScenario["zonedata"]): DnsZone =>
  Object.fromEntries(Object.entries(raw).map(([name, entries]) => [name, toEntries(entries)]))

function toEntries(entries: readonly ZoneEntry[]): ZoneEntry[] {
  const hasTxt = entries.some((entry) => typeof entry === "object" && "TXT" in entry)
  return entries.flatMap((entry): ZoneEntry[] => {
    if (typeof entry === "string") return [entry]
    if ("SPF" in entry && !hasTxt) return [entry, { TXT: entry.SPF }]
    return "TXT" in entry && entry.TXT === "NONE" ? [] : [entry]
  })
}
