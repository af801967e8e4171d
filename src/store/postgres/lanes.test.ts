import { expect, test } from "bun:test"
import fc from "fast-check"
import { createLanes } from "./lanes.ts"

interface Entry {
  readonly accountId: string
  readonly number: number
}

/** Lanes whose batches end when the test says so. */
function setUp(count: number, maxBatch = 100) {
  const running: { readonly lane: number; readonly batch: readonly Entry[]; readonly end: () => void }[] = []
  const lanes = createLanes<Entry>(
    count,
    maxBatch,
    (lane, batch) => new Promise((end) => running.push({ lane, batch, end })),
  )
  return { lanes, running }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const entries = (...accounts: string[]) => accounts.map((accountId, number) => ({ accountId, number }))

test("accounts of a running batch wait; others go to the next lane", async () => {
  const { lanes, running } = setUp(2)
  const first = lanes.submit(entries("a", "b"))
  const second = lanes.submit(entries("a", "c"))
  expect(running.map(({ lane, batch }) => [lane, batch.map(({ accountId }) => accountId)])).toEqual([
    [0, ["a", "b"]],
    [1, ["c"]],
  ])
  expect(lanes.load()).toEqual({ waiting: 1, lanesInUse: 2 })
  running[0]?.end()
  await first
  expect(running[2]).toMatchObject({ lane: 0, batch: [{ accountId: "a" }] })
  running[1]?.end()
  running[2]?.end()
  await second
  expect(lanes.load()).toEqual({ waiting: 0, lanesInUse: 0 })
})

test("a batch has a largest size, and nothing submitted is done at once", async () => {
  const { lanes, running } = setUp(1, 2)
  await lanes.submit([])
  const all = lanes.submit(entries("a", "b", "c"))
  expect(running[0]?.batch).toHaveLength(2)
  running[0]?.end()
  await turn()
  expect(running[1]?.batch).toHaveLength(1)
  running[1]?.end()
  await all
})

test("an account is never in two batches, and its tickets keep their order", async () => {
  const submissions = fc.array(
    fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 8 }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  await fc.assert(
    fc.asyncProperty(submissions, fc.infiniteStream(fc.nat(3)), async (accounts, choices) => {
      const { lanes, running } = setUp(3, 4)
      let count = 0
      const done = accounts.map((list) =>
        lanes.submit(list.map((accountId) => ({ accountId, number: count++ }))),
      )
      const ended: Entry[] = []
      while (running.length > 0) {
        const all = running.map(({ batch }) => new Set(batch.map(({ accountId }) => accountId)))
        expect(new Set(all.flatMap((each) => [...each])).size).toBe(
          all.reduce((sum, { size }) => sum + size, 0),
        )
        const [one] = running.splice(choices.next().value % running.length, 1)
        ended.push(...(one?.batch ?? []))
        one?.end()
        await turn()
      }
      await Promise.all(done)
      expect(ended).toHaveLength(count)
      for (const account of "abcd") {
        const numbers = ended.filter(({ accountId }) => accountId === account).map(({ number }) => number)
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      }
    }),
    { seed: 20250104, numRuns: 100 },
  )
})
