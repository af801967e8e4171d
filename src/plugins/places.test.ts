/** Which call gets the next place in a pool of threads, and which calls give theirs away. */
import { expect, test } from "bun:test"
import { createHeldTrial } from "../../test/support/held-pool.ts"
import { Busy } from "../apis/contract.ts"
import { systemTimer } from "../ports/timer.ts"

test("accounts take turns: nobody waits for all calls of another one", async () => {
  const { runs, call } = createHeldTrial(1)
  const order: string[] = []
  const run = (account: string) => call(account).then(() => order.push(account))
  const all = ["one", "one", "one", "one", "two", "three", "two"].map(run)
  for (let left = all.length; left > 0; left--) {
    await systemTimer.turn()
    runs.shift()?.end()
  }
  await Promise.all(all)
  expect(order).toEqual(["one", "three", "two", "two", "one", "one", "one"])
})

test("accounts with many calls leave places to others: each has as many as the others", async () => {
  const { call, endAll } = createHeldTrial(1)
  const refused = new Map<string, number>()
  const many = ["one", "two", "three"].flatMap((account) =>
    Array.from({ length: 200 }, () =>
      call(account).catch(() => refused.set(account, (refused.get(account) ?? 0) + 1)),
    ),
  )
  const other = call("four")
  await systemTimer.turn()
  // One of the first account runs; 75, 75 and 74 wait, and 31 more places are left to others.
  expect(Object.fromEntries(refused)).toEqual({ one: 124, two: 125, three: 126 })
  await endAll()
  expect(await other).toBe(0)
  await Promise.all(many)
})

test("accounts with many waiting calls keep no other out: their latest are refused", async () => {
  const { call, advance, endOne, endAll } = createHeldTrial(1)
  const before = call("honest")
  await systemTimer.turn()
  await endOne(500)
  await before
  const refused: string[] = []
  const many = Array.from({ length: 9 }, (_, n) => n).flatMap((n) =>
    Array.from({ length: 200 }, (_, at) =>
      call(`new ${n}`).catch(() => refused.push(`new ${n}, call ${at}`)),
    ),
  )
  await systemTimer.turn()
  refused.length = 0
  // An account that has used more time than they have.
  const honest = Array.from({ length: 20 }, () => call("honest"))
  await systemTimer.turn()
  expect(refused).toHaveLength(20)
  await advance(20)
  await endAll()
  expect(await Promise.all(honest)).toHaveLength(20)
  await Promise.all(many)
})

test("the next call is of the account that has used the least time, however many calls it made", async () => {
  const { call, running, endOne, endAll } = createHeldTrial(1)
  const long = [call("long"), call("long")]
  await systemTimer.turn()
  const short = Array.from({ length: 6 }, () => call("short"))
  await endOne(1_000)
  for (let calls = 0; calls < 6; calls++) {
    expect(running()).toEqual(["short"])
    await endOne(100)
  }
  expect(running()).toEqual(["long"])
  await endAll()
  await Promise.all([...long, ...short])
})

test("of accounts that have used nothing yet, the one with the fewest waiting calls is next", () =>
  expectHonestBeforeCrowds(createHeldTrial(1)))

test("an account that has used a little does not wait for the first runs of many new ones", async () => {
  const trial = createHeldTrial(1)
  const before = trial.call("honest")
  await systemTimer.turn()
  await trial.endOne(5)
  await before
  await expectHonestBeforeCrowds(trial)
})

test("time is forgotten: after a minute an account that used much has its turn again", async () => {
  const { call, running, advance, endOne, endAll } = createHeldTrial(1)
  const first = call("long")
  await systemTimer.turn()
  await endOne(1_000)
  await first
  await advance(60_000)
  const now = call("new")
  await systemTimer.turn()
  await endOne(150)
  const blocker = call("blocker")
  const next = [call("new"), call("long")]
  await endOne()
  expect(running()).toEqual(["long"])
  await endAll()
  await Promise.all([now, blocker, ...next])
})

test("one place is kept for accounts whose runs are short", async () => {
  const { call, runEach, running, advance, endOne, endAll } = createHeldTrial(3)
  await runEach(["a", "b", "c"], 1_000)
  const heavy = ["a", "b", "c"].map((account) => call(account))
  await advance(20)
  expect(running()).toEqual(["a", "b"])
  // It waits for too long in this test.
  const third = heavy[2]?.catch((thrown) => thrown)
  const light = call("light")
  await advance(20)
  expect(running()).toEqual(["a", "b", "light"])
  // Not for one that is new, but has run for long already: the next place that is free is for others.
  await advance(101)
  await endOne()
  expect(running()).toEqual(["b", "light"])
  const other = call("other")
  await advance(20)
  expect(running()).toEqual(["b", "light", "other"])
  // After twenty times the length of the long runs all places are theirs, too.
  await advance(20_000)
  expect(await third).toBeInstanceOf(Busy)
  await endAll()
  const all = ["a", "b", "c"].map((account) => call(account))
  await advance(20)
  expect(running()).toEqual(["a", "b", "c"])
  await endAll()
  await Promise.all([heavy[0], heavy[1], light, other, ...all])
})

test("a run that does not end counts for its account while it goes on", async () => {
  const { call, running, advance, endAll } = createHeldTrial(4)
  const long = ["a", "b", "c"].map((account) => call(account))
  await advance(20)
  for (let passed = 0; passed < 500; passed += 250) await advance(250)
  const more = call("a")
  await advance(20)
  expect(running()).toEqual(["a", "b", "c"])
  const light = call("light")
  await advance(20)
  expect(running()).toEqual(["a", "b", "c", "light"])
  await endAll()
  await Promise.all([...long, more, light])
})

