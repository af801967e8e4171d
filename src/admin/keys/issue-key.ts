import { Type } from "@sinclair/typebox"
import { createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import { requireGrace } from "../../accounts/requirements.ts"
import type { AccountDetails, Mutation } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { requireOpenAccount } from "../accounts/account.ts"
import { pick } from "../audit/record.ts"
import { accountId, durationFormat, keyId, maybeInstant, optionalText } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import {
  issuedFields,
  issuedNote,
  keyFields,
  keySchema,
  keyTarget,
  readKey,
  requireLiveKey,
  toKeyOutput,
} from "./key.ts"
import { createKeyDetails } from "./key-details.ts"
import { raiseKeyChanged } from "./key-events.ts"
import { keyParameters, readKeySettings } from "./key-input.ts"

const { id, ...otherFields } = keySchema.properties

export const createApiKey = defineChange({
  id: "keys.create",
  title: "Create a key",
  description: "Creates an API key of an account and shows it. It is not shown again.",
  permission: "keys.write",
  path: "/keys",
  command: { words: "key create", example: "--account acc_1234567890abcdef --expires 30d" },
  portal: {
    account: "account",
    parameters: ["account", "name", "expires", "allow_apis", "block_apis", "allow_ips", "rate_limit"],
    action: "create",
  },
  input: Type.Object({ account: accountId, ...keyParameters }),
  output: Type.Object({ id, ...issuedFields, ...otherFields }),
  status: 201,
  example: { account: "acc_1234567890abcdef", name: "billing", expires: "30d" },
  async prepare({ account: accountId, ...settings }, context) {
    const owner = await requireOpenAccount({ ...context, ifVersion: null }, accountId)
    const given = readKeySettings(settings, context)
    const { key, text, mutation } = createKeyDetails(accountId, given, context.clock.now(), context.random)
    const shown = toKeyOutput(key)
    return {
      mutations: [
        ...limitOf(owner, context),
        mutation,
        ...(await raiseKeyChanged("key.created", key, context)),
      ],
      target: keyTarget(key),
      after: pick(shown, [...keyFields, "account", "prefix"]),
      answer: () => ({ ...shown, key: text, note: issuedNote }),
    }
  },
  recall: async (id, context) => ({ ...(await readKey(id, context)), key: null, note: issuedNote }),
})

/** The plan limits how many keys customers may have. */
function limitOf({ id, plan }: AccountDetails, { actor, plans, clock }: AdminContext): readonly Mutation[] {
  if (actor.account === null) return []
  return [{ kind: "keys.limit", accountId: id, most: plans.get(plan)?.portalKeys ?? 0, nowMs: clock.now() }]
}

const rotatedSchema = Type.Object({
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
  path: "/keys/{id}/rotate",
  command: { words: "key rotate", args: ["id"], example: "key_1234567890abcdef --grace 24h" },
  portal: { key: "id", action: "rotate" },
  input: Type.Object({
    id: keyId,
    grace: optionalText("How long the old text still works: 15m, 24h, 7d; 0 for not at all.", {
      default: "0",
      maxLength: 20,
      format: durationFormat,
      "x-requirement": "must be a time such as 15m, 24h, 7d (999999d at most), or 0 for none",
    }),
  }),
  output: rotatedSchema,
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
