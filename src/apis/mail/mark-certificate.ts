import type { X509Certificate } from "node:crypto"
import { type Static, Type } from "@sinclair/typebox"
import { isValid } from "../../values/problems.ts"
import { choice, nullable, nullableText } from "../contract.ts"
import { field } from "../shared.ts"
import { type BimiProblem, problem } from "./bimi-problems.ts"
import { readServerCertificate } from "./server-certificate.ts"

/** A certificate for a logo, as answers have it: of a registered trade mark (VMC), or of a mark in use (CMC). */
export const markCertificate = Type.Object({
  is_valid: field.flag("Whether receivers accept it for this domain and this logo."),
  kind: nullable(choice(["VMC", "CMC"], { description: "The kind." }), {
    description:
      "`VMC`: of a registered trade mark. `CMC`: of a mark that is in use. Null when it is not trusted.",
  }),
  organization: nullableText("Whose mark it is."),
  mark_type: nullableText("The type of the mark, such as `Registered Mark`."),
  names: field.texts("The domains that it is for."),
  valid_from: nullableText("Since when it is valid (RFC 3339)."),
  valid_until: nullableText("Until when it is valid (RFC 3339)."),
  has_same_logo: field.nullableFlag(
    "Whether its logo is the one of the record; null when one of them was not read.",
  ),
})

interface MarkConditions {
  readonly url: string
  /** The domain and its organizational domain. */
  readonly domains: readonly string[]
  /** The bytes of the logo of the record, decompressed; null when it was not read. */
  readonly logo: Uint8Array | null
  readonly nowMs: number
  /** For tests: further roots, in PEM. */
  readonly roots?: readonly string[]
}

/** The purpose of certificates for marks (`id-kp-BrandIndicatorforMessageIdentification`). */
const markPurpose = "1.3.6.1.5.5.7.3.31"
const maxCertificates = 10
const soonDays = 30
const unread: Static<typeof markCertificate> = {
  ...{ is_valid: false, kind: null, organization: null, mark_type: null, names: [] },
  ...{ valid_from: null, valid_until: null, has_same_logo: null },
}

/** Checks a bundle of certificates, the mark's certificate first (draft-fetch-validation-vmc-wchuang). */
export async function checkMark(pem: string, { url, domains, logo, nowMs, roots = [] }: MarkConditions) {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\sA-Za-z\d+/=]+-----END CERTIFICATE-----/g) ?? []
  const read = await readBundle(blocks)
  const [own] = read
  if (!own) {
    const message = "There must be one to ten certificates in PEM."
    return { vmc: unread, chain: [], problems: [problem("mark_unreadable", url, message)] }
  }
  const problems: BimiProblem[] = []
  const add = (code: Parameters<typeof problem>[0], message: string) =>
    problems.push(problem(code, url, message))
  const shown = await Promise.all(
    read.map(({ raw }) => readServerCertificate([raw.toString("base64")], nowMs)),
  )
  const chain = shown.filter((one) => one !== null)
  if (read.some(({ validFrom, validTo }) => Date.parse(validFrom) > nowMs || Date.parse(validTo) < nowMs))
    add("mark_expired", "A certificate of the chain has expired, or is not valid yet.")
  else if ((chain[0]?.days_left ?? 0) < soonDays)
    add("mark_ends_soon", `The certificate ends at ${chain[0]?.valid_until}.`)
  const names = chain[0]?.names ?? []
  if (!names.some((name) => domains.includes(name.toLowerCase())))
    add("mark_domain", `The certificate is for ${names.slice(0, 5).join(", ") || "no domain"}.`)
  const place = {
    ...unread,
    names,
    valid_from: chain[0]?.valid_from ?? null,
    valid_until: chain[0]?.valid_until ?? null,
  }
  if (!isTrusted(read, await readRoots(roots)) || !(own.keyUsage ?? []).includes(markPurpose)) {
    add(
      "mark_untrusted",
      "The chain does not lead to a root that signs marks, or the certificate is not made for marks.",
    )
    return { vmc: place, chain, problems }
  }
  const inside = await readLogo(own)
  if (inside === null)
    add("mark_unreadable", "The certificate has no logo that can be read and fits its digest.")
  const has_same_logo = inside === null || logo === null ? null : Buffer.from(inside).equals(logo)
  if (has_same_logo === false) add("mark_logo", "The logo in the certificate is not the one of the record.")
  const mark_type = partOf(own, markTypeId)
  const known = {
    kind: mark_type !== null && commonMarks.includes(mark_type) ? ("CMC" as const) : ("VMC" as const),
    ...{ organization: partOf(own, "O"), mark_type, has_same_logo },
  }
  return { vmc: { ...place, ...known, is_valid: isValid(problems) }, chain, problems }
}

/** The marks that are no registered trade marks as they stand. */
const commonMarks = ["Prior Use Mark", "Modified Registered Mark"]
const markTypeId = "1.3.6.1.4.1.53087.1.13"

/** A part of the name of the holder. */
function partOf({ subject }: X509Certificate, name: string): string | null {
  const line = subject.split("\n").find((one) => one.startsWith(`${name}=`))
  return line === undefined ? null : line.slice(name.length + 1).replaceAll("\\,", ",")
}

async function readLogo({ raw }: X509Certificate): Promise<Uint8Array | null> {
  const { readLogotype } = await import("./logotype.ts")
  try {
    return readLogotype(raw)
  } catch {
    // Also an authority may sign what cannot be read.
    return null
  }
}

/** The roots of the authorities for marks, and those that a test adds. */
async function readRoots(more: readonly string[]): Promise<readonly X509Certificate[]> {
  const { X509Certificate } = await import("node:crypto")
  const { default: builtIn } = await import("./mark-roots.json")
  return [
    ...builtIn.map((base64) => new X509Certificate(Buffer.from(base64, "base64"))),
    ...more.map((pem) => new X509Certificate(pem)),
  ]
}

async function readBundle(blocks: readonly string[]): Promise<readonly X509Certificate[]> {
  if (blocks.length > maxCertificates) return []
  const { X509Certificate } = await import("node:crypto")
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    // A stranger's file may hold anything.
    return []
  }
}

/**
 * Whether each certificate is signed by the next one, and the last one by a root. Begins at the root, so that no key is used that
 * is not trusted by then.
 */
function isTrusted(chain: readonly X509Certificate[], roots: readonly X509Certificate[]): boolean {
  let issuers = roots
  for (const [index, certificate] of chain.toReversed().entries()) {
    const isRoot =
      index === 0 && roots.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256)
    const isSigned = () =>
      issuers.some((one) => one.ca && certificate.checkIssued(one) && certificate.verify(one.publicKey))
    if (!isRoot && !isSigned()) return false
    issuers = [certificate]
  }
  return true
}
