import type { JWK } from "jose"
import { type ByteEncoding, byteRequirements, fromUtf8, toBytes } from "../../values/byte-text.ts"
import { isObject, parseJson } from "../../values/is-object.ts"
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
function readObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

function requireUsable(value: object, name: string, parameter = "token"): void {
  const mistake = mistakeOfJson(value)
  if (mistake !== null) reject(parameter, `${mistake}${parameter === "token" ? ` in its ${name}` : ""}`)
}

/** The keys that a caller gave. */
export interface GivenKeys {
  readonly keys: readonly JWK[]
  /** Whether they came as a JWK set. In a set, `kid` chooses the key. */
  readonly isSet: boolean
}

/** Trying more keys would take long. */
const maxKeys = 50
const requirement =
  "must be a JWK or a JWK set (JSON), a public key or certificate in PEM, or the text of a shared secret"

/**
 * Reads a JWK, a JWK set, a public key or certificate in PEM, or a shared secret. All may have the encoding of a secret.
 * @throws InputRejected for `key`. The message has no part of the key
 */
export async function readKeys(text: string, encoding: ByteEncoding = "text"): Promise<GivenKeys> {
  const plain = await readPublic(Buffer.from(text), true)
  if (plain) return plain
  const secret =
    toBytes(text, encoding) ?? reject("key", `${byteRequirements[encoding]}, as 'key_encoding' says`)
  const written = await readPublic(Buffer.from(secret))
  if (written) return written
  return { keys: [{ kty: "oct", k: Buffer.from(secret).toString("base64url") }], isSet: false }
}

/**
 * Reads keys that others may know. None is ever used as a shared secret: everyone who knows it could sign with it.
 * @param isTyped whether the bytes are the text as it was sent
 * @returns null for all other bytes
 * @throws InputRejected for keys in a form that cannot be read
 */
async function readPublic(bytes: Buffer, isTyped = false): Promise<GivenKeys | null> {
  const text = bytes.toString("utf8").trim()
  // One of 256 random secrets begins with a brace.
  if (text.startsWith("{") && (isTyped || readObject(text) !== null)) return readJson(text)
  if (/^(?:\[\s*\{|https?:\/\/|(?:ssh|ecdsa|sk)-[\w@.-]+ AAAA|-{4} BEGIN )/.test(text))
    return reject("key", requirement)
  if (text.includes("-----BEGIN ")) return { keys: [await readPem(text)], isSet: false }
  const der = bytes[0] === 0x30 ? bytes : Buffer.from(text.startsWith("M") ? text : "", "base64")
  const key = der.length > 0 ? await readDer(der) : null
  return key && { keys: [key], isSet: false }
}

async function readJson(text: string): Promise<GivenKeys> {
  const value = readObject(text)
  if (value === null || mistakeOfJson(value) !== null) return reject("key", requirement)
  if (value.keys === undefined) return { keys: [await requireKey(value)], isSet: false }
  if (!Array.isArray(value.keys) || value.keys.length === 0 || value.keys.length > maxKeys)
    return reject("key", `must have from 1 to ${maxKeys} keys in its set`)
  return { keys: await Promise.all(value.keys.map(requireKey)), isSet: true }
}

async function requireKey(value: unknown): Promise<JWK> {
  if (!isObject(value) || typeof value.kty !== "string")
    return reject("key", "must have keys that are JSON objects with 'kty' (RFC 7517 §4.1)")
  if (
    value.kty === "oct" &&
    typeof value.k === "string" &&
    (await readPublic(Buffer.from(value.k, "base64url")))
  )
    return reject("key", "must not have a public key as its shared secret 'k'")
  return value
}

async function readPem(text: string): Promise<JWK> {
  const { createPublicKey } = await import("node:crypto")
  try {
    return createPublicKey(text).export({ format: "jwk" }) as JWK
  } catch {
    return reject("key", "must be PEM of a public key or a certificate of a kind that this API knows")
  }
}

/** Reads DER, which is PEM without its lines: of a public key (SPKI, PKCS #1) or a certificate; null for other bytes. */
async function readDer(der: Buffer): Promise<JWK | null> {
  const { createPublicKey } = await import("node:crypto")
  for (const label of ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE"])
    try {
      const pem = `-----BEGIN ${label}-----\n${der.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END ${label}-----`
      return createPublicKey(pem).export({ format: "jwk" }) as JWK
    } catch {
      // The next form is tried.
    }
  return null
}

/** Whether a key may be used for an algorithm, and for a token with this `kid` (RFC 7517 §4, RFC 7518 §3). */
export function isFor(key: JWK, alg: string, kid: unknown): boolean {
  if (key.kty !== kindOf(alg)) return false
  if (key.alg !== undefined && key.alg !== alg) return false
  if (key.use !== undefined && key.use !== "sig") return false
  if (key.key_ops !== undefined && !(Array.isArray(key.key_ops) && key.key_ops.includes("verify")))
    return false
  return kid === undefined || key.kid === undefined || key.kid === kid
}

/** The `kty` that an algorithm needs; null for an algorithm that is not known. */
function kindOf(alg: string): string | null {
  if (/^HS\d+$/.test(alg)) return "oct"
  if (/^[RP]S\d+$/.test(alg)) return "RSA"
  if (/^ES\d+K?$/.test(alg)) return "EC"
  return alg === "EdDSA" || alg === "Ed25519" ? "OKP" : null
}

/** The members of a public key, by `kty`, and of a shared secret. */
const publicMembers: Readonly<Record<string, readonly string[]>> = {
  RSA: ["n", "e"],
  EC: ["crv", "x", "y"],
  OKP: ["crv", "x"],
  oct: ["k"],
}

/** The public part of a key. jose would treat one with a private part as a key for signing. */
export function publicPart(key: JWK): JWK {
  const names = ["kty", ...(publicMembers[key.kty ?? ""] ?? [])]
  return Object.fromEntries(Object.entries(key).filter(([name]) => names.includes(name)))
}
