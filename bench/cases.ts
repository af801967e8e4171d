import type { Case } from "./case.ts"
import { accounts } from "./cases/accounts.ts"
import { adminLists } from "./cases/admin-lists.ts"
import { batch } from "./cases/batch.ts"
import { endurance } from "./cases/endurance.ts"
import { graphql } from "./cases/graphql.ts"
import { mailAudit } from "./cases/mail-audit.ts"
import { mcp } from "./cases/mcp.ts"
import { get, post } from "./cases/metered.ts"
import { postgres } from "./cases/postgres.ts"
import { postgresCalls } from "./cases/postgres-calls.ts"
import { postgresVersions } from "./cases/postgres-versions.ts"
import { refusals } from "./cases/refusals.ts"
import { retention } from "./cases/retention.ts"
import { slow } from "./cases/slow.ts"
import { slowLists } from "./cases/slow-lists.ts"
import { spf } from "./cases/spf.ts"
import { stalls } from "./cases/stalls.ts"
import { start } from "./cases/start.ts"
import { strangers } from "./cases/strangers.ts"
import { traces } from "./cases/traces.ts"
import { versions } from "./cases/versions.ts"
import { workers } from "./cases/workers.ts"

/** The cases of `bun run bench`. A new one is a file in `cases/` and a line here. */
export const cases: readonly Case[] = [
  get,
  post,
  batch,
  graphql,
  mcp,
  refusals,
  accounts,
  workers,
  traces,
  slow,
  spf,
  mailAudit,
  stalls,
  strangers,
  start,
  endurance,
  postgres,
  postgresCalls,
  postgresVersions,
  adminLists,
  retention,
  slowLists,
  versions,
]
