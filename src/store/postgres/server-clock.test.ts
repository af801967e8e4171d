import { expect, test } from "bun:test"
import { createServerClock } from "./server-clock.ts"

test("gives the database's time or an earlier one, by the quickest of the latest answers", () => {
  let localMs = 0
  const clock = createServerClock({ monotonicMs: () => localMs })
  expect(clock.at(0)).toBeNull()
  // The answer took 50 ms, so the database's clock was further when it came.
  clock.observe(1_000_000, 50)
  expect([clock.at(50), clock.at(550)]).toEqual([1_000_000, 1_000_500])
  clock.observe(1_000_100, 110)
  expect(clock.at(110)).toBe(1_000_100)
  clock.observe(1_000_150, 400)
  expect(clock.at(400)).toBe(1_000_390)
  // A clock that was set back is followed after a minute.
  for (localMs = 30_500; localMs < 95_000; localMs += 1_000) clock.observe(500_000 + localMs, localMs)
  expect(clock.at(95_000)).toBe(595_000)
})
