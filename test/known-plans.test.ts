import { expect, test } from "bun:test"
import { accountsWithoutPlan } from "../src/app/start-log.ts"
import { loadConfig } from "../src/config/load.ts"

test("a start with known plans looks at no account", async () => {
  const config = loadConfig({ flags: { db: ":memory:" }, env: {}, file: null })
  const looked: string[] = []
  const admin = {
    planNames: async () => ["free", "pro"],
    plansInUse: async () => {
      looked.push("plansInUse")
      return []
    },
    accounts: async () => {
      looked.push("accounts")
      return []
    },
  }
  expect(await accountsWithoutPlan(admin, config)).toBeNull()
  expect(looked).toEqual([])
})
