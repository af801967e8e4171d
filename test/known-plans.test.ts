import { expect, test } from "bun:test"
import { requireKnownPlans } from "../src/app/known-plans.ts"
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
  await requireKnownPlans(admin, config)
  expect(looked).toEqual([])
})
