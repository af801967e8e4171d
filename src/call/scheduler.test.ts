import { describe, expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { systemTimer } from "../ports/timer.ts"
import { createScheduler } from "./scheduler.ts"

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

describe("of long work", () => {
  test("a turn has the steps that fit its slice, however many wait", async () => {
    const { work, finish } = setUp()
    const turns = await finish(Array.from({ length: 9 }, () => work("a", 1, 4)))
    expect(turns).toEqual(["aaa", "aaa", "aaa"])
  })

  test("a step longer than a slice has a turn for itself", async () => {
    const { work, finish } = setUp()
    expect(await finish([work("a", 2, 20), work("b", 2, 20)])).toEqual(["a", "a", "b", "b"])
  })

  test("what follows from a step within a few promises is counted before the next step begins", async () => {
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
})

test("accounts take turns, however much work each has", async () => {
  const { work, finish } = setUp()
  const turns = await finish([...Array.from({ length: 5 }, () => work("a", 1, 20)), work("b", 2, 20)])
  expect(turns).toEqual(["a", "a", "b", "a", "b", "a", "a"])
})
