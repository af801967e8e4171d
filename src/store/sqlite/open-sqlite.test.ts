/** The promises of this kind of store alone; test/store/contract.test.ts has the rest. */
import { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import type { ChangingStore } from "../../../test/support/changes.ts"
import { accountOf, chargeOf, keyOf, openTestStore, useDatabases } from "../../../test/support/store.ts"
import { noWaitTimer } from "../../../test/support/timer.ts"
import { selectPendingCount } from "../outbox-reads.ts"
import { StoreUnavailable } from "../store.ts"
import { createSqliteStores } from "./open-sqlite.ts"
import { toSqlite } from "./statement.ts"

const open = useDatabases()
let file = ""
let store: ChangingStore
const storeOn = (database: Database) => openTestStore(database, { timer: noWaitTimer })
const secret = (hash: string, createdMs = 1_000) => ({ hash, prefix: `p-${hash}`, createdMs })

beforeEach(() => {
  const database = open()
  file = database.filename
  store = storeOn(database)
})

test("charging is unavailable on a file that may only be read; look-ups work", async () => {
  await store.createAccount(accountOf())
  const readOnly = storeOn(new Database(file, { readonly: true, strict: true }))
  await expect(readOnly.charge([chargeOf()])).rejects.toThrow(StoreUnavailable)
  const take = readOnly.takeRates([{ buckets: [{ id: "a", perMinute: 1 }] }], () => 0)
  await expect(take).rejects.toThrow(StoreUnavailable)
  expect(await readOnly.findAccount("acc_1")).toMatchObject({ used: 0 })
  await readOnly.close()
})

test("the keys of an account are found without reading the others", async () => {
  const database = new Database(file, { strict: true })
  const asked: string[] = []
  const recording = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...given: unknown[]) => {
        if (name === "query") asked.push(String(given[0]))
        return Reflect.apply(value, target, given)
      }
    },
  })
  const { store: recorded, admin } = createSqliteStores(recording, { timer: noWaitTimer })
  await store.createAccount(accountOf())
  await store.createKey(keyOf(), secret("h1"))
  asked.length = 0
  expect(await admin.countKeys("acc_1")).toBe(1)
  const plans = asked.flatMap((sql) =>
    database.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all(),
  )
  const search = "SEARCH keys USING COVERING INDEX keys_by_account (account_id=?)"
  expect(plans.map(({ detail }) => detail)).toEqual([search])
  await recorded.close()
})

test("the notices that wait are counted without reading those that were delivered", () => {
  using database = new Database(file, { strict: true })
  const plan = database.query<{ detail: string }, [number]>(
    `EXPLAIN QUERY PLAN ${toSqlite(selectPendingCount("notices"))}`,
  )
  const found = plan.all(1).map(({ detail }) => detail)
  expect(found.join()).toMatch(
    /SCAN notices USING COVERING INDEX notices_waiting|SEARCH notices USING COVERING INDEX notices_by_state/,
  )
})

describe("keys in memory", () => {
  beforeEach(async () => {
    await store.createAccount(accountOf({ bonus: 5 }))
    await store.createKey(keyOf(), secret("h1"))
  })

  test("the next look-up sees a change by another connection; a charge causes no reload", async () => {
    const other = storeOn(open(file))
    const first = await store.findKey("h1")
    await other.charge([chargeOf()])
    await noWaitTimer.turn()
    expect(await store.findKey("h1")).toBe(first)
    await other.revokeKey("key_1", 7_000)
    await noWaitTimer.turn()
    const second = await store.findKey("h1")
    expect([second?.key.revokedMs, second?.account.used]).toEqual([7_000, 1])
    expect(second?.revision).toBeGreaterThan(first?.revision ?? 0)
  })

  test("a change by this connection is seen in the same turn", async () => {
    expect((await store.findKey("h1"))?.key.revokedMs).toBeNull()
    await store.revokeKey("key_1", 4_000)
    expect((await store.findKey("h1"))?.key.revokedMs).toBe(4_000)
  })
})

async function take(nowMs: number, ...buckets: [id: string, perMinute: number][]) {
  const takes = [{ buckets: buckets.map(([id, perMinute]) => ({ id, perMinute })) }]
  const [outcome] = await store.takeRates(takes, () => nowMs)
  return outcome
}

test("rate limits: the time is read while no other connection can change the database", async () => {
  const other = new Database(file)
  let refusal: unknown
  const now = () => {
    try {
      other.run("BEGIN IMMEDIATE")
    } catch (thrown) {
      refusal = thrown
    }
    return 0
  }
  await store.takeRates([{ buckets: [{ id: "a", perMinute: 1 }] }], now)
  other.close()
  expect(String(refusal)).toContain("database is locked")
})

test("rate limits: a clock that is set back by a day throttles for a minute at most", async () => {
  await take(86_400_000, ["a", 1])
  const refused = { granted: false, buckets: [{ fullInMs: 60_000, retryInMs: 60_000 }] }
  expect(await take(0, ["a", 1])).toMatchObject(refused)
  expect(await take(60_000, ["a", 1])).toMatchObject({ granted: true })
})
