import type { Case } from "./case.ts"
import { accounts } from "./cases/accounts.ts"
import { batch } from "./cases/batch.ts"
import { endurance } from "./cases/endurance.ts"
import { get } from "./cases/get.ts"
import { graphql } from "./cases/graphql.ts"
import { mock } from "./cases/mock.ts"
import { post } from "./cases/post.ts"
import { refusals } from "./cases/refusals.ts"
import { slow } from "./cases/slow.ts"
import { workers } from "./cases/workers.ts"

/** What `bun run bench` can measure. A new case is a file in `cases/` and a line here. */
export const cases: readonly Case[] = [
  get,
  post,
  graphql,
  batch,
  refusals,
  accounts,
  workers,
  slow,
  mock,
  endurance,
]
