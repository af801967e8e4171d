import { Type } from "@sinclair/typebox"
import { hashKey, kindOfKey } from "../../accounts/key.ts"
import { choice } from "../../apis/contract.ts"
import type { AccountDetails, KeyDetails } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { requireAccount } from "../accounts/account.ts"
import { AdminFault } from "../fault.ts"
import { maybeInstant } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { keySchema, toKeyOutput } from "./key.ts"

/** The text of a key as a parameter. It is hashed for the search, and appears nowhere else. */
export const keyText = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The key's text. It is neither stored nor logged.",
})

/**
 * Finds a key by its current text or an earlier one.
 * @throws AdminFault when no key has it
 */
export async function requireKeyByText({ admin }: AdminParts, text: string) {
  const found = await admin.findKeyByHash(hashKey(text))
  if (found) return found
  const isAdminKey = kindOfKey(text) === "admin"
  throw new AdminFault(
    "not-found",
    isAdminKey
      ? "This is the text of an admin key. List the admin keys to find it by its prefix."
      : "No key has this text. Check that it is complete; a key starts with pk- and has 41 characters.",
    { parameter: "key" },
  )
}

const { id, account, name, ...otherFields } = keySchema.properties
const states = ["works", "revoked", "disabled", "expired", "rotated", "account-closed"] as const

export const findKey = defineOperation({
  id: "keys.find",
  title: "Find a key by its text",
  description:
    "Tells which key a text is, whose it is, and whether it works. For a key that was found in a wrong place.",
  permission: "keys.read",
  method: "POST",
  path: "/keys/find",
  command: { words: "key find", stdin: "key", example: "< leaked.txt" },
  input: Type.Object({ key: keyText }),
  output: Type.Object({
    id,
    state: choice(states, {
      description:
        "Whether a call with this text works, and if not, why. `rotated`: the key has another text now.",
    }),
    account,
    account_name: Type.String({ description: "The name of the account." }),
    name,
    text_ends: maybeInstant(
      "When this text stops working, or stopped, because the key was rotated; null otherwise.",
    ),
    ...otherFields,
  }),
  example: { key: "pk-0000000000000000000000000000000000000000" },
  run: {
    kind: "read",
    async read({ key: text }, context) {
      const { key, secretUntilMs } = await requireKeyByText(context, text)
      const owner = await requireAccount(context, key.accountId)
      return {
        ...toKeyOutput(key),
        account_name: owner.name,
        state: stateOf(key, owner, secretUntilMs, context.clock.now()),
        text_ends: toIso(secretUntilMs),
      }
    },
  },
})

/** Checks in the order in which a call is refused. */
function stateOf(
  key: KeyDetails,
  account: AccountDetails,
  secretUntilMs: number | null,
  nowMs: number,
): (typeof states)[number] {
  if (key.revokedMs !== null) return "revoked"
  if (account.closedMs !== null) return "account-closed"
  if (secretUntilMs !== null && secretUntilMs <= nowMs) return "rotated"
  if (key.disabledMs !== null) return "disabled"
  return key.expiresMs !== null && key.expiresMs <= nowMs ? "expired" : "works"
}
