/** The catalog for agents, with the client that agents have, against the executable. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { catalog } from "../../src/app/service.ts"
import { callWith, connectMcp } from "../support/mcp.ts"
import { toRequest } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { binary, serve, start } from "./support.ts"

interface Answer {
  readonly data: Record<string, unknown> | null
  readonly error: string | null
}

const config = join(tempDir(), "plans.toml")
const plan = (premium: boolean) =>
  `{ monthly_credits = 100000, requests_per_minute = "unlimited", premium = ${premium} }`
writeFileSync(config, `[plans]\nwhole = ${plan(true)}\nmasked = ${plan(false)}\n`)

const examples = catalog.flatMap((api) => api.examples.map((example) => ({ api, example })))
/** Those that need no certain time and ask no DNS, which a service has not in a test. */
const timeless = examples.filter(({ example }) => !example.given)

test("the examples are of all seven APIs", () => {
  expect(catalog).toHaveLength(7)
  expect(new Set(examples.map(({ api }) => api.id)).size).toBe(7)
})

test.each(["whole", "masked"])(
  "a service gives and charges the same as over REST, on the plan '%s'",
  async (name) => {
    const db = join(tempDir(), "store.db")
    const account = await createAccount(db, { plan: name, config: ["--config", config] })
    const server = await serve(db, "--config", config)
    await using tools = await connectMcp(server.url, account.key)
    await using search = await connectMcp(server.url, account.key, "/mcp/search")
    let isMasked = false
    let total = 0
    for (const { api, example } of timeless) {
      const { path, init } = toRequest(api, example.input)
      const rest = await account.call(server.url, path, init)
      const { data } = (await rest.json()) as Answer
      for (const answer of [
        await tools.call(api.id, example.input),
        await search.call("call_api", { id: api.id, input: example.input }),
      ]) {
        expect([answer.isError, answer.data ?? null]).toEqual([data === null, data])
        expect(answer.meta).toMatchObject({
          "penknife/credits": { charged: data === null ? 0 : api.credits },
        })
      }
      isMasked ||= !Bun.deepEquals(data, example.output)
      total += data === null ? 0 : 3 * api.credits
    }
    expect(await account.used()).toBe(total)
    expect(isMasked).toBe(name === "masked")
  },
)

test("the test double gives the same as over REST", async () => {
  const server = await start(["mock", "--port", "0"])
  const key = "mock-pro"
  await using tools = await connectMcp(server.url, key)
  for (const { api, example } of examples) {
    const { path, init } = toRequest(api, example.input)
    const rest = await fetch(server.url + path, { ...init, headers: { ...init.headers, "x-api-key": key } })
    const { data, error } = (await rest.json()) as Answer
    const called = await tools.call(api.id, example.input)
    expect({ error: called.isError ? called.text : null, data: called.data ?? null }).toEqual({ error, data })
  }
})

describe("over standard input and output", () => {
  test.each([[[]], [["--search"]]])(
    "the command with the flags %j gives the examples' answers",
    async (flags) => {
      const client = new Client({ name: "test", version: "1" })
      const transport = new StdioClientTransport({ command: binary, args: ["mcp", ...flags], stderr: "pipe" })
      await client.connect(transport)
      const call = callWith(client)
      for (const { api, example } of timeless) {
        const answer = await (flags.length === 0
          ? call(api.id, example.input)
          : call("call_api", { id: api.id, input: example.input }))
        expect([api.id, answer.data]).toEqual([api.id, example.output])
      }
      await client.close()
    },
  )

  async function talk(lines: readonly string[]) {
    const child = Bun.spawn([binary, "mcp"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" })
    child.stdin.write(lines.map((line) => `${line}\n`).join(""))
    child.stdin.end()
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    const answers = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    return { answers, err, code }
  }

  const initialize = JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  })
  const list = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })

  test("what was asked before the input ended is answered, and the command ends with 0", async () => {
    const call = JSON.stringify({
      jsonrpc: "2.0",
      id: "last",
      method: "tools/call",
      params: { name: "hmac", arguments: { message: "a", secret: "b" } },
    })
    const { answers, code } = await talk([initialize, list("text"), list(-1), list(2 ** 53 - 1), call])
    expect([code, answers.map(({ id }) => id)]).toEqual([0, [0, "text", -1, 2 ** 53 - 1, "last"]])
    expect(answers.at(-1)).toHaveProperty("result.structuredContent.hmac")
  })

  test("a malformed line is reported without its text, and the next is answered", async () => {
    const { answers, err, code } = await talk([initialize, '{"secret": ', "[]", list(1)])
    expect([code, answers.map(({ id }) => id)]).toEqual([0, [0, 1]])
    expect(err).toContain("could not be answered")
    expect(err).not.toContain("secret")
  })

  test("input that ends at once ends the command with 0", async () => {
    expect(await talk([])).toEqual({ answers: [], err: "", code: 0 })
  })
})
