/** Plans and prices of two services on one PostgreSQL database, as on two machines. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { systemClock } from "../src/ports/clock.ts"
import { adminOf } from "./support/admin.ts"
import { usePostgres } from "./support/postgres.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { until } from "./support/until.ts"

const postgres = usePostgres()

async function startTwo() {
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
  const { first, second, admin, other } = await startTwo()
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
  const { first, second, admin } = await startTwo()
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
