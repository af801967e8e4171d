/** `--admin`: with the APIs, at an address of its own, or nowhere. */
import { expect, test } from "bun:test"
import { adminPlace } from "../../src/config/readers.ts"
import { adminClient, createTestAdminKey } from "../support/admin.ts"
import { startTestService } from "../support/service.ts"

test.each([
  ["off", "off"],
  ["same", "same"],
  ["127.0.0.1:8081", { host: "127.0.0.1", port: 8081 }],
  ["[::1]:0", { host: "::1", port: 0 }],
  ["admin.example:65535", { host: "admin.example", port: 65_535 }],
])("--admin %s is read", (text, place) =>
  expect(adminPlace(text)).toEqual(place as ReturnType<typeof adminPlace>),
)

test.each(["", ..."on 8081 :8081 127.0.0.1 ::1:8081 127.0.0.1:65536 127.0.0.1:8081/x".split(" "), "a b:1"])(
  "--admin %p is refused",
  (text) => expect(() => adminPlace(text)).toThrow("must be off, same, or HOST:PORT"),
)

test("off: the document is a 404, and the log says so", async () => {
  const service = await startTestService({ flags: { admin: "off" } })
  expect(service.server.adminUrl).toBeNull()
  expect((await fetch(`${service.url}/admin/openapi.json`)).status).toBe(404)
  expect(service.logged()).toContain("admin API is off")
})

test("same: beside the APIs", async () => {
  const service = await startTestService()
  expect(service.server.adminUrl).toBe(service.url)
  expect(service.logged()).not.toContain("admin API")
})

test("an address of its own: there alone, with nothing else, until the service stops", async () => {
  const service = await startTestService({ flags: { admin: "127.0.0.1:0" } })
  const { key } = await createTestAdminKey(service.db)
  const url = service.server.adminUrl ?? ""
  expect(url).not.toBe(service.url)
  expect(service.logged()).toContain(url)
  expect((await adminClient(url, key)("GET", "/accounts")).status).toBe(200)
  for (const path of ["/", "/v1/bluetoothlookup?companyid=76", "/health", "/metrics", "/openapi.json"]) {
    const answer = await fetch(url + path)
    const found = [path, answer.status, answer.headers.get("content-type")]
    expect(found).toEqual([path, 404, "application/problem+json"])
  }
  const preflight = await fetch(`${url}/admin/v1/accounts`, { method: "OPTIONS" })
  expect([preflight.status, preflight.headers.get("allow")]).toEqual([204, "GET, POST"])
  await service.stop()
  await expect(fetch(url)).rejects.toThrow()
})

test("an address that is taken ends the start, and nothing listens", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("other") })
  await expect(startTestService({ flags: { admin: `127.0.0.1:${other.port}` } })).rejects.toThrow("in use")
  await other.stop(true)
})
