/** Who may call: every 401 and 403, before anything is read or charged. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { hashKey } from "../src/accounts/key.ts"
import { changeOf } from "./support/admin-store.ts"
import { readAnswer } from "./support/answer.ts"
import { openAnyStore } from "./support/any-store.ts"
import { startTestService } from "./support/service.ts"

const path = "/v1/bluetoothlookup?companyid=76"
const service = await startTestService({ flags: { trustedProxies: ["127.0.0.1"] } })

const statusWith = async (key: string) => (await service.fetch(path, { key })).status

/** Status and message of a refusal. */
async function refusal(response: Response | Promise<Response>) {
  const answer = await response
  const { status, error, data } = await readAnswer(answer)
  expect({ status, data }).toEqual({ status: "error", data: null })
  return `${answer.status} ${error}`
}

test("401: without a key", async () => {
  const message =
    "An API key is needed: send it in the 'x-api-key' header, or as 'Authorization: Bearer KEY'."
  expect(await refusal(service.fetch(path))).toBe(`401 ${message}`)
})

test("401: a mistyped and an unknown key get different messages, and neither is echoed", async () => {
  const { key } = await service.createKey("free")
  const mistyped = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`
  const message = "401 The API key is"
  expect(await refusal(service.fetch(path, { key: mistyped }))).toBe(`${message} mistyped or cut short.`)
  const other = await startTestService()
  expect(await refusal(other.fetch(path, { key }))).toBe(`${message} not known.`)
})

test("401: an expired key, from the instant of its expiry", async () => {
  const { key } = await service.createKey("free", { expiresMs: service.clock.now() + 1_000 })
  expect(await statusWith(key)).toBe(200)
  service.clock.advance(999)
  expect(await statusWith(key)).toBe(200)
  service.clock.advance(1)
  expect(await refusal(service.fetch(path, { key }))).toMatch(/^401 .*expired/)
})

test("401: a revoked key, from the next request on", async () => {
  const { id, key } = await service.createKey("free")
  expect(await statusWith(key)).toBe(200)
  await service.accounts.revokeKey(id)
  expect(await refusal(service.fetch(path, { key }))).toMatch(/^401 .*revoked/)
})

test("401: a rotated key works until its grace ends, the new one at once", async () => {
  const { id, key } = await service.createKey("free")
  const rotated = await service.accounts.rotateKey(id, 60_000)
  expect(rotated.id).toBe(id)
  expect(rotated.key).not.toBe(key)
  expect([await statusWith(key), await statusWith(rotated.key)]).toEqual([200, 200])
  service.clock.advance(60_000)
  expect([await statusWith(key), await statusWith(rotated.key)]).toEqual([401, 200])
  const again = await service.accounts.rotateKey(id, 0)
  expect([await statusWith(rotated.key), await statusWith(again.key)]).toEqual([401, 200])
  const message = "401 The API key was rotated, and its time has ended. Use the key that replaced it."
  expect(await refusal(service.fetch(path, { key }))).toBe(message)
  await service.accounts.revokeKey(id)
  expect(await refusal(service.fetch(path, { key }))).toBe("401 The API key has been revoked.")
})

test("401: a disabled key, from the next request on, until it is enabled", async () => {
  const { id, key } = await service.createKey("free")
  const { admin, store } = await openAnyStore(service.db)
  const set = (version: number, disabledMs: number | null) =>
    admin.apply(changeOf([{ kind: "key.update", id, version, set: { disabledMs } }]))
  expect(await statusWith(key)).toBe(200)
  expect(await set(1, service.clock.now())).toBe("applied")
  const message = "401 This API key is disabled. The operator of this service can enable it again."
  expect(await refusal(service.fetch(path, { key }))).toBe(message)
  expect(await set(2, null)).toBe("applied")
  expect(await statusWith(key)).toBe(200)
  await store.close()
})

test("401: a key in the earlier form pk_ works for as long as it is valid, also beside the new one after a rotation", async () => {
  const { id, key } = await service.createKey("free")
  const earlier = "pk_cvNhYs8pwt1paiw3Ca0Eq4Ics2iIoglo1qaSKV"
  using database = new Database(service.db)
  const hashes = [hashKey(earlier), hashKey(key)]
  const { changes } = database.run("UPDATE secrets SET hash = ? WHERE hash = ?", hashes)
  expect(changes).toBe(1)
  expect([await statusWith(earlier), await statusWith(key)]).toEqual([200, 401])
  const rotated = await service.accounts.rotateKey(id, 60_000)
  expect(rotated.key).toStartWith("pk-")
  expect([await statusWith(earlier), await statusWith(rotated.key)]).toEqual([200, 200])
  service.clock.advance(60_000)
  expect([await statusWith(earlier), await statusWith(rotated.key)]).toEqual([401, 200])
})

test("401: the key of a closed account, until it is reopened", async () => {
  const { account, key } = await service.createKey("free")
  await service.accounts.closeAccount(account)
  expect(await statusWith(key)).toBe(401)
  const { admin, store } = await openAnyStore(service.db)
  const reopen = { kind: "account.update", id: account, version: 2, set: { closedMs: null } } as const
  expect(await admin.apply(changeOf([reopen]))).toBe("applied")
  expect(await statusWith(key)).toBe(200)
  await store.close()
})

test("401: a stranger learns nothing about parameters, formats or bodies", async () => {
  for (const request of [
    service.fetch("/v1/bluetoothlookup"),
    service.fetch("/v1/bluetoothlookup?format=nonsense"),
    service.fetch("/v1/hmac", { method: "POST", body: "not json" }),
    service.fetch("/v1/hmac", { method: "POST", body: "x".repeat(3_000_000) }),
  ]) {
    const answer = await request
    expect(answer.status).toBe(401)
    expect(await answer.text()).not.toMatch(/companyid|format|json|body|bytes/)
  }
})

test("403: an API that is blocked, or not among the allowed", async () => {
  const blocked = await service.createKey("free", { blockApis: ["bluetoothlookup"] })
  const allowed = await service.createKey("free", { allowApis: ["hmac"] })
  for (const { key } of [blocked, allowed]) {
    const message = "This API key may not call 'bluetoothlookup'."
    expect(await refusal(service.fetch(path, { key }))).toBe(`403 ${message}`)
  }
  const fine = await service.createKey("free", { allowApis: ["bluetoothlookup"] })
  expect(await statusWith(fine.key)).toBe(200)
})

test("403: an address outside the allow-list, the forwarded one behind a trusted proxy", async () => {
  const allowIps = ["198.51.100.0/24", "2001:db8::/32"]
  const { account, key } = await service.createKey("free", { allowIps })
  const from = (address: string) => service.fetch(path, { key, headers: { "x-forwarded-for": address } })
  const bound = ["198.51.100.7", "2001:db8::7", "::ffff:198.51.100.7", "203.0.113.5, 198.51.100.7"]
  for (const address of bound) expect((await from(address)).status).toBe(200)
  const foreign = ["203.0.113.5", "198.51.100.7, 203.0.113.5", "nonsense", "2001:db9::7", "::198.51.100.7"]
  for (const address of foreign)
    expect(await refusal(from(address))).toBe("403 This API key may not be used from this IP address.")
  const refused = await service.fetch(path, { key })
  expect([refused.status, refused.headers.get("x-api-credits-used")]).toEqual([403, "4"])
  expect((await service.accounts.show(account)).balance.used).toBe(4)
})

test("403: X-Forwarded-For is not believed from a socket that is no trusted proxy", async () => {
  const plain = await startTestService()
  const { key } = await plain.createKey("free", { allowIps: ["198.51.100.0/24"] })
  expect((await plain.fetch(path, { key, headers: { "x-forwarded-for": "198.51.100.7" } })).status).toBe(403)
})

test("the header's name is case-insensitive, its value is not", async () => {
  const { key } = await service.createKey("free")
  expect((await service.fetch(path, { headers: { "X-API-KEY": key } })).status).toBe(200)
  expect((await service.fetch(path, { headers: { "x-api-key": key.toLowerCase() } })).status).toBe(401)
})
