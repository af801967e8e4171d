import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { FromSupervisor } from "../../observe/siblings.ts"
import { createReconfigure, type Reconfigured } from "./reconfigure.ts"

/** Workers that answer as the test says, and what they took over. */
function setUp(
  problems: readonly (string | null)[],
  readText: () => string | null,
  replaceText: (expected: string, text: string) => void = () => {},
) {
  const timer = createManualTimer()
  const reports: string[] = []
  const told: (readonly [worker: number, take: boolean])[] = []
  const reconfigure = createReconfigure<Reconfigured>({
    timer,
    source: { readText, replaceText },
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

test("a new text is written when all can take it over, and before any does", async () => {
  const files: string[] = []
  const { reconfigure, told } = setUp(
    [null, null],
    () => "a",
    (expected, next) => {
      expect(told).toEqual([])
      files.push(`${expected} → ${next}`)
    },
  )
  expect(await reconfigure.replace("a", "b")).toEqual({ problem: null, changes: [0] })
  expect([files, told, reconfigure.text()]).toEqual([
    ["a → b"],
    [
      [0, true],
      [1, true],
    ],
    "b",
  ])
  expect(await reconfigure.replace("a", "c")).toMatchObject({ isOutdated: true, changes: [] })
  expect([files.length, reconfigure.text()]).toEqual([1, "b"])
})

test("a new text that a worker refuses is not written, and one that cannot be written is taken over by none", async () => {
  const files: string[] = []
  const refused = setUp(
    [null, "no"],
    () => "a",
    (_, next) => files.push(next),
  )
  expect(await refused.reconfigure.replace("a", "b")).toMatchObject({ problem: "no" })
  expect([files, refused.told, refused.reconfigure.text()]).toEqual([
    [],
    [
      [0, false],
      [1, false],
    ],
    "a",
  ])
  const full = setUp(
    [null, null],
    () => "a",
    () => {
      throw new ConfigError("No space is left.")
    },
  )
  expect(await full.reconfigure.replace("a", "b")).toMatchObject({
    problem: "The configuration was not changed. No space is left.",
  })
  expect([full.told, full.reconfigure.text()]).toEqual([
    [
      [0, false],
      [1, false],
    ],
    "a",
  ])
})

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
