import type { Case } from "./case.ts"
import { adminLists } from "./cases/admin-lists.ts"
import { endurance } from "./cases/endurance.ts"
import { isolatedApis } from "./cases/isolated-apis.ts"
import { accounts, get, post } from "./cases/metered.ts"
import { postgresCalls } from "./cases/postgres-calls.ts"
import { slowLists } from "./cases/slow-lists.ts"
import { start } from "./cases/start.ts"
import { unread } from "./cases/unread.ts"
import { versions } from "./cases/versions.ts"

/** The cases of `bun run bench`. A new one is a file in `cases/` and a line here. */
export const cases: readonly Case[] = [
  get,
  post,
  accounts,
  start,
  unread,
  endurance,
  isolatedApis,
  postgresCalls,
  adminLists,
  slowLists,
  versions,
]
