import type { Entry } from "./describe.ts"

/** A rule of the CA/Browser Forum that a server's certificate breaks. */
export interface Finding {
  readonly rule: string
  readonly message: string
}

/** In milliseconds. */
export const day = 24 * 60 * 60 * 1000
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
export function lint(entry: Entry): Finding[] | null {
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
