import { hashKey, isWellFormed, kindOfKey } from "../accounts/key.ts"
import type { Clock } from "../apis/contract.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { AdminKeyRecord } from "../store/admin-store.ts"
import refusals from "./sign-in-refusals.json"

/** Finds the admin key with a text. Rejects with StoreUnavailable. */
export type SignIn = (text: string) => Promise<SignInResult>

type SignInResult =
  | { readonly adminKey: AdminKeyRecord; readonly refusal: null }
  | {
      /** The admin key that is no longer valid; null for an unknown text. */
      readonly adminKey: AdminKeyRecord | null
      readonly refusal: SignInRefusal
    }

type SignInRefusal = keyof typeof signInRefusals

/** Why a sign-in is refused, with the text for the client. */
export const signInRefusals = refusals.adminKey

/** Every sign-in reads the store, so that a revoked key stops working at once, on every instance. */
export function createSignIn(admin: Pick<AdminStore, "findAdminKey">, clock: Clock): SignIn {
  return async (text) => {
    if (!isWellFormed("adminKey", text))
      return { adminKey: null, refusal: kindOfKey(text) === "api" ? "apiKey" : "malformed" }
    const adminKey = await admin.findAdminKey(hashKey(text))
    return adminKey === null
      ? { adminKey: null, refusal: "unknown" }
      : { adminKey, refusal: refusalOf(adminKey, clock.now()) }
  }
}

function refusalOf({ revokedMs, expiresMs }: AdminKeyRecord, nowMs: number): SignInRefusal | null {
  // A revocation is final, even when the clock is set back.
  if (revokedMs !== null) return "revoked"
  return expiresMs !== null && expiresMs <= nowMs ? "expired" : null
}
