import { isObject } from "../../values/is-object.ts"
import { mistakeOfJson } from "../../values/json-value.ts"
import { reject } from "../contract.ts"

/** The parts of a token, decoded but not checked. */
export interface Token {
  /** The compact form, without `Bearer` before it. */
  readonly compact: string
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
 * @throws InputRejected for `token`. The message has no part of the token
 */
export function readToken(text: string): Token {
  const compact = text.trim().replace(/^Bearer +/i, "")
  const parts = compact.split(".")
  if (parts.length !== 3 && parts.length !== 5)
    reject(
      "token",
      "must be a token in compact form: three parts with dots between them, or five if encrypted",
    )
  const isEncrypted = parts.length === 5
  const bytes = parts.map((part, index) =>
    decode(part, isEncrypted ? `part ${index + 1}` : (partNames[index] ?? "")),
  )
  const [headerBytes = noBytes, payloadBytes = noBytes, signature = noBytes] = bytes
  const headerText = toText(headerBytes) ?? reject("token", "must have a header that is UTF-8 text")
  const header = readObject(headerText) ?? reject("token", "must have a header that is a JSON object")
  requireUsable(header, "header")
  const payload = isEncrypted ? null : toText(payloadBytes)
  const claims = payload === null ? null : readObject(payload)
  if (claims !== null) requireUsable(claims, "payload")
  return {
    compact,
    kind: isEncrypted ? "jwe" : "jws",
    header,
    texts: { header: headerText, payload },
    claims,
    signature: isEncrypted ? noBytes : signature,
  }
}

const noBytes = new Uint8Array()

/** Strict, since several texts could stand for the same bytes and pass for different tokens (RFC 4648 §3.5). */
function decode(part: string, name: string): Uint8Array {
  const bytes = Buffer.from(part, "base64url")
  if (bytes.toString("base64url") !== part)
    reject("token", `must have its ${name} in base64url, without padding (RFC 7515 §2)`)
  return bytes
}

function toText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
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

function requireUsable(value: object, name: string): void {
  const mistake = mistakeOfJson(value)
  if (mistake !== null) reject("token", `${mistake} in its ${name}`)
}
