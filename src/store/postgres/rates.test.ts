import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { type RateTake, StoreUnavailable } from "../store.ts"
import type { Connection } from "./connection.ts"
import { prepareRates } from "./rates.ts"

/** A connection whose statements end when the test says so, each granting all that was asked for. */
function setUp() {
  const timer = createManualTimer()
  const sent: {
    readonly ids: readonly string[]
    readonly end: () => void
    readonly fail: (cause: Error) => void
  }[] = []
  const connection = {
    run: (_statement: string, [ids, , counts]: readonly string[]) =>
      new Promise((resolve, reject) => {
        const asked = fromArray(ids)
        const rows = fromArray(counts).map((count, place) => {
          return { number: place + 1, granted: Number(count), ticksBefore: [0] }
        })
        sent.push({ ids: asked, end: () => resolve(rows), fail: reject })
      }),
    async close() {},
  } as unknown as Connection
  const clock = { now: () => 0, monotonicMs: () => 0 }
  const ids = () => sent.map((one) => one.ids.join(" "))
  return { take: prepareRates(connection, { clock, timer }, 500), sent, ids, timer }
}

const fromArray = (array = "{}") => array.replace(/[{}"]/g, "").split(",")
const takeOf = (id: string): RateTake => ({ buckets: [{ id, perMinute: 60 }] })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test("takes that come while a statement is under way go together in the next", async () => {
  const { take, sent, ids, timer } = setUp()
  const first = take([takeOf("a")])
  const second = take([takeOf("b"), takeOf("a")])
  const third = take([takeOf("b")])
  expect(ids()).toEqual(["a"])
  sent[0]?.end()
  expect(await first).toMatchObject([{ granted: true, buckets: [{ remaining: 59 }] }])
  await turn()
  expect(ids()).toEqual(["a", "b a"])
  sent[1]?.end()
  expect(await second).toMatchObject([{ buckets: [{ remaining: 59 }] }, { buckets: [{ remaining: 59 }] }])
  expect(await third).toMatchObject([{ buckets: [{ remaining: 58 }] }])
  expect(await take([])).toEqual([])
  expect(timer.waiting).toEqual([])
})

test("a take that waited for its time behind a statement is refused, and never sent", async () => {
  const { take, sent, ids, timer } = setUp()
  const first = take([takeOf("a")])
  const second = take([takeOf("b")])
  timer.advance(500)
  await expect(first).rejects.toThrow(StoreUnavailable)
  await expect(second).rejects.toThrow("The database did not answer within 0.5 s.")
  const third = take([takeOf("c")])
  sent[0]?.fail(new Error("the connection was closed"))
  await turn()
  expect(ids()).toEqual(["a", "c"])
  sent[1]?.fail(new StoreUnavailable("The database is gone."))
  await expect(third).rejects.toThrow("The database is gone.")
  expect(timer.waiting).toEqual([])
})
