/** Colleagues who manage each other: nobody removes who has more, and someone keeps every permission. */
import { describe, expect, test } from "bun:test"
import { revokeAdmin } from "../../src/admin/admins/admin-key.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { removePasskey } from "../../src/admin/passkeys/passkey.ts"
import { createPerson, removePerson, updatePerson } from "../../src/admin/people/change-people.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"
import { createTestPasskey } from "../support/passkeys.ts"

const idOf = ({ id }: Values) => String(id)
const personIn = async ({ run, opened }: TestAdministration) => {
  const person = idOf(await run(createPerson, { name: "Ann" }))
  return { person, passkey: await createTestPasskey(opened.admin, person) }
}
const keyIn = async ({ run }: TestAdministration, more: Values = {}) =>
  idOf(await run(createAdmin, { name: "ops", ...more }))

test("an admin key is revoked only by who has all its permissions", async () => {
  const admin = openAdministration()
  await keyIn(admin)
  const id = await keyIn(admin, { may: ["keys.*", "usage.read"] })
  const refusalAs = async (permissions: string[]) => {
    const { code, message } = await admin.refusal(revokeAdmin, { id }, { as: actorOf({ permissions }) })
    return [code, message]
  }
  const text = (lacking: string) =>
    `This needs all permissions that the admin key 'ops' has, and you lack '${lacking}'. Ask a colleague who has it.`
  expect(await refusalAs(["admins.*", "keys.*"])).toEqual(["forbidden", text("usage.read")])
  expect(await refusalAs(["admins.*", "usage.*", "keys.write"])).toEqual(["forbidden", text("keys.*")])
  const as = actorOf({ permissions: ["admins.write", "usage.*", "keys.*"] })
  expect(await admin.run(revokeAdmin, { id }, { as })).toMatchObject({ revoked: expect.any(String) })
})

describe("the last one with every permission stays:", () => {
  const removals: readonly (readonly [
    what: string,
    operation: Operation,
    given: (admin: TestAdministration) => Promise<Values>,
  ])[] = [
    ["an admin key that is revoked", revokeAdmin, async (admin) => ({ id: await keyIn(admin) })],
    [
      "a key that will expire",
      revokeAdmin,
      async (admin) => ({ id: await keyIn(admin, { expires: "30d" }) }),
    ],
    ["a person who is removed", removePerson, async (admin) => ({ id: (await personIn(admin)).person })],
    [
      "a person who gets fewer permissions",
      updatePerson,
      async (admin) => ({ id: (await personIn(admin)).person, may: ["people.*"] }),
    ],
    ["their only passkey", removePasskey, async (admin) => ({ id: (await personIn(admin)).passkey })],
  ]
  test.each(removals)("%s", async (_, operation, given) => {
    const admin = openAdministration()
    const values = await given(admin)
    // None of these counts.
    await admin.run(createPerson, { name: "Not yet here" })
    await keyIn(admin, { may: ["keys.*"] })
    const records = (await admin.audit()).length
    const { code, message } = await admin.refusal(operation, values)
    expect([code, message]).toEqual([
      "conflict",
      "Nobody else could do everything then. Give someone else every permission ('*') first: an admin key, or a person who has added a passkey. Or run the command on the machine.",
    ])
    expect(await admin.audit()).toHaveLength(records)
    await admin.run(operation, values, { as: actorOf({ id: "cli:root" }) })
    expect(await admin.audit()).toHaveLength(records + 1)
  })

  test("two who remove each other at the same time", async () => {
    const admin = openAdministration()
    const [first, second] = [await personIn(admin), await personIn(admin)]
    const results = await Promise.allSettled(
      [first, second].map(({ person }) => admin.run(removePerson, { id: person })),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
  })

  test("a second one may go", async () => {
    const admin = openAdministration()
    await keyIn(admin)
    for (const [, operation, given] of removals) {
      const values = await given(admin)
      expect(await admin.run(operation, values)).toBeObject()
    }
  })
})
