import { expect, test } from "bun:test"
import { systemTimer } from "./timer.ts"

test("calls after the delay, and not at all when cancelled before", async () => {
  const called: string[] = []
  const cancel = systemTimer.after(1, () => called.push("cancelled"))
  cancel()
  await new Promise<void>((resolve) => systemTimer.after(2, resolve))
  expect(called).toEqual([])
})

test("a turn lets other work come in between", async () => {
  const order: string[] = []
  setImmediate(() => order.push("other"))
  await Promise.resolve().then(() => order.push("no turn"))
  await systemTimer.turn()
  expect(order).toEqual(["no turn", "other"])
})
