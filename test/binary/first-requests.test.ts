/** The first request of each kind, which loads the code for it: one of a stranger must not hold up all others. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { leastOfTurns } from "../support/beside.ts"
import { tempDir } from "../support/temp.ts"
import { watchTurns } from "../support/turn-watch.ts"
import { serve } from "./support.ts"

const db = join(tempDir(), "first.db")
const json = { "content-type": "application/json" }
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

test.skipIf(process.platform !== "linux").each<[path: string, status: number, init: RequestInit]>([
  ["/", 200, { headers: { accept: "text/html" } }],
  ["/docs", 200, {}],
  ["/apis/mailaudit", 200, {}],
  ["/openapi.json", 200, {}],
  ["/admin/v1/accounts", 401, {}],
  ["/admin/openapi.json", 200, {}],
  ["/portal/v1/keys", 401, {}],
  ["/console", 200, {}],
  ["/mcp", 401, { method: "POST", headers: json, body: ping }],
  ["/v1/graphql", 401, { method: "POST", headers: json, body: '{"query":"{__typename}"}' }],
])("%s holds up others for less than 50 ms of processor time", async (path, status, init) => {
  // Each time a new process, since only its first request is of interest.
  const longestMs = await leastOfTurns(50, async () => {
    const { url, child, stop } = await serve(db)
    const turns = await watchTurns(
      { url, pid: child.pid },
      async () => (await fetch(`${url}${path}`, init)).status,
    )
    await stop()
    expect(turns.result).toBe(status)
    return turns
  })
  expect(longestMs).toBeLessThan(50)
})
