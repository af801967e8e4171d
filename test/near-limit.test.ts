/** `accounts list --near-limit`: who has used most of a month, whatever became of plans and months since the last call. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { closeAccount, reopenAccount, updateAccount } from "../src/admin/accounts/change-account.ts"
import { listAccounts } from "../src/admin/accounts/list-accounts.ts"
import { renewCredits } from "../src/admin/credits/change-credits.ts"
import { openAdministration, startMs, type TestAdministration } from "./support/administration.ts"
import { type AnyTestStore, openAnyStore, useStoreKinds } from "./support/any-store.ts"
import { accountOf, chargeOf } from "./support/store.ts"

const dayMs = 86_400_000
const usedOf = { acc_1: 799, acc_2: 800, acc_3: 1_000, acc_4: 10, acc_5: 950, acc_6: 800 } as const

describe.each(useStoreKinds())("$name", ({ create }) => {
  let opened: AnyTestStore
  let administration: TestAdministration

  beforeEach(async () => {
    opened = await openAnyStore(await create())
    administration = openAdministration(opened)
    for (const [id, used] of Object.entries(usedOf)) {
      const plan = id === "acc_6" ? "starter" : "free"
      await opened.store.createAccount(accountOf({ id, plan, createdMs: startMs, periodStartMs: startMs }))
      await charge(id, used, plan === "free" ? 1_000 : 200_000)
    }
  })
  afterEach(() => opened.store.close())

  const charge = (accountId: string, credits: number, allowance: number, periodStartMs = startMs) =>
    opened.store.charge([chargeOf({ accountId, credits, allowance, periodStartMs })])
  async function near(values = {}): Promise<string> {
    const ids: string[] = []
    let after: string | null = null
    do {
      const page = await administration.run(listAccounts, {
        near_limit: true,
        sort: "oldest",
        limit: 2,
        ...values,
        ...(after && { after }),
      })
      const { data, next } = page as { data: { id: string }[]; next: string | null }
      ids.push(...data.map(({ id }) => id.slice(4)))
      after = next
    } while (after !== null)
    return ids.join("")
  }

  test("lists open accounts that have used 80 % or more, and with false the others", async () => {
    expect([await near(), await near({ near_limit: false })]).toEqual(["235", "146"])
    expect([await near({ plan: "starter" }), await near({ search: "acc_3" })]).toEqual(["", "3"])
    await administration.run(closeAccount, { id: "acc_3" })
    expect(await near()).toBe("25")
    await administration.run(reopenAccount, { id: "acc_3" })
    expect(await near()).toBe("235")
    await charge("acc_1", 1, 1_000)
    expect(await near()).toBe("1235")
  })

  test("follows a change of the plan before the next call", async () => {
    await administration.run(updateAccount, { id: "acc_6", plan: "free" })
    expect(await near()).toBe("2356")
    await administration.run(updateAccount, { id: "acc_2", plan: "mega" })
    expect(await near()).toBe("356")
    await administration.run(updateAccount, { id: "acc_4", plan: "starter" })
    expect(await near()).toBe("356")
  })

  test("knows no account of a month that is over, or was started again", async () => {
    await administration.run(renewCredits, { id: "acc_5", anyway: true })
    expect(await near()).toBe("23")
    administration.clock.advance(31 * dayMs - 1)
    expect(await near()).toBe("23")
    administration.clock.advance(1)
    expect(await near()).toBe("")
    await charge("acc_2", 900, 1_000, startMs + 31 * dayMs)
    expect(await near()).toBe("2")
  })
})
