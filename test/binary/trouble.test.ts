/**
 * Failures around a service, on the executable: stopping under load, DNS servers and webhook receivers that do
 * not answer. Others are in metering.test.ts (kill -9), failing-store.test.ts, operating.test.ts (SIGTERM and SIGINT),
 * slow-clients.test.ts, tls.test.ts (a broken certificate) and backup.test.ts.
 */

import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startDnsServer } from "../support/dns-server.ts"
import { freePort } from "../support/free-port.ts"
import { slowly } from "../support/raw-http.ts"
import { startReceiver } from "../support/receiver.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { runJson, serve } from "./support.ts"

const dir = tempDir()
const zone = { "example.com": [{ TXT: "v=spf1 -all" }] }

test("after SIGTERM a call in progress is answered and charged, then the process ends with 0", async () => {
  const { db, key, call: get, used } = await seedOne(dir)
  const server = await serve(db)
  const body = '{"message": "m", "secret": "s"}'
  const head = `POST /v1/hmac HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const call = slowly(server.url, head + body.slice(0, 5))
  await call.written
  expect((await get(server.url, "/health")).status).toBe(200)
  server.child.kill("SIGTERM")
  // A stopping service takes no new connections, so this loop ends.
  while ((await get(server.url, "/health").catch(() => null)) !== null);
  expect(server.child.exitCode).toBeNull()
  const answer = await call.finish(body.slice(5))
  expect(answer).toStartWith("HTTP/1.1 200 ")
  expect(answer).toContain('"status":"ok"')
  expect(await server.child.exited).toBe(0)
  expect(await used()).toBe(1)
})

describe("DNS", () => {
  test("that does not answer is a 503 that costs nothing, other APIs work, and it is used again without a restart", async () => {
    const { db, call: get, used } = await seedOne(dir)
    // No other program is given this port while nothing listens on it.
    const port = freePort()
    const before = await startDnsServer(zone, { port })
    const server = await serve(db, "--dns-server", before.address)
    const validate = (domain: string) => get(server.url, `/v1/spfvalidator?domain=${domain}`)
    expect((await validate("example.com")).status).toBe(200)
    await before.stop()

    const gone = await validate("other.example.com")
    expect(gone.status).toBe(503)
    expect(await gone.json()).toMatchObject({ status: "error", data: null })
    expect((await get(server.url)).status).toBe(200)
    for (const path of ["/health", "/ready"]) expect((await get(server.url, path)).status).toBe(200)
    expect(await used()).toBe(6)

    const again = await startDnsServer(zone, { port })
    expect((await validate("third.example.com")).status).toBe(200)
    expect(await used()).toBe(11)
    expect(await server.stop()).toBe(0)
    await again.stop()
  })
})

test("a webhook receiver that is down delays nothing, and gets its notice when it is back", async () => {
  const settings = join(dir, "small.toml")
  writeFileSync(settings, "[plans.small]\nmonthly_credits = 10\n")
  const config = ["--config", settings]
  const { db, id, call: get, used } = await seedOne(dir)
  await runJson("account", "set-plan", id, "small", "--db", db, ...config)
  const url = `http://127.0.0.1:${freePort()}/hook`
  await runJson("account", "set-webhook", id, url, "--db", db)
  const server = await serve(db, ...config)
  for (let i = 1; i <= 10; i++) expect((await get(server.url)).status).toBe(200)
  // Both attempts have failed and are recorded.
  const attempts = async () => runJson("notices", "--log", "--db", db)
  while ((await attempts()).length < 2);
  expect((await get(server.url)).status).toBe(429)
  expect(await server.stop()).toBe(0)
  expect(await used()).toBe(10)
  const waiting = await runJson("notices", "--db", db)
  expect(waiting).toMatchObject([95, 80].map((threshold) => ({ threshold, state: "pending" })))
  // On a busy machine a second attempt may have been due before the service stopped.
  const logged = await attempts()
  for (const { id: notice, attempts: count } of waiting) {
    expect(count).toBeGreaterThan(0)
    expect(count).toBe(logged.filter((one: { notice: string }) => one.notice === notice).length)
  }

  const receiver = startReceiver()
  await runJson("account", "set-webhook", id, receiver.url, "--db", db)
  const database = new Database(db)
  database.run("UPDATE notices SET next_attempt_ms = 0")
  database.close()
  const again = await serve(db, ...config)
  await receiver.count(2)
  expect(await again.stop()).toBe(0)
  const delivered = await runJson("notices", "--db", db)
  expect(delivered).toMatchObject([95, 80].map((threshold) => ({ threshold, state: "delivered" })))
})
