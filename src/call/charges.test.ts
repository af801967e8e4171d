import { expect, test } from "bun:test"
import { type ChangingStore, withChanges } from "../../test/support/changes.ts"
import { createManualClock } from "../../test/support/clock.ts"
import { accountOf, keyOf } from "../../test/support/store.ts"
import { defaultPlans, type Plan } from "../accounts/plan.ts"
import type { Clock } from "../apis/contract.ts"
import { systemClock } from "../ports/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { openSqliteStore } from "../store/sqlite/open-sqlite.ts"
import type { AccountRecord, Store } from "../store/store.ts"
import { createAdmission } from "./admission.ts"
import type { Caller } from "./caller.ts"
import { type Charges, createCharges } from "./charges.ts"

const [free] = defaultPlans as [Plan]
const nowMs = systemClock.now()
const account = accountOf({ plan: free.name, createdMs: nowMs, periodStartMs: nowMs, used: 998 })
const callerOf = (record: AccountRecord, revision = 1): Caller => {
  return { key: { ...keyOf(), disabledMs: null }, account: record, revision, plan: free, secretHash: "" }
}
const present = { hasLeft: () => false }
const items = [{ api: "hmac", calls: 1, credits: 1 }]

async function setUp(record = account, clock: Clock = systemClock) {
  const { store } = withChanges(openSqliteStore(":memory:", { timer: systemTimer }))
  await store.createAccount(record)
  const logged: [string, unknown][] = []
  const log = { error: (message: string, fields: unknown) => void logged.push([message, fields]) }
  const admission = createAdmission(store, new Map([[free.name, free]]), { clock, timer: systemTimer })
  const createChargesOn = (each: Store) => createCharges(each, admission, { clock, timer: systemTimer }, log)
  return { store, logged, caller: callerOf(record), charges: createChargesOn(store), createChargesOn }
}

test("held credits are refused to other calls of any key of the account, until they are released once", async () => {
  const { charges, caller } = await setUp()
  const other = callerOf(account)
  const holds = [charges.hold(caller, 1), charges.hold(other, 1)]
  for (const each of [caller, other]) expect(() => charges.hold(each, 1)).toThrow("used up")
  holds[0]?.release()
  holds[0]?.release()
  holds.push(charges.hold(other, 1))
  for (const each of [caller, other]) expect(() => charges.hold(each, 1)).toThrow("used up")
  for (const hold of holds) hold.release()
})

test("credits do not count twice between the charge and the end of the call", async () => {
  const { charges, caller } = await setUp()
  const first = charges.hold(caller, 1)
  await charges.settle(first, items, present)
  // The first call has not released its hold yet; one credit is left.
  const second = charges.hold(caller, 1)
  await charges.settle(second, items, present)
  first.release()
  second.release()
  expect(charges.status(caller, null).balance).toMatchObject({ used: 1_000, remaining: 0 })
  expect(() => charges.hold(caller, 1)).toThrow("used up")
})

test("a client that leaves before the commit is not charged; others of the same turn are", async () => {
  const { store, charges, caller } = await setUp()
  let isGone = false
  const [left, stayed] = [charges.hold(caller, 1), charges.hold(caller, 1)]
  const gone = charges.settle(left, items, { hasLeft: () => isGone })
  const settling = [gone, charges.settle(stayed, items, present)]
  isGone = true
  const [first, second] = await Promise.allSettled(settling)
  expect(first).toMatchObject({ status: "rejected", reason: { code: "callerLeft" } })
  expect(second?.status).toBe("fulfilled")
  left.release()
  stayed.release()
  expect((await store.findAccount("acc_1"))?.used).toBe(999)
  expect(charges.status(caller, null).balance.remaining).toBe(1)
})

test("no call waits for another of its turn that the store decides later", async () => {
  const { store, caller, createChargesOn } = await setUp({ ...account, used: 900 })
  const decide: (() => void)[] = []
  const charges = createChargesOn({
    ...store,
    charge: (all, onDecided) =>
      new Promise(() => {
        const outcome = { charged: true, used: 901, bonus: 0, periodStartMs: nowMs }
        for (const index of all.keys()) decide.push(() => onDecided?.(outcome, index))
        decide[0]?.()
      }),
  })
  const ended: string[] = []
  const settle = async (name: string) => {
    await charges.settle(charges.hold(caller, 1), items, present)
    ended.push(name)
  }
  const [atOnce, second, third] = [settle("at once"), settle("second"), settle("third")]
  await atOnce
  expect(ended).toEqual(["at once"])
  decide[2]?.()
  await third
  expect(ended).toEqual(["at once", "third"])
  decide[1]?.()
  await second
})

