import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import type { Report } from "../../observe/report.ts"
import type { FromSupervisor, FromWorker } from "../../observe/siblings.ts"
import { type SupervisorParts, supervise } from "./supervisor.ts"
import { type Listening, spawnWorker, unflushedCode, WorkerFailed, type WorkerProcess } from "./worker.ts"

/** A stuck worker reads no messages, and ends only when it is killed. */
type Kind = "obedient" | "stubborn" | "broken" | "stuck"

/** A worker process that the test controls. */
class FakeWorker implements WorkerProcess {
  readonly #listening = Promise.withResolvers<Listening>()
  readonly #exited = Promise.withResolvers<number>()
  readonly listening = this.#listening.promise
  readonly exited = this.#exited.promise
  readonly received: FromSupervisor[] = []
  tell: (message: FromWorker) => void = () => {}
  reloads = 0
  pings = 0
  endedDrains = 0
  stops = 0
  code: number | null = null
  readonly kind: Kind

  constructor(kind: Kind) {
    this.kind = kind
    if (kind === "broken") this.end(3)
    else this.#listening.resolve({ url: "http://127.0.0.1:4711" })
  }

  end(code: number): void {
    this.code ??= code
    this.#listening.reject(new WorkerFailed("A worker ended before it listened."))
    this.#exited.resolve(code)
  }
  reload(): void {
    this.reloads++
  }
  stop(): void {
    this.stops++
    if (this.kind === "obedient") this.end(0)
  }
  endDrain(): void {
    this.endedDrains++
  }
  kill(): void {
    this.end(137)
  }
  send(message: FromSupervisor): void {
    if (message.kind !== "ping") this.received.push(message)
    else {
      this.pings++
      if (this.kind !== "stuck") this.tell({ kind: "alive" })
    }
  }
  onMessage(listener: (message: FromWorker) => void): void {
    this.tell = listener
  }
}

/** Runs the supervisor on workers of these kinds; all others are obedient. */
const setUp = (...kinds: Kind[]) => setUpWith({}, ...kinds)

