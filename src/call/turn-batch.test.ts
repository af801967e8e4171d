import { expect, test } from "bun:test"
import { createTurnBatch } from "./turn-batch.ts"

test("what one turn submits is one batch, in order", async () => {
  const batches: number[][] = []
  const submit = createTurnBatch(async (batch: readonly number[]) => {
    batches.push([...batch])
    return batch.map((n) => n * 2)
  })
  expect(await Promise.all([submit(1), submit(2), submit(3)])).toEqual([2, 4, 6])
  expect(await submit(4)).toBe(8)
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test("a batch that fails fails for all in it, and the next is served", async () => {
  let broken = true
  const submit = createTurnBatch(async (batch: readonly number[]) => {
    if (broken) throw new Error("disk full")
    return batch
  })
  const results = await Promise.allSettled([submit(1), submit(2)])
  expect(results.map((result) => result.status === "rejected" && result.reason.message)).toEqual([
    "disk full",
    "disk full",
  ])
  broken = false
  expect(await submit(3)).toBe(3)
})

test("too few outcomes are an error, not an answer", async () => {
  const submit = createTurnBatch(async (_batch: readonly number[]) => [1])
  const results = await Promise.allSettled([submit(1), submit(2)])
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"])
})
