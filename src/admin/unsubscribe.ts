import { createHmac, timingSafeEqual } from "node:crypto"
import type { AccountDetails } from "../store/admin-store.ts"
import { createAuditRecords } from "./audit/record.ts"
import type { AdminParts } from "./parts.ts"

/** The account that a token is for, and the address that it was sent to. */
interface UnsubscribeClaim {
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

/** Where the links lead; the token follows. */
export const unsubscribePath = "/unsubscribe/"

/** The name of the key among the settings that a store keeps: all processes on the store sign with it. */
const keySetting = "mail_signing_key"
const keyBytes = 32
/** The most times that a change is tried while others change the account. */
const maxTries = 5

type Parts = Pick<AdminParts, "admin" | "clock" | "pages" | "random" | "auditRandom">

/** Links in mails that end the notices of an account by mail. Every method may reject with StoreUnavailable. */
export type Unsubscribes = ReturnType<typeof createUnsubscribes>

/** Creates the part that makes the links in mails, and ends an account's notices by mail when one is followed. */
export function createUnsubscribes(parts: Parts) {
  const { admin } = parts
  const newAuditRecord = createAuditRecords(parts.auditRandom)
  let key: string | null = null

  async function readKey(): Promise<string> {
    key ??= (await admin.findSetting(keySetting)) ?? (await makeKey())
    return key
  }

  function makeKey(): Promise<string> {
    const made = Buffer.from(parts.random.bytes(keyBytes)).toString("base64url")
    return admin.keepFirstSetting(keySetting, made)
  }

  async function stopOnce(
    account: AccountDetails,
    from: { readonly source: string; readonly requestId: string },
  ): Promise<boolean> {
    const { id, version, notify } = account
    const set = { notify: notify === "both" ? "webhook" : "none" } as const
    const outcome = await admin.apply({
      mutations: [{ kind: "account.update", id, version, set }],
      audit: newAuditRecord(
        "accounts.unsubscribe",
        { target: { kind: "account", id, accountId: id }, before: { notify }, after: set },
        { id: "service", name: "link in a mail", ...from },
        parts.clock.now(),
      ),
    })
    if (outcome === "applied") return true
    if (outcome === "conflict") return false
    throw new Error(`notices by mail could not be ended: ${outcome}`)
  }

  return {
    /** The link for an account and the address that gets the mail. */
    async linkFor(accountId: string, address: string) {
      const token = toUnsubscribeToken(await readKey(), { accountId, address: addressTag(address) })
      return `${parts.pages.service()}${unsubscribePath}${token}`
    },
    /** Whether this service has signed a token. */
    async isSigned(token: string) {
      return readUnsubscribeToken(await readKey(), token) !== null
    },
    /**
     * Ends the notices by mail of a token's account, unless they ended or go to another address now. False for a token that is
     * not signed.
     */
    async stop(token: string, from: { readonly source: string; readonly requestId: string }) {
      const claim = readUnsubscribeToken(await readKey(), token)
      if (claim === null) return false
      for (let tries = 1; tries <= maxTries; tries++) {
        const account = await admin.findAccount(claim.accountId)
        if (account === null || !getsMailAt(account, claim.address)) return true
        if (await stopOnce(account, from)) return true
      }
      throw new Error("notices by mail could not be ended: the account was changed by others meanwhile")
    },
  }
}

function getsMailAt({ email, notify }: AccountDetails, address: string): boolean {
  return email !== null && addressTag(email) === address && (notify === "mail" || notify === "both")
}
