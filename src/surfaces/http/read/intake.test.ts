import { expect, test } from "bun:test"
import { createManualTimer } from "../../../../test/support/timer.ts"
import { createIntake } from "./intake.ts"

test("only bodies that are still awaited after 50 ms get a timer, and are refused when it has run", async () => {
  const timer = createManualTimer()
  const intake = createIntake(1_000, 20_000, timer)
  const arrive = (body: Promise<string>) =>
    intake.inTime(
      new Request("http://x.test"),
      () => body,
      (text) => text,
    )
  const early = arrive(Promise.resolve("early"))
  const late = Promise.withResolvers<string>()
  const slow = arrive(late.promise)
  const missing = arrive(new Promise<string>(() => {}))
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
