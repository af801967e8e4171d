/** The admin API over `kill -9`: a change that is sent again with its Idempotency-Key has one effect. */
import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { killDuringChanges } from "../../scripts/exactness/admin-kills.ts"
import { createInstance } from "../../scripts/exactness/instance.ts"
import { createTestAdminKey } from "../support/admin.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { binary } from "./support.ts"

/** `bun run exactness --only admin-kills-file admin-kills` does this more often, and on PostgreSQL. */
const rounds = Number(process.env.PENKNIFE_TEST_ROUNDS ?? 3)

test("a change sent again after a kill has one effect and one audit record, and no file keeps the text of a key", async () => {
  const folder = join(tempDir(), "store")
  mkdirSync(folder)
  const { db } = await seedOne(folder)
  const { key: adminKey } = await createTestAdminKey(db)
  const config = join(folder, "penknife.toml")
  writeFileSync(config, "")
  const instance = await createInstance({ binary, db, config, logSample: 1 })
  const { changes, problems } = await killDuringChanges(instance, {
    adminKey,
    folder,
    rounds,
    say() {},
    async countSecrets(keyId) {
      const sql = new Bun.SQL(`sqlite://${db}`)
      const rows = await sql`SELECT count(*) AS secrets FROM secrets WHERE key_id = ${keyId}`
      await sql.close()
      return Number(rows[0].secrets)
    },
  })
  expect({ changes, problems }).toEqual({ changes: 6 * rounds, problems: [] })
})
