import type { AccountRecord, Store } from "../store/store.ts"
import { AccountError } from "./account-error.ts"

/** @throws AccountError when the account does not exist */
export async function requireAccount(store: Pick<Store, "findAccount">, id: string): Promise<AccountRecord> {
  const account = await store.findAccount(id)
  if (account) return account
  throw new AccountError(`There is no account '${id}'. 'account list' shows them all.`)
}

/** @throws AccountError when the account does not exist or is closed */
export async function requireOpenAccount(
  store: Pick<Store, "findAccount">,
  id: string,
): Promise<AccountRecord> {
  const account = await requireAccount(store, id)
  if (account.closedMs === null) return account
  throw new AccountError(`Account '${id}' is closed for good. Make another with 'account create'.`)
}
