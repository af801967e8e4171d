import { session } from "../client/session.ts"

/** The id of the account that is signed in. Only the portal has one. */
export function ownAccount(): string {
  return session.value?.account?.id ?? ""
}
