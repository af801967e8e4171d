/** The memory of a thread after a run, and its end: who ended it is told once, when it is gone or takes too long. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { limits, ports } from "../../test/support/held-pool.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { startPluginWorker } from "./plugin-worker.ts"

async function startThread() {
  const timer = createManualTimer()
  const file = join(import.meta.dir, "../../test/support/isolated/runs.ts")
  const parts = { timer, memory: null, onUncaught() {}, onSaid() {} }
  const loadLimits = { limitMs: 10_000, maxMemoryBytes: 1 << 28 }
  return { timer, ...(await startPluginWorker({ file, isIsolated: true }, parts, loadLimits)) }
}

test("a thread gives the memory of a run back before the next one", async () => {
  const { worker } = await startThread()
  const call = { ports, premium: false, api: "sample", place: { leave() {}, enter: () => undefined } }
  const run = (what: string) => worker.run({ what }, call, { ...limits, maxKeptBytes: 1 << 25 })
  expect(await run("values")).toEqual({ done: "1500000" })
  const { done } = (await run("heap")) as { readonly done: string }
  expect(Number(done)).toBeLessThan(1 << 25)
  await new Promise<void>((resolve) => worker.end(resolve))
})

test("the end of a thread is told when it is gone, also to whom asks later", async () => {
  const { worker } = await startThread()
  // As for a run that is moved, which nobody waits for.
  worker.end()
  await new Promise<void>((resolve) => worker.end(resolve))
  let isTold = false
  worker.end(() => {
    isTold = true
  })
  expect([isTold, worker.isUsable()]).toEqual([true, false])
})

test("a thread that does not end is told as gone after five seconds, and no second time", async () => {
  const { timer, worker } = await startThread()
  let told = 0
  worker.end(() => {
    told++
  })
  timer.advance(4_999)
  expect(told).toBe(0)
  timer.advance(1)
  expect(told).toBe(1)
  await new Promise<void>((resolve) => worker.end(resolve))
  expect(told).toBe(1)
})
