/** Every operation of the administration with every kind of key: each gets exactly its status. Made from the definitions. */
import { describe, expect, test } from "bun:test"
import { createAdminKey } from "../../src/accounts/key.ts"
import { operations } from "../../src/admin/operations.ts"
import { permissions } from "../../src/admin/permission.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { adminClient, adminOf, createTestAdminKey } from "../support/admin.ts"
import { exampleRequest } from "../support/admin-examples.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()
const { key: apiKey } = await service.createKey("pro")
const groups = [...new Set(Object.keys(permissions).map(groupOf))]
const grants = [...Object.keys(permissions), ...groups, "*"]
const keys = new Map<string, string>()
for (const grant of grants) {
  keys.set(grant, (await createTestAdminKey(service.db, { permissions: [grant] })).key)
}
const ask = adminClient(service.url, null)
const strangers: readonly [name: string, key: string | null][] = [
  ["no key", null],
  ["an API key", apiKey],
  ["a wrong key", createAdminKey(systemRandom)],
]

function groupOf(permission: string): string {
  return permission.replace(/\..*/, ".*")
}

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_id, operation) => {
  const { permission, status = 200 } = operation

  test.each(strangers)("with %s is a 401", async (_name, key) => {
    const { method, path, body } = await exampleRequest(operation, await adminOf(service))
    expect((await ask(method, path, { key, body })).status).toBe(401)
  })

  test("with each permission is answered or refused", async () => {
    const admin = await adminOf(service)
    const refused = await exampleRequest(operation, admin)
    for (const [grant, key] of keys) {
      const isEnough = permission === null || [permission, groupOf(permission), "*"].includes(grant)
      const { method, path, body } = isEnough ? await exampleRequest(operation, admin) : refused
      const answer = await ask(method, path, { key, body })
      // A key can give no permission that it lacks, so it creates one with what it has.
      const own = operation.id === "admins.create" && isEnough && grant !== "*"
      const again = own ? await ask(method, path, { key, body: { ...body, may: [grant] } }) : answer
      expect([operation.id, grant, again.status, again.status >= 400 && isEnough ? again.text : ""]).toEqual([
        operation.id,
        grant,
        isEnough ? status : 403,
        "",
      ])
      if (!isEnough) expect(answer.body.detail).toBe(`This needs the permission '${permission}'.`)
    }
  })
})

test("every operation has a permission that exists, an example of its own parameters, and a description of each", () => {
  for (const { id, permission, example, input } of operations) {
    if (id !== "whoami")
      expect([id, Object.keys(permissions)]).toEqual([id, expect.arrayContaining([permission])])
    const names = Object.keys(input.properties)
    expect([id, Object.keys(example).filter((name) => !names.includes(name))]).toEqual([id, []])
    expect([id, (input.required ?? []).filter((name) => !(name in example))]).toEqual([id, []])
    for (const [name, { description }] of Object.entries(input.properties)) {
      expect([id, name, typeof description]).toEqual([id, name, "string"])
    }
  }
})
