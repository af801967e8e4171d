import { createId, createSecret, hashKey, visiblePrefix } from "../accounts/key.ts"
import type { Sessions } from "../admin/sessions/sessions.ts"
import type { SignIn } from "../admin/sign-in.ts"
import type { Clock } from "../apis/contract.ts"
import { createSeededRandom } from "../ports/random.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import { adminKeyName, consoleLinkToken, realKey, toAudit, toMagicKey } from "./keys.ts"

/** Makes the admin key of the mock, which may do everything, and returns its text. */
export async function seedAdminKey(admin: AdminStore, clock: Clock): Promise<string> {
  // It has its own randomness, so that the ids and keys that tests make stay the same.
  const random = createSeededRandom("admin")
  const text = createSecret("adminKey", random)
  const id = createId("adm", random)
  const nowMs = clock.now()
  const times = { createdMs: nowMs, expiresMs: null, revokedMs: null }
  const adminKey = { id, name: adminKeyName, prefix: visiblePrefix(text), permissions: ["*"], ...times }
  const after = JSON.stringify({ name: adminKeyName, permissions: ["*"] })
  const audit = {
    ...toAudit(createId("aud", random), "admins.create", id, nowMs),
    ...{ actorName: "mock", targetKind: "admin key", after, source: "mock", requestId: "start" },
  }
  const mutations = [{ kind: "adminKey.insert", adminKey, hash: hashKey(text) } as const]
  const outcome = await admin.apply({ mutations, audit })
  if (outcome !== "applied") throw new Error(`the admin key of the mock is ${outcome}`)
  return text
}

/** A sign-in that also takes `mock-admin`, with or without a tail. */
export function nameAdminKey(signIn: SignIn, key: string): SignIn {
  return (text) => signIn(toMagicKey(text) === adminKeyName ? key : text)
}

/** Sessions that also open with the names of keys, and in the console with a link's token, any number of times. */
export function nameSignIns(sessions: Sessions, names: ReadonlyMap<string, string>): Sessions {
  return {
    ...sessions,
    open(kind, proof, from, options) {
      const isFixedLink = "token" in proof && proof.token === consoleLinkToken && kind === "console"
      const meant =
        "key" in proof
          ? { key: realKey(names, proof.key) }
          : isFixedLink
            ? { key: realKey(names, adminKeyName) }
            : proof
      return sessions.open(kind, meant, from, options)
    },
  }
}
