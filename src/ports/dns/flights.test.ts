import { describe, expect, test } from "bun:test"
import { createFlights } from "./flights.ts"

/** A run that lands when told, and counts how often it was begun. */
function manualRun(value: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const started = { times: 0 }
  return {
    started,
    land: () => resolve(value),
    run: () => {
      started.times += 1
      return promise
    },
  }
}

describe("one flight per key", () => {
  test("all who ask meanwhile get the value of one run", async () => {
    const flights = createFlights<string>(10)
    const work = manualRun("x")
    const waiting = [1, 2, 3].map(() => flights.join("a", work.run, undefined))
    const other = flights.join("b", async () => "y", undefined)
    work.land()
    expect(await Promise.all(waiting)).toEqual(["x", "x", "x"])
    expect(await other).toBe("y")
    expect(work.started.times).toBe(1)
  })

  test("who asks later begins anew", async () => {
    const flights = createFlights<string>(10)
    await flights.join("a", async () => "x", undefined)
    expect(await flights.join("a", async () => "y", undefined)).toBe("y")
  })

  test("one who leaves does not take the others along", async () => {
    const flights = createFlights<string>(10)
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
    const flights = createFlights<string>(10)
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

describe("the limit", () => {
  test("holds, and the others follow in order", async () => {
    const flights = createFlights<string>(2)
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
    const flights = createFlights<string>(1)
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
    const flights = createFlights<string>(1)
    const failing = flights.join("a", () => Promise.reject(new Error("bug")), undefined)
    const next = flights.join("b", async () => "y", undefined)
    expect(failing).rejects.toThrow("bug")
    expect(await next).toBe("y")
  })
})
