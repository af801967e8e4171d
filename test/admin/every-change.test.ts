/** Rules for every operation that changes something: one audit record, replays, answers lost in a crash, no secret kept. */
import { describe, expect, test } from "bun:test"
import { closeAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdministration } from "../../src/admin/administration.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { adjustCredits } from "../../src/admin/credits/adjust-credits.ts"
import { disableKey } from "../../src/admin/keys/disable.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { testWebhook } from "../../src/admin/notices/send-notice.ts"
import { isSecret, type Operation } from "../../src/admin/operation.ts"
import { operations } from "../../src/admin/operations.ts"
import { createPerson } from "../../src/admin/people/change-people.ts"
import { createInvitation } from "../../src/admin/sign-up/invitations.ts"
import { deleteWebhook, setWebhook } from "../../src/admin/webhooks/webhook.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"
import { createTestPasskey } from "../support/passkeys.ts"

type Given = (admin: TestAdministration) => Promise<Values>

const account: Given = ({ run }) => run(createAccount, { name: "Ann" })
const accountId = async (admin: TestAdministration) => ({ id: (await account(admin)).id })
const key = async (admin: TestAdministration) =>
  admin.run(createApiKey, { account: (await account(admin)).id, name: "ci" })
const keyId = async (admin: TestAdministration) => ({ id: (await key(admin)).id })
const webhook = async (admin: TestAdministration) => {
  const { id } = await accountId(admin)
  await admin.run(setWebhook, { id, url: "https://example.com/hook" })
  return { id }
}

/** Someone must keep every permission. */
const owner = ({ run }: TestAdministration) => run(createAdmin, { name: "owner" })
const personId = async ({ run }: TestAdministration) => ({
  id: (await run(createPerson, { name: "Ann" })).id,
})
const passkeyIn = async (admin: TestAdministration) =>
  createTestPasskey(admin.opened.admin, String((await personId(admin)).id))

/** Parameters that work, of every operation that changes something. */
const cases: Readonly<Record<string, Given>> = {
  "accounts.create": async () => ({ name: "Bob", plan: "pro", external_id: "b-1", metadata: { a: 1 } }),
  "accounts.import": async () => ({
    accounts: [
      { name: "Bob", external_id: "b-1" },
      { name: "Cy", plan: "pro" },
    ],
  }),
  "accounts.update": async (admin) => ({ ...(await accountId(admin)), name: "Bob", plan: "pro" }),
  "notices.choose": async (admin) => ({ ...(await accountId(admin)), notify: "none" }),
  "accounts.close": accountId,
  "accounts.reopen": async (admin) => {
    const given = await accountId(admin)
    await admin.run(closeAccount, given)
    return given
  },
  "credits.grant": async (admin) => ({ ...(await accountId(admin)), credits: 500 }),
  "credits.adjust": async (admin) => ({ ...(await accountId(admin)), credits: -5, reason: "Too many" }),
  "credits.undo": async (admin) => {
    const { id } = await admin.run(adjustCredits, { ...(await accountId(admin)), credits: 5, reason: "Gift" })
    return { id }
  },
  "credits.renew": async (admin) => ({ ...(await accountId(admin)), anyway: true }),
  "keys.create": async (admin) => ({ account: (await account(admin)).id, name: "ci", expires: "30d" }),
  "keys.update": async (admin) => ({ ...(await keyId(admin)), name: "reports", rate_limit: 60 }),
  "keys.rotate": async (admin) => ({ ...(await keyId(admin)), grace: "24h" }),
  "keys.revoke": async (admin) => ({ key: (await key(admin)).key }),
  "keys.disable": keyId,
  "keys.enable": async (admin) => {
    const given = await keyId(admin)
    await admin.run(disableKey, given)
    return given
  },
  "webhooks.set": async (admin) => ({ ...(await accountId(admin)), url: "https://example.com/hook" }),
  "webhooks.delete": webhook,
  "notices.test": webhook,
  "notices.resend": async (admin) => {
    const given = await webhook(admin)
    const { id } = await admin.run(testWebhook, given)
    // A notice that waits for its delivery is not sent when the webhook is removed.
    await admin.run(deleteWebhook, given)
    await admin.run(setWebhook, { ...given, url: "https://example.com/other" })
    return { id }
  },
  "backups.create": async () => ({}),
  "console.link": async () => ({ may: ["accounts.read"] }),
  "portal.link": accountId,
  "invitations.create": async () => ({ email: "ann@example.com", plan: "pro", name: "Ann" }),
  "invitations.revoke": async ({ run }) => ({
    id: (await run(createInvitation, { email: "ann@example.com" })).id,
  }),
  "admins.create": async () => ({ name: "billing", may: ["accounts.read"] }),
  "config.put": async () => ({ changes: { "credits.hmac": 3 } }),
  "config.reload": async () => ({}),
  "people.create": async () => ({ name: "Ann Lee", may: ["accounts.read"] }),
  "people.update": async (admin) => {
    await owner(admin)
    return { ...(await personId(admin)), may: ["keys.read"] }
  },
  "people.remove": async (admin) => {
    await owner(admin)
    return personId(admin)
  },
  "people.link": async (admin) => personId(admin),
  "passkeys.rename": async (admin) => ({ id: await passkeyIn(admin), name: "Blue key" }),
  "passkeys.remove": async (admin) => {
    await owner(admin)
    return { id: await passkeyIn(admin) }
  },
  "admins.revoke": async (admin) => {
    await owner(admin)
    return { id: (await admin.run(createAdmin, { name: "billing" })).id }
  },
}

