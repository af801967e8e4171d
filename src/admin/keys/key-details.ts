import { createId, createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { KeyDetails, Mutation } from "../../store/admin-store.ts"

/** A key to insert. Its text is known only here. */
interface CreatedKey {
  readonly key: KeyDetails
  readonly text: string
  readonly mutation: Mutation
}

/**
 * A new key of an account, without limits.
 * @param own what differs from that
 */
export function createKeyDetails(
  accountId: string,
  own: Partial<KeyDetails>,
  nowMs: number,
  random: Random,
): CreatedKey {
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
  return { key, text, mutation: { kind: "key.insert", key, secret } }
}