test("a charge that the store never decides fails with the store's error", async () => {
  const { store, caller, createChargesOn } = await setUp({ ...account, used: 900 })
  const failing = createChargesOn({ ...store, charge: () => Promise.reject(new Error("disk full")) })
  const forgetting = createChargesOn({ ...store, charge: async () => [] })
  const settle = (charges: Charges) => charges.settle(charges.hold(caller, 1), items, present)
  await expect(settle(failing)).rejects.toThrow("disk full")
  await expect(settle(forgetting)).rejects.toThrow("must decide each charge")
})

test("a charge is refused when another process spent the credits first; the balance is then up to date", async () => {
  const { store, charges, caller } = await setUp()
  const hold = charges.hold(caller, 2)
  const { allowance, period } = charges.status(caller, null).balance
  const other = { accountId: "acc_1", items, allowance, periodStartMs: period.startMs, day: "2025-01-01" }
  await store.charge([other])
  const twice = charges.settle(hold, [{ api: "hmac", calls: 2, credits: 2 }], present)
  await expect(twice).rejects.toThrow("used up")
  expect(charges.status(caller, null).balance).toMatchObject({ used: 999, remaining: 1 })
  charges.hold(caller, 1).release()
})

test("a caller that was read before an administrative change does not restore the old balance", async () => {
  const { charges, caller } = await setUp()
  const granted = callerOf({ ...account, bonus: 5 }, 2)
  expect(charges.status(caller, null).balance.remaining).toBe(2)
  expect(charges.status(granted, null).balance.remaining).toBe(7)
  expect(charges.status(caller, null).balance.remaining).toBe(7)
})

test.each([
  ["closed", (store: ChangingStore) => store.updateAccount("acc_1", { closedMs: nowMs })],
  [
    "closed and used up",
    async (store: ChangingStore) => {
      await store.charge([{ accountId: "acc_1", items, allowance: 999, periodStartMs: 0, day: "2025-01-01" }])
      await store.updateAccount("acc_1", { closedMs: nowMs })
    },
  ],
])("a call whose account is %s meanwhile fails with keyRevoked and charges nothing", async (_, change) => {
  const { store, charges, caller } = await setUp()
  const hold = charges.hold(caller, 1)
  await change(store)
  const used = (await store.findAccount("acc_1"))?.used
  const settling = charges.settle(hold, items, present)
  await expect(settling).rejects.toMatchObject({ code: "keyRevoked", status: 401 })
  expect((await store.findAccount("acc_1"))?.used).toBe(used as number)
})

const clock = createManualClock("2025-03-01T00:00:00Z")
const createdMs = Date.parse("2025-01-15T00:00:00Z")
const record = { ...account, createdMs, periodStartMs: Date.parse("2031-01-15T00:00:00Z"), used: 0 }

test("a stored month in the future is logged once, with what to do", async () => {
  const { charges, logged, caller: ahead } = await setUp(record, clock)
  for (let i = 0; i < 3; i++) await charges.settle(charges.hold(ahead, 1), items, present)
  const problem = expect.stringMatching(/acc_1 begins at 2031-01-15.*'account renew acc_1'/)
  expect(logged).toEqual([["credit month in the future", { account: "acc_1", problem }]])
  const healthy = await setUp({ ...record, periodStartMs: Date.parse("2025-02-15T00:00:00Z") }, clock)
  const hold = healthy.charges.hold(callerOf({ ...record, periodStartMs: createdMs }), 1)
  await healthy.charges.settle(hold, items, present)
  expect(healthy.logged).toEqual([])
})

test("a stored month in the future is not restored by a call that began before the month was renewed", async () => {
  const { store, charges, caller } = await setUp(record, clock)
  const hold = charges.hold(caller, 1)
  const periodStartMs = Date.parse("2025-02-15T00:00:00Z")
  await store.renewMonth("acc_1", { createdMs, periodStartMs })
  await charges.settle(hold, items, present)
  expect(await store.findAccount("acc_1")).toMatchObject({ periodStartMs, used: 1 })
})

test("of more than 131,072 accounts, idle ones leave memory first; held credits always count", async () => {
  const { charges } = await setUp()
  const callerWith = (id: string, used: number) => callerOf({ ...account, id, used })
  const look = (id: string, used: number) => charges.status(callerWith(id, used), null).balance.used
  const busy = charges.hold(callerWith("acc_busy", 0), 1_000)
  for (const id of ["acc_idle", "acc_next"]) look(id, 0)
  for (let i = 3; i < 131_072; i++) look(`acc_${i}`, 0)
  expect(["acc_busy", "acc_next", "acc_idle"].map((id) => look(id, 5))).toEqual([0, 0, 0])

  for (let i = 0; i < 131_072; i++) look(`acc_other_${i}`, 0)
  expect([look("acc_idle", 5), look("acc_busy", 5)]).toEqual([5, 0])
  expect(() => charges.hold(callerWith("acc_busy", 0), 1)).toThrow("used up")
  busy.release()
  charges.hold(callerWith("acc_busy", 0), 1_000).release()
})
