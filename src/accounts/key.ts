import type { Random } from "../apis/contract.ts"

/**
 * Has no underscore: the programs of many users check that a key has only letters, digits and hyphens before they send it.
 * Earlier keys begin with `pk_` and stay valid.
 */
const keyStart = "pk-"
const earlierKeyStart = "pk_"
/** Keys of the admin API. */
const adminKeyStart = "pka-"
/** Tokens of links that sign in with a browser, and cookies of sessions. */
const linkTokenStart = "pkl-"
const sessionTokenStart = "pks-"
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 32
const checksumLength = 6

/** Makes an API key: `pk-`, 32 random base62 characters (190 bits), and the CRC-32 of both in 6 base62 characters. */
export function createKey(random: Random): string {
  return createSecret(keyStart, random)
}

/** Makes a key of the admin API: `pka-`, and the same as of an API key. */
export function createAdminKey(random: Random): string {
  return createSecret(adminKeyStart, random)
}

/** Makes the token of a link that signs in: `pkl-`, and the same as of an API key. */
export function createLinkToken(random: Random): string {
  return createSecret(linkTokenStart, random)
}

/** Makes the cookie of a session: `pks-`, and the same as of an API key. */
export function createSessionToken(random: Random): string {
  return createSecret(sessionTokenStart, random)
}

function createSecret(start: string, random: Random): string {
  const body = start + randomBase62(randomLength, random)
  return body + checksum(body)
}

/** Whether a text has the form and checksum of an API key. */
export function isWellFormedKey(text: string): boolean {
  if (!text.startsWith(keyStart) && !text.startsWith(earlierKeyStart)) return false
  return hasChecksum(text, keyStart.length)
}

/** Whether a text has the form and checksum of a key of the admin API. */
export function isWellFormedAdminKey(text: string): boolean {
  return text.startsWith(adminKeyStart) && hasChecksum(text, adminKeyStart.length)
}

/** Whether a text has the form and checksum of a link's token. */
export function isWellFormedLinkToken(text: string): boolean {
  return text.startsWith(linkTokenStart) && hasChecksum(text, linkTokenStart.length)
}

/** Whether a text has the form and checksum of a session's cookie. */
export function isWellFormedSessionToken(text: string): boolean {
  return text.startsWith(sessionTokenStart) && hasChecksum(text, sessionTokenStart.length)
}

/** The kind of key that the beginning of a text shows, well-formed or not; null for neither. */
export function kindOfKey(text: string): "api" | "admin" | null {
  if (text.startsWith(adminKeyStart)) return "admin"
  return text.startsWith(keyStart) || text.startsWith(earlierKeyStart) ? "api" : null
}

/** Nothing here is secret, so it need not run in constant time. */
function hasChecksum(text: string, startLength: number): boolean {
  const bodyLength = startLength + randomLength
  if (text.length !== bodyLength + checksumLength) return false
  let claimed = 0
  for (let index = startLength; index < text.length; index++) {
    const digit = digits[text.charCodeAt(index)] ?? -1
    if (digit === -1) return false
    if (index >= bodyLength) claimed = claimed * 62 + digit
  }
  return claimed === Bun.hash.crc32(text.slice(0, bodyLength))
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
