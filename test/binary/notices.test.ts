/** Two processes of the executable on one data file race for the thresholds of one account. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { startReceiver } from "../support/receiver.ts"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { runJson, serve } from "./support.ts"

const dir = tempDir()

test("each threshold is announced once, by one of the two processes", async () => {
  const db = join(dir, "notices.db")
  const config = join(dir, "penknife.toml")
  writeFileSync(config, "[plans.small]\nmonthly_credits = 200\n")
  const { id: account, call } = await createAccount(db, { plan: "small", config: ["--config", config] })
  const receiver = startReceiver()
  const { secret } = await runJson("account", "set-webhook", account, receiver.url, "--db", db)

  const servers = await Promise.all([1, 2].map(() => serve(db, "--config", config)))
  const calls = Array.from({ length: 260 }, async (_, i) => {
    const response = await call(servers[i % 2]?.url ?? "")
    await response.arrayBuffer()
    return response.status
  })
  const statuses = await Promise.all(calls)
  expect(statuses.filter((status) => status === 200)).toHaveLength(200)
  await receiver.count(2)
  expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0])

  const notices: { threshold: number }[] = await runJson("notices", "--db", db)
  // Newest first, and both may be of one millisecond.
  expect(notices.sort((a, b) => a.threshold - b.threshold)).toMatchObject([
    { account, plan: "small", threshold: 80, allowance: 200, state: "delivered", attempts: 1 },
    { account, plan: "small", threshold: 95, allowance: 200, state: "delivered", attempts: 1 },
  ])
  expect(receiver.received).toHaveLength(2)
  for (const { body, headers } of receiver.received) {
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { account } })
  }
})