/** The same, with some other parts. */
function setUpWith(parts: Partial<Pick<SupervisorParts, "drainMs" | "hasOwnApis">>, ...kinds: Kind[]) {
  const clock = createManualClock()
  const timer = createManualTimer()
  const workers: FakeWorker[] = []
  const ports: (number | null)[] = []
  /** The text of the configuration at the start of the service, and the present one, of each worker. */
  const texts: string[] = []
  const reports: string[] = []
  /** The kinds of those that start after the first ones. */
  const later: Kind[] = []
  let spawnFails = false
  const supervised = supervise(Math.max(kinds.length, 1), {
    spawn(port, { first, text }) {
      if (spawnFails) throw new Error("ENOENT")
      ports.push(port)
      texts.push(`${first} ${text}`)
      const worker = new FakeWorker(kinds[workers.length] ?? later.shift() ?? "obedient")
      workers.push(worker)
      return worker
    },
    text: "1",
    hasOwnApis: false,
    clock,
    timer,
    heartbeatMs: 1_000,
    ...parts,
    report: (message) => void reports.push(message),
  })
  const failSpawn = (fails: boolean) => {
    spawnFails = fails
  }
  return { supervised, clock, timer, workers, ports, texts, reports, later, failSpawn }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test("all workers use the port of the first, are told to reload, and stop when asked", async () => {
  const { supervised, timer, workers, ports, reports } = setUp("obedient", "obedient", "obedient")
  const { url, reload, stop } = await supervised
  expect({ url, ports }).toEqual({ url: "http://127.0.0.1:4711", ports: [null, 4711, 4711] })
  reload()
  expect(workers.map(({ reloads }) => reloads)).toEqual([1, 1, 1])
  // One of them reads the configuration file.
  expect(workers.map(({ received }) => received)).toEqual([[{ kind: "reload" }], [], []])
  await stop()
  expect({ reports, waiting: timer.waiting }).toEqual({ reports: [], waiting: [] })
})

/** Workers that have ended, by their numbers. */
const endedOf = (workers: readonly FakeWorker[]) =>
  workers.flatMap(({ code }, number) => (code === null ? [] : [number]))

test("a text that one worker has taken over is taken over by all, and by those that start later", async () => {
  const { supervised, clock, timer, workers, texts } = setUp("obedient", "obedient")
  const { stop } = await supervised
  const take = (text: string) => ({ kind: "take", text }) as const
  for (const text of ["2", "2", "3"]) workers[0]?.tell({ kind: "taken", text })
  // All get all texts in one order, or the last text would not be that of all.
  expect(workers.map(({ received }) => received)).toEqual(Array(2).fill([take("2"), take("3")]))
  clock.advance(5_000)
  workers[1]?.end(1)
  await turn()
  timer.advance(0)
  // It began with the text before, and does not listen yet.
  workers[0]?.tell({ kind: "taken", text: "4" })
  await turn()
  expect([workers[2]?.received, texts]).toEqual([[take("4")], ["1 1", "1 1", "1 3"]])
  await stop()
})

test("a worker that cannot take over what the others have starts again", async () => {
  const { supervised, workers, texts, reports } = setUp("obedient", "obedient")
  const { stop } = await supervised
  workers[0]?.tell({ kind: "taken", text: "2" })
  workers[1]?.tell({ kind: "behind" })
  for (let turns = 0; turns < 10; turns++) await turn()
  expect([endedOf(workers), texts, reports]).toEqual([[1], ["1 1", "1 1", "1 2"], []])
  await stop()
})

test("own APIs are loaded anew by workers that start again one after the other, after a signal", async () => {
  const { supervised, workers, ports, reports, timer } = setUpWith(
    { hasOwnApis: true },
    ...(["stubborn", "stubborn", "stubborn"] as const),
  )
  const { reload, stop } = await supervised
  reload()
  for (const old of [0, 1, 2]) {
    await turn()
    await turn()
    // A new one listens, and one old one has been asked to stop, without serving on.
    expect(workers).toHaveLength(4 + old)
    expect(workers.map(({ stops, endedDrains }) => stops + endedDrains)).toEqual(
      workers.map((_, number) => (number <= old ? 2 : 0)),
    )
    workers[old]?.end(0)
  }
  await turn()
  expect([endedOf(workers), ports.length, reports, timer.waiting]).toEqual([[0, 1, 2], 6, [], [1_000]])
  await stop()
})

test("a second restart during the first reaches all, and a worker that outlasts the grace period is killed", async () => {
  const { supervised, timer, workers } = setUp("stubborn", "obedient")
  const { restart, stop } = await supervised
  restart()
  await turn()
  restart()
  timer.advance(12_000)
  for (let turns = 0; turns < 20; turns++) await turn()
  expect([endedOf(workers), workers.length]).toEqual([[0, 1, 2], 5])
  await stop()
})

test("a new worker that does not start leaves the old ones, and is tried again each second", async () => {
  const { supervised, timer, workers, reports, later } = setUp("obedient", "obedient")
  const { restart, stop } = await supervised
  later.push("broken", "broken")
  restart()
  await turn()
  for (const _ of [1, 2]) {
    expect(endedOf(workers.slice(0, 2))).toEqual([])
    timer.advance(1_000)
    await turn()
  }
  for (let turns = 0; turns < 10; turns++) await turn()
  expect([endedOf(workers), workers.length]).toEqual([[0, 1, 2, 3], 6])
  expect(reports).toEqual(Array(2).fill("a worker ended with code 3 and is replaced"))
  await stop()
})

test("an old worker that ends by itself during a restart does not leave one too many", async () => {
  const { supervised, clock, timer, workers } = setUp("stubborn", "stubborn")
  const { restart, stop } = await supervised
  clock.advance(5_000)
  restart()
  workers[1]?.end(1)
  for (const number of [0, 3]) {
    for (let turns = 0; turns < 10; turns++) await turn()
    timer.advance(0)
    if (number === 0) workers[number]?.end(0)
  }
  expect([endedOf(workers), workers.length]).toEqual([[0, 1], 4])
  await stop()
})

test("workers that do not stop are killed after the grace period, and that is an error", async () => {
  const { supervised, timer } = setUp("stubborn", "obedient", "stubborn")
  const { stop } = await supervised
  const stopped = stop()
  await turn()
  timer.advance(12_000)
  await expect(stopped).rejects.toThrow(
    new WorkerFailed("2 of 3 workers had to be killed: they did not stop within 12 seconds."),
  )
})

test("workers that serve on while they stop have the grace period after that", async () => {
  const { supervised, timer, workers } = setUpWith({ drainMs: 60_000 }, "stubborn")
  const { stop } = await supervised
  const stopped = stop()
  timer.advance(71_999)
  await turn()
  expect(workers[0]?.endedDrains).toBe(0)
  timer.advance(1)
  await expect(stopped).rejects.toThrow("1 of 1 workers had to be killed")
})

test("workers are told that they must not serve on, and have the grace period from then", async () => {
  const { supervised, timer, workers } = setUpWith({ drainMs: 60_000 }, "stubborn", "stubborn")
  const { stop } = await supervised
  const { promise: drainEnds, resolve } = Promise.withResolvers<void>()
  const stopped = stop({ drainEnds })
  resolve()
  await turn()
  expect(workers.map(({ endedDrains }) => endedDrains)).toEqual([1, 1])
  timer.advance(12_000)
  await expect(stopped).rejects.toThrow("2 of 2 workers had to be killed")
})

test("a start that fails says why and leaves no worker behind", async () => {
  const { supervised, timer, workers } = setUp("stubborn", "broken")
  supervised.catch(() => {})
  await turn()
  timer.advance(12_000)
  await expect(supervised).rejects.toThrow("ended before it listened")
  expect(await Promise.all(workers.map(({ exited }) => exited))).toEqual([137, 3])
})

test("a worker that ends is replaced: at once, or after a second if it lived shorter than that", async () => {
  const { supervised, clock, timer, workers, ports, reports } = setUp("obedient", "obedient")
  const { stop } = await supervised
  clock.advance(5_000)
  workers[0]?.end(1)
  await turn()
  expect(timer.waiting).toEqual([1_000, 0])
  timer.advance(0)
  workers[2]?.end(7)
  await turn()
  expect(timer.waiting).toEqual([1_000, 1_000])
  timer.advance(1_000)
  expect(ports).toEqual([null, 4711, 4711, 4711])
  const replaced = (code: number) => `a worker ended with code ${code} and is replaced`
  expect(reports).toEqual([replaced(1), replaced(7)])
  await stop()
})

test("a worker whose disk did not confirm a flush ends the others too, at once, and all are replaced", async () => {
  const { supervised, timer, clock, workers } = setUp("obedient", "obedient")
  const { stop } = await supervised
  clock.advance(5_000)
  workers[0]?.end(unflushedCode)
  await turn()
  timer.advance(0)
  await turn()
  timer.advance(0)
  expect(workers.map(({ code }) => code)).toEqual([unflushedCode, 137, null, null])
  expect(workers.map(({ stops }) => stops)).toEqual([0, 0, 0, 0])
  await stop()
})

test("a worker that is silent for ten seconds is killed and replaced, and the others stay", async () => {
  const { supervised, timer, clock, workers, reports } = setUp("obedient", "stuck")
  const { stop } = await supervised
  clock.advance(10_000)
  timer.advance(9_999)
  expect({ reports, pings: workers.map(({ pings }) => pings) }).toEqual({ reports: [], pings: [9, 9] })
  timer.advance(1)
  await turn()
  expect(reports).toEqual([
    "a worker has been silent for 10 seconds and is killed",
    "a worker ended with code 137 and is replaced",
  ])
  timer.advance(20_000)
  expect(workers).toHaveLength(3)
  await stop()
  expect({ reports: reports.length, waiting: timer.waiting }).toEqual({ reports: 2, waiting: [] })
})

test("any message shows that a worker is not stuck", async () => {
  const { supervised, timer, workers, reports } = setUp("stuck")
  const { stop } = await supervised
  for (let beat = 0; beat < 5; beat++) {
    timer.advance(9_000)
    workers[0]?.tell({ kind: "gather", id: beat })
  }
  expect(reports).toEqual([])
  const stopped = stop()
  workers[0]?.end(0)
  await stopped
})

test("time in which the whole machine slept does not count as silence", async () => {
  const { supervised, timer, reports } = setUp("stuck")
  const { stop } = await supervised
  // After the sleep, whatever became due meanwhile is called once.
  for (let wake = 0; wake < 9; wake++) timer.fire()
  expect(reports).toEqual([])
  timer.fire()
  expect(reports).toHaveLength(1)
  await stop()
})

test("a worker that stops is not killed for its silence before the grace period is over", async () => {
  const { supervised, timer, workers, reports } = setUp("stuck")
  const { stop } = await supervised
  timer.advance(5_000)
  const stopped = stop()
  timer.advance(11_999)
  expect({ reports, pings: workers[0]?.pings }).toEqual({ reports: [], pings: 5 })
  workers[0]?.end(0)
  await stopped
})

test("a replacement that cannot be started is tried again each second", async () => {
  const { supervised, timer, workers, reports, failSpawn } = setUp()
  const { stop } = await supervised
  failSpawn(true)
  workers[0]?.end(1)
  await turn()
  timer.advance(2_000)
  expect(reports.slice(1)).toEqual(Array(2).fill("a worker cannot be started: ENOENT"))
  failSpawn(false)
  timer.advance(1_000)
  expect(workers).toHaveLength(2)
  await stop()
})

test("the last report is used for a worker that is too busy, and kept for one that has ended", async () => {
  const { supervised, timer, workers } = setUp("obedient", "obedient", "obedient")
  await supervised
  const [asked, busy, ended] = workers
  if (!asked || !busy || !ended) throw new Error("three workers should have been started")
  const reportOf = (value: number): Report => [
    { name: "a_total", help: "", type: "counter", aggregator: "sum", values: [{ value, labels: {} }] },
  ]
  asked.tell({ kind: "gather", id: 5 })
  for (const [index, worker] of [asked, busy, ended].entries()) {
    expect(worker.received).toEqual([{ kind: "report", id: 1 }])
    worker.tell({ kind: "reported", id: 1, report: reportOf(10 ** index) })
  }
  await turn()
  expect(asked.received[1]).toMatchObject({ kind: "gathered", id: 5 })

  ended.end(1)
  await turn()
  asked.tell({ kind: "gather", id: 6 })
  asked.tell({ kind: "reported", id: 2, report: reportOf(2) })
  await turn()
  expect(asked.received).toHaveLength(3)
  timer.advance(1_000)
  while (asked.received.length < 4) await turn()
  const last = asked.received[3]
  if (last?.kind !== "gathered") throw new Error("no reports were gathered")
  expect(last.reports.map(([metric]) => metric?.values[0]?.value)).toEqual([2, 10, 100])
})

test("a process that ends before it prints its URL is a worker that failed", async () => {
  const command = [process.execPath, "-e", "process.exit(3)"]
  const { listening, exited } = spawnWorker(command, [], null, process.env)
  await expect(listening).rejects.toThrow(WorkerFailed)
  expect(await exited).toBe(3)
})
