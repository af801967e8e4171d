import { expect, test } from "bun:test"
import { type DeprecatedPart, deprecatedEntry } from "../../src/accounts/deprecated-entry.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { queryUsage } from "../../src/admin/usage/query.ts"
import { openAdministration } from "../support/administration.ts"
import { chargeOf } from "../support/store.ts"

/** Two accounts; the first one has used two keys on two days. */
async function withUsage() {
  const admin = openAdministration()
  const { run, opened } = admin
  const account = String((await run(createAccount, { name: "Ann" })).id)
  const other = String((await run(createAccount, { name: "Bob" })).id)
  const key = String((await run(createApiKey, { account })).id)
  const otherKey = String((await run(createApiKey, { account })).id)
  const charge = (keyId: string, day: string) => chargeOf({ accountId: account, keyId, day, allowance: null })
  await opened.store.charge([charge(key, "2024-12-31")])
  await opened.store.charge([charge(key, "2025-01-01"), charge(otherKey, "2025-01-01")])
  await opened.store.charge([chargeOf({ accountId: other, allowance: null })])
  return { ...admin, account, other, key, otherKey }
}

const row = <T extends object>(fields: T, count = 1) => ({ ...fields, calls: count, credits: count })

test("usage is by day and API of the last 31 days unless something else is asked for", async () => {
  const { run, account, key } = await withUsage()
  expect(await run(queryUsage)).toEqual({
    data: [row({ day: "2025-01-01", api: "hmac" }, 3), row({ day: "2024-12-31", api: "hmac" })],
    has_more: false,
    next: null,
  })
  const { data } = await run(queryUsage, { account, days: 1 })
  expect(data).toEqual([row({ day: "2025-01-01", api: "hmac" }, 2)])
  expect((await run(queryUsage, { key, by: ["api"] })).data).toEqual([row({ api: "hmac" }, 2)])
  expect((await run(queryUsage, { to: "2024-12-31", by: [] })).data).toEqual([row({})])
  expect((await run(queryUsage, { from: "2025-01-01", api: "spfvalidator" })).data).toEqual([])
})

test("usage of what is deprecated names who uses it, and is no part of the usage of APIs", async () => {
  const { run, opened, account, other, key } = await withUsage()
  const use = (part: DeprecatedPart) => ({ api: deprecatedEntry("hmac", part), calls: 2, credits: 0 })
  const items = [{ api: "hmac", calls: 2, credits: 2 }, use("parameter key"), use("field rate.value")]
  await opened.store.charge([
    chargeOf({ accountId: account, keyId: key, items, allowance: null }),
    chargeOf({ accountId: other, items: [use("api")], allowance: null }),
  ])
  const used = (who: { account?: string; key?: string }, deprecated: DeprecatedPart) => ({
    ...who,
    api: "hmac",
    deprecated,
    calls: 2,
  })
  const rows = [
    used({ account, key }, "field rate.value"),
    used({ account, key }, "parameter key"),
    used({ account: other, key: "" }, "api"),
  ].sort((a, b) => (String(a.account) < String(b.account) ? -1 : 1))
  expect((await run(queryUsage, { deprecated: true })).data).toHaveLength(3)
  expect((await run(queryUsage, { deprecated: true })).data).toEqual(expect.arrayContaining(rows))
  expect((await run(queryUsage, { deprecated: true, by: [], api: "hmac", key })).data).toEqual([
    used({}, "field rate.value"),
    used({}, "parameter key"),
  ])
  expect((await run(queryUsage, { by: ["api"], days: 1 })).data).toEqual([row({ api: "hmac" }, 5)])
})

test("of a month that is kept as a whole, usage is all of it: a part is refused with what to ask instead", async () => {
  const { run, refusal, opened, account, key } = await withUsage()
  const before = await run(queryUsage, { from: "2024-12-01", to: "2024-12-31", by: ["account", "key"] })
  const page = await run(queryUsage, { by: ["day"], from: "2024-12-01", limit: 1 })
  await opened.retention.setMonthsUntil("2025-01-01")
  const december = [row({ day: "2024-12", account, key, api: "hmac" })]
  for (let isFolded = false; ; isFolded = true) {
    const all = { by: ["day", "account", "key", "api"] }
    expect((await run(queryUsage, { ...all, from: "2024-12-01", to: "2024-12-31" })).data).toEqual(december)
    expect((await run(queryUsage, { ...all, from: "2024-11-01", to: "2024-12-31" })).data).toEqual(december)
    expect(await run(queryUsage, { from: "2024-12-01", to: "2024-12-31", by: ["account", "key"] })).toEqual(
      before,
    )
    expect((await run(queryUsage, { from: "2024-12-01", by: ["day"] })).data).toEqual([
      row({ day: "2025-01-01" }, 3),
      row({ day: "2024-12" }),
    ])
    expect((await run(queryUsage, { from: "2025-01-01", account })).data).toHaveLength(1)
    if (isFolded) break
    expect(await opened.retention.foldUsage("2025-01-01", "", 100)).toMatchObject({ rows: 2 })
  }
  const kept = "Usage before 2025-01-01 is kept by month"
  const first = `${kept}: the 'from' parameter must be the first day of a month, such as 2024-12-01, or 2025-01-01 or later.`
  const parameterOf = async (values: object) => {
    const { message, parameter } = await refusal(queryUsage, { ...values })
    return [message, parameter]
  }
  expect(await parameterOf({ from: "2024-12-02", to: "2025-01-01" })).toEqual([first, "from"])
  expect(await parameterOf({ days: 31 })).toEqual([first, "days"])
  expect(await parameterOf({ from: "2024-12-01", to: "2024-12-30" })).toEqual([
    `${kept}: the 'to' parameter must be the last day of a month, or later.`,
    "to",
  ])
  // The next page would have the month of a day that the first page had.
  expect(
    (await refusal(queryUsage, { by: ["day"], from: "2024-12-01", limit: 1, after: page.next })).message,
  ).toContain("after")
})

test("usage by key names the account too, page by page", async () => {
  const { run, account, other, key, otherKey } = await withUsage()
  const rows = [
    ...[key, otherKey].sort().map((one) => row({ account, key: one }, one === key ? 2 : 1)),
    row({ account: other, key: "" }),
  ].sort((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : 0))
  const first = await run(queryUsage, { by: ["key"], limit: 2 })
  expect(first).toMatchObject({ data: rows.slice(0, 2), has_more: true })
  const second = await run(queryUsage, { by: ["key"], limit: 2, after: first.next })
  expect(second).toEqual({ data: rows.slice(2), has_more: false, next: null })
})

test.each([
  [{ from: "2025-02-30" }, "from"],
  [{ to: "2025-01-01T00:00:00Z" }, "to"],
  [{ from: "2025-01-02" }, "from"],
  [{ from: "2025-01-01", days: 1 }, "days"],
  [{ by: ["day", "day"] }, "by"],
  [{ by: ["plan"] }, "by"],
  [{ days: 0 }, "days"],
  [{ after: "WyJhIiwxXQ" }, "after"],
])("usage is refused for %j", async (values, parameter) => {
  const { refusal } = openAdministration()
  expect(await refusal(queryUsage, values)).toMatchObject({ code: "invalid", parameter })
})

test("usage of an unknown account or key, or of a key of another account, is refused", async () => {
  const { refusal, key, other } = await withUsage()
  expect((await refusal(queryUsage, { account: "acc_none" })).code).toBe("not-found")
  expect((await refusal(queryUsage, { key: "key_none" })).code).toBe("not-found")
  expect((await refusal(queryUsage, { account: other, key })).parameter).toBe("key")
})
