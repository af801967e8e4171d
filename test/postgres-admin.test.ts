/** The admin API of two services on one PostgreSQL database: what one changes the other knows with the next request. */
import { expect, test } from "bun:test"
import { systemClock } from "../src/ports/clock.ts"
import { adminClient, createTestAdminKey } from "./support/admin.ts"
import { usePostgres } from "./support/postgres.ts"
import { startTestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const postgres = usePostgres()
const lookUp = "/v1/bluetoothlookup?companyid=76"

async function startTwo() {
  const db = await postgres.createDatabase()
  const options = { ports: { clock: systemClock }, flags: { db } }
  const [first, second] = [await startTestService(options), await startTestService(options)]
  const admin = await createTestAdminKey(db)
  return {
    admin,
    /** The admin API of each. */
    onFirst: adminClient(first.url, admin.key),
    onSecond: adminClient(second.url, admin.key),
    /** The status of a call on the second service. */
    call: async (key: unknown) => (await second.fetch(lookUp, { key: String(key) })).status,
  }
}

test("a change of a key counts for the next call on the other instance, and is seen there", async () => {
  const { onFirst, onSecond, call } = await startTwo()
  const { body: account } = await onFirst("POST", "/accounts", { body: { name: "one" } })
  expect((await onSecond("GET", `/accounts/${account.id}`)).body).toEqual(account)
  const { body: made } = await onFirst("POST", "/keys", { body: { account: account.id } })
  const path = `/keys/${made.id}`
  expect(await call(made.key)).toBe(200)
  for (const [change, status] of [
    ["disable", 401],
    ["enable", 200],
    ["revoke", 401],
  ] as const) {
    const { body: key, status: done } = await onFirst("POST", `${path}/${change}`, { body: {} })
    // A refusal comes from memory until the notification of the change arrives; a charge is always decided by the database.
    if (status === 200) await until(async () => (await call(made.key)) === status)
    expect([change, done, await call(made.key)]).toEqual([change, 200, status])
    expect((await onSecond("GET", path)).body).toEqual(key)
  }
  expect((await onFirst("POST", `/accounts/${account.id}/close`, { body: {} })).status).toBe(200)
  expect((await onSecond("GET", `/accounts/${account.id}`)).body.closed).toBeString()
})

test("an admin key that one instance creates or revokes is taken or refused by the other with the next request", async () => {
  const { onFirst, onSecond } = await startTwo()
  const { body: made } = await onFirst("POST", "/admins", { body: { name: "ann", may: ["*"] } })
  expect(made).toMatchObject({ name: "ann" })
  const key = String(made.key)
  expect((await onSecond("GET", "/whoami", { key })).status).toBe(200)
  await onFirst("POST", `/admins/${made.id}/revoke`, { body: {} })
  expect((await onSecond("GET", "/whoami", { key })).status).toBe(401)
})

test("two instances share Idempotency-Keys and versions", async () => {
  const { onFirst, onSecond } = await startTwo()
  const request = { headers: { "idempotency-key": "one" }, body: { name: "one" } }
  const first = await onFirst("POST", "/accounts", request)
  const again = await onSecond("POST", "/accounts", request)
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"])
  expect(again.body).toEqual(first.body)
  const path = `/accounts/${first.body.id}`
  const etag = (await onFirst("GET", path)).headers.get("etag") ?? ""
  const change = (name: string) => ({ headers: { "if-match": etag }, body: { name } })
  const both = await Promise.all([
    onFirst("PATCH", path, change("two")),
    onSecond("PATCH", path, change("three")),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
})
