import { expect, test } from "bun:test"
import fc from "fast-check"
import { createLanes } from "./lanes.ts"

interface Entry {
  readonly accountId: string
  readonly number: number
}

/** Lanes whose batches end when the test says so. */
function setUp(count: number, { smallBatch = 100, maxBatch = 100 } = {}) {
  const running: { readonly lane: number; readonly batch: readonly Entry[]; readonly end: () => void }[] = []
  const lanes = createLanes<Entry>(
    { lanes: count, smallBatch, maxBatch },
    (lane, batch) => new Promise<void>((end) => running.push({ lane, batch, end })),
  )
  const accounts = () => running.map(({ batch }) => batch.map(({ accountId }) => accountId).join(""))
  return { lanes, running, accounts }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const entries = (accounts: string) => [...accounts].map((accountId, number) => ({ accountId, number }))

test("accounts of a running batch wait; others go to the next lane", async () => {
  const { lanes, running, accounts } = setUp(2)
  lanes.submit(entries("ab"))
  lanes.submit(entries("ac"))
  expect(accounts()).toEqual(["ab", "c"])
  expect(lanes.load()).toEqual({ waiting: 1, lanesInUse: 2 })
  running[0]?.end()
  await turn()
  expect(running[2]).toMatchObject({ lane: 0, batch: [{ accountId: "a" }] })
  running[1]?.end()
  running[2]?.end()
  await turn()
  expect(lanes.load()).toEqual({ waiting: 0, lanesInUse: 0 })
})

test("many accounts are divided among all lanes, few are not, and each account's tickets go together", async () => {
  const { lanes, accounts } = setUp(4, { smallBatch: 2 })
  lanes.submit(entries("abcdefgahhbij"))
  expect(accounts()).toEqual(["aabbc", "def", "ghhi", "j"])
})

test("a lane that is free takes its share and leaves the rest to the lanes that end next", async () => {
  const { lanes, running, accounts } = setUp(2, { smallBatch: 2 })
  lanes.submit(entries("a"))
  lanes.submit(entries("b"))
  lanes.submit(entries("cdefgh"))
  expect(accounts()).toEqual(["a", "b"])
  running[0]?.end()
  await turn()
  expect(accounts()).toEqual(["a", "b", "cdef"])
  running[1]?.end()
  await turn()
  expect(accounts()).toEqual(["a", "b", "cdef", "gh"])
})

test("a batch has a largest size", async () => {
  const { lanes, running, accounts } = setUp(1, { maxBatch: 2 })
  lanes.submit([])
  lanes.submit(entries("abc"))
  expect(accounts()).toEqual(["ab"])
  running[0]?.end()
  await turn()
  expect(accounts()).toEqual(["ab", "c"])
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
      const { lanes, running } = setUp(3, { smallBatch: 1, maxBatch: 4 })
      let count = 0
      for (const list of accounts) lanes.submit(list.map((accountId) => ({ accountId, number: count++ })))
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
      expect(ended).toHaveLength(count)
      for (const account of "abcd") {
        const numbers = ended.filter(({ accountId }) => accountId === account).map(({ number }) => number)
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      }
    }),
    { numRuns: 100 },
  )
})
