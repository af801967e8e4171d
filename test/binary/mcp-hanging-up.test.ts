/** Clients of MCP that hang up during a tool call, against the executable: what is charged is what the log says. */
import { expect, test } from "bun:test"
import { requestsIn } from "../support/log.ts"
import { modernRequest, type RawMessage } from "../support/mcp.ts"
import { slowly } from "../support/raw-http.ts"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { seedOne } from "./accounts.ts"
import { serve } from "./support.ts"

const hmac = { name: "hmac", arguments: { message: "m", secret: "s" } }

test("calls whose clients hang up at any moment are charged once or not at all, as the log says", async () => {
  const { db, id, key, used } = await seedOne(tempDir())
  const server = await serve(db)
  const clients = 60
  for (let client = 0; client < clients; client++) {
    const { written, socket, answer } = sendTo(server.url, key, modernRequest("tools/call", hmac))
    await written
    // Some at once, some after a few turns, some with the first byte of their answer.
    if (client % 3 === 2) await until(() => answer() !== "")
    for (let turn = 0; turn < client % 7; turn++) await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  }
  await server.wrote('"surface":"mcp"', clients)
  expect(await server.stop()).toBe(0)
  const lines = requestsIn(await server.stderr).filter(({ account }) => account === id)
  expect(lines).toHaveLength(clients)
  const charged = lines.reduce((sum, { credits }) => sum + Number(credits), 0)
  expect(await used()).toBe(charged)
  for (const { fault, credits } of lines)
    expect(["1 credits", "0 credits callerLeft"]).toContain(`${credits} credits ${fault ?? ""}`.trim())
  // Clients that have seen a part of their answer were charged.
  expect(charged).toBeGreaterThanOrEqual(clients / 3)
})

/** Sends a message on a socket of its own, which a test can close at any moment. */
function sendTo(url: string, key: string, { body, headers }: RawMessage) {
  const text = JSON.stringify(body)
  const all = {
    host: new URL(url).host,
    "x-api-key": key,
    "content-type": "application/json",
    "content-length": text.length,
  }
  const lines = Object.entries({ ...all, accept: "application/json, text/event-stream", ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return slowly(url, `POST /mcp HTTP/1.1\r\n${head}\r\n${text}`)
}
