import { expect, test } from "bun:test"
import { createTurnReader, mapInSteps, runSteps } from "./turn-reader.ts"

test("large messages are read in steps, one in each turn, and small ones at once", async () => {
  const turns: (() => void)[] = []
  const whenRead = createTurnReader({ turn: () => new Promise((resolve) => turns.push(resolve)) })
  const read: string[] = []
  const reading = (...parts: readonly string[]) =>
    function* () {
      for (const [index, part] of parts.entries()) {
        if (index > 0) yield undefined
        read.push(part)
      }
    }
  const nextTurn = async () => {
    turns.shift()?.()
    await Promise.resolve()
  }
  whenRead(60_000, reading("large 1, begun", "large 1"))
  whenRead(60_000, reading("large 2"))
  whenRead(60_000, reading("large 3"))
  whenRead(500, reading("small, begun", "small"))
  expect(read).toEqual(["large 1, begun", "small, begun", "small"])
  await nextTurn()
  expect(read.at(-1)).toBe("large 1")
  await nextTurn()
  expect(read.at(-1)).toBe("large 2")
  await nextTurn()
  expect(read.at(-1)).toBe("large 3")
  await nextTurn()
  whenRead(60_000, reading("large 4"))
  expect(read.at(-1)).toBe("large 4")
})

test("a step has at most 100 records", () => {
  const records = Array.from({ length: 1_200 }, (_, index) => index)
  const steps = mapInSteps(records, (record) => record + 1)
  let count = 0
  for (let isDone = false; !isDone; count++) isDone = steps.next().done === true
  expect(count).toBe(13)
  expect(runSteps(mapInSteps(records, (record) => record + 1))).toEqual(records.map((record) => record + 1))
})
