import { type Static, Type } from "@sinclair/typebox"
import { nullable, nullableText } from "../../apis/contract.ts"
import type { KeyDetails, KeyUpdate, Mutation } from "../../store/admin-store.ts"
import { requireAccount, requireVersion } from "../accounts/account.ts"
import { changedFields } from "../audit/record.ts"
import { AdminFault, invalid, missing } from "../fault.ts"
import { externalId, idNumber, instant, keyId, maybeInstant, maybeInteger, metadata } from "../fields.ts"
import { type AdminContext, defineRead, operatorOnly, type PreparedChange, secret } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

/** A key as operations answer it, without its text. */
export const keySchema = Type.Object({
  id: Type.String({ description: "The key's id." }),
  account: Type.String({ description: "The id of the account that pays for its calls." }),
  name: Type.String({ description: "Its name; may be empty." }),
  prefix: Type.String({ description: "The first characters of its text." }),
  created: instant("When it was created."),
  expires: maybeInstant("When it stops working; null for never."),
  revoked: maybeInstant("When it was revoked, which is final; null if it was not."),
  disabled: maybeInstant("When it was disabled, which can be taken back; null while it may be used."),
  allow_apis: nullable(Type.Array(Type.String()), {
    description: "The only APIs that it may call; null for all.",
  }),
  block_apis: Type.Array(Type.String(), { description: "APIs that it may not call." }),
  allow_ips: nullable(Type.Array(Type.String()), {
    description: "The only networks that it may be used from; null for any.",
  }),
  rate_limit: maybeInteger("Calls a minute for this key alone; null for no limit."),
  external_id: operatorOnly(nullable(externalId, { description: externalId.description ?? "" })),
  metadata: operatorOnly(metadata),
  version: idNumber({
    description: "Rises with each change; send it in If-Match to change this version only.",
  }),
})

/** The fields that an operator sets, for the audit log. */
export const keyFields: readonly string[] = [
  "name",
  "expires",
  "allow_apis",
  "block_apis",
  "allow_ips",
  "rate_limit",
  "external_id",
  "metadata",
]

/** The text of a new key, and a note that it cannot be read again. */
export const issuedFields = {
  key: secret(nullableText("The key. Null when an answer is repeated.")),
  note: Type.String({ description: "That the key is shown once." }),
}

/** The note in the answers of operations that make a key. */
export const issuedNote =
  "The key is shown once, in the first answer to this request. It cannot be read again."

type KeyOutput = Static<typeof keySchema>
const show = showBy(keySchema)

/** A key as operations show it. */
export function toKeyOutput(key: KeyDetails): KeyOutput {
  return show(key, { metadata: JSON.parse(key.metadata) })
}

/** @throws AdminFault when there is no such key */
async function requireKey({ admin }: AdminParts, id: string): Promise<KeyDetails> {
  return (await admin.findKey(id)) ?? missing("key", id)
}

/**
 * The account that a list is about: that of the key, if a key is given.
 * @throws AdminFault when there is no such account or key, or the key belongs to another account
 */
export async function requireOwner(
  account: string | undefined,
  key: string | undefined,
  context: AdminParts,
) {
  if (account !== undefined) await requireAccount(context, account)
  if (key === undefined) return account
  const { accountId } = await requireKey(context, key)
  if (account === undefined || accountId === account) return accountId
  throw invalid("key", `Key '${key}' does not belong to account '${account}'. Leave one out.`)
}

/** @throws AdminFault when there is no such key, or it is revoked, or the client has seen another version of it */
export async function requireLiveKey(context: AdminContext, id: string): Promise<KeyDetails> {
  const key = await requireKey(context, id)
  requireVersion(key, context)
  if (key.revokedMs === null) return key
  throw new AdminFault("conflict", `Key '${id}' is revoked, which is final. Create a new one.`, { id })
}

/** Reads a key for an answer. */
export async function readKey(id: string, context: AdminParts): Promise<KeyOutput> {
  return toKeyOutput(await requireKey(context, id))
}

/**
 * Prepares a change of a key's fields.
 * @param others mutations of the same transaction
 */
export function changeKey(
  key: KeyDetails,
  set: KeyUpdate,
  others: readonly Mutation[] = [],
): PreparedChange<never> {
  const { id, version } = key
  return {
    mutations: [{ kind: "key.update", id, version, set }, ...others],
    target: keyTarget(key),
    ...changedFields(toKeyOutput(key), toKeyOutput({ ...key, ...set }), [
      ...keyFields,
      "disabled",
      "revoked",
    ]),
  }
}

/** The audit target of an operation that changes one key. */
export function keyTarget({ id, accountId }: Pick<KeyDetails, "id" | "accountId">) {
  return { kind: "key", id, accountId }
}

export const getKey = defineRead({
  id: "keys.get",
  title: "Show a key",
  description: "Shows a key without its text.",
  permission: "keys.read",
  path: "/keys/{id}",
  command: { words: "key show", args: ["id"], example: "key_1234567890abcdef" },
  portal: { key: "id" },
  input: Type.Object({ id: keyId }),
  output: keySchema,
  read: ({ id }, context) => readKey(id, context),
})
