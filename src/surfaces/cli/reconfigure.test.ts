import { expect, test } from "bun:test"
import { createManualTimer } from "../../../test/support/timer.ts"
import { ConfigError } from "../../config/config-error.ts"
import type { FromSupervisor } from "../../observe/siblings.ts"
import type { FolderCopy } from "../../values/folder-copy.ts"
import { createReconfigure, type Reconfigured, type RemovableCopy } from "./reconfigure.ts"

/** Workers that answer as the test says, and what they took over. */
async function setUp(
  problems: readonly (string | null)[],
  readText: () => string | null,
  replaceText: (expected: string, text: string) => void = () => {},
  copyApis: () => RemovableCopy | null = () => null,
  refused: readonly (readonly string[])[] = [],
) {
  const timer = createManualTimer()
  const reports: string[] = []
  const asked: (FolderCopy | null)[] = []
  const told: (readonly [worker: number, take: boolean])[] = []
  const reconfigure = await createReconfigure<Reconfigured>({
    timer,
    source: { readText, replaceText },
    copyApis: async () => copyApis(),
    report: (text) => reports.push(text),
  })
  const workers = problems.map((problem, index): Reconfigured => {
    const worker: Reconfigured = {
      send(message: FromSupervisor) {
        if (message.kind === "prepare") {
          const { id, apis } = message
          asked.push(apis)
          const answer = {
            kind: "prepared",
            id,
            problem,
            changes: [index],
            refused: refused[index] ?? [],
          } as const
          queueMicrotask(() => reconfigure.receive(worker, answer))
        } else if (message.kind === "finish") {
          told.push([index, message.take])
          queueMicrotask(() => reconfigure.receive(worker, { kind: "finished", id: message.id }))
        }
      },
      kill() {},
    }
    reconfigure.joined(worker, reconfigure.served(), refused[index] ?? [])
    return worker
  })
  return { reconfigure, workers, told, reports, asked, timer }
}

test("a new text is written when all can take it over, and before any does", async () => {
  const files: string[] = []
  const { reconfigure, told } = await setUp(
    [null, null],
    () => "a",
    (expected, next) => {
      expect(told).toEqual([])
      files.push(`${expected} → ${next}`)
    },
  )
  expect(await reconfigure.replace("a", "b")).toEqual({ problem: null, changes: [0] })
  expect([files, told, reconfigure.served().text]).toEqual([
    ["a → b"],
    [
      [0, true],
      [1, true],
    ],
    "b",
  ])
  expect(await reconfigure.replace("a", "c")).toMatchObject({ isOutdated: true, changes: [] })
  expect([files.length, reconfigure.served().text]).toEqual([1, "b"])
})

test("a new text that a worker refuses is not written, and one that cannot be written is taken over by none", async () => {
  const files: string[] = []
  const refused = await setUp(
    [null, "no"],
    () => "a",
    (_, next) => files.push(next),
  )
  expect(await refused.reconfigure.replace("a", "b")).toMatchObject({ problem: "no" })
  expect([files, refused.told, refused.reconfigure.served().text]).toEqual([
    [],
    [
      [0, false],
      [1, false],
    ],
    "a",
  ])
  const full = await setUp(
    [null, null],
    () => "a",
    () => {
      throw new ConfigError("No space is left.")
    },
  )
  expect(await full.reconfigure.replace("a", "b")).toMatchObject({
    problem: "The configuration was not changed. No space is left.",
  })
  expect([full.told, full.reconfigure.served().text]).toEqual([
    [
      [0, false],
      [1, false],
    ],
    "a",
  ])
})

test("all workers take a configuration over", async () => {
  let text = "a"
  const { reconfigure, told } = await setUp([null, null], () => text)
  text = "b"
  expect(await reconfigure.reload()).toEqual({ problem: null, changes: [0] })
  expect(told).toEqual([
    [0, true],
    [1, true],
  ])
  expect(reconfigure.served().text).toBe("b")
})

test("when one cannot, none does, and new workers start with the old one", async () => {
  let text = "a"
  const { reconfigure, told } = await setUp([null, "no"], () => text)
  text = "b"
  expect((await reconfigure.reload()).problem).toBe("no")
  expect(told).toEqual([
    [0, false],
    [1, false],
  ])
  expect(reconfigure.served().text).toBe("a")
})

test("a file that cannot be read asks nobody", async () => {
  let isGone = false
  const { reconfigure, told } = await setUp([null], () => {
    if (isGone) throw new ConfigError("gone")
    return "a"
  })
  isGone = true
  expect((await reconfigure.reload()).problem).toBe("gone")
  expect(told).toEqual([])
})

test("a worker that was started before a change takes it over when it listens; one that ends is not waited for", async () => {
  let text = "a"
  const { reconfigure, workers, told } = await setUp([null, null], () => text)
  text = "b"
  await reconfigure.reload()
  told.length = 0
  const silent: Reconfigured = { send() {}, kill() {} }
  reconfigure.joined(silent, reconfigure.served(), [])
  const reloaded = reconfigure.reload()
  await Promise.resolve()
  reconfigure.ended(silent)
  expect((await reloaded).problem).toBe(null)
  told.length = 0
  for (const worker of workers) reconfigure.joined(worker, { text: "a", apis: null, refused: [] }, [])
  await reconfigure.reload()
  // Twice for the two that joined with the old text, and once for the reload.
  expect(told).toHaveLength(6)
})

