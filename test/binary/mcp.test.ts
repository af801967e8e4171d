/** The catalog for agents over standard input and output, with the client that agents have, against the executable. */
import { afterAll, describe, expect, test } from "bun:test"
import { isDeepStrictEqual } from "node:util"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { catalog } from "../../src/app/prepare.ts"
import { startDnsServer } from "../support/dns-server.ts"
import { readLines } from "../support/log.ts"
import { callWith } from "../support/mcp.ts"
import { binary, run } from "./support.ts"

/**
 * The first example of each API that needs no zone of the DNS and no time, one that needs a zone, and one that needs a time.
 * `catalog.test.ts` sends all examples to both endpoints.
 */
const examples = [
  ...catalog.flatMap((api) => {
    const example = api.examples.find(({ given }) => given === undefined)
    return example ? [{ api, example }] : []
  }),
  exampleWith("dns"),
  exampleWith("now"),
]

function exampleWith(need: "dns" | "now") {
  for (const api of catalog)
    for (const example of api.examples)
      if (Object.keys(example.given ?? {}).join() === need) return { api, example }
  throw new Error(`no example needs ${need} alone`)
}

/** The examples by zone, each with the address of a DNS server for it. */
const zones = await Promise.all(
  [...Map.groupBy(examples, ({ example }) => JSON.stringify(example.given?.dns ?? {}))].map(
    async ([zone, members]) => {
      const { address, stop } = await startDnsServer(JSON.parse(zone), { ttlSeconds: 300 })
      afterAll(stop)
      return { address, members }
    },
  ),
)

type Data = Readonly<Record<string, unknown>> | null

/** Data without the fields that differ from call to call, such as a duration. */
function steady(data: Data | undefined, varying: readonly string[] = []): Data {
  if (!data) return null
  return Object.fromEntries(Object.entries(data).filter(([name]) => !varying.includes(name)))
}

describe("over standard input and output", () => {
  test.each([[[]], [["--search"]]])("the command with %j gives the examples' answers", async (flags) => {
    await Promise.all(zones.map((zone) => tryExamples(flags, zone)))
  })

  async function tryExamples(flags: readonly string[], { address, members }: (typeof zones)[number]) {
    const client = new Client({ name: "test", version: "1" })
    const transport = new StdioClientTransport({
      command: binary,
      args: ["mcp", ...flags, "--dns-server", address],
      stderr: "pipe",
    })
    await client.connect(transport)
    const call = callWith(client)
    for (const { api, example } of members) {
      const { input, output, given, varying } = example
      const callTool = async (): Promise<Data> =>
        (await (flags.length === 0 ? call(api.id, input) : call("call_api", { id: api.id, input }))).data ??
        null
      const [data, expected] = given?.now
        ? await callAtOneTime(callTool, () => callCommand(api.id, input, address))
        : [await callTool(), output]
      expect([api.id, steady(data, varying)]).toEqual([api.id, steady(expected, varying)])
    }
    await client.close()
  }

  /**
   * The answers of the tool and of the command at the same time: the command's are equal before and after the
   * tool's. Answers have seconds, so a second that ends in between starts the comparison again.
   */
  async function callAtOneTime(callTool: () => Promise<Data>, callSame: () => Promise<Data>) {
    for (let before = await callSame(); ; ) {
      const data = await callTool()
      const after = await callSame()
      if (isDeepStrictEqual(before, after)) return [data, after] as const
      before = after
    }
  }

  /** The output of `penknife call`, which depends on the time as the tool does. */
  async function callCommand(id: string, input: Readonly<Record<string, unknown>>, dns: string) {
    const args = Object.entries(input).flatMap(([name, value]) => [`--${name}`, String(value)])
    return JSON.parse((await run(["call", id, ...args, "--dns-server", dns])).out)
  }

  async function talk(lines: readonly string[]) {
    const child = Bun.spawn([binary, "mcp"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" })
    child.stdin.write(lines.map((line) => `${line}\n`).join(""))
    child.stdin.end()
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { answers: readLines(out), err, code }
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

  test("malformed lines are reported without their text, and the next ones are answered", async () => {
    const wrong = [
      ['{"secret": ', "a line is not JSON and was passed over"],
      ["Content-Length: 10 secret", "a line is not JSON and was passed over"],
      ['["secret"]', "a message could not be answered"],
      ['{"jsonrpc":"2.0","id":{},"method":"secret"}', "a message could not be answered"],
    ] as const
    const { answers, err, code } = await talk([
      initialize,
      ...wrong.flatMap(([line], index) => [line, list(index + 1)]),
    ])
    expect([code, answers.map(({ id }) => id)]).toEqual([0, [0, 1, 2, 3, 4]])
    expect(err.trimEnd().split("\n")).toEqual(wrong.map(([, problem]) => expect.stringContaining(problem)))
    expect(err).not.toContain("secret")
  })

  test("a last line without its end is reported", async () => {
    const child = Bun.spawn([binary, "mcp"], {
      stdin: Buffer.from(initialize),
      stdout: "pipe",
      stderr: "pipe",
    })
    expect([await child.exited, await child.stdout.text(), await child.stderr.text()]).toEqual([
      0,
      "",
      expect.stringContaining("before the end of its last line"),
    ])
  })

  test("a message over 10 MiB ends the command, whose input is still open", async () => {
    const child = Bun.spawn([binary, "mcp"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" })
    child.stdin.write("x".repeat(10 * 1_024 * 1_024 + 1))
    child.stdin.flush()
    expect(await child.exited).toBe(0)
    expect(await child.stderr.text()).toContain("longer than 10 MiB")
  })

  test("input that ends at once ends the command with 0", async () =>
    expect(await talk([])).toEqual({ answers: [], err: "", code: 0 }))
})
