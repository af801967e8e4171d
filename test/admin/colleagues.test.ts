/** Colleagues who manage each other: nobody removes who has more, and someone keeps every permission. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { revokeAdmin } from "../../src/admin/admins/admin-key.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { removePasskey } from "../../src/admin/passkeys/passkey.ts"
import { createPerson, removePerson, updatePerson } from "../../src/admin/people/change-people.ts"
import { allows, covers, grants, inBoth, type Permission, permissions } from "../../src/admin/permission.ts"
import { createInvitation } from "../../src/admin/sign-up/invitations.ts"
import { compose } from "../../src/mail/compose.ts"
import { firstPage } from "../support/admin-store.ts"
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

const removals: readonly (readonly [
  what: string,
  operation: Operation,
  given: (admin: TestAdministration) => Promise<Values>,
])[] = [
  ["an admin key that is revoked", revokeAdmin, async (admin) => ({ id: await keyIn(admin) })],
  ["a key that will expire", revokeAdmin, async (admin) => ({ id: await keyIn(admin, { expires: "30d" }) })],
  ["a person who is removed", removePerson, async (admin) => ({ id: (await personIn(admin)).person })],
  [
    "a person who gets fewer permissions",
    updatePerson,
    async (admin) => ({ id: (await personIn(admin)).person, may: ["people.*"] }),
  ],
  ["their only passkey", removePasskey, async (admin) => ({ id: (await personIn(admin)).passkey })],
]
test.each(removals)("the last one with every permission stays: %s", async (_, operation, given) => {
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

test("the last one with every permission stays: two who remove each other at the same time", async () => {
  const admin = openAdministration()
  const [first, second] = [await personIn(admin), await personIn(admin)]
  const remove = ({ person }: { person: string }) => admin.run(removePerson, { id: person })
  const results = await Promise.allSettled([first, second].map(remove))
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
})

test("the last one with every permission stays: a second one may go", async () => {
  const admin = openAdministration()
  await keyIn(admin)
  for (const [, operation, given] of removals) {
    const values = await given(admin)
    expect(await admin.run(operation, values)).toBeObject()
  }
})

test("what two lists of grants both give is exactly what each of them allows", () => {
  const lists = fc.uniqueArray(fc.constantFrom(...grants), { maxLength: 6 })
  fc.assert(
    fc.property(lists, lists, (some, others) => {
      const both = inBoth(some, others)
      for (const one of Object.keys(permissions) as Permission[])
        expect([one, allows(both, one)]).toEqual([one, allows(some, one) && allows(others, one)])
      // Nothing is given on that either of them could not give.
      for (const one of both) expect([covers(some, one), covers(others, one)]).toEqual([true, true])
    }),
  )
})

/** An administration whose operations run with some permissions. */
function openWithPermissions() {
  const { run, parts } = openAdministration()
  return {
    run: (operation: Operation, values: Values, permissions = ["*"]) =>
      run(operation, values, { as: actorOf({ permissions }) }),
    mails: () => parts.admin.mails({}, firstPage),
  }
}

const { run, mails } = openWithPermissions()
const create = async (email: string) => idOf(await run(createAccount, { name: "Ann", email }))
const refused = (values: Values, permissions: string[]) =>
  expect(run(updateAccount, values, permissions)).rejects.toMatchObject({
    ...{ code: "forbidden", parameter: "email" },
    message:
      "This needs the permission 'keys.write' too: links to sign in go to this address, and make keys.",
  })

test("another e-mail address of an account needs the permission to make keys; the same address, and other fields, do not", async () => {
  const id = await create("ann@example.com")
  for (const email of ["mallory@example.com", null])
    await refused({ id, email }, ["accounts.*", "keys.read", "portal.link"])
  const without = idOf(await run(createAccount, { name: "Bob" }))
  await refused({ id: without, email: "mallory@example.com" }, ["accounts.write"])
  expect(await mails()).toEqual([])
  const same = { id, name: "Anna", email: "Ann@example.com" }
  expect(await run(updateAccount, same, ["accounts.write"])).toMatchObject({ name: "Anna" })
  const set = { id: without, email: "b@example.com" }
  const changed = await run(updateAccount, set, ["accounts.write", "keys.write"])
  expect(changed).toMatchObject({ email: "b@example.com" })
  // Nobody had an address before.
  expect(await mails()).toEqual([])
})

test("another e-mail address of an account is told to the old one, which does not learn the new one; a change that is refused is not told", async () => {
  const id = await create("cy@example.com")
  await expect(run(updateAccount, { id, email: "ann@example.com" })).rejects.toThrow("is taken")
  expect(await mails()).toEqual([])
  await run(updateAccount, { id, email: "new@example.com" })
  await run(updateAccount, { id, email: null })
  const told = await mails()
  expect(told.map(({ recipient }) => recipient).toSorted()).toEqual(["cy@example.com", "new@example.com"])
  const [mail] = told.filter(({ recipient }) => recipient === "cy@example.com")
  if (!mail) throw new Error("no mail")
  expect(mail).toMatchObject({ template: "address-changed", accountId: id, expiresMs: null })
  const brand = { title: "APIs", accent: "#000", onAccent: "#fff", logo: null, portal: null, from: "a@b.cd" }
  const { subject, text, html } = compose({ ...mail, accountName: "Cy" }, brand, null)
  expect(subject).toBe("APIs: another e-mail address")
  expect(text).toContain("changed or removed the e-mail address of the account “Cy”")
  expect(text + html).not.toContain("new@example.com")
})

test("an invitation to another plan than the usual one needs the permission to change accounts", async () => {
  const { run } = openWithPermissions()
  const invite = (email: string, plan: string | undefined, ...permissions: string[]) =>
    run(createInvitation, { email, ...(plan !== undefined && { plan }) }, permissions)
  await expect(invite("a@example.com", "pro", "invitations.write", "keys.write")).rejects.toMatchObject({
    ...{ code: "forbidden", parameter: "plan" },
    message: "This needs the permission 'accounts.write' too: without it you can invite to the plan 'free'.",
  })
  expect(await invite("b@example.com", "free", "invitations.write")).toMatchObject({ plan: "free" })
  expect(await invite("c@example.com", undefined, "invitations.write")).toMatchObject({ plan: null })
  const allowed = await invite("d@example.com", "pro", "invitations.write", "accounts.*")
  expect(allowed).toMatchObject({ plan: "pro" })
})
