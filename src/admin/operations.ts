import { createAccount } from "./accounts/create.ts"
import { getAccount } from "./accounts/get.ts"
import { listAccounts } from "./accounts/list.ts"
import { updateAccount } from "./accounts/update.ts"
import { grantCredits } from "./credits/grant.ts"
import type { Operation } from "./operation.ts"

/** Every operation of the administration, in the order of documentation. */
export const operations: readonly Operation[] = [
  createAccount,
  listAccounts,
  getAccount,
  updateAccount,
  grantCredits,
]
