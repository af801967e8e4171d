/** Several services on one PostgreSQL database, as on several machines: calls, the admin API, plans and prices. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { SQL } from "bun"
import { systemClock } from "../src/ports/clock.ts"
import { adminClient, adminOf, createTestAdminKey } from "./support/admin.ts"
import { usePostgres } from "./support/postgres.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const postgres = usePostgres()
const file = {
  plans: { small: { monthly_credits: 50 }, slow: { monthly_credits: 1_000, requests_per_minute: 30 } },
}
const lookUp = "/v1/bluetoothlookup?companyid=76"
/** Three services on one new database. They stop with the test. */
async function startThree() {
  const options = { file, ports: { clock: systemClock }, flags: { db: await postgres.createDatabase() } }
  const [first, second, third] = [
    await startTestService(options),
    await startTestService(options),
    await startTestService(options),
  ]
  return { first, second, third, all: [first, second, third] }
}

const statusOf = async (service: TestService, key: string) => (await service.fetch(lookUp, { key })).status

test("a key that one instance revokes gets no charged answer from another", async () => {
  const { first, second, all } = await startThree()
  const { account, id, key } = await first.createKey("small")
  expect(await Promise.all([statusOf(first, key), statusOf(second, key)])).toEqual([200, 200])
  await second.accounts.revokeKey(id)
  expect(await Promise.all(all.map((service) => statusOf(service, key)))).toEqual([401, 401, 401])
  expect((await first.accounts.show(account)).balance.used).toBe(2)
})

test("a call that is under way when its key is revoked is refused and not charged", async () => {
  const { first, second } = await startThree()
  const { account, id, key } = await first.createKey("small")
  expect(await statusOf(first, key)).toBe(200)
  const revoked = second.accounts.revokeKey(id)
  const answers = Promise.all(Array.from({ length: 20 }, () => statusOf(first, key)))
  await revoked
  const after = await Promise.all(Array.from({ length: 5 }, () => statusOf(first, key)))
  const succeeded = (await answers).filter((status) => status === 200).length
  expect(after).toEqual(Array(5).fill(401))
  expect((await first.accounts.show(account)).balance.used).toBe(1 + succeeded)
})

test("bonus credits and another plan count at once on every instance", async () => {
  const { first, second, third, all } = await startThree()
  const { account, key } = await first.createKey("small")
  const calls = Array.from({ length: 60 }, (_, index) => statusOf(all[index % 3] ?? first, key))
  const statuses = await Promise.all(calls)
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  await third.accounts.grant(account, 2)
  // Each instance hears of it by itself.
  for (const one of [first, second]) await until(async () => (await statusOf(one, key)) === 200)
  expect(await statusOf(second, key)).toBe(429)
  await first.accounts.setPlan(account, "slow")
  await until(async () => (await statusOf(second, key)) === 200)
})

test("a limit per minute is exact over three instances", async () => {
  const { first, all } = await startThree()
  const { key } = await first.createKey("slow")
  const startedMs = performance.now()
  const calls = Array.from({ length: 90 }, (_, index) => statusOf(all[index % 3] ?? first, key))
  const statuses = await Promise.all(calls)
  const granted = statuses.filter((status) => status === 200).length
  expect(granted).toBeGreaterThanOrEqual(30)
  // Half a call comes back each second.
  expect(granted).toBeLessThanOrEqual(30 + Math.ceil((performance.now() - startedMs) / 2_000))
  expect(statuses.filter((status) => status === 429)).toHaveLength(90 - granted)
})

test("after a crash of the database every instance goes on by itself, and every answered call is charged", async () => {
  const { first, second, all } = await startThree()
  const { account, key } = await first.createKey("slow")
  const { account: counted, key: countedKey } = await first.createKey("small")
  expect(await Promise.all([first, second].map((one) => statusOf(one, countedKey)))).toEqual([200, 200])
  await postgres.crash()
  for (const service of all) await until(async () => (await statusOf(service, countedKey)) === 200)
  // Buckets are not kept over a crash: each is full again.
  expect(await statusOf(first, key)).toBe(200)
  const { balance } = await first.accounts.show(counted)
  expect(balance.used).toBeGreaterThanOrEqual(5)
  expect((await first.accounts.show(account)).balance.used).toBe(1)
  expect(first.logged()).not.toContain("password")
}, 300_000)

test("an instance starts while others raise notices: each one that comes before it can send waits for it", async () => {
  const db = await postgres.createDatabase()
  const first = await startTestService({ flags: { db } })
  await using other = new SQL(db, { max: 1 })
  let isRaising = true
  const raising = (async () => {
    while (isRaising) await other`SELECT pg_notify('penknife_raised', 'msg_1 another')`
  })()
  const failures: unknown[] = []
  const onFailure = (cause: unknown) => void failures.push(cause)
  process.on("unhandledRejection", onFailure)
  try {
    for (let starts = 0; starts < 10; starts++) await (await startTestService({ flags: { db } })).stop()
  } finally {
    isRaising = false
    await raising
    process.off("unhandledRejection", onFailure)
  }
  expect(failures).toEqual([])
  await first.stop()
}, 300_000)

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

async function startConfigured() {
  const options = { ports: { clock: systemClock }, flags: { db: await postgres.createDatabase() } }
  const first = await startTestService({ ...options, configText: "[credits]\nhmac = 1\n" })
  const second = await startTestService({ ...options, configText: "[credits]\nhmac = 1\n" })
  const count = async (service: TestService) => (await metric(service, "penknife_instances")) === 2
  await until(async () => (await count(first)) && (await count(second)))
  return { first, second, admin: await adminOf(first), other: await adminOf(second) }
}

async function metric(service: TestService, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
}

test("a price that is changed on one instance alone is said by both, in the health and the metrics", async () => {
  const { first, second, admin, other } = await startConfigured()
  expect((await other("GET", "/health")).body).toMatchObject({ instances: 2, differing_instances: [] })
  expect((await admin("PATCH", "/config", { body: { changes: { "credits.hmac": 9 } } })).status).toBe(200)
  for (const [service, client] of [
    [first, admin],
    [second, other],
  ] as const) {
    await until(async () => (await metric(service, "penknife_differing_instances")) === 1)
    expect((await client("GET", "/health")).body.differing_instances).toHaveLength(1)
  }
  // The second one gets the same file, as a tool for deployment brings it. It does not take it over by itself.
  writeFileSync(second.configFile, "[credits]\nhmac = 9\n")
  expect(await second.configuration.diff()).toMatchObject([{ setting: "credits.hmac", after: 9 }])
  await second.configuration.reload()
  for (const service of [first, second])
    await until(async () => (await metric(service, "penknife_differing_instances")) === 0)
}, 300_000)

test("an instance that stops is not counted any more, and one that begins is told", async () => {
  const { first, second, admin } = await startConfigured()
  await second.stop()
  await until(async () => (await admin("GET", "/health")).body.instances === 1)
  const third = await startTestService({
    ports: { clock: systemClock },
    flags: { db: first.db },
    configText: "[credits]\nhmac = 2\n",
  })
  for (const service of [first, third])
    await until(async () => (await metric(service, "penknife_differing_instances")) === 1)
}, 300_000)
