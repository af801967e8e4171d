import { expect, test } from "bun:test"
import { getAccount } from "../../src/admin/accounts/account.ts"
import { closeAccount, reopenAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { listAccounts } from "../../src/admin/accounts/list-accounts.ts"
import { grantCredits, renewCredits } from "../../src/admin/credits/change-credits.ts"
import { setWebhook } from "../../src/admin/webhooks/webhook.ts"
import { openAdministration, startMs } from "../support/administration.ts"

const dayMs = 86_400_000

async function withAccount() {
  const admin = openAdministration()
  const { id } = await admin.run(createAccount, { name: "Ann", plan: "pro" })
  return { ...admin, id: String(id) }
}

test("an account is created with what it is given", async () => {
  const admin = openAdministration()
  const given = {
    name: "Ann",
    plan: "free",
    email: "ann@example.com",
    external_id: "crm-1",
    metadata: { tier: 2 },
    events: ["key.created"],
  }
  const account = await admin.run(createAccount, given)
  expect(account).toMatchObject({ ...given, used: 0, bonus: 500, closed: null, version: 1 })
  expect(await admin.run(getAccount, { id: account.id })).toEqual(account)
  expect((await admin.lastChange()).after).toEqual({ ...given, notify: "both", bonus: 500 })
})

test("an account changes only in the given fields, and the audit log has those that differ", async () => {
  const admin = await withAccount()
  const changed = await admin.run(updateAccount, { id: admin.id, name: "Bob", plan: "pro" })
  expect(changed).toMatchObject({ name: "Bob", plan: "pro", version: 2 })
  expect(await admin.lastChange()).toEqual({
    operation: "accounts.update",
    accountId: admin.id,
    before: { name: "Ann" },
    after: { name: "Bob" },
  })
})

test("an account gets notices by mail only with an address", async () => {
  const admin = await withAccount()
  expect(await admin.refusal(updateAccount, { id: admin.id, notify: "both" })).toMatchObject({
    code: "invalid",
    parameter: "notify",
  })
  const set = { notify: "mail", email: "ann@example.com" } as const
  expect(await admin.run(updateAccount, { id: admin.id, ...set })).toMatchObject(set)
  const { parameter } = await admin.refusal(updateAccount, { id: admin.id, email: null })
  expect(parameter).toBe("notify")
  expect((await admin.run(updateAccount, { id: admin.id, email: null, notify: "webhook" })).email).toBeNull()
})

test("an account gets notices at a first address and at a first webhook without being told so, and what was chosen stays", async () => {
  const admin = await withAccount()
  const notify = async () => (await admin.run(getAccount, { id: admin.id })).notify
  const change = (set: object) => admin.run(updateAccount, { id: admin.id, ...set })
  const addressed = await change({ email: "ann@example.com" })
  expect(addressed).toMatchObject({ notify: "both", events: ["key.expiring"] })
  expect(await change({ email: "bob@example.com", notify: "mail" })).toMatchObject({ notify: "mail" })
  await admin.run(setWebhook, { id: admin.id, url: "https://example.com/hook" })
  expect(await notify()).toBe("both")
  expect(await admin.lastChange()).toMatchObject({ before: { notify: "mail" }, after: { notify: "both" } })
  await change({ notify: "mail" })
  await admin.run(setWebhook, { id: admin.id, url: "https://example.com/other" })
  expect(await notify()).toBe("mail")
  expect(await change({ email: null, notify: "none" })).toMatchObject({ notify: "none" })
  // Who wants no notices gets none at an address.
  expect(await change({ email: "ann@example.com" })).toMatchObject({ notify: "none" })
  expect(await change({ notify: "both" })).toMatchObject({ notify: "both" })
  expect(await change({ email: null })).toMatchObject({ notify: "webhook", email: null })
})

test("an account is closed, and opened again with all it had", async () => {
  const admin = await withAccount()
  const closed = await admin.run(closeAccount, { id: admin.id })
  expect(closed).toMatchObject({ closed: new Date(startMs).toISOString(), version: 2 })
  const listed = await admin.run(listAccounts, { closed: true })
  const { keys, ...withoutKeys } = closed
  expect([keys, listed.data]).toEqual([0, [withoutKeys]])
  expect(await admin.run(reopenAccount, { id: admin.id })).toEqual({ ...closed, closed: null, version: 3 })
  expect(await admin.lastChange()).toMatchObject({
    before: { closed: closed.closed },
    after: { closed: null },
  })
})

test("an account whose plan is not configured any more is opened with another one", async () => {
  const admin = await withAccount()
  const version = 1
  const set = { plan: "gone", closedMs: 1 }
  const mutation = { kind: "account.update", id: admin.id, version, set } as const
  const [audit] = await admin.audit()
  if (!audit) throw new Error("no audit record")
  await admin.parts.admin.apply({ mutations: [mutation], audit: { ...audit, id: "aud_2" }, replay: null })
  const { code, message } = await admin.refusal(reopenAccount, { id: admin.id })
  expect([code, message]).toEqual([
    "invalid",
    expect.stringContaining("There is no plan 'gone'. The plans are free"),
  ])
  const reopened = await admin.run(reopenAccount, { id: admin.id, plan: "mega" })
  expect(reopened).toMatchObject({ plan: "mega", closed: null })
})

test.each([
  ["a name with a control character", { name: "A\u0007" }, "name", "U+0007"],
  ["a name that changes the direction of text", { name: "A\u202e" }, "name", "U+202E"],
  ["a name of spaces", { name: "  " }, "name", "at least one visible character"],
  ["a name that shows nothing", { name: "\u3000 \u3000" }, "name", "at least one visible character"],
  ["a name with a blank character", { name: "A\u2800" }, "name", "U+2800"],
  ["a plan that is not configured", { plan: "gold" }, "plan", "The plans are free, starter, pro"],
  ["an external id with a line break", { external_id: "a\nb" }, "external_id", "U+000A"],
  [
    "metadata over 4 kB",
    { metadata: { text: "x".repeat(4_086) } },
    "metadata",
    "at most 4096 bytes of JSON; this is 4097",
  ],
  ["metadata that is no object", { metadata: ["a"] }, "metadata", "must be a JSON object"],
  ["an event that does not exist", { events: ["key.lost"] }, "events", "must be a list of credits.exhausted"],
  ["a parameter that does not exist", { nmae: "Bob" }, "nmae", "Known are: "],
] as const)("refused is %s", async (_, values, parameter, text) => {
  const admin = await withAccount()
  const created = await admin.refusal(createAccount, { name: "Bob", ...values })
  const updated = await admin.refusal(updateAccount, { id: admin.id, ...values })
  for (const fault of [created, updated])
    expect(fault).toMatchObject({ code: "invalid", parameter, message: expect.stringContaining(text) })
  expect(await admin.audit()).toHaveLength(1)
})

test("refused is metadata of 4 kB is not", async () => {
  const admin = await withAccount()
  const metadata = { text: "x".repeat(4_085) }
  expect(await admin.run(updateAccount, { id: admin.id, metadata })).toMatchObject({ metadata })
})

test("refused is an external id that another account has", async () => {
  const admin = await withAccount()
  await admin.run(updateAccount, { id: admin.id, external_id: "crm-1" })
  expect(await admin.refusal(createAccount, { name: "Bob", external_id: "crm-1" })).toMatchObject({
    code: "conflict",
    parameter: "external_id",
  })
})

test("refused is what the state of the account does not allow", async () => {
  const admin = await withAccount()
  const { id } = admin
  expect((await admin.refusal(reopenAccount, { id })).code).toBe("conflict")
  await admin.run(closeAccount, { id })
  for (const [operation, values] of [
    [closeAccount, {}],
    [updateAccount, { name: "Bob" }],
    [grantCredits, { credits: 1 }],
    [renewCredits, { anyway: true }],
  ] as const)
    expect(await admin.refusal(operation, { id, ...values })).toMatchObject({
      code: "conflict",
      message: `Account '${id}' is closed. Reopen it first.`,
    })
  expect((await admin.refusal(closeAccount, { id: "acc_none" })).code).toBe("not-found")
})

test("refused is a change of another version than the client has seen", async () => {
  const admin = await withAccount()
  const { id } = admin
  await admin.run(updateAccount, { id, name: "Bob" }, { ifVersion: 1 })
  for (const [operation, values] of [
    [updateAccount, { name: "Cid" }],
    [closeAccount, {}],
    [grantCredits, { credits: 1 }],
  ] as const) {
    const { code } = await admin.refusal(operation, { id, ...values }, { ifVersion: 1 })
    expect(code).toBe("version-mismatch")
  }
  expect(await admin.run(getAccount, { id })).toMatchObject({ name: "Bob", closed: null, version: 2 })
})

test("starting a credit month again is refused where the month is not in the future, and says what it would give", async () => {
  const admin = await withAccount()
  const { id, opened } = admin
  const periodStartMs = startMs
  const items = [{ api: "hmac", calls: 3, credits: 1_234 }]
  const charge = { accountId: id, items, allowance: 1_000_000, periodStartMs, day: "2025-01-01" }
  await opened.store.charge([charge])
  const { code, message, parameter } = await admin.refusal(renewCredits, { id })
  expect([code, parameter]).toEqual(["conflict", "anyway"])
  expect(message).toContain("began at 2025-01-01T00:00:00.000Z and is not in the future")
  expect(message).toContain("1,234 used credits a second time")
  expect(await admin.run(renewCredits, { id, anyway: true })).toMatchObject({ used: 0, given: 1_234 })
  expect((await admin.lastChange()).after).toMatchObject({ used: 0, given: 1_234 })
})

test("starting a credit month again repairs an account whose month lies in the future", async () => {
  const admin = openAdministration()
  admin.clock.set("2026-03-01T00:00:00Z")
  const { id } = await admin.run(createAccount, { name: "Ann" })
  admin.clock.set("2025-01-01T00:00:00Z")
  expect((await admin.run(getAccount, { id })).problem).toContain("A clock was ahead")
  const renewed = await admin.run(renewCredits, { id })
  expect(renewed).toMatchObject({ problem: null, used: 0, given: 0, renews: "2025-02-01T00:00:00.000Z" })
})

test("a list of accounts goes from page to page, the newest first, or in another order", async () => {
  const admin = openAdministration()
  for (const name of ["Ann", "Bob", "Cid"]) {
    await admin.run(createAccount, { name })
    admin.clock.advance(dayMs)
  }
  const first = await admin.run(listAccounts, { limit: 2 })
  const second = await admin.run(listAccounts, { limit: 2, after: first.next })
  const names = [first, second].map(({ data }) => (data as { name: string }[]).map(({ name }) => name))
  expect(names).toEqual([["Cid", "Bob"], ["Ann"]])
  expect([first.has_more, second.has_more, second.next]).toEqual([true, false, null])
  const other = await admin.run(listAccounts, { sort: "name", total: true })
  expect((other.data as { name: string }[]).map(({ name }) => name)).toEqual(["Ann", "Bob", "Cid"])
  expect([first.total, other.total]).toEqual([undefined, { count: 3, is_exact: true }])
  for (const input of [{ after: "W10" }, { after: first.next, sort: "name" }]) {
    const { code, parameter } = await admin.refusal(listAccounts, input)
    expect([code, parameter]).toEqual(["invalid", "after"])
  }
})

test("an account's e-mail address is kept in one form, found in any, and taken only once", async () => {
  const admin = openAdministration()
  const ann = await admin.run(createAccount, { name: "Ann", email: "Ann@BÜCHER.example" })
  expect(ann.email).toBe("ann@xn--bcher-kva.example")
  const { keys, ...withoutKeys } = ann
  const listed = await admin.run(listAccounts, { email: " ann@bücher.example" })
  expect([keys, listed.data]).toEqual([0, [withoutKeys]])
  const again = admin.run(createAccount, { name: "Bob", email: "ann@bücher.example" })
  await expect(again).rejects.toThrow("Choose another 'email': this one is taken.")
  const bob = await admin.run(createAccount, { name: "Bob" })
  await expect(admin.run(updateAccount, { id: bob.id, email: ann.email })).rejects.toThrow("'email'")
  expect(await admin.run(updateAccount, { id: ann.id, email: null })).toMatchObject({ email: null })
  expect(await admin.run(updateAccount, { id: bob.id, email: "ANN@bücher.example" })).toMatchObject({
    email: "ann@xn--bcher-kva.example",
  })
})

test("an account's e-mail address that is none is refused", async () => {
  const admin = openAdministration()
  for (const email of ["ann", "ann@x.com\nBcc: bob@x.com", "ann@localhost"])
    await expect(admin.run(createAccount, { name: "Ann", email })).rejects.toThrow(
      "The 'email' parameter must be an e-mail address such as ann@example.com.",
    )
})
