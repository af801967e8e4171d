/** Creating many accounts at once: all or none, every mistake named, each account found in the audit log. */
import { describe, expect, test } from "bun:test"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { importAccounts } from "../../src/admin/accounts/import-accounts.ts"
import { createAdministration } from "../../src/admin/administration.ts"
import type { AdminFault } from "../../src/admin/fault.ts"
import { actorOf, openAdministration, type Values } from "../support/administration.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"

const kinds = useStoreKinds()
const openStores = useOpenStores()
const named = { name: "Ann", plan: "pro", email: "Ann@Example.com" }
const whole = { ...named, external_id: "a-1", metadata: { team: "blue" } }
const namesOf = ({ mistakes }: AdminFault) => mistakes.map(({ index, parameter }) => `${index} ${parameter}`)
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Customer ${index}` }))

describe.each(kinds)("$name", ({ create }) => {
  const open = async () => openAdministration(await openStores(await create()))

  test("all accounts of a list are created, with the parameters of a new one", async () => {
    const admin = await open()
    const events = ["key.created"]
    const output = await admin.run(importAccounts, { accounts: [{ ...whole, events }, { name: "Bob" }] })
    const plans = { pro: 1, free: 1 }
    expect(output).toEqual({ dry_run: false, accounts: 2, plans, ids: expect.any(Array) })
    const find = (id: string) => admin.parts.admin.findAccount(id)
    const [ann, bob] = await Promise.all((output.ids as string[]).map(find))
    expect(ann).toMatchObject({ name: "Ann", plan: "pro", email: "ann@example.com" })
    expect(ann).toMatchObject({ externalId: "a-1", events })
    expect(ann?.metadata).toBe('{"team":"blue"}')
    const single = await admin.run(createAccount, { name: "Cy" })
    const other = await admin.parts.admin.findAccount(String(single.id))
    expect({ ...bob, id: "", name: "" }).toEqual({ ...other, id: "", name: "" } as never)
  })

  test("each account is found in the audit log, with the import, which says how many there are", async () => {
    const admin = await open()
    const { ids } = await admin.run(importAccounts, { accounts: [whole, { name: "Bob" }] })
    const [id = ""] = ids as string[]
    const page = { limit: 10, after: null }
    const [created, ...more] = await admin.parts.admin.audit({ accountId: id }, page)
    expect([created?.operation, created?.targetId, created?.actor, more.length]).toEqual([
      "accounts.import",
      id,
      "admin-key:adm_1",
      0,
    ])
    const after = JSON.parse(created?.after ?? "")
    expect(after).toMatchObject({ name: "Ann", plan: "pro", email: "ann@example.com", external_id: "a-1" })
    const [imported] = await admin.parts.admin.audit({ targetIds: [after.import] }, page)
    expect(JSON.parse(imported?.after ?? "")).toEqual({ accounts: 2, plans: { pro: 1, free: 1 }, ids })
    // Newest first: the import as a whole stands above its accounts.
    const kinds = (await admin.audit()).map(({ targetKind }) => targetKind)
    expect(kinds).toEqual(["account", "account", "import"])
  })

  test("of a list with mistakes nothing is created, and all of them are named", async () => {
    const admin = await open()
    await admin.run(createAccount, { name: "Zed", email: "zed@example.com", external_id: "z-1" })
    const before = await admin.stored()
    const accounts = [
      { name: "Good" },
      {
        name: "",
        plan: "gold",
        email: "nobody",
        external_id: "a\u202eb",
        metadata: { a: "x".repeat(4_096) },
      },
      { name: 5, plan: null, events: ["key.lost"], colour: "blue" },
      { name: "Ann", email: "ZED@example.com", external_id: "z-1" },
      "Ann",
      { name: "Bob", email: "bob@example.com", external_id: "b" },
      { name: "Ben", email: "BOB@example.com", external_id: "b" },
      { plan: "pro" },
      { name: "\u200b", metadata: [] },
    ]
    const refused = await admin.refusal(importAccounts, { accounts })
    expect([refused.code, refused.parameter]).toEqual(["invalid", "accounts"])
    expect(refused.message).toContain("No account was created: there are 16 mistakes")
    expect(namesOf(refused)).toEqual([
      ...["1 name", "1 plan", "1 email", "1 external_id", "1 metadata"],
      ...["2 colour", "2 name", "2 events"],
      ...["3 email", "3 external_id"],
      "4 null",
      ...["6 email", "6 external_id"],
      "7 name",
      ...["8 metadata", "8 name"],
    ])
    expect(await admin.stored()).toBe(before)
    const dry = await admin.refusal(importAccounts, { accounts, dry_run: true })
    expect(dry.mistakes).toEqual(refused.mistakes)
  })

  test("what is taken is a conflict, also if it is taken during the import", async () => {
    const admin = await open()
    const { admin: store } = admin.parts
    let isFirst = true
    const racing = createAdministration({
      ...admin.parts,
      admin: {
        ...store,
        async apply(change) {
          if (isFirst) {
            isFirst = false
            await admin.run(createAccount, { name: "Zed", email: "ann@example.com" })
          }
          return store.apply(change)
        },
      },
    })
    const input = { kind: "typed", values: { accounts: [{ name: "Bob" }, whole] } } as const
    const refused: AdminFault = await racing.run(importAccounts, input, actorOf()).then(
      () => Promise.reject(new Error("nothing was refused")),
      (thrown) => thrown,
    )
    expect([refused.code, ...namesOf(refused)]).toEqual(["conflict", "1 email"])
    expect((await store.accounts({}, { limit: 9, after: null })).map(({ name }) => name)).toEqual(["Zed"])
  })

  test("a dry run creates nothing, and with the key of an import it says that this was done", async () => {
    const admin = await open()
    const values: Values = { accounts: [whole, { name: "Bob" }] }
    const key = { idempotencyKey: "list-1" }
    const dry = { dry_run: true, accounts: 2, plans: { pro: 1, free: 1 }, ids: [] }
    expect(await admin.run(importAccounts, { ...values, dry_run: true }, key)).toEqual(dry)
    expect(await admin.audit()).toEqual([])
    const done = await admin.run(importAccounts, values, key)
    expect(done).toMatchObject({ dry_run: false, accounts: 2 })
    expect(await admin.run(importAccounts, values, key)).toEqual(done)
    expect(await admin.run(importAccounts, { ...values, dry_run: true }, key)).toEqual(done)
    const other = await admin.refusal(importAccounts, { accounts: [{ name: "Cy" }], dry_run: true }, key)
    expect(other.code).toBe("idempotency-mismatch")
    expect(await admin.parts.admin.accounts({}, { limit: 9, after: null })).toHaveLength(2)
  })

  test("an answer that was lost in a crash is made again, with the ids in their order", async () => {
    const admin = await open()
    const accounts = many(100)
    const key = { idempotencyKey: "list-1" }
    const lost = new Error("the process ended")
    const parts = { ...admin.parts, admin: { ...admin.parts.admin, keepAnswer: () => Promise.reject(lost) } }
    const input = { kind: "typed", values: { accounts } } as const
    // A second import in the same millisecond is another one.
    await admin.run(importAccounts, { accounts: [{ name: "Zed" }] })
    await expect(createAdministration(parts).run(importAccounts, input, actorOf(), key)).rejects.toBe(lost)
    await admin.run(importAccounts, { accounts: [{ name: "Zed" }] })
    const { ids, ...again } = await admin.run(importAccounts, { accounts }, key)
    expect(again).toEqual({ dry_run: false, accounts: 100, plans: { free: 100 } })
    const found = await Promise.all((ids as string[]).map((id) => admin.parts.admin.findAccount(id)))
    expect(found.map((account) => account?.name)).toEqual(accounts.map(({ name }) => name))
  })
})

test("a list has at most 100 accounts", async () => {
  const { run, refusal } = openAdministration()
  for (const isDryRun of [false, true]) {
    expect((await run(importAccounts, { accounts: many(100), dry_run: isDryRun })).accounts).toBe(100)
    for (const accounts of [many(101), [], "Ann", null]) {
      const { code, message } = await refusal(importAccounts, { accounts, dry_run: isDryRun })
      expect([code, message]).toEqual(["invalid", expect.stringContaining("a list of 1 to 100 accounts")])
    }
  }
})
