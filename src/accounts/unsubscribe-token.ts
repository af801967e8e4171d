import { createHmac, timingSafeEqual } from "node:crypto"

/** The account that a token is for, and the address that it was sent to. */
export interface UnsubscribeClaim {
  readonly accountId: string
  /** {@link addressTag} of the address. */
  readonly address: string
}

/**
 * A token that ends the notices of an account by mail: the account's id, a tag of the address and a signature of both
 * (HMAC-SHA256, RFC 2104). It does not expire, since mails are kept for years.
 * @param key the secret of the service's store
 */
export function toUnsubscribeToken(key: string, { accountId, address }: UnsubscribeClaim): string {
  return `${accountId}.${address}.${signatureOf(key, accountId, address)}`
}

/** Reads a token; null if this service has not signed it. */
export function readUnsubscribeToken(key: string, token: string): UnsubscribeClaim | null {
  const [, accountId, address, signature] = tokenForm.exec(token) ?? []
  if (accountId === undefined || address === undefined || signature === undefined) return null
  // Texts, since base64url has several for the same bytes.
  const expected = signatureOf(key, accountId, address)
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  return isSigned ? { accountId, address } : null
}

/** Stands for an address in a token, so that the address is in no log of a proxy. */
export function addressTag(address: string): string {
  return new Bun.CryptoHasher("sha256").update(address).digest("base64url").slice(0, 16)
}

/** 43 digits of base64url are the 32 bytes of a signature, so that both sides of the comparison have one length. */
const tokenForm = /^(acc_[\w-]{1,60})\.([\w-]{16})\.([\w-]{43})$/

function signatureOf(key: string, accountId: string, address: string): string {
  return createHmac("sha256", key).update(`unsubscribe ${accountId} ${address}`).digest("base64url")
}
