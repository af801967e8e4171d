/** The admin API on the executable: at an address of its own, with several processes and over a stop. */
import { expect, test } from "bun:test"
import { adminClient, createTestAdminKey } from "../support/admin.ts"
import { freePort } from "../support/free-port.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { serve } from "./support.ts"

const dir = tempDir()

test.if(process.platform === "linux")(
  "all workers share the address of the admin API, and stop with it",
  async () => {
    const { db } = await seedOne(dir)
    const { key } = await createTestAdminKey(db)
    const port = freePort()
    const server = await serve(db, "--workers", "2", "--admin", `127.0.0.1:${port}`)
    const ask = adminClient(`http://127.0.0.1:${port}`, key)
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask("GET", "/accounts")))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ headers }) => headers.get("x-request-id")?.split(".")[0])).size).toBe(2)
    // Where the APIs are, there is no admin API.
    const elsewhere = await fetch(`${server.url}/admin/v1/accounts`, { headers: { "x-admin-key": key } })
    expect(elsewhere.status).toBe(404)
    expect(await server.stop()).toBe(0)
    const log = await server.stderr
    expect(log.match(/admin API is served/g)).toHaveLength(1)
    expect(log).not.toContain(key)
  },
)
