/**
 * Every operation of the administration with every kind of key on a data file, and with two kinds on PostgreSQL: each gets
 * exactly its status. Made from the definitions, so that a new operation is covered.
 */
import { describe, expect, test } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { operations } from "../../src/admin/operations.ts"
import { permissions } from "../../src/admin/permission.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { adminClient, createTestAdminKey } from "../support/admin.ts"
import { exampleRequest } from "../support/admin-examples.ts"
import { type StoreKind, useStoreKinds } from "../support/any-store.ts"
import { openBrowser } from "../support/browser.ts"
import { pretendCommand } from "../support/own-command.ts"
import { startTestService } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"

/** Operations that everyone may use for themselves, and with these permissions for others; and one that needs that of another. */
const permissionsForOthers: Readonly<Record<string, string>> = {
  "bulk.run": "keys.write",
  "passkeys.list": "people.read",
  "passkeys.rename": "people.write",
  "passkeys.remove": "people.write",
}
const takesGrants = ["admins.create", "people.create", "people.update"]
const groups = [...new Set(Object.keys(permissions).map(groupOf))]
const grants = [...Object.keys(permissions), ...groups, "*"]

function groupOf(permission: string): string {
  return permission.replace(/\..*/, ".*")
}

/** A service on a new store of each kind, with a key for each permission. */
async function prepare({ name, create }: StoreKind) {
  const service = await startTestService({
    configText: "",
    flags: {
      ...{ db: await create(), backupDir: tempDir(), signUpMode: "open", keepRequests: "30" },
      trustedProxies: ["127.0.0.1"],
    },
    runOwnCommand: pretendCommand,
  })
  const first = adminClient(service.url, (await createTestAdminKey(service.db)).key)
  const issue = async (grant: string) =>
    String((await first("POST", "/admins", { body: { name: grant, may: [grant] } })).body.key)
  /** Keys by the one permission that they have. */
  const keys = new Map<string, string>()
  for (const grant of grants) keys.set(grant, await issue(grant))
  /** Clients that may do everything. There are several, since each has a limit per minute. */
  const admins: ReturnType<typeof adminClient>[] = []
  for (let count = 0; count < 8; count++) admins.push(adminClient(service.url, await issue("*")))
  const { key: apiKey } = await service.createKey("pro")
  return { name, url: service.url, db: service.db, ask: adminClient(service.url, null), keys, admins, apiKey }
}

const stores = await Promise.all(useStoreKinds().map(prepare))

describe.each(stores)("$name", ({ name, url, db, ask, keys, admins, apiKey }) => {
  const isFile = name !== "PostgreSQL"
  const adminFor = (operation: Operation) => admins[operations.indexOf(operation) % admins.length] ?? ask

  describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_id, operation) => {
    const permission = operation.permission ?? permissionsForOthers[operation.id] ?? null
    // A server of databases has its own backups.
    const isRefused = !isFile && operation.id.startsWith("backups.")
    const status = isRefused ? 409 : (operation.status ?? 200)

    // No store takes part in these two.
    if (isFile)
      test("without an admin key is a 401", async () => {
        const { method, path, body } = await exampleRequest(operation, adminFor(operation), db)
        // Each operation from an address of its own: one with many failures is slowed down.
        const headers = { "x-forwarded-for": `192.0.2.${operations.indexOf(operation)}` }
        for (const key of [null, apiKey, createSecret("adminKey", systemRandom)])
          expect((await ask(method, path, { key, body, headers })).status).toBe(401)
      })

    if (isFile)
      test("through a session of the console it is as with the key that opened it", async () => {
        const admin = adminFor(operation)
        const refused = await exampleRequest(operation, admin, db)
        // Enough, and not enough unless the operation needs it. Each other permission comes with a key, in the test below.
        const other = permission === "health.read" ? "keys.*" : "health.read"
        for (const grant of new Set([permission ?? "*", other])) {
          const browser = openBrowser(url)
          expect((await browser.signIn("console", { key: keys.get(grant) })).status).toBe(201)
          const isEnough = permission === null || [permission, groupOf(permission), "*"].includes(grant)
          const request = isEnough ? await exampleRequest(operation, admin, db, grant) : refused
          const body = takesGrants.includes(operation.id) ? { ...request.body, may: [grant] } : request.body
          const answer = await browser.send(request.method, `/admin/v1${request.path}`, { body })
          const problem = isEnough && answer.status !== status ? answer.text : ""
          expect([grant, answer.status, problem]).toEqual([grant, isEnough ? status : 403, ""])
        }
      })

    test("with each permission is answered or refused", async () => {
      const admin = adminFor(operation)
      const refused = await exampleRequest(operation, admin, db)
      const other = permission === "health.read" ? "audit.read" : "health.read"
      for (const grant of isFile ? grants : [permission ?? "*", other]) {
        const key = keys.get(grant) ?? null
        const isEnough = permission === null || [permission, groupOf(permission), "*"].includes(grant)
        const request = isEnough ? await exampleRequest(operation, admin, db, grant) : refused
        // A key can give no permission that it lacks, so it creates one with its own.
        const body = takesGrants.includes(operation.id) ? { ...request.body, may: [grant] } : request.body
        const answer = await ask(request.method, request.path, { key, body })
        const problem = isEnough && answer.status !== status ? answer.text : ""
        expect([grant, answer.status, problem]).toEqual([grant, isEnough ? status : 403, ""])
        if (!isEnough) expect(answer.body.detail).toBe(`This needs the permission '${permission}'.`)
      }
    })
  })
})

test("every operation has a permission that exists, an example of its own parameters, and a description of each", () => {
  for (const { id, permission, example, input } of operations) {
    if (id !== "whoami" && !(id in permissionsForOthers))
      expect([id, Object.keys(permissions)]).toEqual([id, expect.arrayContaining([permission])])
    const names = Object.keys(input.properties)
    expect([id, Object.keys(example).filter((name) => !names.includes(name))]).toEqual([id, []])
    expect([id, (input.required ?? []).filter((name) => !(name in example))]).toEqual([id, []])
    for (const [name, { description }] of Object.entries(input.properties))
      expect([id, name, typeof description]).toEqual([id, name, "string"])
  }
})
