/** A cursor continues the list that gave it, and no other. */
import { expect, test } from "bun:test"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { listAccounts } from "../../src/admin/accounts/list-accounts.ts"
import { listAdmins } from "../../src/admin/admins/admin-key.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { listAudit } from "../../src/admin/audit/list-audit.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { listKeys } from "../../src/admin/keys/list-keys.ts"
import { openAdministration } from "../support/administration.ts"

const lists = [listAccounts, listKeys, listAdmins, listAudit] as const

test("a cursor of another list is refused, and its own list goes on", async () => {
  const { run, refusal } = openAdministration()
  for (let i = 0; i < 2; i++) {
    const { id } = await run(createAccount, { name: `Ann ${i}` })
    await run(createApiKey, { account: id })
    await run(createAdmin, { name: `ops ${i}` })
  }
  for (const list of lists) {
    const { next } = await run(list, { limit: 1 })
    expect(next).toBeString()
    for (const other of lists) {
      const values = { limit: 1, after: next ?? "" }
      if (other === list) {
        expect((await run(other, values)).data).toHaveLength(1)
        continue
      }
      expect(await refusal(other, values)).toMatchObject({
        code: "invalid",
        parameter: "after",
        message: "The 'after' parameter must be the 'next' of the page before, of this very list.",
      })
    }
  }
})
