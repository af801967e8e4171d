/** The commands and settings of docs/mcp.md, unchanged, against the executable. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { catalog } from "../../src/app/prepare.ts"
import { binary, startForFile } from "./support.ts"

const page = readFileSync(join(import.meta.dir, "../../docs/mcp.md"), "utf8")
const mock = await startForFile(["mock", "--port", "0"])
const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` }

interface ClientSettings {
  readonly command?: string
  readonly args?: string[]
  readonly url?: string
  readonly headers?: Record<string, string>
}

const settings = [...page.matchAll(/^\| ([^|]+) \| [^|]+ \| `(\{.*\})` \|$/gm)].map(
  ([, client = "", json = ""]) => {
    const { mcpServers, servers } = JSON.parse(json) as Record<string, Record<string, ClientSettings>>
    return [client, (mcpServers ?? servers)?.penknife ?? {}] as const
  },
)

test("there are settings for clients over both transports", () =>
  expect(settings.map(([client]) => client)).toEqual(["Cursor", "VS Code", "Claude Desktop"]))

test.each(settings)(
  "the settings for %s give all tools",
  async (_, { command, args = [], url = "", headers }) => {
    const own = JSON.parse(JSON.stringify(headers ?? {}).replaceAll("KEY", "mock-pro"))
    const transport =
      command === undefined
        ? new StreamableHTTPClientTransport(new URL(new URL(url).pathname, mock.url), {
            requestInit: { headers: own },
          })
        : new StdioClientTransport({ command, args, env: { PATH: env.PATH }, stderr: "pipe" })
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(catalog.map(({ id }) => id))
    await client.close()
  },
)

test("the commands to try it give what the page promises", async () => {
  const [tried = ""] = page.split("## Set up a client")
  const commands = [...tried.matchAll(/```sh\n(.*?)```/gs)].map(([, command = ""]) => command)
  const outputs = await Promise.all(
    commands.map(async (command) => {
      const script = command.replace("http://localhost:8090", mock.url)
      const child = Bun.spawn(["sh", "-c", script], { stdout: "pipe", stderr: "pipe", env })
      const [out, code] = await Promise.all([child.stdout.text(), child.exited])
      expect([command, code]).toEqual([command, 0])
      return out
    }),
  )
  expect(outputs).toEqual([
    expect.stringContaining('"structuredContent":{"companyId":76,'),
    expect.stringContaining('"name":"sunrisesunset"'),
  ])
})

test("the texts that an agent sees are those of the page", async () => {
  const texts = [...page.matchAll(/with `isError` and the text `([^`]+)`/g)].map(([, text = ""]) => text)
  expect(texts).toHaveLength(2)
  const call = async (key: string) => {
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", mock.url), {
      requestInit: { headers: { "x-api-key": key } },
    })
    const client = new Client({ name: "test", version: "1" })
    await client.connect(transport)
    let text = ""
    // The free plan allows 60 calls a minute, and the clock of the test double stands still.
    for (let calls = 0; calls < 61 && text === ""; calls++) {
      const { content, isError } = await client.callTool({
        name: "bluetoothlookup",
        arguments: { companyid: "76" },
      })
      if (isError) text = content.map((part) => (part.type === "text" ? part.text : "")).join("")
    }
    await client.close()
    return text
  }
  expect([await call("mock-no-credits"), await call("mock-free")]).toEqual(texts)
})
