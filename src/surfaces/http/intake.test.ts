import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { createIntake } from "./intake.ts"

test("only bodies that are still awaited after 50 ms get a timer, and are refused when it has run", async () => {
  const timer = createManualTimer()
  const intake = createIntake(1_000, 20_000, timer)
  const early = intake.inTime(Promise.resolve("early"), (body) => body)
  const late = Promise.withResolvers<string>()
  const slow = intake.inTime(late.promise, (body) => body)
  const missing = intake.inTime(new Promise<string>(() => {}), (body) => body)
  expect(await early).toBe("early")
  expect([timer.waiting, intake.waits.awaited]).toEqual([[50], 2])
  timer.advance(50)
  expect(timer.waiting).toEqual([19_950, 19_950])
  late.resolve("late")
  expect(await slow).toBe("late")
  timer.advance(19_950)
  expect(missing).rejects.toMatchObject({ code: "bodyTooSlow" })
  expect([timer.waiting, intake.waits.awaited]).toEqual([[], 0])
})