test("on busy processors the place is kept for as much longer as long runs hold their threads", async () => {
  const { call, runEach, running, advance, endAll } = createHeldTrial(2, { usedMs: 150 })
  await runEach(["a", "b"], 900)
  // Twenty times the processor time would be over.
  await advance(5_000)
  const heavy = ["a", "b"].map((account) => call(account))
  await advance(20)
  expect(running()).toEqual(["a"])
  const light = call("light")
  await advance(20)
  expect(running()).toEqual(["a", "light"])
  await endAll()
  await Promise.all([...heavy, light])
  // Short runs are told by their processor time alone.
  const busy = createHeldTrial(2, { usedMs: 99 })
  await busy.runEach(["a", "b"], 900)
  const both = ["a", "b"].map((account) => busy.call(account))
  await busy.advance(20)
  expect(busy.running()).toEqual(["a", "b"])
  await busy.endAll()
  await Promise.all(both)
})

/** Two accounts with long runs hold two of three places, and a new one has begun in the kept place. */
async function fillPlaces(trial: HeldTrial) {
  const { call, runEach, advance } = trial
  await runEach(["a", "b"], 1_000)
  const calls = ["a", "b"].map((account) => call(account))
  await advance(20)
  const outcome = call("new").catch((thrown) => thrown)
  await advance(20)
  expect(trial.running()).toEqual(["a", "b", "new"])
  return { calls, outcome }
}

test("a first run that becomes long leaves the kept place to a waiting call, and begins again elsewhere", async () => {
  const trial = createHeldTrial(3)
  const { runs, call, running, advance, endOne, endAll, threads, faults } = trial
  const { calls, outcome } = await fillPlaces(trial)
  const honest = call("honest")
  for (let passed = 0; passed < 100; passed += 20) await advance(20)
  expect(running()).toEqual(["a", "b", "new"])
  await advance(20)
  expect(threads.filter(({ isEnded }) => isEnded)).toHaveLength(1)
  runs.splice(2, 1)
  await advance(20)
  expect(running()).toEqual(["a", "b", "honest"])
  // The kept place is not for it, though it is free, and neither is a place that an account with less time waits for.
  runs.pop()?.end()
  await advance(20)
  const other = call("other")
  await advance(20)
  expect(running()).toEqual(["a", "b", "other"])
  await endOne()
  await advance(20)
  expect(running()).toEqual(["b", "other", "new"])
  // It is not moved twice, however long others wait: the one that is in the kept place now is.
  const last = call("last")
  for (let passed = 0; passed < 500; passed += 20) await advance(20)
  runs.splice(1, 1)
  expect(running()).toEqual(["b", "new", "last"])
  expect(threads.filter(({ isEnded }) => isEnded)).toHaveLength(2)
  await endAll()
  expect(await outcome).toBeNumber()
  await Promise.all([...calls, honest, other, last])
  expect(faults).toEqual([])
})

test("nobody's run is moved for calls that the kept place is not for, nor one with little processor time", async () => {
  const trial = createHeldTrial(3)
  const { call, running, advance, endAll } = trial
  const { calls, outcome } = await fillPlaces(trial)
  // Two have long runs, and the third has its share of the places.
  const more = ["a", "b", "new"].map((account) => call(account))
  for (let passed = 0; passed < 500; passed += 20) await advance(20)
  expect(running()).toEqual(["a", "b", "new"])
  await endAll()
  const busy = createHeldTrial(3, { usedMs: 99 })
  const held = ["a", "b", "c"].map((account) => busy.call(account))
  for (let turns = 0; turns < 3; turns++) await busy.advance(20)
  const waits = busy.call("honest")
  for (let passed = 0; passed < 500; passed += 20) await busy.advance(20)
  expect(busy.running()).toEqual(["a", "b", "c"])
  await busy.endAll()
  await Promise.all([...calls, outcome, ...more, ...held, waits])
})

type HeldTrial = ReturnType<typeof createHeldTrial>

/** Three accounts make four calls each, of which one runs; a call of a fourth account runs next. */
async function expectHonestBeforeCrowds({ call, running, endOne, endAll }: HeldTrial): Promise<void> {
  const crowds = ["one", "two", "three"].flatMap((account) => [1, 2, 3, 4].map(() => call(account)))
  await systemTimer.turn()
  const honest = call("honest")
  await endOne(1_000)
  expect(running()).toEqual(["honest"])
  await endAll()
  await Promise.all([...crowds, honest])
}

test("while a run that was ended for a waiting call still holds its place, no other run is ended for it", async () => {
  const { call, threads, advance, running, endAll } = createHeldTrial(2, { endsSlowly: true })
  const long = [call("one"), call("two")]
  await advance(20)
  await advance(200)
  const short = call("short")
  for (let waitedMs = 0; waitedMs < 400; waitedMs += 20) await advance(20)
  expect(threads.filter(({ isEnded }) => isEnded)).toHaveLength(1)
  for (const { tell } of threads) tell()
  await advance(20)
  expect(running()).toContain("short")
  for (let rounds = 0; rounds < 5; rounds++) {
    await endAll()
    await advance(20)
  }
  await Promise.all([...long, short])
})
