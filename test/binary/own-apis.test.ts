/** APIs of an operator's own, on the executable: every surface, and the commands that make and check them. */
import { afterAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { readAnswer } from "../support/answer.ts"
import { startDnsServer } from "../support/dns-server.ts"
import { readGraphql } from "../support/graphql.ts"
import { postWith } from "../support/keyed-request.ts"
import { connectMcp } from "../support/mcp.ts"
import { writeFiles } from "../support/own-apis.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { run, serve, serveForFile } from "./support.ts"

const dir = tempDir()

const examples = join(import.meta.dir, "../../examples/apis")
const dns = await startDnsServer({
  "example.com": [{ MX: [20, "b.example.com"] }, { MX: [10, "a.example.com"] }],
})
afterAll(dns.stop)
const servers = { servers: ["a.example.com", "b.example.com"] }

describe("the example folder", async () => {
  const { db, key, call, used } = await seedOne(dir)
  const server = await serveForFile(db, "--apis", examples, "--dns-server", dns.address)
  const text = async (path: string) => (await fetch(server.url + path)).text()

  test("REST, batch, GraphQL and MCP answer, and charge what its definitions say", async () => {
    expect((await readAnswer(call(server.url, "/v1/mailservers?domain=example.com"))).data).toEqual(servers)
    const counted = await readAnswer(call(server.url, "/v1/wordcount", postWith({ text: "one two" })))
    expect(counted.data).toEqual({ words: 2, longest: 3 })
    expect(await used()).toBe(3)

    const inputs = [{ text: "one" }, { text: " " }, { text: "one three", shortest: 4 }]
    const batch = await readAnswer(call(server.url, "/v1/wordcount/batch", postWith({ inputs })))
    expect(batch.data).toMatchObject({
      results: [
        { data: { words: 1 } },
        { status: "error", error: "The 'text' parameter must have a word." },
        { data: { words: 1, longest: 5 } },
      ],
    })
    expect(await used()).toBe(5)

    const query = `{ wordcount(input: { text: "a b c" }) { words longest } mailservers(input: { domain: "example.com" }) { servers } }`
    const { body } = await readGraphql(call(server.url, "/v1/graphql", postWith({ query })))
    expect(body).toEqual({ data: { wordcount: { words: 3, longest: 1 }, mailservers: servers } })
    expect(await used()).toBe(8)

    await using mcp = await connectMcp(server.url, key)
    const { tools } = await mcp.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["mailservers", "wordcount"]))
    expect((await mcp.call("mailservers", { domain: "example.com" })).data).toEqual(servers)
    expect((await mcp.call("wordcount", { text: "a b" })).data).toEqual({ words: 2, longest: 1 })
    expect(await used()).toBe(11)
  })

  test("OpenAPI, documentation, pages and lists for agents name them", async () => {
    const { paths } = JSON.parse(await text("/openapi.json"))
    expect(paths["/v1/wordcount"].post.requestBody).toBeDefined()
    expect(paths["/v1/mailservers/batch"].post).toBeDefined()
    expect(Object.keys(JSON.parse(await text("/openapi/wordcount.json")).paths)).toContain("/v1/wordcount")
    expect(await text("/docs/mailservers.md")).toContain("Finds the mail servers of a domain")
    expect(await text("/apis/wordcount")).toContain("Only words of so many characters at least count.")
    for (const path of ["/", "/llms.txt", "/.well-known/api-catalog"])
      expect([path, await text(path)]).toEqual([path, expect.stringContaining("mailservers")])
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  })

  test("the commands call them and list them", async () => {
    const called = await run(["call", "wordcount", "--apis", examples, "--text", "one two three"])
    expect([called.code, JSON.parse(called.out), called.err]).toEqual([0, { words: 3, longest: 5 }, ""])
    const listed = await run(["api", "list", "--apis", examples])
    expect([listed.code, listed.err]).toEqual([0, ""])
    expect(listed.out).toMatch(/^mailservers +Mail servers +GET +2 +own$/m)
    expect(listed.out).toMatch(/^hmac .* built in$/m)
    expect(await run(["api", "check", examples])).toEqual({
      code: 0,
      out: "mailservers: 1 example is right.\nwordcount: 2 examples are right.\n",
      err: "",
    })
  })
})

test("APIs in JavaScript, with files beside them and modules of Node, are served", async () => {
  const apis = join(dir, "javascript")
  const source = `import { createHash } from "node:crypto"
import { defineApi, Type } from "penknife/plugin"
import words from "../shared/words.json"
import { first } from "../shared/first.ts"
export default defineApi({
  id: "digest", title: "Digest", description: "Hashes a text.", method: "GET", credits: 1,
  input: Type.Object({ text: Type.String({ description: "The text." }) }),
  output: Type.Object({ digest: Type.String({ description: "The digest." }) }),
  examples: [{ name: "Nothing", input: { text: "" }, output: { digest: "one e3b0" } }],
  run: ({ text }) => ({ digest: first(words) + " " + createHash("sha256").update(text).digest("hex").slice(0, 4) }),
})`
  writeFiles(apis, {
    "digest/index.js": source,
    "shared/words.json": '["one"]',
    "shared/first.ts": "export const first = (words: readonly string[]): string => words[0] ?? ''",
  })
  const { db, call } = await seedOne(dir)
  const server = await serve(db, "--apis", apis)
  expect((await readAnswer(call(server.url, "/v1/digest?text="))).data).toEqual({ digest: "one e3b0" })
  expect(await server.stop()).toBe(0)
  expect((await server.stderr).includes("not served")).toBe(false)
})