/** Changes of many things have a record of each before their own. */
const recordsOfParts: Readonly<Record<string, number>> = { "accounts.import": 2 }

const changes = operations.filter(({ run }) => run.kind === "change")

test("every operation that changes something is tested here", () =>
  expect(Object.keys(cases).sort()).toEqual(changes.map(({ id }) => id).sort()))

describe.each(changes.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  const given = cases[id] ?? account
  const ownRecords = 1 + (recordsOfParts[id] ?? 0)

  test("leaves one audit record that names who, what, from where, and holds no secret", async () => {
    const admin = openAdministration()
    const values = await given(admin)
    const earlier = (await admin.audit()).length
    admin.clock.advance(1_000)
    const as = actorOf({ id: "console:c_1", name: "Eve", source: "198.51.100.7", requestId: "req_9" })
    const output = await admin.run(operation, values, { as })
    const records = (await admin.audit()).slice(earlier)
    const record = records.at(-1)
    expect(records).toHaveLength(ownRecords)
    expect(record).toMatchObject({
      actor: "console:c_1",
      actorName: "Eve",
      source: "198.51.100.7",
      requestId: "req_9",
      operation: id,
      atMs: admin.clock.now(),
    })
    expect(record?.id).toStartWith("aud_")
    expect([record?.before, record?.after]).not.toEqual([null, null])
    for (const secret of secretsOf(operation, output)) expect(await admin.stored()).not.toContain(secret)
  })

  test("is done once for one Idempotency-Key, and its answer is repeated without secrets", async () => {
    const admin = openAdministration()
    const values = await given(admin)
    const earlier = (await admin.audit()).length
    const options = { idempotencyKey: "again" }
    const input = { kind: "typed", values } as const
    const first = await admin.administration.run(operation, input, actorOf(), options)
    const second = await admin.administration.run(operation, input, actorOf(), options)
    expect([first.isReplay, second.isReplay]).toEqual([false, true])
    expect(second.output).toEqual(withoutSecrets(operation, first.output))
    expect((await admin.audit()).length).toBe(earlier + ownRecords)
    for (const secret of secretsOf(operation, first.output))
      expect(await admin.stored()).not.toContain(secret)
  })

  test("whose answer was lost in a crash answers the second request with what there is", async () => {
    const admin = openAdministration()
    const values = await given(admin)
    const earlier = (await admin.audit()).length
    const lost = new Error("the process ended")
    const crashing = createAdministration({
      ...admin.parts,
      admin: { ...admin.parts.admin, keepAnswer: () => Promise.reject(lost) },
    })
    const input = { kind: "typed", values } as const
    const options = { idempotencyKey: "again" }
    await expect(crashing.run(operation, input, actorOf(), options)).rejects.toBe(lost)
    if (id.startsWith("config.")) {
      // The file may have been changed, or not.
      const refused = await admin.refusal(operation, values, options)
      expect([refused.code, refused.message]).toEqual(["conflict", expect.stringContaining("is not known")])
      return
    }
    const { output, isReplay } = await admin.administration.run(operation, input, actorOf(), options)
    expect(isReplay).toBe(true)
    expect((await admin.audit()).length).toBe(earlier + ownRecords)
    for (const name of secretNames(operation)) expect(output).toHaveProperty(name, null)
    expect(Object.keys(output as Values).sort()).toEqual(Object.keys(operation.output.properties).sort())
  })
})

function secretNames({ output }: Operation): string[] {
  const properties: Readonly<Record<string, Operation["output"]>> = output.properties ?? {}
  return Object.entries(properties).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []))
}

const secretsOf = (operation: Operation, output: unknown): string[] =>
  secretNames(operation).map((name) => String(Reflect.get(output as object, name)))

function withoutSecrets(operation: Operation, output: unknown): Values {
  const nulls = Object.fromEntries(secretNames(operation).map((name) => [name, null]))
  return { ...(output as Values), ...nulls }
}
