/** Promises of every kind of store about usage by account, key, day and API. */
import { Database } from "bun:sqlite"
import { beforeEach, describe, expect, test } from "bun:test"
import { deprecatedEntry } from "../../src/accounts/deprecated-entry.ts"
import { usageDialect } from "../../src/store/postgres/usage-sums.ts"
import type { Run } from "../../src/store/rows.ts"
import { readUsage } from "../../src/store/usage-query.ts"
import type { UsageColumn, UsageQuery, UsageSum } from "../../src/store/usage-types.ts"
import { firstPage } from "../support/admin-store.ts"
import { type AnyTestStore, useOpenStores, useStoreKinds } from "../support/any-store.ts"
import { accountOf, chargeOf, keyOf } from "../support/store.ts"

const always = { fromDay: "2025-01-01", toDay: "2025-12-31" }
const all: readonly UsageColumn[] = ["account", "key", "day", "api"]

describe.each(useStoreKinds())("$name", ({ name, create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  let db: string

  beforeEach(async () => {
    db = await create()
    opened = await openStore(db)
    for (const id of ["acc_1", "acc_2"]) await opened.store.createAccount(accountOf({ id }))
    await opened.store.createKey(keyOf(), { hash: "h1", prefix: "p", createdMs: 1 })
  })

  const charge = (...charges: Parameters<typeof chargeOf>[0][]) =>
    opened.store.charge(charges.map((one) => chargeOf({ allowance: null, ...one })))
  async function usage(query: Partial<UsageQuery> = {}, limit = 1_000): Promise<readonly string[]> {
    const { sums, next } = await opened.admin.usage({ ...always, by: all, ...query }, { limit, after: null })
    expect(next).toBeNull()
    return sums.map(toText)
  }

  test("is kept by key and API, in the day that runs and in days that are over", async () => {
    const other = { keyId: "key_1", accountId: "acc_2" }
    await charge({ keyId: "key_1" }, { keyId: "key_2", credits: 3 }, {}, other)
    const first = [
      "acc_1 - 2025-01-01 hmac 1 1",
      "acc_1 key_1 2025-01-01 hmac 1 1",
      "acc_1 key_2 2025-01-01 hmac 1 3",
      "acc_2 key_1 2025-01-01 hmac 1 1",
    ]
    expect(await usage()).toEqual(first)
    await charge({ keyId: "key_1", day: "2025-01-02" }, { day: "2025-01-02", accountId: "acc_2" })
    expect(await usage({ toDay: "2025-01-01" })).toEqual(first)
    expect(await usage()).toEqual([
      "acc_1 - 2025-01-01 hmac 1 1",
      "acc_1 key_1 2025-01-02 hmac 1 1",
      "acc_1 key_1 2025-01-01 hmac 1 1",
      "acc_1 key_2 2025-01-01 hmac 1 3",
      "acc_2 - 2025-01-02 hmac 1 1",
      "acc_2 key_1 2025-01-01 hmac 1 1",
    ])
    expect(await opened.store.usage("acc_1")).toEqual([
      { day: "2025-01-02", api: "hmac", calls: 1, credits: 1 },
      { day: "2025-01-01", api: "hmac", calls: 3, credits: 5 },
    ])
  })

  test("tells by whom what is deprecated is used, apart from the usage of APIs", async () => {
    const uses = (...entries: string[]) => [
      { api: "hmac", calls: 2, credits: 2 },
      ...entries.map((api) => ({ api, calls: 1, credits: 0 })),
    ]
    const parameter = deprecatedEntry("hmac", "parameter key")
    const field = deprecatedEntry("hmac", "field rate.value")
    await charge(
      { keyId: "key_1", items: uses(parameter, field) },
      { keyId: "key_2", items: uses(parameter) },
      { keyId: "key_1", items: uses(parameter), accountId: "acc_2" },
      { keyId: "key_2", items: [{ api: deprecatedEntry("hm", "api"), calls: 1, credits: 0 }] },
    )
    const first = [
      `acc_1 key_1 2025-01-01 ${field} 1 0`,
      `acc_1 key_1 2025-01-01 ${parameter} 1 0`,
      "acc_1 key_2 2025-01-01 hm:api 1 0",
      `acc_1 key_2 2025-01-01 ${parameter} 1 0`,
      `acc_2 key_1 2025-01-01 ${parameter} 1 0`,
    ]
    expect(await usage({ deprecated: true })).toEqual(first)
    // The next day moves it to the tables of days that are over.
    await charge({ keyId: "key_1", day: "2025-01-02" }, { day: "2025-01-02", accountId: "acc_2" })
    expect(await usage({ deprecated: true })).toEqual(first)
    const hmacOnly = first.filter((line) => !line.includes("hm:api"))
    expect(await usage({ deprecated: true, api: "hmac" })).toEqual(hmacOnly)
    for (const api of ["h_%", "HMAC"]) expect(await usage({ deprecated: true, api })).toEqual([])
    const ofKey = await usage({ deprecated: true, accountIds: ["acc_1"], keyId: "key_2" })
    expect(ofKey).toEqual(first.slice(2, 4))
    expect(await usage({ deprecated: true, by: ["api"] })).toEqual([
      "- - - hm:api 1 0",
      `- - - ${field} 1 0`,
      `- - - ${parameter} 3 0`,
    ])
    for (const by of [[], ["day"], ["account"], ["api"], ["key", "account"]] satisfies UsageColumn[][]) {
      const lines = await usage({ by, toDay: "2025-01-01" })
      expect(lines.join()).not.toContain(":")
      expect(lines.reduce((sum, line) => sum + Number(line.split(" ")[4]), 0)).toBe(6)
    }
    const month = await opened.store.monthUsage("acc_1", 1_000)
    expect(month.filter(({ api }) => api.includes(":"))).toHaveLength(3)
  })

  test("is summed up by what is asked for, and filtered", async () => {
    const items = [
      { api: "hmac", calls: 1, credits: 1 },
      { api: "spfvalidator", calls: 2, credits: 10 },
    ]
    const other = { accountId: "acc_2", keyId: "key_3" }
    for (const day of ["2025-01-01", "2025-01-02"])
      await charge({ keyId: "key_1", items, day }, { keyId: "key_2", day }, { ...other, day })
    expect(await usage({ by: [] })).toEqual(["- - - - 10 26"])
    expect(await usage({ by: ["day"] })).toEqual(["- - 2025-01-02 - 5 13", "- - 2025-01-01 - 5 13"])
    expect(await usage({ by: ["api"] })).toEqual(["- - - hmac 6 6", "- - - spfvalidator 4 20"])
    expect(await usage({ by: ["api"], api: "hmac", fromDay: "2025-01-02" })).toEqual(["- - - hmac 3 3"])
    expect(await usage({ by: ["account"] })).toEqual(["acc_1 - - - 8 24", "acc_2 - - - 2 2"])
    expect(await usage({ by: ["account"], api: "spfvalidator" })).toEqual(["acc_1 - - - 4 20"])
    expect(await usage({ by: ["account", "key"] })).toEqual([
      "acc_1 key_1 - - 6 22",
      "acc_1 key_2 - - 2 2",
      "acc_2 key_3 - - 2 2",
    ])
    expect(await usage({ by: ["day"], accountIds: ["acc_1"], keyId: "key_2" })).toEqual([
      "- - 2025-01-02 - 1 1",
      "- - 2025-01-01 - 1 1",
    ])
    expect(await usage({ by: [], accountIds: ["acc_2"] })).toEqual(["- - - - 2 2"])
    for (const by of [[], ["day"], ["account"]] satisfies UsageColumn[][])
      expect(await usage({ by, fromDay: "2025-02-01" })).toEqual([])
  })

  test("of many keys leaves the account's row small, and no call is lost", async () => {
    const keys = Array.from({ length: 100 }, (_, index) => `key_${String(index).padStart(16, "0")}`)
    for (let round = 0; round < 3; round++) {
      for (const keyId of keys) await charge({ keyId })
      await charge(...keys.map((keyId) => ({ keyId })))
    }
    expect(await usage({ by: ["account", "key"] })).toEqual(keys.map((keyId) => `acc_1 ${keyId} - - 6 6`))
    expect(await usage({ by: ["day"] })).toEqual(["- - 2025-01-01 - 600 600"])
    expect(await opened.store.monthUsage("acc_1", 1_000)).toEqual([
      { day: "2025-01-01", api: "hmac", calls: 600, credits: 600 },
    ])
    if (name === "a data file") {
      using database = new Database(db)
      const row = database.query<{ size: number }, []>("SELECT max(length(booked)) AS size FROM ledger").get()
      expect(row?.size).toBeLessThan(2_000)
    }
  })

  test("stays by day and key when the month is started again", async () => {
    await charge({ keyId: "key_1" }, {})
    for (let round = 0; round < 2; round++) {
      expect(await opened.store.renewMonth("acc_1", { createdMs: 1_000, periodStartMs: 1_000 })).toBe(true)
      expect(await opened.store.monthUsage("acc_1", 1_000)).toEqual([])
      await charge({ keyId: "key_1" })
    }
    expect(await usage()).toEqual(["acc_1 - 2025-01-01 hmac 1 1", "acc_1 key_1 2025-01-01 hmac 3 3"])
    expect(await usage({ by: ["account"] })).toEqual(["acc_1 - - - 4 4"])
    expect(await usage({ by: [] })).toEqual(["- - - - 4 4"])
  })

  test("of all accounts together is the sum of each, whatever became of its days", async () => {
    const days = ["2025-01-01", "2025-01-02", "2025-01-03"]
    const entries = Array.from({ length: 60 }, (_, index) => ({ keyId: `key_${index}` }))
    for (const [index, day] of days.entries()) {
      // An API may be called like a property that every object has.
      const items = [{ api: "constructor", calls: 1, credits: 3 }]
      await charge({ day, keyId: "key_1" }, { day, accountId: "acc_2", items }, { day })
      // So many keys that the day's entry is moved before the day is over.
      await charge(...entries.map(({ keyId }) => ({ keyId, day })))
      // A second charge after the move adds to rows that are there.
      await charge(...entries.map(({ keyId }) => ({ keyId, day, credits: index + 1 })))
      if (index === 1) await opened.store.renewMonth("acc_1", { createdMs: 1_000, periodStartMs: 1_000 })
      for (const by of [["day", "api"], ["api"], []] satisfies UsageColumn[][]) {
        const together = await usage({ by })
        const page = { limit: 1_000, after: null }
        const each = await opened.admin.usage({ ...always, by: ["account", ...by] }, page)
        const sums = Map.groupBy(each.sums, ({ day: ofDay, api }) => `- - ${ofDay || "-"} ${api || "-"}`)
        const added = [...sums].map(([name, rows]) => {
          const sum = (field: "calls" | "credits") => rows.reduce((total, row) => total + row[field], 0)
          return `${name} ${sum("calls")} ${sum("credits")}`
        })
        expect(together.toSorted()).toEqual(added.toSorted())
      }
    }
  })

  test("of an API that nobody has used is empty at once, and a page with few results ends", async () => {
    const dialect = { ...usageDialect, totals: "totals" }
    let looked = 0
    /** A store of endless accounts without usage, and with one call of the API `rare`. */
    const run = async (statement: string, values: readonly unknown[]) => {
      if (statement.includes(dialect.totals)) return values.includes("rare") ? [{ calls: 1, credits: 1 }] : []
      if (!statement.startsWith("SELECT account_id AS id")) return []
      const [id, limit] = values
      const first = id === "" ? 0 : Number(id) + 1
      looked += Number(limit)
      const idOf = (index: number) => String(first + index).padStart(9, "0")
      return Array.from({ length: Number(limit) }, (_, index) => ({ id: idOf(index) }))
    }
    const read = (api: string) =>
      readUsage({ ...always, by: ["account"], api }, firstPage, {
        read: run as Run,
        dialect,
        usageMonthsUntil: async () => null,
      })
    expect([await read("unused"), looked]).toEqual([{ sums: [], next: null }, 0])
    const { sums, next } = await read("rare")
    expect([sums, next?.[0], looked < 2_000]).toEqual([[], String(looked - 1).padStart(9, "0"), true])
  })

  test("is read page by page, each sum once", async () => {
    for (let index = 0; index < 60; index++)
      await opened.store.createAccount(accountOf({ id: `acc_3${index + 10}` }))
    const made = Array.from({ length: 60 }, (_, index) => `acc_3${index + 10}`)
    const ids = made.filter((_, index) => index % 7 < 2)
    for (const day of ["2025-01-01", "2025-01-02"])
      await charge(
        ...ids.flatMap((accountId) => [
          { accountId, day },
          { accountId, day, keyId: "key_9" },
        ]),
      )
    const divisions: (readonly UsageColumn[])[] = [all, ["account"], ["account", "day"]]
    for (const by of divisions) {
      const whole = await usage({ by })
      expect(whole.length).toBe(ids.length * (by === all ? 4 : by.length === 1 ? 1 : 2))
      for (const limit of [1, 3, 7]) {
        const read: string[] = []
        let after: readonly string[] | null = null
        do {
          const { sums, next } = await opened.admin.usage({ ...always, by }, { limit, after })
          expect(sums.length).toBeLessThanOrEqual(limit)
          read.push(...sums.map(toText))
          after = next
        } while (after !== null)
        expect(read).toEqual([...whole])
      }
    }
  })
})

function toText({ account, key, day, api, calls, credits }: UsageSum): string {
  return [account, key, day, api, calls, credits].map((part) => (part === "" ? "-" : part)).join(" ")
}
