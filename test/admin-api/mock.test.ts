/** The admin API of the mock. */
import { expect, test } from "bun:test"
import { adminClient } from "../support/admin.ts"
import { startTestMock } from "../support/mock.ts"

test("takes mock-admin, with and without a tail, and does what an operator does", async () => {
  const mock = await startTestMock()
  for (const key of ["mock-admin", "mock-admin-0123456789abcdef0123456789abcdef"]) {
    const { status, body } = await adminClient(mock.url, key)("GET", "/whoami")
    expect([status, body.name, body.permissions]).toEqual([200, "mock-admin", ["*"]])
  }
  const admin = adminClient(mock.url, "mock-admin")
  const account = (await admin("POST", "/accounts", { body: { name: "Ann", plan: "pro" } })).body.id
  const { key } = (await admin("POST", "/keys", { body: { account } })).body
  const path = "/v1/bluetoothlookup?companyid=76"
  expect((await mock.fetch(path, { key: String(key) })).status).toBe(200)
  expect((await admin("GET", `/accounts/${account}`)).body.used).toBe(1)
})

test("gives the same keys on every run, and tells the kinds of keys apart", async () => {
  const created = async () => {
    const mock = await startTestMock()
    const admin = adminClient(mock.url, "mock-admin")
    const account = (await admin("POST", "/accounts", { body: { name: "Ann" } })).body.id
    return (await admin("POST", "/keys", { body: { account } })).body.key
  }
  expect(await created()).toBe(await created())
  const mock = await startTestMock()
  expect((await mock.fetch("/v1/usage", { key: "mock-admin" })).status).toBe(401)
  expect((await adminClient(mock.url, "mock-pro")("GET", "/accounts")).status).toBe(401)
})

test("has no limits that only the moving of its clock would end", async () => {
  const mock = await startTestMock()
  const admin = adminClient(mock.url, "mock-admin")
  for (let count = 0; count < 700; count += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin("GET", "/plans")))
    for (const { status } of answers) expect(status).toBe(200)
  }
})

test("its journal shows the operation and no whole admin key", async () => {
  const mock = await startTestMock()
  const real = "pka-0123456789abcdefghij0123456789abcdefgh"
  await adminClient(mock.url, real)("GET", "/accounts")
  const { data } = await mock.control("GET", "/requests")
  expect(JSON.stringify(data)).not.toContain(real)
  expect(data?.requests).toMatchObject([
    { path: "/admin/v1/accounts", request: { headers: { "x-admin-key": "pka-01234…" } } },
  ])
})
