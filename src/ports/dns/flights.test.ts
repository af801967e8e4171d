import { describe, expect, test } from "bun:test"
import { createFlights, type Flights } from "./flights.ts"

/** A run that lands when told, and counts how often it was begun. */
function manualRun(value: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const started = { times: 0 }
  return {
    started,
    begun: begun.promise,
    land: () => resolve(value),
    run: () => {
      started.times += 1
      begun.resolve()
      return promise
    },
  }
}

describe("one flight per key", () => {
  test("all who ask meanwhile get the value of one run", async () => {
    const flights = createFlights<string>({ limit: 10, limitPerCaller: 10 })
    const work = manualRun("x")
    const waiting = [1, 2, 3].map(() => flights.join("a", work.run, undefined))
    const other = flights.join("b", async () => "y", undefined)
    work.land()
    expect(await Promise.all(waiting)).toEqual(["x", "x", "x"])
    expect(await other).toBe("y")
    expect(work.started.times).toBe(1)
  })

  test("who asks later begins anew", async () => {
    const flights = createFlights<string>({ limit: 10, limitPerCaller: 10 })
    await flights.join("a", async () => "x", undefined)
    expect(await flights.join("a", async () => "y", undefined)).toBe("y")
  })

  test("one who leaves does not take the others along", async () => {
    const flights = createFlights<string>({ limit: 10, limitPerCaller: 10 })
    const work = manualRun("x")
    const leaving = new AbortController()
    const staying = new AbortController()
    const left = flights.join("a", work.run, leaving.signal)
    const stayed = flights.join("a", work.run, staying.signal)
    leaving.abort()
    expect(await left).toBeNull()
    work.land()
    expect(await stayed).toBe("x")
    staying.abort()
    expect(work.started.times).toBe(1)
  })

  test("a run that everyone has left is still the one to join", async () => {
    const flights = createFlights<string>({ limit: 10, limitPerCaller: 10 })
    const work = manualRun("x")
    const leaving = new AbortController()
    const left = flights.join("a", work.run, leaving.signal)
    leaving.abort()
    expect(await left).toBeNull()
    const joined = flights.join("a", work.run, undefined)
    work.land()
    expect(await joined).toBe("x")
    expect(work.started.times).toBe(1)
  })
})

describe("several callers", () => {
  /** `count` questions of one caller that nobody lands. */
  function ask(flights: Flights<string>, name: string, count: number, signal: AbortSignal) {
    const works = Array.from({ length: count }, (_, n) => manualRun(`${name}${n}`))
    const answers = works.map((work, n) => flights.join(`${name}${n}`, work.run, signal))
    return { works, answers, begun: () => works.filter(({ started }) => started.times > 0).length }
  }
  const newSignal = () => new AbortController().signal

  test("one has no more under way than its limit, and the next begins when one of them lands", async () => {
    const flights = createFlights<string>({ limit: 100, limitPerCaller: 3 })
    const one = ask(flights, "a", 10, newSignal())
    expect(one.begun()).toBe(3)
    one.works[0]?.land()
    await one.answers[0]
    expect(one.begun()).toBe(4)
  })

  test("half of the places is kept for those who have next to nothing under way", async () => {
    const flights = createFlights<string>({ limit: 20, limitPerCaller: 8 })
    const greedy = [1, 2, 3].map((n) => ask(flights, `g${n}-`, 50, newSignal()))
    expect(greedy.map(({ begun }) => begun())).toEqual([8, 2, 2])
    const modest = ask(flights, "m", 3, newSignal())
    expect(modest.begun()).toBe(2)
    modest.works[0]?.land()
    await modest.answers[0]
    expect(modest.begun()).toBe(3)
  })

  test("callers take turns, however many questions each has in line", async () => {
    const flights = createFlights<string>({ limit: 2, limitPerCaller: 2 })
    const before = ask(flights, "z", 2, newSignal())
    const one = ask(flights, "a", 5, newSignal())
    const other = ask(flights, "b", 5, newSignal())
    const order: string[] = []
    for (const [name, { works }] of Object.entries({ one, other })) {
      for (const work of works) work.begun.then(() => order.push(name))
    }
    for (const landing of [before.works[0], before.works[1], one.works[0], other.works[0], one.works[1]]) {
      landing?.land()
    }
    await one.works[2]?.begun
    expect(order).toEqual(["one", "other", "one", "other", "one"])
  })

  test("who asks for what stands in another's line need not wait for the other's turn", async () => {
    const flights = createFlights<string>({ limit: 100, limitPerCaller: 1 })
    const first = ask(flights, "a", 3, newSignal())
    expect(first.begun()).toBe(1)
    const joined = flights.join("a2", () => Promise.reject(new Error("begun twice")), newSignal())
    expect(first.works.map(({ started }) => started.times)).toEqual([1, 0, 1])
    first.works[2]?.land()
    expect(await joined).toBe("a2")
    expect(await first.answers[2]).toBe("a2")
  })

  test("one in line that a caller has asked for twice and left twice can be asked for again", async () => {
    const flights = createFlights<string>({ limit: 100, limitPerCaller: 1 })
    const leaving = new AbortController()
    const never = manualRun("x")
    const left = ["first", "a", "a"].map((key) => flights.join(key, never.run, leaving.signal))
    leaving.abort()
    expect(await Promise.all(left)).toEqual([null, null, null])
    expect(never.started.times).toBe(1)
    expect(await flights.join("a", async () => "again", newSignal())).toBe("again")
  })
})

describe("the limit", () => {
  test("holds, and the others follow in order", async () => {
    const flights = createFlights<string>({ limit: 2, limitPerCaller: 10 })
    const works = ["a", "b", "c", "d"].map(manualRun)
    const waiting = works.map((work, index) => flights.join(`${index}`, work.run, undefined))
    const started = () => works.map((work) => work.started.times)
    expect(started()).toEqual([1, 1, 0, 0])
    works[1]?.land()
    await waiting[1]
    expect(started()).toEqual([1, 1, 1, 0])
    for (const work of works) work.land()
    expect(await Promise.all(waiting)).toEqual(["a", "b", "c", "d"])
  })

  test("one in line that everyone has left is never begun, and asked again it is", async () => {
    const flights = createFlights<string>({ limit: 1, limitPerCaller: 10 })
    const first = manualRun("x")
    const flying = flights.join("a", first.run, undefined)
    const inLine = manualRun("y")
    const leaving = new AbortController()
    const left = flights.join("b", inLine.run, leaving.signal)
    leaving.abort()
    expect(await left).toBeNull()
    first.land()
    await flying
    expect(inLine.started.times).toBe(0)
    expect(await flights.join("b", async () => "z", undefined)).toBe("z")
  })

  test("a run that fails makes room as well", async () => {
    const flights = createFlights<string>({ limit: 1, limitPerCaller: 10 })
    const failing = flights.join("a", () => Promise.reject(new Error("bug")), undefined)
    const next = flights.join("b", async () => "y", undefined)
    expect(failing).rejects.toThrow("bug")
    expect(await next).toBe("y")
  })
})
