import { expect, test } from "bun:test"
import fc from "fast-check"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createBatchSlots } from "./batch-slots.ts"

interface Entry {
  readonly accountId: string
  readonly number: number
}

/** Slots whose batches end when the test says so, at times that it gives. */
function setUp(count: number, { smallBatch = 1, maxBatch = 100 } = {}) {
  const timer = createManualTimer()
  let nowMs = 0
  const running: { readonly slot: number; readonly batch: readonly Entry[]; readonly end: () => void }[] = []
  const slots = createBatchSlots<Entry>(
    { slots: count, smallBatch, maxBatch },
    { clock: { now: () => 0, monotonicMs: () => nowMs }, timer },
    (slot, batch) => new Promise<void>((end) => running.push({ slot, batch, end })),
  )
  const accounts = () => running.map(({ batch }) => batch.map(({ accountId }) => accountId).join(""))
  const move = (ms: number) => {
    nowMs += ms
    timer.advance(ms)
  }
  return { slots, running, accounts, move }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const entries = (accounts: string) => [...accounts].map((accountId, number) => ({ accountId, number }))

test("accounts of a running batch wait; others go to the next slot", async () => {
  const { slots, running, accounts } = setUp(2, { smallBatch: 2 })
  slots.submit(entries("ab"))
  slots.submit(entries("ac"))
  expect(accounts()).toEqual(["ab", "c"])
  expect(slots.load()).toEqual({ waiting: 1, slotsInUse: 2 })
  running[0]?.end()
  await turn()
  expect(running[2]).toMatchObject({ slot: 0, batch: [{ accountId: "a" }] })
  running[1]?.end()
  running[2]?.end()
  await turn()
  expect(slots.load()).toEqual({ waiting: 0, slotsInUse: 0 })
})

test("many accounts are divided among all slots, few are not, and each account's tickets go together", async () => {
  const { slots, accounts } = setUp(4, { smallBatch: 2 })
  slots.submit(entries("abcdefgahhbij"))
  expect(accounts()).toEqual(["aabbc", "def", "ghhi", "j"])
})

test("a slot that is free takes its share and leaves the rest to the slots that end next", async () => {
  const { slots, running, accounts } = setUp(2, { smallBatch: 2 })
  slots.submit(entries("a"))
  slots.submit(entries("b"))
  slots.submit(entries("cdefgh"))
  expect(accounts()).toEqual(["a", "b"])
  running[0]?.end()
  await turn()
  expect(accounts()).toEqual(["a", "b", "cdef"])
  running[1]?.end()
  await turn()
  expect(accounts()).toEqual(["a", "b", "cdef", "gh"])
})

/** Slots whose first batch took 4 ms. */
async function afterFirstBatch() {
  const parts = setUp(4, { smallBatch: 3 })
  parts.slots.submit(entries("a"))
  parts.move(4)
  parts.running[0]?.end()
  await turn()
  return parts
}

test("few accounts wait for the running batch, but not longer than half the time of a batch", async () => {
  const { slots, accounts, move } = await afterFirstBatch()
  slots.submit(entries("b"))
  slots.submit(entries("c"))
  move(1)
  slots.submit(entries("d"))
  expect(accounts()).toEqual(["a", "b"])
  move(1)
  expect(accounts()).toEqual(["a", "b", "cd"])
  // Seven are active, more than two batches carry; three batches carry them.
  slots.submit(entries("efgh"))
  expect(accounts()).toEqual(["a", "b", "cd", "efg"])
})

test("those that wait when a batch ends start at once", async () => {
  const { slots, running, accounts, move } = await afterFirstBatch()
  slots.submit(entries("b"))
  slots.submit(entries("bc"))
  move(1)
  running[1]?.end()
  await turn()
  expect(accounts()).toEqual(["a", "b", "cb"])
})

test("batches that wait long for a locked row make others wait for 20 ms at most", async () => {
  const { slots, running, accounts, move } = setUp(2, { smallBatch: 3 })
  slots.submit(entries("a"))
  move(1_000)
  running[0]?.end()
  await turn()
  slots.submit(entries("b"))
  slots.submit(entries("c"))
  move(19)
  expect(accounts()).toEqual(["a", "b"])
  move(1)
  expect(accounts()).toEqual(["a", "b", "c"])
})

test("a batch has a largest size", async () => {
  const { slots, running, accounts } = setUp(1, { maxBatch: 2 })
  slots.submit([])
  slots.submit(entries("abc"))
  expect(accounts()).toEqual(["ab"])
  running[0]?.end()
  await turn()
  expect(accounts()).toEqual(["ab", "c"])
})

test("an account is never in two batches, and its tickets keep their order", async () => {
  const submissions = fc.array(
    fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 8 }),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(submissions, fc.infiniteStream(fc.nat(3)), async (accounts, choices) => {
      const { slots, running } = setUp(3, { smallBatch: 1, maxBatch: 4 })
      let count = 0
      for (const list of accounts) slots.submit(list.map((accountId) => ({ accountId, number: count++ })))
      const ended: Entry[] = []
      while (running.length > 0) {
        const all = running.map(({ batch }) => new Set(batch.map(({ accountId }) => accountId)))
        const sizes = all.reduce((sum, { size }) => sum + size, 0)
        expect(new Set(all.flatMap((each) => [...each])).size).toBe(sizes)
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
