import type { Case } from "./case.ts"
import { adminLists } from "./cases/admin-lists.ts"
import { endurance } from "./cases/endurance.ts"
import { isolatedApis } from "./cases/isolated-apis.ts"
import { accounts, get, post } from "./cases/metered.ts"
import { postgresCalls } from "./cases/postgres-calls.ts"
import { versions } from "./cases/versions.ts"

/** The cases of `bun run bench`. A new one is a file in `cases/` and a line here. */
export const cases: readonly Case[] = [
  get,
  post,
  accounts,
  endurance,
  isolatedApis,
  postgresCalls,
  adminLists,
  versions,
]
