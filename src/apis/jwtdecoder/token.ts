import { fromUtf8 } from "../../values/byte-text.ts"
import { isObject } from "../../values/is-object.ts"
import { mistakeOfJson } from "../../values/json-value.ts"
import { reject } from "../contract.ts"

/** The parts of a token, decoded but not checked. */
export interface Token {
  /** The parts of the compact form, as they were signed. */
  readonly parts: readonly string[]
  /** Whether its payload is empty: it is sent apart from the token (RFC 7515 appendix F). */
  readonly isDetached: boolean
  /** The signed form of the payload: base64url, or the bytes themselves (RFC 7797 §3). */
  readonly signedPayload: string | Uint8Array
  /** `jws`: signed; `jwe`: encrypted. */
  readonly kind: "jws" | "jwe"
  readonly header: Readonly<Record<string, unknown>>
  /** Header and payload as texts, to look for names that occur twice. The payload is null if it is not UTF-8, or encrypted. */
  readonly texts: { readonly header: string; readonly payload: string | null }
  /** The payload, if it is a JSON object. */
  readonly claims: Readonly<Record<string, unknown>> | null
  readonly signature: Uint8Array
}

const partNames = ["header", "payload", "signature"] as const

/**
 * Reads the compact form of a JWS (RFC 7515 §7.1) or a JWE (RFC 7516 §7.1).
 * @param detached the payload of a token without one
 * @throws InputRejected for `token` or `payload`. The message has no part of them
 */
export function readToken(text: string, detached?: string): Token {
  const compact = text.trim().replace(/^Bearer +/i, "")
  const parts = compact.split(".")
  if (parts.length !== 3 && parts.length !== 5)
    reject(
      "token",
      "must be a token in compact form: three parts with dots between them, or five if encrypted",
    )
  const isEncrypted = parts.length === 5
  const headerBytes = decode(parts[0] ?? "", isEncrypted ? "part 1" : "header")
  const headerText = fromUtf8(headerBytes) ?? reject("token", "must have a header that is UTF-8 text")
  const header = readObject(headerText) ?? reject("token", "must have a header that is a JSON object")
  requireUsable(header, "header")
  const isDetached = !isEncrypted && parts[1] === ""
  if (detached !== undefined && !isDetached)
    reject("payload", "must be left out, since the token has a payload of its own")
  const isPlain = header.b64 === false && isUnderstood(header)
  const bytes = parts.map((part, index) => {
    if (index !== 1 || isEncrypted) return decode(part, isEncrypted ? `part ${index + 1}` : partNames[index])
    return isDetached || isPlain ? Buffer.from(detached ?? part) : decode(part, "payload")
  })
  const [, payloadBytes = noBytes, signature = noBytes] = bytes
  const payload = isEncrypted ? null : fromUtf8(payloadBytes)
  const claims = payload === null ? null : readObject(payload)
  if (claims !== null) requireUsable(claims, "payload", isDetached ? "payload" : "token")
  return {
    parts,
    kind: isEncrypted ? "jwe" : "jws",
    isDetached,
    signedPayload: isPlain ? payloadBytes : Buffer.from(payloadBytes).toString("base64url"),
    header,
    texts: { header: headerText, payload },
    claims,
    signature: isEncrypted ? noBytes : signature,
  }
}

/** Whether a header has no `crit`, or one that names `b64` alone (RFC 7515 §4.1.11, RFC 7797 §6). */
export function isUnderstood({ crit, b64 }: Token["header"]): boolean {
  if (crit === undefined) return b64 !== false
  return Bun.deepEquals(crit, ["b64"]) && typeof b64 === "boolean"
}

const noBytes = new Uint8Array()

/** Strict, since several texts could stand for the same bytes and pass for different tokens (RFC 4648 §3.5). */
function decode(part: string, name = ""): Uint8Array {
  const bytes = Buffer.from(part, "base64url")
  if (bytes.toString("base64url") !== part)
    reject("token", `must have its ${name} in base64url, without padding (RFC 7515 §2)`)
  return bytes
}

/** The JSON object that a text is; null for any other text. */
export function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function requireUsable(value: object, name: string, parameter = "token"): void {
  const mistake = mistakeOfJson(value)
  if (mistake !== null) reject(parameter, `${mistake}${parameter === "token" ? ` in its ${name}` : ""}`)
}
