import { describe, expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { defaultPlans, type Plan } from "../accounts/plan.ts"
import type { Clock } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { openSqliteStore } from "../store/sqlite/open-store.ts"
import type { AccountRecord, KeyRecord, Store } from "../store/store.ts"
import type { Caller } from "./caller.ts"
import { createCharges } from "./charges.ts"

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
const key: KeyRecord = {
  id: "key_1",
  accountId: "acc_1",
  name: "",
  prefix: "pk_",
  createdMs: nowMs,
  expiresMs: null,
  revokedMs: null,
  allowApis: null,
  blockApis: [],
  allowIps: null,
  rateLimit: null,
}
const callerOf = (record: AccountRecord, revision = 1): Caller => ({
  key,
  account: record,
  revision,
  plan: free,
})
const items = [{ api: "hmac", calls: 1, credits: 1 }]

async function setUp(record = account, clock: Clock = systemClock) {
  const { store } = openSqliteStore(":memory:", { timer: systemTimer })
  await store.createAccount(record)
  const logged: [string, unknown][] = []
  const log = { error: (message: string, fields: unknown) => void logged.push([message, fields]) }
  return {
    store,
    logged,
    caller: callerOf(record),
    charges: createCharges(store, { clock, timer: systemTimer }, log),
  }
}

test("what is held is not given to another call, and is free again after", async () => {
  const { charges, caller } = await setUp()
  const holds = [charges.hold(caller, 1), charges.hold(caller, 1)]
  expect(() => charges.hold(caller, 1)).toThrow("used up")
  holds[0]?.release()
  holds[0]?.release()
  const third = charges.hold(caller, 1)
  expect(() => charges.hold(caller, 1)).toThrow("used up")
  third.release()
})

test("credits never count twice, not even between the charge and the end of the call", async () => {
  const { charges, caller } = await setUp()
  const first = charges.hold(caller, 1)
  await charges.settle(first, items)
  // The first call has not released its hold yet; one credit is left, and it is there to be had.
  const second = charges.hold(caller, 1)
  await charges.settle(second, items)
  first.release()
  second.release()
  expect(charges.status(caller, null).balance).toMatchObject({ used: 1_000, remaining: 0 })
  expect(() => charges.hold(caller, 1)).toThrow("used up")
})

test("a charge that another process was faster than is refused, and what it left is known then", async () => {
  const { store, charges, caller } = await setUp()
  const hold = charges.hold(caller, 2)
  const { allowance, period } = charges.status(caller, null).balance
  const other = { accountId: "acc_1", items, allowance, periodStartMs: period.startMs, day: "2025-01-01" }
  await store.charge([other])
  await expect(charges.settle(hold, [{ api: "hmac", calls: 2, credits: 2 }])).rejects.toThrow("used up")
  expect(charges.status(caller, null).balance).toMatchObject({ used: 999, remaining: 1 })
  charges.hold(caller, 1).release()
})

test("a caller read before an administrative change does not bring its old balance back", async () => {
  const { charges, caller } = await setUp()
  const granted = callerOf({ ...account, bonus: 5 }, 2)
  expect(charges.status(caller, null).balance.remaining).toBe(2)
  expect(charges.status(granted, null).balance.remaining).toBe(7)
  expect(charges.status(caller, null).balance.remaining).toBe(7)
})

test.each([
  ["closed", (store: Store) => store.updateAccount("acc_1", { closedMs: nowMs })],
  [
    "closed and used up",
    async (store: Store) => {
      await store.charge([{ accountId: "acc_1", items, allowance: 999, periodStartMs: 0, day: "2025-01-01" }])
      await store.updateAccount("acc_1", { closedMs: nowMs })
    },
  ],
])("a call whose account is %s while it is under way is told that the key is revoked", async (_, change) => {
  const { store, charges, caller } = await setUp()
  const hold = charges.hold(caller, 1)
  await change(store)
  const used = (await store.findAccount("acc_1"))?.used
  await expect(charges.settle(hold, items)).rejects.toMatchObject({ code: "keyRevoked", status: 401 })
  expect((await store.findAccount("acc_1"))?.used).toBe(used as number)
})

describe("a stored month in the future", () => {
  const clock = createManualClock("2025-03-01T00:00:00Z")
  const createdMs = Date.parse("2025-01-15T00:00:00Z")
  const record = { ...account, createdMs, periodStartMs: Date.parse("2031-01-15T00:00:00Z"), used: 0 }

  test("is logged once, with what to do", async () => {
    const { charges, logged, caller: ahead } = await setUp(record, clock)
    for (let i = 0; i < 3; i++) await charges.settle(charges.hold(ahead, 1), items)
    expect(logged).toEqual([
      [
        "credit month in the future",
        {
          account: "acc_1",
          problem: expect.stringMatching(/acc_1 begins at 2031-01-15.*'account renew acc_1'/),
        },
      ],
    ])
    const healthy = await setUp({ ...record, periodStartMs: Date.parse("2025-02-15T00:00:00Z") }, clock)
    await healthy.charges.settle(
      healthy.charges.hold(callerOf({ ...record, periodStartMs: createdMs }), 1),
      items,
    )
    expect(healthy.logged).toEqual([])
  })

  test("does not come back with a call that was under way when the month was renewed", async () => {
    const { store, charges, caller } = await setUp(record, clock)
    const hold = charges.hold(caller, 1)
    const periodStartMs = Date.parse("2025-02-15T00:00:00Z")
    await store.renewMonth("acc_1", { createdMs, periodStartMs })
    await charges.settle(hold, items)
    expect(await store.findAccount("acc_1")).toMatchObject({ periodStartMs, used: 1 })
  })
})

test("the holds of all keys of an account count together", async () => {
  const { charges, caller } = await setUp()
  const other = callerOf(account)
  const holds = [charges.hold(caller, 1), charges.hold(other, 1)]
  for (const each of [caller, other]) expect(() => charges.hold(each, 1)).toThrow("used up")
  holds[0]?.release()
  const third = charges.hold(other, 1)
  expect(() => charges.hold(caller, 1)).toThrow("used up")
  for (const hold of [...holds, third]) hold.release()
})

test("of 50,000 accounts in memory the idle go first; what calls hold is never forgotten", async () => {
  const { charges } = await setUp()
  const callerWith = (id: string, used: number) => callerOf({ ...account, id, used })
  const look = (id: string, used: number) => charges.status(callerWith(id, used), null).balance.used
  const busy = charges.hold(callerWith("acc_busy", 0), 1_000)
  for (const id of ["acc_idle", "acc_next"]) look(id, 0)
  for (let i = 3; i < 50_000; i++) look(`acc_${i}`, 0)
  expect(["acc_busy", "acc_next", "acc_idle"].map((id) => look(id, 5))).toEqual([0, 0, 0])

  for (let i = 0; i < 50_000; i++) look(`acc_other_${i}`, 0)
  expect(look("acc_idle", 5)).toBe(5)
  expect(look("acc_busy", 5)).toBe(0)
  expect(() => charges.hold(callerWith("acc_busy", 0), 1)).toThrow("used up")
  busy.release()
  charges.hold(callerWith("acc_busy", 0), 1_000).release()
})
