import { createId } from "../../src/accounts/key.ts"
import { systemRandom } from "../../src/ports/random.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { PasskeyRecord } from "../../src/store/people.ts"
import { changeOf } from "./admin-store.ts"

export const passkeyOf = (change: Partial<PasskeyRecord> = {}): PasskeyRecord => ({
  ...{ id: "psk_1", credentialId: "c1", personId: "psn_1", name: "Laptop", publicKey: "AAAA", counter: 0 },
  transports: ["internal"],
  site: "localhost",
  permissions: ["*"],
  createdMs: 1_000,
  usedMs: null,
  ...change,
})

/** Puts a passkey, which no browser has made, into the store, and returns its id. */
export async function createTestPasskey(admin: AdminStore, personId: string): Promise<string> {
  const id = createId("psk", systemRandom)
  const passkey = passkeyOf({ id, credentialId: id, personId })
  const change = changeOf([{ kind: "passkey.insert", passkey, most: 20 }])
  const outcome = await admin.apply({
    ...change,
    audit: { ...change.audit, id: createId("aud", systemRandom) },
  })
  if (outcome !== "applied") throw new Error(`the passkey is ${outcome}`)
  return id
}
