import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { FromSupervisor } from "../../observe/siblings.ts"
import { createReconfigure, type Reconfigured } from "./reconfigure.ts"

/** Workers that answer as the test says, and what they took over. */
function setUp(problems: readonly (string | null)[], readText: () => string | null) {
  const timer = createManualTimer()
  const reports: string[] = []
  const told: (readonly [worker: number, take: boolean])[] = []
  const reconfigure = createReconfigure<Reconfigured>({
    timer,
    readText,
    report: (text) => reports.push(text),
  })
  const workers = problems.map((problem, index): Reconfigured => {
    const worker: Reconfigured = {
      send(message: FromSupervisor) {
        if (message.kind === "prepare") {
          queueMicrotask(() =>
            reconfigure.receive(worker, { kind: "prepared", id: message.id, problem, changes: [index] }),
          )
        } else if (message.kind === "finish") {
          told.push([index, message.take])
          queueMicrotask(() => reconfigure.receive(worker, { kind: "finished", id: message.id }))
        }
      },
      kill() {},
    }
    reconfigure.joined(worker, reconfigure.text())
    return worker
  })
  return { reconfigure, workers, told, reports }
}

test("all workers take a configuration over", async () => {
  let text = "a"
  const { reconfigure, told } = setUp([null, null], () => text)
  text = "b"
  expect(await reconfigure.reload()).toEqual({ problem: null, changes: [0] })
  expect(told).toEqual([
    [0, true],
    [1, true],
  ])
  expect(reconfigure.text()).toBe("b")
})

test("when one cannot, none does, and new workers start with the old one", async () => {
  let text = "a"
  const { reconfigure, told } = setUp([null, "no"], () => text)
  text = "b"
  expect((await reconfigure.reload()).problem).toBe("no")
  expect(told).toEqual([
    [0, false],
    [1, false],
  ])
  expect(reconfigure.text()).toBe("a")
})

test("a file that cannot be read asks nobody", async () => {
  let isGone = false
  const { reconfigure, told } = setUp([null], () => {
    if (isGone) throw new ConfigError("gone")
    return "a"
  })
  isGone = true
  expect((await reconfigure.reload()).problem).toBe("gone")
  expect(told).toEqual([])
})

test("a worker that was started before a change takes it over when it listens; one that ends is not waited for", async () => {
  let text = "a"
  const { reconfigure, workers, told } = setUp([null, null], () => text)
  text = "b"
  await reconfigure.reload()
  told.length = 0
  const silent: Reconfigured = { send() {}, kill() {} }
  reconfigure.joined(silent, "b")
  const reloaded = reconfigure.reload()
  await Promise.resolve()
  reconfigure.ended(silent)
  expect((await reloaded).problem).toBe(null)
  told.length = 0
  for (const worker of workers) reconfigure.joined(worker, "a")
  await reconfigure.reload()
  // Twice for the two that joined with the old text, and once for the reload.
  expect(told).toHaveLength(6)
})
