import type { Case } from "./case.ts"
import { accounts } from "./cases/accounts.ts"
import { adminLists } from "./cases/admin-lists.ts"
import { batch } from "./cases/batch.ts"
import { endurance } from "./cases/endurance.ts"
import { graphql } from "./cases/graphql.ts"
import { isolatedApis } from "./cases/isolated-apis.ts"
import { mcp } from "./cases/mcp.ts"
import { get, post } from "./cases/metered.ts"
import { postgresCalls } from "./cases/postgres-calls.ts"
import { slowLists } from "./cases/slow-lists.ts"
import { start } from "./cases/start.ts"
import { strangers } from "./cases/strangers.ts"
import { unread } from "./cases/unread.ts"
import { versions } from "./cases/versions.ts"

/** The cases of `bun run bench`. A new one is a file in `cases/` and a line here. */
export const cases: readonly Case[] = [
  get,
  post,
  batch,
  graphql,
  mcp,
  accounts,
  strangers,
  unread,
  start,
  endurance,
  isolatedApis,
  postgresCalls,
  adminLists,
  slowLists,
  versions,
]
