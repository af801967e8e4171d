import { type Static, Type } from "@sinclair/typebox"
import { type DataList, dataDate } from "../../values/data-list.ts"
import { field } from "../shared.ts"

/** The authorities that the runtime carries (Bun 1.4.5: those of NSS 3.128). A test tells when another runtime has others. */
export const webAuthorities = { name: "web-authorities", date: "2026-09" } satisfies DataList

/** The field `data_date` of an API that reads documents of hosts. */
export const authoritiesDate = dataDate("the authorities that certificates of hosts must come from")

/** The certificate that a server shows, as answers have it. */
export const serverCertificate = Type.Object({
  subject: field.text("Whom it was made for."),
  issuer: field.text("Who signed it."),
  names: field.texts("The DNS names that it is valid for."),
  valid_from: field.text("Since when it is valid (RFC 3339)."),
  valid_until: field.text("Until when it is valid (RFC 3339)."),
  days_left: field.integer("Whole days until its end; negative after it."),
  sha256: field.text("Its SHA-256 in hexadecimal."),
})

export type ServerCertificate = Static<typeof serverCertificate>

const dayMs = 86_400_000

/** Reads the first of some certificates, DER in base64. Null without one, and for one that cannot be read. */
export async function readServerCertificate([first]: readonly string[], nowMs: number) {
  if (first === undefined) return null
  const { X509Certificate } = await import("node:crypto")
  try {
    const read = new X509Certificate(Buffer.from(first, "base64"))
    const endMs = Date.parse(read.validTo)
    return {
      subject: onOneLine(read.subject),
      issuer: onOneLine(read.issuer),
      names: (read.subjectAltName ?? "").split(", ").flatMap((one) => /^DNS:(.*)/s.exec(one)?.[1] ?? []),
      valid_from: new Date(read.validFrom).toISOString(),
      valid_until: new Date(endMs).toISOString(),
      days_left: Math.floor((endMs - nowMs) / dayMs),
      sha256: read.fingerprint256.replaceAll(":", "").toLowerCase(),
    }
  } catch {
    // A stranger's server may show anything.
    return null
  }
}

/** The parts of a name stand on lines of their own. */
function onOneLine(name: string | undefined): string {
  return (name ?? "").trim().split("\n").join(", ")
}
