import { expect, test } from "bun:test"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdministration } from "../../src/admin/administration.ts"
import { putConfig } from "../../src/admin/config/change-config.ts"
import { ConfigRefused } from "../../src/admin/config/config-control.ts"
import { actorOf, openAdministration } from "../support/administration.ts"

const hourMs = 3_600_000
const values = { name: "Ann" }

test("an Idempotency-Key is remembered for 24 hours, and then forgotten without being used again", async () => {
  const admin = openAdministration()
  const find = (key: string) => admin.parts.admin.findReplay(actorOf().id, key)
  const { id } = await admin.run(createAccount, values, { idempotencyKey: "first" })
  admin.clock.advance(24 * hourMs - 1)
  expect(await admin.run(createAccount, values, { idempotencyKey: "first" })).toMatchObject({ id })
  await admin.run(createAccount, values, { idempotencyKey: "second" })
  expect(await find("first")).not.toBeNull()
  admin.clock.advance(2 * hourMs)
  await admin.run(createAccount, values, { idempotencyKey: "third" })
  expect(await find("first")).toBeNull()
  expect(await find("second")).not.toBeNull()
  // Then it is like a new one.
  expect((await admin.run(createAccount, values, { idempotencyKey: "first" })).id).not.toBe(id)
})

test("an Idempotency-Key belongs to one actor, one operation, one input and one version", async () => {
  const admin = openAdministration()
  const idempotencyKey = "again"
  const { id } = await admin.run(createAccount, values, { idempotencyKey })
  const as = actorOf({ id: "admin-key:adm_2" })
  expect((await admin.run(createAccount, values, { idempotencyKey, as })).id).not.toBe(id)
  const others = [
    [createAccount, { name: "Bob" }, {}],
    [updateAccount, { id, name: "Ann" }, {}],
    [createAccount, values, { ifVersion: 1 }],
  ] as const
  for (const [operation, input, more] of others) {
    const { code } = await admin.refusal(operation, input, { idempotencyKey, ...more })
    expect(code).toBe("idempotency-mismatch")
  }
})

test("a second request beside the first with the same Idempotency-Key waits for nothing: it is refused", async () => {
  const admin = openAdministration()
  const options = { idempotencyKey: "again" }
  const first = admin.run(createAccount, values, options)
  expect((await admin.refusal(createAccount, values, options)).code).toBe("in-progress")
  await first
  expect(await admin.audit()).toHaveLength(1)
})

test("old Idempotency-Keys are deleted a few at a time, however many there are: each change waits for its part", async () => {
  const admin = openAdministration()
  const keys = Array.from({ length: 450 }, (_, index) => `old ${index}`)
  for (const idempotencyKey of keys) await admin.run(createAccount, values, { idempotencyKey })
  admin.clock.advance(25 * hourMs)
  async function left() {
    const found = await Promise.all(keys.map((key) => admin.parts.admin.findReplay(actorOf().id, key)))
    return found.filter((replay) => replay !== null).length
  }
  const counts: number[] = []
  for (const idempotencyKey of ["first", "second", "third", "fourth"]) {
    await admin.run(createAccount, values, { idempotencyKey })
    counts.push(await left())
  }
  expect(counts).toEqual([250, 50, 0, 0])
})

test("a change of a file that fails has a second record, which says so, and is made when it is sent again", async () => {
  const admin = openAdministration()
  const { config } = admin.parts
  let isOutdated = true
  const administration = createAdministration({
    ...admin.parts,
    config: {
      ...config,
      async edit(changes) {
        const edit = await config.edit(changes)
        const refused = new ConfigRefused("It was changed meanwhile.", "outdated")
        return { ...edit, save: () => (isOutdated ? Promise.reject(refused) : edit.save()) }
      },
    },
  })
  const send = () =>
    administration.run(putConfig, { kind: "typed", values: { changes: { "credits.hmac": 3 } } }, actorOf(), {
      idempotencyKey: "price",
    })
  await expect(send()).rejects.toMatchObject({ code: "version-mismatch" })
  isOutdated = false
  expect(await send()).toMatchObject({ isReplay: false, output: { data: [{ after: 3 }] } })
  expect((await send()).isReplay).toBe(true)
  expect((await admin.audit()).map(({ operation, after }) => [operation, after])).toEqual([
    ["config.put", '{"credits.hmac":3}'],
    ["config.put", '{"not_done":"version-mismatch"}'],
    ["config.put", '{"credits.hmac":3}'],
  ])
})
