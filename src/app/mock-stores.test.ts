import { expect, test } from "bun:test"
import fc from "fast-check"
import { createManualTimer } from "../../test/support/timer.ts"
import { openDatabase } from "../store/sqlite/database-file.ts"
import { openSqliteStore } from "../store/sqlite/open-sqlite.ts"
import { createMockStores } from "./mock-stores.ts"

test("each of many stores answers with its own content, however often it is put away", async () => {
  const database = openDatabase(":memory:")
  const shape = openSqliteStore(":memory:", { database, timer: createManualTimer() })
  const make = createMockStores(shape, database.serialize())
  await shape.store.close()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(39), fc.nat(1_000)), { maxLength: 60 }), async (writes) => {
      let opened = 0
      const stores = Array.from({ length: 40 }, () =>
        make((copy) => {
          opened++
          return openSqliteStore(":memory:", { database: copy, timer: createManualTimer() })
        }),
      )
      expect(opened).toBe(0)
      const expected = new Map<number, number>()
      for (const [index, ms] of writes) {
        await stores[index]?.timedEvents.keepLookedUntilMs(ms)
        await stores[index]?.store.charge([])
        expected.set(index, ms)
      }
      for (const [index, { timedEvents, gauges }] of stores.entries()) {
        expect(await timedEvents.lookedUntilMs()).toBe(expected.get(index) ?? null)
        expect(gauges.activity.batches).toBe(writes.filter(([one]) => one === index).length)
      }
      expect(opened).toBeGreaterThanOrEqual(40)
      for (const { store, timedEvents } of stores) {
        await store.close()
        expect(() => timedEvents.lookedUntilMs()).toThrow("The store was closed")
      }
    }),
    { numRuns: 8 },
  )
})
