import { createId, createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { KeyDetails, Mutation } from "../../store/admin-store.ts"

/**
 * A new key of an account, without limits, and its text, which is known only here.
 * @param own what differs from that
 */
export function createKeyDetails(accountId: string, own: Partial<KeyDetails>, nowMs: number, random: Random) {
  const text = createSecret("key", random)
  const prefix = visiblePrefix(text)
  const key: KeyDetails = {
    id: createId("key", random),
    accountId,
    name: "",
    prefix,
    createdMs: nowMs,
    expiresMs: null,
    revokedMs: null,
    disabledMs: null,
    allowApis: null,
    blockApis: [],
    allowIps: null,
    rateLimit: null,
    externalId: null,
    metadata: "{}",
    version: 1,
    ...own,
  }
  const secret = { hash: hashKey(text), prefix, createdMs: nowMs }
  const mutation: Mutation = { kind: "key.insert", key, secret }
  return { key, text, mutation }
}
