/** Changes of accounts that the program itself makes: the demo and the mock go through operations too. */
import { expect, test } from "bun:test"
import { AccountError } from "../../src/accounts/requirements.ts"
import { createProgramAccounts } from "../../src/admin/program-accounts.ts"
import { StoreUnavailable } from "../../src/store/store.ts"
import { openAdministration } from "../support/administration.ts"

test("every change of the program leaves an audit record of its own", async () => {
  const admin = openAdministration()
  const accounts = createProgramAccounts(admin.parts)
  const { id } = await accounts.create("Ann", "pro")
  const { id: key } = await accounts.createKey({ accountId: id, expiresMs: admin.clock.now() + 5 })
  await accounts.revokeKey(key)
  const audit = await admin.audit()
  expect(audit.map(({ operation }) => operation)).toEqual(["accounts.create", "keys.create", "keys.revoke"])
  for (const { actor, source } of audit) expect([actor, source]).toEqual(["service", "this process"])
})

test("a refused change is an AccountError, and the error of a store that does not answer is passed on", async () => {
  const admin = openAdministration()
  const refused = createProgramAccounts(admin.parts)
    .create("Ann", "gold")
    .catch((thrown: unknown) => thrown)
  expect(await refused).toBeInstanceOf(AccountError)
  expect(await refused).toMatchObject({ code: "invalid", parameter: "plan" })
  const lost = new StoreUnavailable("locked")
  const broken = { ...admin.parts, admin: { ...admin.parts.admin, apply: () => Promise.reject(lost) } }
  await expect(createProgramAccounts(broken).create("Ann", "pro")).rejects.toBe(lost)
})
