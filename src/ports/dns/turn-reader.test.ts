import { expect, test } from "bun:test"
import { createTurnReader } from "./turn-reader.ts"

test("large messages are read one in each turn, small ones at once", async () => {
  const turns: (() => void)[] = []
  const whenRead = createTurnReader({ turn: () => new Promise((resolve) => turns.push(resolve)) })
  const read: string[] = []
  const nextTurn = async () => {
    turns.shift()?.()
    await Promise.resolve()
  }
  whenRead(60_000, () => read.push("large 1"))
  whenRead(60_000, () => read.push("large 2"))
  whenRead(60_000, () => read.push("large 3"))
  whenRead(500, () => read.push("small"))
  expect(read).toEqual(["large 1", "small"])
  await nextTurn()
  expect(read).toEqual(["large 1", "small", "large 2"])
  await nextTurn()
  expect(read.at(-1)).toBe("large 3")
  await nextTurn()
  whenRead(60_000, () => read.push("large 4"))
  expect(read.at(-1)).toBe("large 4")
})
