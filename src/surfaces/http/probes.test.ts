import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { createSharedResult } from "./probes.ts"

test("all who ask within the age share one result, and later ones get a new one", async () => {
  const clock = createManualClock()
  let runs = 0
  const ask = createSharedResult(async () => ++runs, 1_000, clock)
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
  clock.advance(999)
  expect(await ask()).toBe(1)
  clock.advance(1)
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2])
})

test("work that takes longer than the age is not started twice", async () => {
  const clock = createManualClock()
  const { promise, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const ask = createSharedResult(() => promise.then(() => ++runs), 1_000, clock)
  const first = ask()
  clock.advance(5_000)
  const second = ask()
  resolve()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  expect(await ask()).toBe(2)
})

test("a failure is shared too, and the next one tries again", async () => {
  const clock = createManualClock()
  let runs = 0
  const ask = createSharedResult(
    async () => {
      if (++runs === 1) throw new Error("not now")
      return runs
    },
    1_000,
    clock,
  )
  for (const _ of [1, 2]) await expect(ask()).rejects.toThrow("not now")
  clock.advance(1_000)
  expect(await ask()).toBe(2)
})

test("with an age of 0 each has its own result, also at the same time: they may be in two sessions", async () => {
  let runs = 0
  const ask = createSharedResult(async () => ++runs, 0, createManualClock())
  expect(await Promise.all([ask(), ask()])).toEqual([1, 2])
  expect(await ask()).toBe(3)
})
