import type { Random } from "../apis/contract.ts"
import type { KeyAccess } from "../store/store.ts"

/**
 * The beginnings of API keys, admin keys, tokens of links that sign in with a browser, and cookies of sessions. None has an
 * underscore: programs of many users take only letters, digits and hyphens in a key.
 */
const starts = { key: "pk-", adminKey: "pka-", linkToken: "pkl-", sessionToken: "pks-" } as const
/** The beginning of earlier API keys, which stay valid. */
const earlierKeyStart = "pk_"
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 32
const checksumLength = 6

/** Makes a secret: its beginning, 32 random base62 characters (190 bits), and the CRC-32 of both in 6 base62 characters. */
export function createSecret(kind: keyof typeof starts, random: Random): string {
  const body = starts[kind] + randomBase62(randomLength, random)
  return body + checksum(body)
}

/** Whether a text has the form and checksum of a kind of secret. Not in constant time, since a checksum is no secret. */
export function isWellFormed(kind: keyof typeof starts, text: string): boolean {
  const start = starts[kind]
  if (!text.startsWith(start) && !(kind === "key" && text.startsWith(earlierKeyStart))) return false
  const bodyLength = start.length + randomLength
  if (text.length !== bodyLength + checksumLength) return false
  let claimed = 0
  for (let index = start.length; index < text.length; index++) {
    const digit = digits[text.charCodeAt(index)] ?? -1
    if (digit === -1) return false
    if (index >= bodyLength) claimed = claimed * 62 + digit
  }
  return claimed === Bun.hash.crc32(text.slice(0, bodyLength))
}

/** The kind of key that the beginning of a text shows, well-formed or not; null for neither. */
export function kindOfKey(text: string): "api" | "admin" | null {
  if (text.startsWith(starts.adminKey)) return "admin"
  return text.startsWith(starts.key) || text.startsWith(earlierKeyStart) ? "api" : null
}

/** The value of each base62 digit by its ASCII code, -1 for other characters. A regular expression takes 0.4 µs more. */
const digits = Int8Array.from({ length: 128 }, (_, code) => alphabet.indexOf(String.fromCharCode(code)))

/**
 * The SHA-256 of a key in hexadecimal. With 190 random bits a fast hash is as good as a slow one. A look-up by hash leaks
 * nothing through timing, since an attacker cannot choose hashes.
 */
export function hashKey(key: string): string {
  return Bun.SHA256.hash(key, "hex")
}

/** The part of a key that lists and logs may show: enough to tell keys apart, far too little to guess the rest. */
export function visiblePrefix(key: string): string {
  return key.slice(0, 9)
}

/**
 * Finds keys, link tokens and session cookies anywhere in a text, also mistyped or cut off ones. The shortest match lacks half of
 * the random characters and the checksum.
 */
const keyLike = /pk[als]?[-_][0-9A-Za-z]{16,}/

/** Whether a text contains a key, perhaps a mistyped one, and must not be logged. */
export function holdsKey(text: string): boolean {
  return keyLike.test(text)
}

/** Replaces each key in a text, also a mistyped one, by its visible prefix and `…`. */
export function shortenKeys(text: string): string {
  return text.replace(new RegExp(keyLike, "g"), (key) => `${visiblePrefix(key)}…`)
}

/** The fault of a known key that must not be used; null if it may. Revocation comes first: the clock may have been set back. */
export function refusalOfKey(
  { revokedMs, disabledMs, expiresMs }: Pick<KeyAccess["key"], "revokedMs" | "disabledMs" | "expiresMs">,
  secretUntilMs: number | null,
  nowMs: number,
) {
  if (revokedMs !== null) return "keyRevoked"
  if (secretUntilMs !== null && secretUntilMs <= nowMs) return "keyRotated"
  if (disabledMs !== null) return "keyDisabled"
  return expiresMs !== null && expiresMs <= nowMs ? "keyExpired" : null
}

/** A random identifier such as `acc_4fQ…`: the prefix and 16 base62 characters (95 bits). */
export function createId(prefix: string, random: Random): string {
  return `${prefix}_${randomBase62(16, random)}`
}

function checksum(body: string): string {
  let rest = Bun.hash.crc32(body)
  let text = ""
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Rejection sampling: a byte modulo 62 would favour the first eight characters. */
function randomBase62(length: number, random: Random): string {
  let text = ""
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
    }
  }
  return text
}
