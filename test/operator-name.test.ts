/** The name of who runs a command: another program tells it, which only what is recorded is worth. */
import { expect, spyOn, test } from "bun:test"
import { join } from "node:path"
import { createAccount } from "../src/admin/accounts/create-account.ts"
import { listAccounts } from "../src/admin/accounts/list-accounts.ts"
import { listAudit } from "../src/admin/audit/list-audit.ts"
import { openAdministration } from "../src/app/administer.ts"
import { loadConfig } from "../src/config/load.ts"
import { tempDir } from "./support/temp.ts"

test("is asked for with the first change, and never for reads", async () => {
  const config = loadConfig({ flags: { db: join(tempDir(), "operator.db") }, env: {}, file: null })
  using spawned = spyOn(Bun, "spawnSync")
  const { administration, actor, close } = await openAdministration(config, { create: true })
  const run = (operation: typeof createAccount | typeof listAccounts | typeof listAudit, values: object) =>
    administration.run(operation, { kind: "typed", values: { ...values } }, actor)
  await run(listAccounts, {})
  expect(spawned).toHaveBeenCalledTimes(0)
  await run(createAccount, { name: "Ann", plan: "free" })
  await run(createAccount, { name: "Ben", plan: "free" })
  // Once in a process, and an earlier test may have been the first.
  expect(spawned.mock.calls.length).toBeLessThanOrEqual(1)
  const { output } = await run(listAudit, {})
  expect(output).toMatchObject({ data: [{ actor: actor.id }, { actor: actor.id }] })
  expect(actor.id).toBe(`cli:${actor.name}`)
  await close()
})
