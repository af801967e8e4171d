import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { FromSupervisor, ReloadResult, Served } from "../../observe/siblings.ts"
import { type ConfigWorker, createWorkersConfig } from "./workers-config.ts"

type Answer = Partial<ReloadResult> | "nothing" | "ends"

/** Workers whose answers the test sets, a file with a text, and a folder of own APIs with a content. */
async function setUp(...answers: Answer[]) {
  const timer = createManualTimer()
  const files = { text: "a" as string | null, apis: "1" as string | null, isGone: false }
  const events: string[] = []
  const reports: string[] = []
  const removed: string[] = []
  const told: FromSupervisor[] = []
  let copies = 0
  const config = await createWorkersConfig<ConfigWorker>({
    timer,
    source: {
      readText() {
        if (files.isGone) throw new ConfigError("gone")
        return files.text
      },
    },
    async copyApis() {
      if (files.apis === null) return null
      if (files.apis === "unreadable") throw new ConfigError("--apis: unreadable")
      const folder = `copy ${++copies}`
      return { folder, fingerprint: files.apis, remove: () => removed.push(folder) }
    },
    report: (text) => reports.push(text),
  })
  function addWorker(name: number, startedWith: Served = config.served()): ConfigWorker {
    const worker: ConfigWorker = {
      send(message) {
        if (message.kind !== "take") {
          told.push(message)
          return
        }
        const { text, apis, refused } = message.served
        events.push(
          `${name} takes ${text} ${apis?.folder} ${JSON.stringify(refused)} for ${message.expected}`,
        )
        const answer = answers[name] ?? {}
        queueMicrotask(() => {
          if (answer === "ends") config.ended(worker)
          else if (answer !== "nothing") {
            const result = { problem: null, changes: [name], refused: [], ...answer }
            config.receive(worker, { kind: "taken", id: message.id, ...result })
          }
        })
      },
      stop: () => events.push(`${name} is stopped`),
      endDrain: () => events.push(`${name} must not serve on`),
      kill() {
        events.push(`${name} is killed`)
        config.ended(worker)
      },
    }
    const answer = answers[name] ?? {}
    config.joined(worker, startedWith, (typeof answer === "object" && answer.refused) || [])
    return worker
  }
  const workers = answers.map((_, name) => addWorker(name))
  return { config, timer, files, workers, addWorker, answers, events, reports, removed, told }
}

const notChanged = (why: string) => ({ problem: `The configuration was not changed. ${why}`, changes: [] })

test("one worker tries a new file and a new folder; then the others follow, and new ones start with both", async () => {
  const { config, files, events } = await setUp({}, {}, {})
  Object.assign(files, { text: "b", apis: "2" })
  expect(await config.reload()).toMatchObject({ problem: null, changes: [0] })
  expect(events).toEqual([
    "0 takes b copy 2 null for null",
    "1 takes b copy 2 [] for null",
    "2 takes b copy 2 [] for null",
  ])
  expect(config.served()).toMatchObject({ text: "b", apis: { folder: "copy 2" }, refused: [] })
})

test("when the first cannot take it over, the others are not asked and nothing changes", async () => {
  const { config, files, events, removed } = await setUp({ problem: "no" }, {})
  Object.assign(files, { text: "b", apis: "2" })
  expect((await config.reload()).problem).toBe("no")
  expect([events, removed]).toEqual([["0 takes b copy 2 null for null"], ["copy 2"]])
  expect(config.served()).toMatchObject({ text: "a", apis: { folder: "copy 1" } })
})

test("when the first ends or does not answer, the others are not asked and nothing changes", async () => {
  const { config, files, events, answers, timer } = await setUp("ends", "nothing", {})
  files.text = "b"
  expect(await config.reload()).toEqual(notChanged("The worker that tried it ended."))
  const reloaded = config.reload()
  await new Promise(setImmediate)
  timer.advance(120_000)
  expect(await reloaded).toEqual(notChanged("A worker did not answer in time."))
  expect(events).toEqual(["0 takes b copy 1 null for null", "1 takes b copy 1 null for null", "1 is killed"])
  expect([config.served().text, answers.length]).toEqual(["a", 3])
})

test("a worker that cannot follow is stopped, and killed when it does not stop; the next one starts with the new file", async () => {
  const { config, files, events, reports, timer } = await setUp({}, { problem: "no" }, "ends")
  files.text = "b"
  const reloaded = config.reload()
  await new Promise(setImmediate)
  expect(reports).toEqual(["a worker cannot take the configuration of the others over and is replaced: no"])
  expect(events.slice(3)).toEqual(["1 must not serve on", "1 is stopped"])
  timer.advance(12_000)
  expect(events.slice(5)).toEqual(["1 is killed"])
  expect([(await reloaded).problem, config.served().text]).toEqual([null, "b"])
})

