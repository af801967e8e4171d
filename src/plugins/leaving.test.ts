/** Calls whose callers leave, and runs that leave their places while others answer their questions. */
import { expect, test } from "bun:test"
import { createHeldTrial } from "../../test/support/held-pool.ts"
import { Busy } from "../apis/contract.ts"
import { systemTimer } from "../ports/timer.ts"

const left = new Error("the caller has left")

/** A caller that leaves when the test says so. */
function createLeaving() {
  let hasLeft = false
  return {
    leave: () => {
      hasLeft = true
    },
    requirePresent: () => {
      if (hasLeft) throw left
    },
  }
}

test("a call whose caller has left while it waited is not run", async () => {
  const { call, running, advance, endAll, faults } = createHeldTrial(1)
  const first = call("one")
  const { leave, requirePresent } = createLeaving()
  const second = call("two", { requirePresent }).catch((thrown) => thrown)
  leave()
  await advance(500)
  expect(await second).toBe(left)
  expect(running()).toEqual(["one"])
  await endAll()
  await first
  expect([running(), faults]).toEqual([[], []])
})

test("a call whose caller has left does not begin in the place that becomes free", async () => {
  const { call, running, endOne, endAll } = createHeldTrial(1)
  const first = call("one")
  const { leave, requirePresent } = createLeaving()
  const second = call("two", { requirePresent }).catch((thrown) => thrown)
  const third = call("three")
  await systemTimer.turn()
  leave()
  await endOne()
  expect(running()).toEqual(["three"])
  expect(await second).toBe(left)
  await endAll()
  await Promise.all([first, third])
})

test("a run whose caller has left ends, counts whole, and is no fault of the API", async () => {
  const { call, running, advance, threads, runs, endAll, faults } = createHeldTrial(1)
  const { leave, requirePresent } = createLeaving()
  const first = call("one", { requirePresent }).catch((thrown) => thrown)
  await systemTimer.turn()
  leave()
  await advance(250)
  // A short run ends by itself sooner than another thread is started.
  expect(threads.map(({ isEnded }) => isEnded)).toEqual([false])
  await advance(250)
  expect(await first).toBe(left)
  expect(threads[0]?.isEnded).toBe(true)
  runs.shift()
  const blocker = call("blocker")
  const next = [call("one"), call("two")]
  await systemTimer.turn()
  expect(running()).toEqual(["blocker"])
  runs.shift()?.end()
  await systemTimer.turn()
  expect(running()).toEqual(["two"])
  await endAll()
  await Promise.all([blocker, ...next])
  expect(faults).toEqual([])
})

test("a call that has waited for ten seconds is refused, with the time to try again", async () => {
  const { call, running, advance, endAll } = createHeldTrial(1)
  const first = call("one")
  let refusal: unknown
  const second = call("two").catch((thrown) => {
    refusal = thrown
  })
  await advance(9_999)
  expect(refusal).toBeUndefined()
  await advance(251)
  await second
  expect(refusal).toBeInstanceOf(Busy)
  expect(refusal).toMatchObject({ retryAfterSeconds: 10 })
  // A run itself has another limit.
  expect(running()).toEqual(["one"])
  await endAll()
  await first
})

test("a run that waits for answers leaves its place to others, and goes on when it has one again", async () => {
  const { call, runs, running, advance, endOne, endAll } = createHeldTrial(1)
  const asking = call("asks", { asks: true })
  await systemTimer.turn()
  const other = call("other")
  const [first] = runs
  first?.place.leave()
  await advance(20)
  expect(running()).toEqual(["asks", "other"])
  let isBack = false
  const back = Promise.resolve(first?.place.enter()).then(() => {
    isBack = true
  })
  await systemTimer.turn()
  expect(isBack).toBe(false)
  runs.reverse()
  await endOne()
  await back
  expect(isBack).toBe(true)
  await endAll()
  await Promise.all([asking, other])
})

test("two answers of a run that wait for its place both go on when it has it", async () => {
  const { call, runs, advance, endAll } = createHeldTrial(1)
  const asking = call("one", { asks: true })
  await advance(20)
  runs[0]?.place.leave()
  const other = call("two")
  await advance(20)
  const entered: string[] = []
  void runs[0]?.place.enter()?.then(() => entered.push("first answer"))
  // The run asks on while its first answer waits.
  runs[0]?.place.leave()
  void runs[0]?.place.enter()?.then(() => entered.push("second answer"))
  runs[1]?.end()
  await advance(20)
  expect(entered).toEqual(["first answer", "second answer"])
  await endAll()
  await Promise.all([asking, other])
})

test("a run that has ended takes no place when its answers come, so others run on", async () => {
  const { call, runs, running, advance, endOne, endAll, faults } = createHeldTrial(1)
  const { leave, requirePresent } = createLeaving()
  const asking = call("asks", { asks: true, requirePresent }).catch((thrown) => thrown)
  await systemTimer.turn()
  const [ended] = runs
  ended?.place.leave()
  leave()
  await advance(500)
  expect(await asking).toBe(left)
  runs.shift()
  void ended?.place.enter()
  const others = [call("one"), call("two")]
  await advance(250)
  expect(running()).toEqual(["one"])
  await endOne(500)
  expect(running()).toEqual(["two"])
  await endAll()
  await Promise.all(others)
  expect(faults).toEqual([])
})

test("runs that wait for answers have a limit, of which each account has as many as are free", async () => {
  const { call, runs, running, advance, endAll } = createHeldTrial(2)
  const all = ["one", "one", "one", "two", "two", "three"].map((account) => call(account, { asks: true }))
  for (let calls = 0; calls < 6; calls++) {
    for (const { place } of runs) place.leave()
    await advance(20)
  }
  expect(running()).toEqual(["one", "two", "three"])
  // They hold up no run that asks nobody.
  const other = call("three")
  await advance(20)
  expect(running()).toEqual(["one", "two", "three", "three"])
  await endAll()
  await Promise.all([...all, other])
})

test("a run that was ended keeps its place until its thread is gone, and counts so long for its account", async () => {
  const { call, running, advance, threads, runs, endAll } = createHeldTrial(1, {
    endsSlowly: true,
    keepsOne: false,
  })
  const { leave, requirePresent } = createLeaving()
  const first = call("one", { requirePresent }).catch((thrown) => thrown)
  await systemTimer.turn()
  leave()
  await advance(500)
  expect([await first, threads.length, threads[0]?.isEnded]).toEqual([left, 1, true])
  runs.length = 0
  const again = call("one")
  await systemTimer.turn()
  const other = call("two")
  for (let waitedMs = 0; waitedMs < 3_000; waitedMs += 250) await advance(250)
  expect([running(), threads.length]).toEqual([[], 1])
  threads[0]?.tell()
  await advance(20)
  expect(running()).toEqual(["two"])
  await endAll()
  await Promise.all([again, other])
})
