import { Type } from "@sinclair/typebox"
import { hashKey, kindOfKey } from "../../accounts/key.ts"
import { AdminFault } from "../fault.ts"
import type { AdminParts } from "../parts.ts"

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
