import { expect, test } from "bun:test"
import packageJson from "../../package.json" with { type: "json" }
import { closeAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { listAdmins, revokeAdmin } from "../../src/admin/admins/admin-key.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { listAudit } from "../../src/admin/audit/list-audit.ts"
import { getConfig } from "../../src/admin/config/change-config.ts"
import { healthDetail } from "../../src/admin/health/detail.ts"
import { listAttempts, listNotices } from "../../src/admin/notices/list-notices.ts"
import { resendNotice, testWebhook } from "../../src/admin/notices/send-notice.ts"
import type { Actor, Operation } from "../../src/admin/operation.ts"
import { listPlans } from "../../src/admin/plans/list-plans.ts"
import { deleteWebhook, getWebhook, setWebhook } from "../../src/admin/webhooks/webhook.ts"
import { whoami } from "../../src/admin/whoami.ts"
import { options } from "../../src/config/options.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import { StoreUnavailable } from "../../src/store/store.ts"
import { changeOf } from "../support/admin-store.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"

const unreachable =
  "It could not be delivered. Check the webhook: its name, its certificate, an answer within 10 s. By mail, check the e-mail address."

async function withAccount() {
  const admin = openAdministration()
  const { id } = await admin.run(createAccount, { name: "Ann" })
  return { ...admin, id: String(id) }
}

/** Ends the delivery of the notice that is due with a failure. */
async function failDelivery(
  { opened: { outbox }, clock }: TestAdministration,
  status: number | null,
  error: string,
) {
  const nowMs = clock.now()
  const claim = { nowMs, leaseMs: 1_000, maxWaitMs: 10_000, busyHosts: [], untriedOnly: false }
  const due = await outbox.claim(claim)
  if (!due) throw new Error("the notice is not due")
  await outbox.record(due, { atMs: nowMs, durationMs: 5, status, error }, { kind: "failed" })
}

test("a webhook is set with a secret that is shown once, read back without it, and removed", async () => {
  const admin = await withAccount()
  const { id } = admin
  const url = "https://example.com/hook"
  const { secret, note, ...set } = await admin.run(setWebhook, { id, url })
  expect(set).toEqual({ account: id, url, allow_private: false, disabled: null })
  expect(String(secret)).toStartWith("whsec_")
  expect(note).toContain("shown once")
  expect(await admin.run(getWebhook, { id })).toEqual(set)
  expect(await admin.run(deleteWebhook, { id })).toMatchObject({ account: id, url: null })
  expect((await admin.refusal(deleteWebhook, { id })).code).toBe("conflict")
  const [, setRecord, deleteRecord] = await admin.audit()
  expect(setRecord).toMatchObject({
    accountId: id,
    before: '{"url":null,"allow_private":false}',
    after: `{"url":"example.com","allow_private":false}`,
  })
  expect(deleteRecord).toMatchObject({ before: `{"url":"example.com","allow_private":false}`, after: null })
})

test("a webhook is named in the audit log by host and port alone: path and query may hold a secret", async () => {
  const admin = await withAccount()
  const { id } = admin
  const url = "https://example.com:8443/T0123/s3cret?token=s3cret"
  await admin.run(setWebhook, { id, url })
  await admin.run(testWebhook, { id })
  await admin.run(setWebhook, { id, url: "https://example.com/s3cret" })
  await admin.run(deleteWebhook, { id })
  expect(JSON.stringify(await admin.audit())).not.toContain("s3cret")
  const { data } = await admin.run(listAudit, { operation: "webhooks.set" })
  expect(data).toContainEqual(
    expect.objectContaining({ after: { url: "example.com:8443", allow_private: false } }),
  )
})

test.each([
  ["example.com", "must be complete"],
  ["http://example.com", "must start with https://"],
  ["https://user:pw@example.com", "must not contain a user name"],
  ["https://192.168.1.1/", "allow_private"],
])("a webhook is not set to %s", async (url, text) => {
  const { refusal, id } = await withAccount()
  const refused = await refusal(setWebhook, { id, url })
  expect([refused.code, refused.message]).toEqual(["invalid", expect.stringContaining(text)])
})

test("a webhook is set to a private address where that is allowed, but not for a closed account", async () => {
  const admin = await withAccount()
  const values = { id: admin.id, url: "https://192.168.1.1/", allow_private: true }
  expect(await admin.run(setWebhook, values)).toMatchObject({ allow_private: true })
  await admin.run(closeAccount, { id: admin.id })
  expect((await admin.refusal(setWebhook, values)).code).toBe("conflict")
})

test("notices of type test are made for the webhook, listed, and sent again", async () => {
  const admin = await withAccount()
  const { id } = admin
  expect(await admin.refusal(testWebhook, { id })).toMatchObject({
    code: "conflict",
    message: `Account '${id}' has no webhook. Set one first.`,
  })
  await admin.run(setWebhook, { id, url: "https://example.com/hook" })
  const sent = await admin.run(testWebhook, { id })
  expect(sent).toMatchObject({ account: id, type: "test", state: "pending" })
  const { data } = await admin.run(listNotices, { account: id })
  const shown = { id: sent.id, type: "test", data: { account: id }, state: "pending", attempts: 0 }
  expect(data).toMatchObject([shown])
  expect((await admin.refusal(resendNotice, { id: sent.id })).message).toContain("is being sent already")

  await failDelivery(admin, 500, "HTTP 500")
  const attempts = await admin.run(listAttempts, { notice: sent.id })
  expect(attempts.data).toMatchObject([{ notice: sent.id, attempt: 1, status: 500, error: "HTTP 500" }])
  expect((await admin.run(listAttempts, { account: id })).data).toEqual(attempts.data)
  expect((await admin.run(listNotices, { state: "failed" })).data).toMatchObject([{ id: sent.id }])
  const resent = await admin.run(resendNotice, { id: sent.id })
  expect(resent).toMatchObject({ id: sent.id, state: "pending", attempts: 1 })
  expect((await admin.audit()).at(-1)).toMatchObject({
    operation: "notices.resend",
    accountId: id,
    before: '{"state":"failed"}',
    after: '{"state":"pending"}',
  })
})

test.each([
  "127.0.0.1 is not an address that may be called",
  "getaddrinfo ENOTFOUND intranet.example",
  "certificate has expired",
])("notices tell customers one text for each failure: %s", async (error) => {
  const admin = await withAccount()
  const { id } = admin
  await admin.run(setWebhook, { id, url: "https://example.com/hook" })
  await admin.run(testWebhook, { id })
  await failDelivery(admin, null, error)
  const shown = async (as?: Actor) => {
    const list = async (operation: Operation) =>
      ((await admin.run(operation, { account: id }, as && { as })).data as Values[])[0]
    return [(await list(listNotices))?.last_error, (await list(listAttempts))?.error]
  }
  expect(await shown()).toEqual([error, error])
  const customer = actorOf({ id: `portal:${id}`, account: id, permissions: ["notices.read"] })
  expect(await shown(customer)).toEqual([unreachable, unreachable])
})

test("notices that do not exist, or of accounts that do not, are not found", async () => {
  const { refusal } = await withAccount()
  expect((await refusal(resendNotice, { id: "msg_none" })).code).toBe("not-found")
  expect((await refusal(listAttempts, { notice: "msg_none" })).code).toBe("not-found")
  expect((await refusal(listNotices, { account: "acc_none" })).code).toBe("not-found")
  expect((await refusal(getWebhook, { id: "acc_none" })).code).toBe("not-found")
  expect((await refusal(listNotices, { state: "lost" })).parameter).toBe("state")
})

test("admin keys are created with permissions and an expiry, listed without their text, and revoked once", async () => {
  const admin = openAdministration()
  const given = { name: "billing", may: ["usage.read"], expires: "30d" }
  const { key, note, ...created } = await admin.run(createAdmin, given)
  expect(created).toMatchObject({ name: "billing", permissions: ["usage.read"] })
  expect(created.expires).toBe("2025-01-31T00:00:00.000Z")
  expect(String(key)).toStartWith("pka-")
  expect(note).toContain("shown once")
  expect((await admin.run(listAdmins)).data).toEqual([created])
  const { id } = created
  expect(await admin.run(revokeAdmin, { id })).toMatchObject({ id, revoked: "2025-01-01T00:00:00.000Z" })
  expect((await admin.refusal(revokeAdmin, { id })).code).toBe("conflict")
  expect((await admin.refusal(revokeAdmin, { id: "adm_none" })).code).toBe("not-found")
})

test("admin keys may everything unless they are limited", async () => {
  const { run } = openAdministration()
  expect((await run(createAdmin, { name: "root" })).permissions).toEqual(["*"])
})

test("admin keys give no permission that they lack, and none that does not exist", async () => {
  const admin = openAdministration()
  const as = actorOf({ permissions: ["admins.write", "keys.*", "usage.read"] })
  const may = ["keys.read", "keys.*", "usage.read"]
  expect((await admin.run(createAdmin, { name: "a", may }, { as })).permissions).toEqual(may)
  for (const lacking of ["*", "usage.*", "accounts.read"])
    expect(await admin.refusal(createAdmin, { name: "a", may: [lacking] }, { as })).toMatchObject({
      code: "forbidden",
      message: expect.stringContaining(`cannot give '${lacking}'`),
    })
  expect((await admin.refusal(createAdmin, { name: "a" }, { as })).code).toBe("forbidden")
  for (const unknown of ["keys.eat", "keys", "**", ".*"]) {
    const fault = await admin.refusal(createAdmin, { name: "a", may: [unknown] })
    expect(fault).toMatchObject({ code: "invalid", parameter: "may" })
    expect(fault.message).toContain(`There is no permission '${unknown}'. Known are *, accounts.read`)
  }
  expect(await admin.audit()).toHaveLength(1)
})

test("the audit log is filtered by actor, operation, target, account and time", async () => {
  const admin = openAdministration()
  const { id } = await admin.run(createAccount, { name: "Ann" })
  admin.clock.advance(86_400_000)
  await admin.run(setWebhook, { id, url: "https://example.com/" }, { as: actorOf({ id: "cli:eve" }) })
  const operationsOf = async (values: Values) =>
    ((await admin.run(listAudit, values)).data as { operation: string }[]).map(({ operation }) => operation)
  expect(await operationsOf({})).toEqual(["webhooks.set", "accounts.create"])
  expect(await operationsOf({ actor: "cli:eve" })).toEqual(["webhooks.set"])
  expect(await operationsOf({ operation: "accounts.create" })).toEqual(["accounts.create"])
  expect(await operationsOf({ target: id, account: id })).toEqual(["webhooks.set", "accounts.create"])
  expect(await operationsOf({ from: "2025-01-02" })).toEqual(["webhooks.set"])
  expect(await operationsOf({ to: "2025-01-02T00:00:00Z" })).toEqual(["accounts.create"])
  expect(await operationsOf({ account: "acc_none" })).toEqual([])
  expect((await admin.refusal(listAudit, { from: "yesterday" })).parameter).toBe("from")
})

test("plans have their limits, and APIs their prices", async () => {
  const { data, prices } = await openAdministration().run(listPlans)
  expect(data).toContainEqual({
    name: "free",
    monthly_credits: 1_000,
    sign_up_bonus: 500,
    requests_per_minute: 60,
    premium: false,
    graphql_apis: 1,
    portal_keys: 10,
    portal: ["create", "rotate", "revoke", "webhook"],
    price: null,
    description: null,
    highlight: false,
    is_built_in: true,
  })
  expect(data).toContainEqual(expect.objectContaining({ name: "enterprise", monthly_credits: "unlimited" }))
  expect(prices).toEqual({ hmac: 1, spfvalidator: 5 })
})

test("the configuration is shown by the names of its file, without secrets", async () => {
  const shown = await openAdministration().run(getConfig)
  for (const { fileKey } of Object.values(options)) expect(shown).toHaveProperty([fileKey])
  expect(shown).toMatchObject({ metrics_token: "(set)", port: 8080, plans: { pro: { premium: true } } })
  expect(JSON.stringify(shown)).not.toContain("quiet")
  // A new setting with a secret must be hidden too.
  const secret = Object.values(options).filter(({ fileKey }) => /token|secret|password|_key$/.test(fileKey))
  const names = secret.map(({ fileKey }) => fileKey).sort()
  expect(names).toEqual(["metrics_token", "smtp_password_file", "tls_key"])
})

test("whoami needs no permission, and tells what the actor may do", async () => {
  const as = actorOf({ permissions: [] })
  expect(await openAdministration().run(whoami, {}, { as })).toMatchObject({
    actor: as.id,
    permissions: [],
    known_permissions: { "keys.write": expect.any(String) },
  })
})

test("the health of a service has its version, its uptime and its store", async () => {
  const admin = openAdministration()
  admin.clock.advance(90_500)
  expect(await admin.run(healthDetail)).toMatchObject({
    version: packageJson.version,
    started: "2025-01-01T00:00:00.000Z",
    uptime_seconds: 90,
    store: "sqlite",
    store_bytes: { main: expect.any(Number) },
    notices: { pending: 0 },
    mail: { state: "off", problem: null, pending: 0 },
    charges: 0,
    lists: { "bluetooth-companies": "2026-01" },
  })
})

test("health says when so many ask to sign up that no stranger gets a link", async () => {
  const admin = openAdministration()
  const nowMs = admin.clock.now()
  const ask = (first: number, count: number) =>
    admin.opened.admin.apply({
      ...changeOf(
        Array.from({ length: count }, (_, n): Mutation => {
          const [id, network] = [`eml_${first + n}`, `10.0.${first + n}.0/24`]
          const link = {
            ...{ id, kind: "sign-up" as const, email: `${id}@x.example`, name: "", plan: null, terms: null },
            ...{ accountId: null, browser: null, network },
            ...{ createdMs: nowMs, expiresMs: nowMs + 3_600_000, usedMs: null },
          }
          const limits = {
            ...{ asked: "sign-up" as const, mailbox: id, networks: [{ name: network, most: 9 }] },
            ...{ perMailboxAndNetwork: 9, perMailbox: 9, mostPerMailbox: 9, inAll: null },
          }
          return { kind: "emailLink.insert", link, hash: null, limits }
        }),
      ),
      audit: { ...changeOf([]).audit, id: `aud_${first}` },
    })
  const mail = async () => (await admin.run(healthDetail)).mail
  await ask(0, 999)
  expect(await mail()).toMatchObject({ sign_up_questions: 999, sign_up_limit_reached: false })
  await ask(999, 1)
  expect(await mail()).toMatchObject({ sign_up_questions: 1_000, sign_up_limit_reached: true })
  admin.clock.advance(3_600_000)
  expect(await mail()).toMatchObject({ sign_up_questions: 0, sign_up_limit_reached: false })
})

test("a store that does not answer refuses the operation for now", async () => {
  const admin = openAdministration()
  const cause = new StoreUnavailable("locked")
  const { opened } = admin
  const store = { ...opened.admin, adminKeys: () => Promise.reject(cause) }
  const broken = openAdministration({ ...opened, admin: store })
  expect(await broken.refusal(listAdmins)).toMatchObject({ code: "unavailable", retryAfterSeconds: 1, cause })
})
