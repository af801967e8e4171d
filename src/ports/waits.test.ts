import { expect, test } from "bun:test"
import { systemWaits } from "./waits.ts"

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

test("a deadline fires, and one that was released before does not", async () => {
  const released = systemWaits.deadline(1)
  released.release()
  const later = systemWaits.deadline(10)
  expect(later.signal.aborted).toBe(false)
  await fired(later.signal)
  expect([released.signal.aborted, later.signal.aborted]).toEqual([false, true])
})

test("in a turn whatever else is ready comes in between", async () => {
  const order: string[] = []
  setImmediate(() => order.push("other"))
  await Promise.resolve().then(() => order.push("no turn"))
  await systemWaits.turn()
  expect(order).toEqual(["no turn", "other"])
})
