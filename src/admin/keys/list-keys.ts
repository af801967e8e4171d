import { Type } from "@sinclair/typebox"
import { choice } from "../../apis/contract.ts"
import type { KeyDetails } from "../../store/admin-store.ts"
import { toLowerAscii } from "../../values/text.ts"
import { requireAccount } from "../accounts/account.ts"
import {
  accountId,
  countedListOf,
  externalId,
  keyPrefix,
  maybeDay,
  optionalText,
  pageParameters,
  totalParameter,
} from "../fields.ts"
import { defineRead } from "../operation.ts"
import { type Listed, readPage, withTotal } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { keySchema, toKeyOutput } from "./key.ts"

const sorts = ["newest", "oldest", "name", "last_used"] as const
const states = ["works", "disabled", "expired", "revoked"] as const

/** A key in a list. */
const listedKeySchema = Type.Object({
  ...keySchema.properties,
  account_name: Type.String({ description: "The name of its account." }),
  last_used: maybeDay(
    "The last day with a call by it (UTC); null without one. Of calls that are kept by month, the first day of the month.",
  ),
})

export const listKeys = defineRead({
  id: "keys.list",
  title: "List keys",
  description: "Lists keys without their texts, newest first.",
  permission: "keys.read",
  path: "/keys",
  command: {
    words: "key list",
    example: "--account acc_1234567890abcdef",
    empty: "No keys found. 'key create --account ID' makes one.",
    columns: ["id", "account", "name", "last_used", "prefix", "expires", "revoked", "disabled", "rate_limit"],
    moreColumns: ["account_name", "external_id"],
  },
  portal: { account: "account", parameters: ["account", "sort", "limit", "after", "format"] },
  input: Type.Object({
    account: Type.Optional({ ...accountId, description: "Only the keys of this account." }),
    external_id: Type.Optional({ ...externalId, description: "Only the key with this external id." }),
    prefix: Type.Optional(keyPrefix),
    id_prefix: optionalText("Only keys whose id begins with this.", {
      maxLength: 100,
      pattern: "^key_[0-9A-Za-z]*$",
      "x-requirement": "must be the beginning of a key's id, which starts with `key_`",
    }),
    state: Type.Optional(
      choice(states, {
        description:
          "Only keys that work, or that do not for this reason. The state of the account does not count.",
      }),
    ),
    sort: Type.Optional(
      choice(sorts, {
        description:
          "The order: `newest` (the default), `oldest`, `name`, or `last_used` (last day with a call first), which needs `account`.",
      }),
    ),
    ...totalParameter,
    ...pageParameters,
  }),
  output: countedListOf(listedKeySchema),
  example: { account: "acc_1234567890abcdef" },
  async read(input, context) {
    const { account, external_id, prefix, id_prefix, state, sort = "newest", limit, after, total } = input
    const { admin, clock } = context
    if (account !== undefined) await requireAccount(context, account)
    const filter = {
      accountId: account,
      externalId: external_id,
      prefix,
      idPrefix: id_prefix,
      state: state && { name: state, nowMs: clock.now() },
    }
    let lastDays: ReadonlyMap<string, string> = new Map()
    const placeOf = ({ createdMs, id, name }: KeyDetails) =>
      sort === "last_used"
        ? [lastDays.get(id) ?? "", id]
        : [sort === "name" ? toLowerAscii(name) : createdMs, id]
    const readKeys = async (page: Parameters<typeof admin.keys>[1]) => {
      const keys = await admin.keys(filter, page, sort)
      lastDays = new Map((await admin.lastUses(keys)).map(({ keyId, day }) => [keyId, day]))
      return keys
    }
    const page = await readPage(`keys ${sort}`, { limit, after }, readKeys, placeOf, (key) => key)
    const shown = await withNames(page, lastDays, context)
    return withTotal(shown, total, (most) => admin.countListed({ list: "keys", filter }, most))
  },
})

async function withNames(
  page: Listed<KeyDetails>,
  lastDays: ReadonlyMap<string, string>,
  { admin }: AdminParts,
) {
  const names = await admin.accountNames([...new Set(page.data.map(({ accountId }) => accountId))])
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  const data = page.data.map((key) => ({
    ...toKeyOutput(key),
    account_name: nameOf.get(key.accountId) ?? "",
    last_used: lastDays.get(key.id) ?? null,
  }))
  return { ...page, data }
}
