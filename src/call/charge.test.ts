import { expect, test } from "bun:test"
import { defaultPlans, type Plan } from "../account/plan.ts"
import { systemClock } from "../ports/clock.ts"
import { openDatabase } from "../store/sqlite/open.ts"
import { createSqliteStore } from "../store/sqlite/sqlite-store.ts"
import type { AccountRecord, KeyRecord } from "../store/store.ts"
import { createCharges } from "./charge.ts"
import type { Caller } from "./gate.ts"

const [free] = defaultPlans as [Plan]
const nowMs = systemClock.now()
const account: AccountRecord = {
  id: "acc_1",
  name: "Ann",
  plan: free.name,
  createdMs: nowMs,
  closedMs: null,
  periodStartMs: nowMs,
  used: 998,
  bonus: 0,
}
const caller: Caller = { key: {} as KeyRecord, account, plan: free, revision: 1 }
const items = [{ api: "hmac", calls: 1, credits: 1 }]

async function setUp() {
  const store = createSqliteStore(openDatabase(":memory:"))
  await store.createAccount(account)
  return { store, charges: createCharges(store, systemClock, { error() {} }) }
}

test("what is held is not given to another call, and is free again after", async () => {
  const { charges } = await setUp()
  const holds = [charges.hold(caller, 1), charges.hold(caller, 1)]
  expect(() => charges.hold(caller, 1)).toThrow("used up")
  holds[0]?.release()
  holds[0]?.release()
  const third = charges.hold(caller, 1)
  expect(() => charges.hold(caller, 1)).toThrow("used up")
  third.release()
})

test("credits never count twice, not even between the charge and the end of the call", async () => {
  const { charges } = await setUp()
  const first = charges.hold(caller, 1)
  await charges.settle(first, items)
  // The first call has not released its hold yet; one credit is left, and it is there to be had.
  const second = charges.hold(caller, 1)
  await charges.settle(second, items)
  first.release()
  second.release()
  expect(charges.balance(caller)).toMatchObject({ used: 1_000, remaining: 0 })
  expect(() => charges.hold(caller, 1)).toThrow("used up")
})

test("a charge that another process was faster than is refused, and what it left is known then", async () => {
  const { store, charges } = await setUp()
  const hold = charges.hold(caller, 2)
  const { allowance, period } = charges.balance(caller)
  const other = { accountId: "acc_1", items, allowance, periodStartMs: period.startMs, day: "2025-01-01" }
  await store.charge([other])
  await expect(charges.settle(hold, [{ api: "hmac", calls: 2, credits: 2 }])).rejects.toThrow("used up")
  expect(charges.balance(caller)).toMatchObject({ used: 999, remaining: 1 })
  charges.hold(caller, 1).release()
})

test("a caller read before an administrative change does not bring its old balance back", async () => {
  const { charges } = await setUp()
  const granted: Caller = { ...caller, account: { ...account, bonus: 5 }, revision: 2 }
  expect(charges.balance(caller).remaining).toBe(2)
  expect(charges.balance(granted).remaining).toBe(7)
  expect(charges.balance(caller).remaining).toBe(7)
})
