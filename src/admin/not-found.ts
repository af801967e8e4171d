import { AdminFault } from "./fault.ts"

/** The refusal of an account that does not exist or belongs to another customer. */
export function noSuchAccount(id: string): AdminFault {
  return new AdminFault("not-found", `There is no account '${id}'. List the accounts to find its id.`, { id })
}

/** The same for a key. */
export function noSuchKey(id: string): AdminFault {
  return new AdminFault(
    "not-found",
    `There is no key '${id}'. List the keys to find its id, which starts with key_.`,
    { id },
  )
}

/** The same for a notice. */
export function noSuchNotice(id: string): AdminFault {
  return new AdminFault("not-found", `There is no notice '${id}'. List the notices to find its id.`, { id })
}
