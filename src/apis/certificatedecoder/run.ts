import { toALabels } from "../../values/idna.ts"
import { parseAddress } from "../../values/ip.ts"
import { verdictOf } from "../../values/problems.ts"
import { type RunOf, reject } from "../contract.ts"
import { readBlocks } from "./blocks.ts"
import { chainOf, chainProblems, entryProblems, problem } from "./checks.ts"
import { type Entry, readEntry } from "./describe.ts"
import type { certificatedecoder } from "./index.ts"

/**
 * Finds the name that a host fits (RFC 9525 §6.3 and 6.5); null if it fits none. The common name does not count (§6.3).
 * @throws InputRejected for `host`
 */
async function findNameOf(host: string, names: readonly { readonly kind: string; readonly value: string }[]) {
  const address = parseAddress(host)?.toString()
  if (address !== undefined)
    return (
      names.find(({ kind, value }) => kind === "ip" && parseAddress(value)?.toString() === address)?.value ??
      null
    )
  const wanted = (await toALabels(host.toLowerCase()))?.replace(/\.$/, "") ?? ""
  if (wanted.length > 253 || !/^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.|$))+$/.test(wanted))
    reject(
      "host",
      "must be the name of a server, such as www.example.com, or an IP address, without https:// and port",
    )
  const isFit = (pattern: string) =>
    // A star is a whole first label, and stands for exactly one.
    pattern === wanted || (pattern.startsWith("*.") && pattern.slice(1) === wanted.replace(/^[^.]+/, ""))
  return names.find(({ kind, value }) => kind === "dns" && isFit(value.toLowerCase()))?.value ?? null
}

export const run: RunOf<typeof certificatedecoder> = async ({ certificate, host }, { ports }) => {
  const entries: Entry[] = []
  for (const block of readBlocks(certificate)) entries.push(await readEntry(block))
  const [first] = entries
  if (first === undefined) throw new Error("no block was read")
  const now = ports.clock.now()
  const chain = await chainOf(entries)
  const problems = [...(await entryProblems(first, now)), ...chainProblems(entries, chain, now)]
  const matched_name = host === undefined ? null : await findNameOf(host, first.names)
  if (host !== undefined && matched_name === null)
    problems.push(problem("host", "subjectAltName", "The certificate has no name that fits the host."))
  const { der: _, holder: _holder, certificate: _read, serial: _serial, times, mistakes, ...fields } = first
  const { valid_until: end } = first
  return {
    ...verdictOf(problems),
    ...fields,
    matched_name,
    days_left: end === null ? null : Math.floor((Date.parse(end) - now) / day),
    chain,
    lint: lint(first),
  }
}

/** A rule of the CA/Browser Forum that a server's certificate breaks. */
interface Finding {
  readonly rule: string
  readonly message: string
}

/** In milliseconds. */
const day = 24 * 60 * 60 * 1000
/** The longest validity in days, by the day of issue (Baseline Requirements 6.3.2). */
const longest = [
  ["2029-03-15", 47],
  ["2027-03-15", 100],
  ["2026-03-15", 200],
  ["2020-09-01", 398],
  ["2018-03-01", 825],
] as const

/**
 * Checks the certificate of a server by rules of the Baseline Requirements of the CA/Browser Forum, version 2. Certificates of
 * authorities, and those for other purposes, have other rules.
 */
function lint(entry: Entry): Finding[] | null {
  const { kind, is_ca, extended_key_usage: purposes, names, subject_parts, key_usage } = entry
  if (kind !== "certificate" || is_ca || !(purposes?.includes("serverAuth") ?? false)) return null
  const found: Finding[] = []
  const check = (isKept: boolean, rule: string, message: string) => {
    if (!isKept) found.push({ rule, message })
  }
  const hosts = names.filter((one) => one.kind === "dns").map(({ value }) => value)
  const addresses = names.filter((one) => one.kind === "ip").map(({ value }) => value)
  const common = subject_parts.filter(({ attribute }) => attribute === "CN").map(({ value }) => value)
  const issued = Date.parse(entry.valid_from ?? "")
  const days = (Date.parse(entry.valid_until ?? "") - issued) / day
  const limit = longest.find(([from]) => issued >= Date.parse(from))?.[1] ?? Number.POSITIVE_INFINITY
  check(
    days <= limit,
    "6.3.2",
    `The validity is longer than the ${limit} days that were allowed on the day of issue.`,
  )
  check(hosts.length + addresses.length > 0, "7.1.2.7.12", "There is no dNSName and no iPAddress.")
  check(
    hosts.length + addresses.length === names.length,
    "7.1.2.7.12",
    "There are names other than dNSName and iPAddress.",
  )
  check(hosts.every(isHostName), "7.1.2.7.12", "A dNSName is not a domain name with two labels or more.")
  check(
    common.every((name) => [...hosts, ...addresses].some((one) => one.toLowerCase() === name.toLowerCase())),
    "7.1.4.3",
    "The common name is not in subjectAltName.",
  )
  check(common.length <= 1, "7.1.4.3", "There is more than one common name.")
  check(
    !subject_parts.some(({ attribute }) => attribute === "OU"),
    "7.1.2.7",
    "There is an organizational unit (OU).",
  )
  check(
    entry.serial_number === null || entry.serial_number.length >= 16,
    "7.1",
    "The serial number has fewer than 64 bits.",
  )
  check(!(key_usage ?? []).includes("keyCertSign"), "7.1.2.7.11", "The key may sign certificates.")
  check(!purposes?.includes("anyExtendedKeyUsage"), "7.1.2.7.10", "The key may be used for any purpose.")
  check(entry.authority_key_id !== null, "7.1.2.11.1", "There is no authorityKeyIdentifier.")
  check(
    entry.extensions.some(({ name }) => name === "certificatePolicies"),
    "7.1.2.7.9",
    "There is no certificatePolicies extension.",
  )
  check(
    entry.ocsp_urls.length + entry.crl_urls.length > 0,
    "7.1.2.11.2",
    "There is no address to ask whether it was revoked (OCSP or CRL).",
  )
  return found
}

/** A domain name of two labels or more, of which the first may be a `*`. */
function isHostName(name: string): boolean {
  return name.length <= 253 && /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/i.test(name)
}
