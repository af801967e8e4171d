import { Type } from "@sinclair/typebox"
import { requireAccount } from "../accounts/account.ts"
import { accountId, externalId, listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import { keySchema, toKeyOutput } from "./key.ts"

export const listKeys = defineRead({
  id: "keys.list",
  title: "List keys",
  description: "Lists keys without their texts, oldest first.",
  permission: "keys.read",
  path: "/keys",
  command: {
    words: "key list",
    example: "--account acc_1234567890abcdef",
    empty: "No keys found. 'key create --account ID' makes one.",
    columns: ["id", "account", "name", "prefix", "created", "expires", "revoked", "disabled", "rate_limit"],
  },
  portal: { account: "account", parameters: ["account", "limit", "after"] },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only the keys of this account." }),
    external_id: Type.Optional({ ...externalId, description: "Only the key with this external id." }),
    ...pageParameters,
  }),
  output: listOf(keySchema),
  example: { account: "acc_1234567890abcdef" },
  async read({ account, external_id, limit, after }, context) {
    if (account !== undefined) await requireAccount(context, account)
    return readPage(
      "keys",
      { limit, after },
      (page) => context.admin.keys({ accountId: account, externalId: external_id }, page),
      ({ createdMs, id }) => [createdMs, id],
      toKeyOutput,
    )
  },
})
