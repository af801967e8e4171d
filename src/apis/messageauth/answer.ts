import type { ArcData, DkimVerifier } from "mailauth/lib/dkim/dkim-verifier.js"
import { shorten } from "../../values/text.ts"
import { results } from "./problems.ts"

/** The most characters of a text in an answer. */
export const maxText = 500
/** Characters of a canonical header, and of a recorded result, that an answer shows. */
const maxLongText = 20_000

type Signature = DkimVerifier["results"][number]

/** A result as RFC 8601 §2.7 names it. */
export function resultOf({ result }: MailauthStatus) {
  return results.find((one) => one === result) ?? "permerror"
}

/**
 * One line of the results.
 * @param is_aligned whether it confirms the author's domain; null unless it passed
 */
export function toResult(
  method: "spf" | "dkim" | "arc" | "dmarc",
  status: MailauthStatus,
  domain: string | undefined,
  is_aligned: boolean | null,
) {
  return {
    ...{ method, result: resultOf(status) },
    domain: domain === undefined ? null : shorten(domain, maxText),
    is_aligned,
    reason: status.comment ? shorten(status.comment, maxText) : null,
  }
}

/** The answer's description of a signature, with the part of the message that it covers. */
export function toSignature(signature: Signature) {
  const { status, signingDomain = "", selector = "", algo = "", format } = signature
  return {
    domain: shorten(signingDomain, maxText),
    selector: shorten(selector, maxText),
    algorithm: shorten(algo, maxText),
    canonicalization: shorten(format || "simple/simple", maxText),
    result: resultOf(status),
    signed_headers: (signature.signingHeaders?.keys ?? "")
      .split(": ")
      .filter((name) => name !== "")
      .slice(0, 100)
      .map((name) => shorten(name, maxText)),
    unsigned_body_bytes: status.underSized ?? 0,
    signed_at: signature.signTime ?? null,
    valid_until: signature.expiresAfter ?? null,
    key_bits: signature.modulusLength ?? null,
  }
}

/** The header as each signature covers it (RFC 6376 §3.4), to see what differs from what was signed. */
export function canonicalHeaders(signatures: readonly Signature[]) {
  return signatures.flatMap(({ signingDomain, selector, signingHeaders }) =>
    signingDomain === undefined || signingHeaders === undefined
      ? []
      : [
          {
            domain: shorten(signingDomain, maxText),
            selector: shorten(selector ?? "", maxText),
            header: shorten(
              Buffer.from(signingHeaders.canonicalizedHeader, "base64").toString(),
              maxLongText,
            ),
          },
        ],
  )
}

/** The sets of an ARC chain (RFC 8617 §4.2), the first one first. */
export function arcChain(chain: ArcData["chain"]) {
  return (chain || []).map((link) => {
    const tag = (name: string) => {
      const value = link["arc-seal"]?.parsed?.[name]?.value
      return typeof value === "string" ? shorten(value, maxText) : null
    }
    const recorded = link["arc-authentication-results"]?.original?.toString() ?? ""
    return {
      ...{ instance: link.i, domain: tag("d"), selector: tag("s"), chain_result: tag("cv") },
      authentication_results: shorten(
        recorded
          .slice(recorded.indexOf(":") + 1)
          .replace(/\s+/g, " ")
          .trim(),
        2_000,
      ),
    }
  })
}
