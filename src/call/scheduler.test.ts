import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { createScheduler, createTurnBatch } from "./scheduler.ts"

/** A scheduler whose steps take a given time of a manual clock. `done` has the finished steps of each turn. */
function setUp() {
  const clock = createManualClock()
  const { giveWay } = createScheduler({ clock, timer: systemTimer })
  const done: string[][] = [[]]

  async function work(account: string, steps: number, stepMs: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const pause = giveWay(account)
      if (pause) await pause
      done.at(-1)?.push(account)
      clock.advance(stepMs)
    }
  }

  async function finish(works: readonly Promise<void>[]): Promise<string[]> {
    let isOver = false
    const all = Promise.all(works).then(() => {
      isOver = true
    })
    while (!isOver) {
      await systemTimer.turn()
      done.push([])
    }
    await all
    return done.filter((turn) => turn.length > 0).map((turn) => turn.join(""))
  }
  return { clock, giveWay, work, finish, done }
}

test("work that fits a slice never waits", () => {
  const { giveWay } = setUp()
  for (let step = 0; step < 1_000; step++) expect(giveWay("a")).toBeUndefined()
})

test("long work: a turn has the steps that fit its slice, however many wait", async () => {
  const { work, finish } = setUp()
  expect(await finish(Array.from({ length: 9 }, () => work("a", 1, 4)))).toEqual(["aaa", "aaa", "aaa"])
})

test("long work: a step longer than a slice has a turn for itself", async () => {
  const { work, finish } = setUp()
  expect(await finish([work("a", 2, 20), work("b", 2, 20)])).toEqual(["a", "a", "b", "b"])
})

test("long work: what follows from a step within a few promises is counted before the next step begins", async () => {
  const { clock, giveWay, finish, done } = setUp()
  async function work(): Promise<void> {
    await giveWay("a")
    await undefined
    await undefined
    done.at(-1)?.push("a")
    clock.advance(20)
  }
  giveWay("a")
  clock.advance(20)
  expect(await finish([work(), work(), work()])).toEqual(["a", "a", "a"])
})

test("requests begin before long work, in time of their own, whatever work each of them has", async () => {
  const clock = createManualClock()
  const { begin, giveWay } = createScheduler({ clock, timer: systemTimer })
  const order: string[] = []
  async function compute(account: string): Promise<void> {
    await giveWay(account)
    order.push(account)
    clock.advance(9)
  }
  async function request(): Promise<void> {
    await begin(() => "192.0.2.1")
    order.push("begin")
    clock.advance(1)
    await compute("new")
  }
  giveWay("old")
  clock.advance(20)
  await Promise.all([compute("old"), compute("old"), ...Array.from({ length: 5 }, request)])
  expect(order.slice(0, 5)).toEqual(Array(5).fill("begin"))
  expect(order.slice(5).toSorted()).toEqual([...Array(5).fill("new"), "old", "old"])
})

test("accounts take turns, however much work each has", async () => {
  const { work, finish } = setUp()
  const turns = await finish([...Array.from({ length: 5 }, () => work("a", 1, 20)), work("b", 2, 20)])
  expect(turns).toEqual(["a", "a", "b", "a", "b", "a", "a"])
})

function watch() {
  const clock = createManualClock()
  const stalls: [api: string, ms: number][] = []
  const scheduler = createScheduler({ clock, timer: systemTimer }, (api, ms) => stalls.push([api, ms]))
  return { clock, stalls, ...scheduler }
}

test("a step that holds up the event loop is reported with its API when the next step begins, and when the turn ends", async () => {
  const { clock, stalls, giveWay, nameStep } = watch()
  giveWay("a")
  nameStep("hmac")
  clock.advance(200)
  const pause = giveWay("a")
  expect(stalls).toEqual([["hmac", 200]])
  await pause
  nameStep("linesorter")
  clock.advance(5_000)
  await systemTimer.turn()
  await systemTimer.turn()
  expect(stalls.slice(1)).toEqual([["linesorter", 5_000]])
})

test("a step that holds up the event loop is reported under the API of a run that goes on, whatever ran meanwhile", async () => {
  const { clock, stalls, giveWay, nameStep } = watch()
  giveWay("a")
  nameStep("linesorter")
  clock.advance(20)
  const rest = Promise.resolve(giveWay("a", "linesorter")).then(() => clock.advance(300))
  nameStep("hmac")
  await rest
  await systemTimer.turn()
  await systemTimer.turn()
  expect(stalls).toEqual([["linesorter", 300]])
})

test("a step that holds up the event loop is not one that takes less, nor the time between two turns", async () => {
  const { clock, stalls, giveWay, nameStep } = watch()
  for (let turn = 0; turn < 3; turn++) {
    giveWay("a")
    nameStep("hmac")
    clock.advance(199)
    await systemTimer.turn()
    await systemTimer.turn()
    clock.advance(10_000)
  }
  expect(stalls).toEqual([])
})

interface Sum {
  readonly of: number
  result: number | null
}

const sum = (of: number): Sum => ({ of, result: null })

test("what one turn submits is one batch, in order", async () => {
  const batches: number[][] = []
  const submit = createTurnBatch(systemTimer, async (batch: readonly Sum[]) => {
    batches.push(batch.map((item) => item.of))
    for (const item of batch) item.result = item.of * 2
  })
  const items = [sum(1), sum(2), sum(3)]
  await Promise.all(items.map(submit))
  expect(items.map(({ result }) => result)).toEqual([2, 4, 6])
  const late = sum(4)
  await submit(late)
  expect(late.result).toBe(8)
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test("a batch that fails does so for all its items, and for no item that came meanwhile", async () => {
  const later = sum(3)
  let submittedLater: Promise<void> | undefined
  const submit = createTurnBatch(systemTimer, async (batch: readonly Sum[]) => {
    if (batch.includes(later)) return
    submittedLater = submit(later)
    throw new Error("disk full")
  })
  const results = await Promise.allSettled([submit(sum(1)), submit(sum(2))])
  const messages = results.map((result) => result.status === "rejected" && result.reason.message)
  expect(messages).toEqual(["disk full", "disk full"])
  expect(submittedLater).toBeInstanceOf(Promise)
  await submittedLater
})

test("work that throws at once fails its batch, too", async () => {
  const submit = createTurnBatch(systemTimer, (_batch: readonly Sum[]): Promise<void> => {
    throw new Error("closed")
  })
  await expect(submit(sum(1))).rejects.toThrow("closed")
})
