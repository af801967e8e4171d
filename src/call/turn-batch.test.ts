import { expect, test } from "bun:test"
import { systemTimer } from "../ports/timer.ts"
import { createTurnBatch } from "./scheduler.ts"

interface Sum {
  readonly of: number
  result: number | null
}

const sum = (of: number): Sum => ({ of, result: null })

test("what one turn submits is one batch, in order", async () => {
  const batches: number[][] = []
  const submit = createTurnBatch(systemTimer, async (batch: readonly Sum[]) => {
    batches.push(batch.map((item) => item.of))
    for (const item of batch) item.result = item.of * 2
  })
  const items = [sum(1), sum(2), sum(3)]
  await Promise.all(items.map(submit))
  expect(items.map(({ result }) => result)).toEqual([2, 4, 6])
  const late = sum(4)
  await submit(late)
  expect(late.result).toBe(8)
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test("a batch that fails does so for all its items, and for no item that came meanwhile", async () => {
  const later = sum(3)
  let submittedLater: Promise<void> | undefined
  const submit = createTurnBatch(systemTimer, async (batch: readonly Sum[]) => {
    if (batch.includes(later)) return
    submittedLater = submit(later)
    throw new Error("disk full")
  })
  const results = await Promise.allSettled([submit(sum(1)), submit(sum(2))])
  const messages = results.map((result) => result.status === "rejected" && result.reason.message)
  expect(messages).toEqual(["disk full", "disk full"])
  expect(submittedLater).toBeInstanceOf(Promise)
  await submittedLater
})

test("work that throws at once fails its batch, too", async () => {
  const submit = createTurnBatch(systemTimer, (_batch: readonly Sum[]): Promise<void> => {
    throw new Error("closed")
  })
  await expect(submit(sum(1))).rejects.toThrow("closed")
})
