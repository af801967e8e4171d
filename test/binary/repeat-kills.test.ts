/** Calls with an Idempotency-Key over `kill -9`: what is sent again is answered, and charged once. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInstance } from "../../scripts/exactness/instance.ts"
import { killDuringCalls } from "../../scripts/exactness/repeat-kills.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { binary } from "./support.ts"

/** `bun run exactness --only repeat-kills-file repeat-kills` does this more often, and on PostgreSQL. */
const rounds = Number(process.env.PENKNIFE_TEST_ROUNDS ?? 4)

test("a call sent again after a kill is answered and charged once", async () => {
  const folder = tempDir()
  const { db, key } = await seedOne(folder)
  const config = join(folder, "penknife.toml")
  writeFileSync(config, "")
  const instance = await createInstance({ binary, db, config })
  await instance.start()
  const { calls, problems } = await killDuringCalls([instance], { key, rounds, say() {} })
  await instance.stop()
  expect({ calls, problems }).toEqual({ calls: 12 * rounds, problems: [] })
})
