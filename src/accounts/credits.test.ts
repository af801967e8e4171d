import { expect, test } from "bun:test"
import { accountOf } from "../../test/support/store.ts"
import { balanceOf, covers, monthAhead, periodAt } from "./credits.ts"

const at = Date.parse
const times = { createdMs: at("2025-01-15T00:00:00Z"), periodStartMs: at("2025-03-15T00:00:00Z") }
const account = accountOf({ ...times, used: 7, bonus: 3 })
const plan = { monthlyCredits: 10 }
const march = { startMs: at("2025-03-15T00:00:00Z"), endMs: at("2025-04-15T00:00:00Z") }
const april = { startMs: march.endMs, endMs: at("2025-05-15T00:00:00Z") }

test.each([
  ["on the month's first instant", "2025-03-15T00:00:00Z"],
  ["on its last", "2025-04-14T23:59:59.999Z"],
  // The clock was set back: the month stays in force, so that no credits are given twice.
  ["before the month began", "2025-03-14T23:59:59.999Z"],
  ["two months before", "2025-01-20T00:00:00Z"],
  ["before the account was made", "2020-01-01T00:00:00Z"],
])("the balance: %s is that of the stored month", (_, now) => {
  const expected = { used: 7, allowance: 10, bonus: 3, remaining: 6, period: march }
  expect(balanceOf(account, plan, at(now))).toEqual(expected)
  expect(balanceOf(account, plan, at(now), march)).toEqual(expected)
  // Another month in memory is not taken for the current one.
  expect(balanceOf(account, plan, at(now), periodAt(account.createdMs, at("2025-02-20T00:00:00Z")))).toEqual(
    expected,
  )
  expect(balanceOf(account, plan, at(now), april)).toEqual(expected)
})

test.each(["2025-04-15T00:00:00Z", "2025-05-01T00:00:00Z"])("at %s the next month is unused", (now) => {
  const expected = { used: 0, allowance: 10, bonus: 3, remaining: 13, period: april }
  expect(balanceOf(account, plan, at(now))).toEqual(expected)
  expect(balanceOf(account, plan, at(now), march)).toEqual(expected)
})

test("the balance: a plan below the use leaves the bonus; an unlimited plan has no end", () => {
  const now = march.startMs
  expect(balanceOf(account, { monthlyCredits: 5 }, now)).toMatchObject({ allowance: 5, remaining: 3 })
  expect(balanceOf(account, { monthlyCredits: null }, now)).toMatchObject({
    allowance: null,
    remaining: null,
  })
})

test("the balance covers what is left, to the last credit", () => {
  const balance = balanceOf(account, plan, march.startMs)
  expect([0, 5, 6, 7].map((credits) => covers(balance, credits))).toEqual([true, true, true, false])
  expect(covers(balanceOf(account, { monthlyCredits: null }, march.startMs), 1e15)).toBe(true)
})

test("a month in the future is a problem until it has begun", () => {
  expect(monthAhead(account, march.startMs - 1)).toContain("'account renew acc_1'")
  expect([monthAhead(account, march.startMs), monthAhead(account, april.endMs)]).toEqual([null, null])
})
