import { AdminFault } from "../../../admin/fault.ts"
import { signInRefusals } from "../../../admin/sign-in.ts"
import { bearerToken } from "../sent-key.ts"

/**
 * The admin key of a request: `x-admin-key`, or `Authorization: Bearer KEY`. Null without one.
 * @throws AdminFault for two different ones
 */
export function sentAdminKey(headers: Headers): string | null {
  const own = headers.get("x-admin-key")
  const bearer = bearerToken(headers.get("authorization"))
  if (own && bearer !== null && own !== bearer) throw keysDiffer
  return own || bearer
}

/** What a request is refused with that has neither an admin key nor a session. */
export function adminKeyMissing(headers: Headers): AdminFault {
  return headers.get("x-api-key") ? apiKeySent : keyMissing
}

const keysDiffer = new AdminFault(
  "invalid",
  "The headers 'x-admin-key' and 'Authorization' hold different keys. Send the key in one of them.",
)
const apiKeySent = new AdminFault(
  "unauthenticated",
  `The header 'x-api-key' is for the APIs. ${signInRefusals.apiKey} Send it in the header 'x-admin-key'.`,
)
const keyMissing = new AdminFault(
  "unauthenticated",
  "An admin key is needed: send it in the 'x-admin-key' header, or as 'Authorization: Bearer KEY'.",
)
