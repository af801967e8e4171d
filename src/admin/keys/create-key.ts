import { Type } from "@sinclair/typebox"
import { createId, createSecret, hashKey, visiblePrefix } from "../../accounts/key.ts"
import type { AccountDetails, KeyDetails, Mutation } from "../../store/admin-store.ts"
import { requireOpenAccount } from "../accounts/account.ts"
import { pick } from "../changed-fields.ts"
import { accountId } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import { issuedFields, issuedNote, keyFields, keySchema, keyTarget, readKey, toKeyOutput } from "./key.ts"
import { raiseKeyChanged } from "./key-events.ts"
import { keyParameters, readKeySettings } from "./key-input.ts"

const { id, ...otherFields } = keySchema.properties

export const createApiKey = defineChange({
  id: "keys.create",
  title: "Create a key",
  description: "Creates an API key of an account and shows it. It is not shown again.",
  permission: "keys.write",
  method: "POST",
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
    const nowMs = context.clock.now()
    const given = readKeySettings(settings, context)
    const text = createSecret("key", context.random)
    const prefix = visiblePrefix(text)
    const key: KeyDetails = {
      id: createId("key", context.random),
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
      ...given,
    }
    const shown = toKeyOutput(key)
    return {
      mutations: [
        ...limitOf(owner, context),
        { kind: "key.insert", key, secret: { hash: hashKey(text), prefix, createdMs: nowMs } },
        ...(await raiseKeyChanged("key.created", key, context)),
      ],
      target: keyTarget(key),
      before: null,
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