test("the worker that asks is the last to try, replaces the file only if it tries alone, and gets the result", async () => {
  const { config, workers, events, told, files } = await setUp({}, { isOutdated: true, problem: "late" })
  const [asker, other] = workers
  if (!asker || !other) throw new Error("there are two workers")
  config.receive(asker, { kind: "replace", id: 7, expected: "a", text: "b" })
  await new Promise(setImmediate)
  expect([events, told]).toEqual([
    ["1 takes b copy 1 null for a"],
    [{ kind: "reloaded", id: 7, problem: "late", isOutdated: true, changes: [1], refused: [] }].map(
      (message) => expect.objectContaining(message),
    ),
  ])
  config.ended(other)
  files.text = "c"
  config.receive(asker, { kind: "reload", id: 8 })
  await new Promise(setImmediate)
  expect(events.slice(1)).toEqual(["0 takes c copy 1 null for null"])
  expect(told[1]).toMatchObject({ kind: "reloaded", id: 8, problem: null, changes: [0] })
})

test("a worker that waits for the changes of others is answered once all have followed", async () => {
  const { config, workers, events, told, files } = await setUp({}, {})
  const [asker] = workers
  if (!asker) throw new Error("there is a worker")
  files.text = "b"
  const reloaded = config.reload()
  config.receive(asker, { kind: "settle", id: 7 })
  await reloaded
  expect([events.length, told]).toEqual([2, []])
  await new Promise(setImmediate)
  expect([events.length, told]).toEqual([2, [{ kind: "reloaded", id: 7, problem: null, changes: [] }]])
})

test("the worker that asks gets the result also when it cannot follow, and tries no other change while it ends", async () => {
  const { config, workers, events, told, files } = await setUp({ problem: "no" }, {})
  const [asker] = workers
  if (!asker) throw new Error("there is a worker")
  files.text = "b"
  config.receive(asker, { kind: "reload", id: 7 })
  await new Promise(setImmediate)
  expect(events.slice(2)).toEqual(["0 must not serve on", "0 is stopped"])
  expect(told).toEqual([expect.objectContaining({ kind: "reloaded", id: 7, problem: null, changes: [1] })])
  expect((await config.reload()).changes).toEqual([1])
  expect(events.slice(4)).toEqual(["1 takes b copy 1 null for null"])
})

test("files that cannot be read are tried by no worker", async () => {
  const { config, files, events } = await setUp({})
  files.isGone = true
  expect(await config.reload()).toEqual(notChanged("gone"))
  Object.assign(files, { isGone: false, apis: "unreadable" })
  expect(await config.reload()).toEqual(notChanged("--apis: unreadable"))
  expect(events).toEqual([])
})

test("a worker that was started before a change follows when it listens", async () => {
  const { config, files, addWorker, events } = await setUp({})
  const startedWith = config.served()
  files.text = "b"
  await config.reload()
  addWorker(1, startedWith)
  addWorker(2)
  await config.reload()
  expect(events).toEqual([
    "0 takes b copy 1 null for null",
    "1 takes b copy 1 [] for null",
    "0 takes b copy 1 null for null",
    "1 takes b copy 1 [] for null",
    "2 takes b copy 1 [] for null",
  ])
})

test("without any worker the next ones start with the new file, which may end what kept them from starting", async () => {
  const { config, files, addWorker } = await setUp()
  files.text = "b"
  expect(await config.reload()).toEqual({ problem: null, changes: [] })
  expect(config.served()).toMatchObject({ text: "b", refused: null })
  addWorker(0)
  expect(config.served().refused).toEqual([])
})

test("two replaced copies of own APIs are kept for workers that start, and one of an unchanged folder is removed", async () => {
  const { config, files, removed } = await setUp({}, {})
  for (const apis of ["2", "3"]) {
    files.apis = apis
    await config.reload()
  }
  expect(removed).toEqual([])
  await config.reload()
  expect([config.served().apis?.folder, removed]).toEqual(["copy 3", ["copy 4"]])
  files.apis = "5"
  await config.reload()
  expect([config.served().apis?.folder, removed]).toEqual(["copy 5", ["copy 4", "copy 1"]])
})

test("the others are told which own APIs the first refuses, at the start and after a reload", async () => {
  const { config, files, answers, events } = await setUp({ refused: ["shout"] }, {})
  expect(config.served().refused).toEqual(["shout"])
  answers[0] = { refused: ["flaky"] }
  files.apis = "2"
  await config.reload()
  expect(events[1]).toBe('1 takes a copy 2 ["flaky"] for null')
  expect(config.served().refused).toEqual(["flaky"])
})
