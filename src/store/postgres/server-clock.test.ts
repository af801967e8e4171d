import { expect, test } from "bun:test"
import { createServerClock } from "./server-clock.ts"

test("gives the database's time or an earlier one, by the quickest of the latest answers", () => {
  let localMs = 0
  const clock = createServerClock({ monotonicMs: () => localMs })
  const observe = (serverMs: number, answeredMs: number, sentMs = answeredMs - 50) =>
    clock.observe(serverMs, { sentMs, answeredMs })
  expect(clock.at(0)).toBeNull()
  // The answer took 50 ms, so the database's clock was further when it came.
  observe(1_000_000, 50)
  expect([clock.at(50), clock.at(550)]).toEqual([1_000_000, 1_000_500])
  observe(1_000_100, 110)
  expect(clock.at(110)).toBe(1_000_100)
  observe(1_000_150, 400, 110)
  expect(clock.at(400)).toBe(1_000_390)
  // A clock that lost half a second is followed after a minute, and one that was set back at once.
  for (localMs = 30_500; localMs < 95_000; localMs += 1_000) observe(999_500 + localMs, localMs)
  expect(clock.at(95_000)).toBe(1_094_500)
  observe(595_000, 95_000)
  expect(clock.at(95_000)).toBe(595_000)
})
