import { expect, test } from "bun:test"
import { hashKey } from "../../src/accounts/key.ts"
import { closeAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { revokeKey, updateKey } from "../../src/admin/keys/change-key.ts"
import { disableKey, enableKey } from "../../src/admin/keys/disable.ts"
import { findKey } from "../../src/admin/keys/find.ts"
import { createApiKey, rotateKey } from "../../src/admin/keys/issue-key.ts"
import { getKey } from "../../src/admin/keys/key.ts"
import { listKeys } from "../../src/admin/keys/list-keys.ts"
import { openAdministration } from "../support/administration.ts"

const dayMs = 86_400_000

async function withKey() {
  const admin = openAdministration()
  const { id: account } = await admin.run(createAccount, { name: "Ann" })
  const { id, key } = await admin.run(createApiKey, { account, name: "ci" })
  return { ...admin, account: String(account), id, key: String(key) }
}

test("a key is created with what it is given, and shown once", async () => {
  const admin = openAdministration()
  const { id: account } = await admin.run(createAccount, { name: "Ann" })
  const given = {
    name: "ci",
    allow_apis: ["hmac"],
    block_apis: ["spfvalidator"],
    allow_ips: ["192.0.2.0/24"],
    rate_limit: 60,
    external_id: "crm-7",
    metadata: { team: "a" },
  }
  const { key, note, ...created } = await admin.run(createApiKey, { account, ...given, expires: "30d" })
  const expires = "2025-01-31T00:00:00.000Z"
  expect(created).toMatchObject({ ...given, account, expires, revoked: null, disabled: null, version: 1 })
  expect(String(key)).toStartWith(String(created.prefix))
  expect(note).toContain("shown once")
  expect(await admin.run(getKey, { id: created.id })).toEqual(created)
  expect((await admin.lastChange()).after).toEqual({ ...given, expires, account, prefix: created.prefix })
  const listed = { ...created, account_name: "Ann", last_used: null }
  expect((await admin.run(listKeys, { account })).data).toEqual([listed])
  expect((await admin.run(listKeys, { external_id: "crm-7" })).data).toEqual([listed])
  expect((await admin.run(listKeys, { prefix: created.prefix })).data).toEqual([listed])
  expect((await admin.run(listKeys, { id_prefix: String(created.id).slice(0, 8) })).data).toEqual([listed])
  expect((await admin.run(listKeys, { id_prefix: `${created.id}x` })).data).toEqual([])
  expect((await admin.refusal(listKeys, { id_prefix: "acc_" })).parameter).toBe("id_prefix")
  // A whole key would be in the address of the request, and in logs.
  const { code, parameter, message } = await admin.refusal(listKeys, { prefix: key })
  expect([code, parameter]).toEqual(["invalid", "prefix"])
  expect(message).not.toContain(String(key))
})

test.each([
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T12:00:00Z", "2027-01-31T12:00:00.000Z"],
  ["30d", "2025-01-31T00:00:00.000Z"],
  [null, null],
])("a key expires at %p", async (expires, expected) => {
  const admin = await withKey()
  expect((await admin.run(updateKey, { id: admin.id, expires })).expires).toBe(expected)
})

test("a key changes only in the given fields; null and empty lists remove a limit", async () => {
  const admin = await withKey()
  const { id } = admin
  const set = { allow_apis: ["hmac"], allow_ips: ["::1"], rate_limit: 5, external_id: "a" }
  await admin.run(updateKey, { id, ...set })
  const cleared = { allow_apis: [], allow_ips: [], rate_limit: null, external_id: null }
  const changed = await admin.run(updateKey, { id, ...cleared })
  const none = { allow_apis: null, allow_ips: null, rate_limit: null, external_id: null }
  expect(changed).toMatchObject({ name: "ci", ...none, version: 3 })
  const change = { operation: "keys.update", accountId: admin.account, before: set, after: none }
  expect(await admin.lastChange()).toEqual(change)
})

test("a key gets a new text, and the answer says when the old one ends", async () => {
  const admin = await withKey()
  const rotated = await admin.run(rotateKey, { id: admin.id, grace: "24h" })
  expect(rotated).toMatchObject({ id: admin.id, old_key_ends: "2025-01-02T00:00:00.000Z", version: 2 })
  expect(await admin.run(findKey, { key: admin.key })).toMatchObject({
    id: admin.id,
    state: "works",
    text_ends: rotated.old_key_ends,
  })
  admin.clock.advance(dayMs)
  expect(await admin.run(findKey, { key: admin.key })).toMatchObject({ state: "rotated" })
  expect(await admin.run(findKey, { key: rotated.key })).toMatchObject({ state: "works", text_ends: null })
  const { prefix, old_key_ends } = rotated
  expect((await admin.lastChange()).after).toEqual({ prefix, old_key_ends })
  // Without a grace the old text ends at once, and is a rotated one before it is a disabled one.
  await admin.run(rotateKey, { id: admin.id })
  await admin.run(disableKey, { id: admin.id })
  expect(await admin.run(findKey, { key: rotated.key })).toMatchObject({ state: "rotated" })
})

test("a key is disabled and enabled", async () => {
  const admin = await withKey()
  const { id } = admin
  const disabled = "2025-01-01T00:00:00.000Z"
  expect(await admin.run(disableKey, { id })).toMatchObject({ disabled, revoked: null })
  expect((await admin.opened.store.findKey(hashKey(admin.key)))?.key.disabledMs).toBe(Date.parse(disabled))
  expect((await admin.refusal(disableKey, { id })).code).toBe("conflict")
  expect(await admin.run(enableKey, { id })).toMatchObject({ disabled: null })
  expect((await admin.refusal(enableKey, { id })).code).toBe("conflict")
  const change = { accountId: admin.account, before: { disabled }, after: { disabled: null } }
  expect(await admin.lastChange()).toEqual({ operation: "keys.enable", ...change })
})

test("a key is revoked by its id or its text, once", async () => {
  for (const by of ["id", "key"] as const) {
    const admin = await withKey()
    const revoked = await admin.run(revokeKey, { [by]: admin[by] })
    expect(revoked).toMatchObject({ id: admin.id, revoked: "2025-01-01T00:00:00.000Z" })
    expect(JSON.stringify(revoked)).not.toContain(admin.key)
    for (const operation of [revokeKey, rotateKey, disableKey, enableKey, updateKey]) {
      const more = operation === updateKey && { rate_limit: 5 }
      const fault = await admin.refusal(operation, { id: admin.id, ...more })
      expect([fault.code, fault.message]).toEqual([
        "conflict",
        expect.stringContaining("is revoked, which is final"),
      ])
    }
  }
})

test("a key works for calls as its operations say", async () => {
  const admin = await withKey()
  const { id } = admin
  await admin.run(updateKey, { id, rate_limit: 7, allow_apis: ["hmac"], expires: "1d" })
  const access = await admin.opened.store.findKey(hashKey(admin.key))
  expect(access?.key).toMatchObject({ rateLimit: 7, allowApis: ["hmac"] })
  await admin.run(revokeKey, { id })
  expect((await admin.opened.store.findKey(hashKey(admin.key)))?.key.revokedMs).toBe(admin.clock.now())
})

test("finding a key by its text names account and state, and leaves no trace", async () => {
  const admin = await withKey()
  const { account, id, key } = admin
  const states: unknown[] = []
  const look = async () => states.push((await admin.run(findKey, { key })).state)
  const found = await admin.run(findKey, { key })
  expect(found).toMatchObject({ id, account, account_name: "Ann", name: "ci", state: "works" })
  expect(JSON.stringify(found)).not.toContain(key)
  await admin.run(updateKey, { id, expires: "1d" })
  admin.clock.advance(dayMs)
  await look()
  await admin.run(disableKey, { id })
  await look()
  await admin.run(closeAccount, { id: account })
  await look()
  await admin.run(revokeKey, { id })
  await look()
  expect(states).toEqual(["expired", "disabled", "account-closed", "revoked"])
  expect((await admin.audit()).map(({ operation }) => operation)).not.toContain("keys.find")
  expect(await admin.stored()).not.toContain(key)
})

test("finding a key by its text does not repeat a text that no key has", async () => {
  const admin = await withKey()
  const { key: adminKey } = await admin.run(createAdmin, { name: "billing" })
  for (const text of [`${admin.key}x`, String(adminKey)])
    for (const operation of [findKey, revokeKey]) {
      const fault = await admin.refusal(operation, { key: text })
      expect([fault.code, fault.parameter]).toEqual(["not-found", "key"])
      expect(fault.message).not.toContain(text)
    }
  // A text in the place of a name.
  expect((await admin.refusal(findKey, { [admin.key]: "" })).message).not.toContain(admin.key)
})

test.each([
  ["an API that does not exist", { allow_apis: ["hmac", "hmca"] }, "allow_apis", "There is no API 'hmca'"],
  ["another one, blocked", { block_apis: ["x"] }, "block_apis", "The APIs are hmac, spfvalidator"],
  ["what is no network", { allow_ips: ["192.0.2.300"] }, "allow_ips", "'192.0.2.300' is not an IP address"],
  ["a rate of 0", { rate_limit: 0 }, "rate_limit", "from 1 to 1,000,000 calls a minute, or null"],
  ["an expiry in the past", { expires: "2024-12-31" }, "expires", "must be in the future"],
  ["an expiry of no time", { expires: "0" }, "expires", "must be in the future"],
  ["an expiry that is no date", { expires: "tomorrow" }, "expires", "a date such as 2027-01-31"],
  ["a name with a hidden character", { name: "a\u200f" }, "name", "U+200F"],
  ["a name that shows nothing", { name: "\u3000" }, "name", "at least one visible character"],
  ["metadata over 4 kB", { metadata: { a: "ä".repeat(2_050) } }, "metadata", "at most 4096 bytes"],
  ["a list with the same item twice", { block_apis: ["hmac", "hmac"] }, "block_apis", "must be"],
])("refused is %s", async (_, values, parameter, text) => {
  const admin = await withKey()
  const faults = [
    await admin.refusal(createApiKey, { account: admin.account, ...values }),
    await admin.refusal(updateKey, { id: admin.id, ...values }),
  ]
  for (const fault of faults)
    expect(fault).toMatchObject({ code: "invalid", parameter, message: expect.stringContaining(text) })
  expect(await admin.audit()).toHaveLength(2)
})

test("refused is a key of no account, of a closed one, and no key at all", async () => {
  const admin = await withKey()
  expect((await admin.refusal(createApiKey, { account: "acc_none" })).code).toBe("not-found")
  expect((await admin.refusal(listKeys, { account: "acc_none" })).code).toBe("not-found")
  expect((await admin.refusal(getKey, { id: "key_none" })).code).toBe("not-found")
  await admin.run(closeAccount, { id: admin.account })
  expect((await admin.refusal(createApiKey, { account: admin.account })).code).toBe("conflict")
})

test("refused is a change that changes nothing, and a grace or a target that says nothing", async () => {
  const admin = await withKey()
  const { id, key } = admin
  const { message } = await admin.refusal(updateKey, { id })
  expect(message).toContain("Give at least one field to change: name, expires")
  expect((await admin.refusal(rotateKey, { id, grace: "soon" })).parameter).toBe("grace")
  for (const values of [{}, { id, key }])
    expect((await admin.refusal(revokeKey, values)).message).toBe("Give either the key's id or its text.")
})

test("refused is a change of another version than the client has seen: of two admins one wins", async () => {
  const admin = await withKey()
  const { id } = admin
  const rename = (name: string) =>
    admin.run(updateKey, { id, name }, { ifVersion: 1 }).then(
      () => "done",
      (thrown: unknown) => Reflect.get(Object(thrown), "code"),
    )
  expect((await Promise.all([rename("a"), rename("b")])).sort()).toEqual(["done", "version-mismatch"])
  for (const operation of [rotateKey, revokeKey, disableKey])
    expect((await admin.refusal(operation, { id }, { ifVersion: 1 })).code).toBe("version-mismatch")
  expect(await admin.run(getKey, { id })).toMatchObject({ version: 2, revoked: null })
})

test("refused is nobody whose change has no version: both are done, one after the other", async () => {
  const admin = await withKey()
  const { id } = admin
  await Promise.all([admin.run(updateKey, { id, name: "a" }), admin.run(updateKey, { id, rate_limit: 9 })])
  expect(await admin.run(getKey, { id })).toMatchObject({ name: "a", rate_limit: 9, version: 3 })
})

async function withEvents(...events: string[]) {
  const admin = openAdministration()
  const { id: account } = await admin.run(createAccount, { name: "Ann", events })
  const notices = async () =>
    (await admin.opened.outbox.list()).map(({ type, data }) => ({ type, data: JSON.parse(data ?? "") }))
  return { ...admin, account, notices }
}

test("events of a key: key.created and key.revoked are raised with the change, for accounts that chose them, without the key's text", async () => {
  const admin = await withEvents("key.created", "key.revoked")
  const { id, key, prefix } = await admin.run(createApiKey, { account: admin.account, name: "ci" })
  await admin.run(revokeKey, { id })
  const data = { account: admin.account, key: id, name: "ci", prefix, expires: null }
  const raised = await admin.notices()
  expect(raised.toSorted((a, b) => a.type.localeCompare(b.type))).toEqual([
    { type: "key.created", data },
    { type: "key.revoked", data },
  ])
  expect(JSON.stringify(raised)).not.toContain(String(key))

  const quiet = await withEvents("key.expiring")
  const other = await quiet.run(createApiKey, { account: quiet.account, expires: "2d" })
  await quiet.run(revokeKey, { id: other.id })
  expect(await quiet.notices()).toEqual([])
})

test("events of a key: a change that is refused raises nothing", async () => {
  const admin = await withEvents("key.revoked")
  const { id } = await admin.run(createApiKey, { account: admin.account })
  await admin.refusal(revokeKey, { id }, { ifVersion: 7 })
  expect(await admin.notices()).toEqual([])
})

test("events of a key: key.expiring is raised with a change of the expiry to a near one, once for each expiry", async () => {
  const admin = await withEvents("key.expiring")
  const { id } = await admin.run(createApiKey, { account: admin.account, expires: "30d" })
  const change = (values: object) => admin.run(updateKey, { id, ...values })
  await change({ expires: "8d" })
  await change({ name: "other" })
  expect(await admin.notices()).toEqual([])
  await change({ expires: "3d" })
  await change({ expires: "3d" })
  await change({ expires: "12h" })
  expect((await admin.notices()).map(({ data }) => data.within_days).toSorted()).toEqual([1, 7])
})