/** Copies of a folder whose content the test sets, and which of them were removed. */
function copies() {
  const removed: string[] = []
  let made = 0
  const state = {
    content: "1",
    removed,
    make(): RemovableCopy {
      const folder = `copy ${++made}`
      return { folder, fingerprint: state.content, remove: () => removed.push(folder) }
    },
  }
  return state
}

test("own APIs are copied once for all workers, and the old copy is kept for calls in progress", async () => {
  const folder = copies()
  const { reconfigure, asked, timer } = await setUp([null, null], () => "a", undefined, folder.make)
  folder.content = "2"
  expect((await reconfigure.reload()).problem).toBe(null)
  expect(asked).toEqual([
    { folder: "copy 2", fingerprint: "2" },
    { folder: "copy 2", fingerprint: "2" },
  ])
  expect([reconfigure.served().apis?.folder, folder.removed]).toEqual(["copy 2", []])
  timer.advance(130_000)
  expect(folder.removed).toEqual(["copy 1"])
  // Nothing has changed: the copy stays.
  expect((await reconfigure.reload()).problem).toBe(null)
  timer.advance(130_000)
  expect([reconfigure.served().apis?.folder, folder.removed]).toEqual(["copy 2", ["copy 1", "copy 3"]])
})

test("a copy that a worker refuses is removed, and a worker that starts then gets the old one", async () => {
  const folder = copies()
  const { reconfigure, timer } = await setUp([null, "no"], () => "a", undefined, folder.make)
  folder.content = "2"
  expect((await reconfigure.reload()).problem).toBe("no")
  timer.advance(130_000)
  expect([reconfigure.served().apis?.folder, folder.removed]).toEqual(["copy 1", ["copy 2"]])
})

test("an API that one worker can load and another cannot is taken over by none", async () => {
  const folder = copies()
  const { reconfigure, told } = await setUp([null, null], () => "a", undefined, folder.make, [["shout"], []])
  folder.content = "2"
  expect((await reconfigure.reload()).problem).toContain(
    "The API 'shout' can be used in one worker and not in another",
  )
  expect(told).toEqual([
    [0, false],
    [1, false],
  ])
  expect(reconfigure.served().apis?.folder).toBe("copy 1")
})

test("workers that start later are told what the first does not serve, until a reload changes that", async () => {
  const { reconfigure, workers } = await setUp([null], () => "a", undefined, copies().make, [["shout"]])
  expect(reconfigure.served().refused).toEqual(["shout"])
  const later: Reconfigured = { send() {}, kill() {} }
  const startedWith = reconfigure.served()
  reconfigure.joined(later, startedWith, ["shout"])
  reconfigure.ended(later)
  expect(reconfigure.served()).toBe(startedWith)
  const [first] = workers
  if (!first) throw new Error("there is a first worker")
  first.send = (message) => {
    if (message.kind === "prepare") {
      const { id } = message
      const prepared = { kind: "prepared", id, problem: null, changes: [], refused: [] } as const
      queueMicrotask(() => reconfigure.receive(first, prepared))
    } else if (message.kind === "finish")
      queueMicrotask(() => reconfigure.receive(first, { kind: "finished", id: message.id }))
  }
  expect((await reconfigure.reload()).problem).toBe(null)
  expect(reconfigure.served().refused).toEqual([])
})

test("a worker that was started before a change and cannot take it over is killed, and replaced by another", async () => {
  let text = "a"
  const { reconfigure, workers, reports } = await setUp([null], () => text)
  const startedWith = reconfigure.served()
  text = "b"
  await reconfigure.reload()
  const ended = Promise.withResolvers<void>()
  const late: Reconfigured = {
    send(message) {
      if (message.kind === "prepare") {
        const { id } = message
        const prepared = { kind: "prepared", id, problem: "no", changes: [] } as const
        queueMicrotask(() => reconfigure.receive(late, prepared))
      } else if (message.kind === "finish")
        queueMicrotask(() => reconfigure.receive(late, { kind: "finished", id: message.id }))
    },
    kill: ended.resolve,
  }
  reconfigure.joined(late, startedWith, [])
  await ended.promise
  expect(reports).toEqual(["a worker that was started before a change of the configuration is killed: no"])
  expect([reconfigure.served().text, workers.length]).toEqual(["b", 1])
})

test("a folder that cannot be copied asks nobody", async () => {
  let isGone = false
  const { reconfigure, told } = await setUp(
    [null],
    () => "a",
    undefined,
    () => {
      if (isGone) throw new ConfigError("--apis: gone")
      return null
    },
  )
  isGone = true
  expect(await reconfigure.reload()).toEqual({ problem: "--apis: gone", changes: [] })
  expect(told).toEqual([])
})
