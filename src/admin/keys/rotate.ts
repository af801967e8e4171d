import { Type } from "@sinclair/typebox"
import { createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import { requireGrace } from "../../accounts/requirements.ts"
import type { Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { durationFormat, keyId, maybeInstant } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import { issuedFields, issuedNote, keySchema, keyTarget, readKey, requireLiveKey } from "./key.ts"

const { id, ...otherFields } = keySchema.properties
const output = Type.Object({
  id,
  ...issuedFields,
  old_key_ends: maybeInstant(
    "When the text that the key had before stops working; null in an answer that is repeated after a crash.",
  ),
  ...otherFields,
})

export const rotateKey = defineChange({
  id: "keys.rotate",
  title: "Give a key a new text",
  description:
    "Gives a key a new text and shows it. It is not shown again. The old text works until the grace is over.",
  permission: "keys.write",
  method: "POST",
  path: "/keys/{id}/rotate",
  command: { words: "key rotate", args: ["id"], example: "key_1234567890abcdef --grace 24h" },
  portal: { key: "id", action: "rotate" },
  input: Type.Object({
    id: keyId,
    grace: Type.Optional(
      Type.String({
        default: "0",
        maxLength: 20,
        format: durationFormat,
        description: "How long the old text still works: 15m, 24h, 7d; 0 for not at all.",
        "x-requirement": "must be a time such as 15m, 24h, 7d (999999d at most), or 0 for none",
      }),
    ),
  }),
  output,
  isFinal: true,
  example: { id: "key_1234567890abcdef", grace: "24h" },
  async prepare({ id, grace = "0" }, context) {
    const key = await requireLiveKey(context, id)
    const nowMs = context.clock.now()
    const othersUntilMs = nowMs + requireGrace(grace)
    const text = createSecret("key", context.random)
    const secret = { hash: hashKey(text), prefix: visiblePrefix(text), createdMs: nowMs }
    const ends = toIso(othersUntilMs)
    return {
      mutations: [
        { kind: "key.rotate", id, version: key.version, secret, othersUntilMs },
        ...(await keepSession(id, secret.hash, context)),
      ],
      target: keyTarget(key),
      before: { prefix: key.prefix },
      after: { prefix: secret.prefix, old_key_ends: ends },
      async answer() {
        return { ...(await readKey(id, context)), key: text, note: issuedNote, old_key_ends: ends }
      },
    }
  },
  async recall(id, context) {
    return { ...(await readKey(id, context)), key: null, note: issuedNote, old_key_ends: null }
  },
})

/** A session that rotates the key it was opened with goes on with the new text. */
async function keepSession(
  keyId: string,
  hash: string,
  { actor: { session }, admin }: AdminContext,
): Promise<readonly Mutation[]> {
  if (!session || session.keyHash === null) return []
  const signedInWith = await admin.findKeyByHash(session.keyHash)
  return signedInWith?.key.id === keyId ? [{ kind: "session.bind", id: session.id, keyHash: hash }] : []
}
