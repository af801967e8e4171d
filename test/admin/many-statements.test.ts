/**
 * Statements of many accounts on both stores: they are the same as one by one, and are read together unless an account has very
 * much.
 */
import { beforeEach, describe, expect, test } from "bun:test"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { adjustCredits } from "../../src/admin/credits/adjust-credits.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { readStatements } from "../../src/admin/statements/make-statement.ts"
import { requireMonth } from "../../src/admin/statements/month.ts"
import { listStatements, showStatement } from "../../src/admin/statements/statement.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import { auditOf, changeOf, firstPage } from "../support/admin-store.ts"
import { openAdministration, type TestAdministration, type Values } from "../support/administration.ts"
import { type AnyTestStore, useOpenStores, useStoreKindsInTurn } from "../support/any-store.ts"
import { chargeOf } from "../support/store.ts"

/** More than the rows that statements are made together from. */
const very = 4_200
const january = requireMonth("2025-01")

describe.each(useStoreKindsInTurn(1))("$name", ({ create }) => {
  const openStore = useOpenStores()
  let opened: AnyTestStore
  let admin: TestAdministration

  beforeEach(async () => {
    opened = await openStore(await create())
    admin = openAdministration(opened)
    admin.clock.set("2025-01-02T00:00:00Z")
  })

  async function createOne(name: string): Promise<{ readonly id: string; readonly keyId: string }> {
    admin.clock.advance(1_000)
    const id = String((await admin.run(createAccount, { name, plan: "free" })).id)
    return { id, keyId: String((await admin.run(createApiKey, { account: id, name: `of ${name}` })).id) }
  }
  const charge = (accountId: string, day: string, keyIds: readonly string[], apis: readonly string[]) => {
    const items = apis.map((api) => ({ api, calls: 1, credits: 2 }))
    const given = { accountId, day, items, allowance: null, periodStartMs: january.startMs }
    return opened.store.charge(keyIds.map((keyId) => chargeOf({ ...given, keyId })))
  }

  /**
   * Accounts with moves, adjustments, two keys and two APIs; and between them one with very many keys, and one with very many
   * records.
   */
  async function fill(): Promise<readonly string[]> {
    const ids: string[] = []
    for (const name of ["Ann", "Many keys", "Bob", "Idle", "Many records", "Cem", "Dora"]) {
      const { id, keyId } = await createOne(name)
      ids.push(id)
      if (name === "Idle") continue
      const more = Array.from({ length: name === "Many keys" ? very : 1 }, (_, n) => `key_${name}_${n}`)
      await charge(id, "2025-01-03", [keyId, ...more], ["hmac", "spfvalidator"])
      await charge(id, "2025-01-31", [keyId], ["hmac"])
      await charge(id, "2025-02-01", [keyId], ["hmac"])
      admin.clock.advance(1_000)
      await admin.run(updateAccount, { id, plan: name === "Bob" ? "pro" : "starter" })
      await admin.run(adjustCredits, { id, credits: 100 * ids.length, reason: `For ${name}` })
      if (name === "Many records") await recordMoves(id)
    }
    admin.clock.set("2025-02-01T00:05:00Z")
    for (const id of ids) {
      await admin.run(adjustCredits, { id, credits: 7, reason: "Later" })
      await admin.run(updateAccount, { id, plan: "pro" })
    }
    return ids
  }
  /** An account is moved from one plan to another and back, very often. */
  async function recordMoves(id: string): Promise<void> {
    const plans = ["starter", "mega"].map((plan) => JSON.stringify({ plan }))
    const auditParts = Array.from({ length: very }, (_, n) => {
      const [before = null, after = null] = n % 2 === 0 ? plans : plans.toReversed()
      const of = { operation: "accounts.update", targetKind: "account", targetId: id, accountId: id }
      return auditOf({ ...of, atMs: admin.clock.now() + 1 + n, before, after })
    })
    expect(await opened.admin.apply(changeOf([], { auditParts }))).toBe("applied")
  }

  /** The store, with the questions that were asked. */
  function watchStore() {
    const asked: string[] = []
    const watched = new Proxy(opened.admin, {
      get(store, name: keyof AdminStore) {
        return (...given: unknown[]) => {
          asked.push(name)
          return Reflect.apply(store[name], store, given)
        }
      },
    })
    return { asked, parts: { ...admin.parts, admin: watched } }
  }

  test("are the same as one by one, in the order of the accounts", async () => {
    const ids = await fill()
    const accounts = (await opened.admin.accounts({}, firstPage)).toReversed()
    expect(accounts.map(({ id }) => id)).toEqual(ids.toReversed())
    const together = await readStatements(accounts, january, admin.parts)
    for (const [index, account] of accounts.entries())
      expect(await readStatements([account], january, admin.parts)).toEqual(together.slice(index, index + 1))
    const facts = together.map(({ plan, used, adjusted, lines }) => [plan, used, adjusted, lines.length])
    expect(facts).toEqual([
      ["starter", 10, 700, 8],
      ["starter", 10, 600, 8],
      ["starter", 10, 500, 8 + very],
      ["free", 0, 0, 2],
      ["pro", 10, 300, 8],
      ["starter", 4 * (very + 1) + 2, 200, 8 + 2 * (very - 1)],
      ["starter", 10, 100, 8],
    ])
    const used = (together.at(-1)?.lines ?? []).filter(({ line }) => line === "usage")
    const keys = [...new Set(used.map(({ key_name }) => key_name))]
    expect(keys.toSorted()).toEqual([null, "of Ann"])
  })

  test("are listed as they are shown, and stay so when the month is over", async () => {
    const ids = await fill()
    const heads = async () => {
      const shown = await Promise.all(ids.map((id) => admin.run(showStatement, { id, month: "2025-01" })))
      return shown.toReversed().map(({ data: _, has_more: __, next: ___, ...head }) => head)
    }
    const list = async () => (await admin.run(listStatements, { month: "2025-01" })).data as Values[]
    expect(await list()).toEqual(await heads())
    admin.clock.set("2025-02-01T00:10:00Z")
    const listed = await list()
    expect(listed.every(({ final }) => final)).toBe(true)
    for (const id of ids) await admin.run(updateAccount, { id, name: "Renamed" })
    expect([await list(), await heads()]).toEqual([listed, listed])
  })

  test("take as many questions for 8 accounts as for one", async () => {
    for (let n = 0; n < 30; n++) {
      const { id, keyId } = await createOne(`Account ${n}`)
      await charge(id, "2025-01-03", [keyId], ["hmac", "spfvalidator"])
    }
    const accounts = await opened.admin.accounts({}, firstPage)
    const count = async (some: typeof accounts) => {
      const { asked, parts } = watchStore()
      expect(await readStatements(some, january, parts)).toHaveLength(some.length)
      return asked.sort()
    }
    const group = ["adjustments", "audit", "keyNames", "usage"]
    // The terms of plans are read once for all.
    expect(await count(accounts.slice(0, 1))).toEqual([...group, "planTerms"].sort())
    expect(await count(accounts.slice(0, 8))).toEqual([...group, "planTerms"].sort())
    expect(await count(accounts.slice(0, 9))).toEqual([...group, ...group, "planTerms"].sort())
    expect(await count([])).toEqual([])
  })
})
