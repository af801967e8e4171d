/**
 * `[catalog] include` and `exclude`: an API that the operator has turned off does not exist, whatever way someone looks for it.
 */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { catalog } from "../src/app/prepare.ts"
import { servedOf } from "../src/app/served-apis.ts"
import { runLineJson } from "./support/admin-cli.ts"
import { runCliForTest } from "./support/cli.ts"
import { connectMcp } from "./support/mcp.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const idsOf = (include: readonly string[], exclude: readonly string[]) =>
  servedOf(catalog, { catalogInclude: include, catalogExclude: exclude }).map(({ id }) => id)
const idsIn = (...names: string[]) =>
  catalog.filter(({ category = "" }) => names.includes(category)).map(({ id }) => id)
const off = { catalog: { exclude: ["linesorter", "Mail"] } }
const offIds = ["linesorter", ...idsIn("mail")]
const names = new RegExp(offIds.join("|"), "i")

test.each([
  [[], [], catalog.map(({ id }) => id)],
  [["mail"], [], idsIn("mail")],
  [["mail", "hmac"], ["danevalidator"], ["hmac", ...idsIn("mail").filter((id) => id !== "danevalidator")]],
  [["time-and-place"], [], idsIn("time and place")],
  [["hmac"], ["MAIL", "text"], ["hmac"]],
])("the choice: include %p, exclude %p", (include, exclude, ids) => {
  expect(idsOf(include, exclude)).toEqual(ids)
})

test.each([
  [["mial"], [], "'catalog.include': there is no API or category 'mial'. There are mail, "],
  [[], ["hmca"], "'catalog.exclude': there is no API or category 'hmca'. There are hmac, "],
  [["mail"], ["mail"], "leave no API to serve"],
  [
    [],
    ["mail,text"],
    "'catalog.exclude': 'mail,text' has several names. Repeat the option for each: --catalog-exclude mail --catalog-exclude text. In the file",
  ],
  [
    ["hmac, time and place"],
    [],
    "Repeat the option for each: --catalog-include hmac --catalog-include 'time and place'.",
  ],
])("the choice: include %p, exclude %p is refused", (include, exclude, problem) => {
  expect(() => idsOf(include, exclude)).toThrow(problem)
})

test("the choice comes from flags, the environment or a table of the file, whose mistakes are named", async () => {
  const folder = tempDir()
  const list = async (text: string, env: Readonly<Record<string, string>> = {}, ...flags: string[]) => {
    const file = join(folder, "penknife.toml")
    writeFileSync(file, text)
    const { code, out, err } = await runCliForTest(["api", "list", "--json", "--config", file, ...flags], {
      env,
    })
    return code === 0 ? (JSON.parse(out) as { id: string }[]).map(({ id }) => id) : err
  }
  expect(await list('[catalog]\ninclude = ["text"]')).toEqual(idsIn("text"))
  expect(await list('catalog.include = "text"')).toEqual(idsIn("text"))
  const env = { PENKNIFE_CATALOG_INCLUDE: "mail, hmac" }
  expect(await list('[catalog]\ninclude = ["text"]', env)).toEqual(["hmac", ...idsIn("mail")])
  expect(await list("", env, "--catalog-include", "text", "--catalog-include", "data")).toEqual(
    idsIn("text", "data"),
  )
  expect(await list("[catalog]\ninclud = []")).toContain(
    "'catalog.includ' in " +
      join(folder, "penknife.toml") +
      " is not a setting. The settings are catalog.include,",
  )
  expect(await list("catalog = 1")).toContain("'catalog' in ")
  expect(await list("[catalog]\nexclude = [1.5, {}]")).toContain("must be a text or a number")
  expect(await list('[catalog]\nexclude = ["sunriseset"]')).toContain("There are sunrisesunset,")
})

test("what is off is a 404 without its name, and in no document, list or page", async () => {
  const service = await startTestService({ file: off })
  const { key } = await service.createKey("pro")
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const body = JSON.stringify({ lines: ["b", "a"] })
  for (const id of offIds)
    for (const [path, method] of [
      [`/v1/${id}`, "GET"],
      [`/v1/${id}`, "POST"],
      [`/v1/${id}/batch`, "POST"],
      [`/apis/${id}`, "GET"],
      [`/docs/${id}.md`, "GET"],
      [`/openapi/${id}.json`, "GET"],
    ] as const) {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers,
        ...(method === "POST" && { body }),
      })
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.text()).not.toMatch(names)
    }
  for (const accept of ["application/json", "text/html"]) {
    const paths = "/ /docs /docs/errors /docs/batch /docs/graphql /docs/mcp /docs/hmac.graphql"
    for (const path of paths.split(" ")) {
      const answer = await fetch(`${service.url}${path}`, { headers: { accept } })
      expect([path, (await answer.text()).match(names)]).toEqual([path, null])
    }
  }
  for (const path of "/openapi.json /llms.txt /.well-known/api-catalog /apis/hmac /docs/hmac.md".split(" ")) {
    const answer = await fetch(`${service.url}${path}`)
    expect([path, answer.status, (await answer.text()).match(names)]).toEqual([path, 200, null])
  }
  const query = (text: string) =>
    service.post("/v1/graphql", { query: text }, { key }).then((answer) => answer.text())
  expect(await query("{ __schema { types { name fields { name } } } }")).not.toMatch(names)
  expect(await query('{ linesort(input: { lines: ["a"] }) { sorted } }')).not.toMatch(names)
  await using mcp = await connectMcp(service.url, key)
  expect(JSON.stringify((await mcp.client.listTools()).tools)).not.toMatch(names)
  expect(JSON.stringify((await mcp.client.listResources()).resources)).not.toMatch(names)
  await expect(mcp.call("linesorter", { lines: [] })).rejects.toThrow("Unknown tool")
  await using search = await connectMcp(service.url, key, "/mcp/search")
  expect(JSON.stringify((await search.call("search_apis", { query: "" })).data)).not.toMatch(names)
  expect((await search.call("call_api", { id: "linesorter", input: {} })).text).not.toMatch(names)
})

test("the commands, the mock and the administration know nothing of it either", async () => {
  const env = { PENKNIFE_CATALOG_EXCLUDE: "mail,linesorter" }
  const call = await runCliForTest(["call", "linesorter", "--lines", "a"], { env })
  expect([call.code, call.out, call.err]).toEqual([2, "", expect.stringContaining("unknown command")])
  for (const line of ["call --help", "openapi", "schema", "api list"]) {
    const { code, out } = await runCliForTest(line.split(" "), { env })
    expect([line, code, out.match(names)]).toEqual([line, 0, null])
  }
  const flags = { catalogExclude: ["mail", "linesorter"] }
  const mock = await startTestMock(flags)
  const answer = await fetch(`${mock.url}/v1/spfvalidator?domain=good.example`, {
    headers: { "x-api-key": "mock-pro" },
  })
  expect(answer.status).toBe(404)
  const { db } = await startTestService({ flags })
  expect(JSON.stringify(await runLineJson(`plan list --db ${db}`, { env }))).not.toMatch(names)
})

test("lists for agents and in the terminal have a heading for each category", async () => {
  const { out } = await runCliForTest(["call", "--help"])
  const { url } = await startTestService()
  const llms = await (await fetch(`${url}/llms.txt`)).text()
  for (const heading of ["Mail", "Identity", "Data", "Time and place", "Text"]) {
    expect(out).toContain(`\n${heading}:\n`)
    expect(llms).toContain(`\n## ${heading}\n\n- [`)
  }
})

test("a reload turns APIs off and on, and what they were used for stays readable", async () => {
  let values: Record<string, unknown> = {}
  const service = await startTestService({ readFile: () => values })
  const { key, account } = await service.createKey("pro")
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const body = JSON.stringify({ lines: ["b", "a"] })
  const sort = async () =>
    (await fetch(`${service.url}/v1/linesorter`, { method: "POST", headers, body })).status
  expect(await sort()).toBe(200)
  values = off
  const changes = await service.configuration.reload()
  expect(changes).toEqual([
    { setting: "catalog.exclude", before: [], after: ["linesorter", "Mail"], needsRestart: false },
  ])
  expect(await sort()).toBe(404)
  const usage = await service.fetch("/v1/usage", { headers: { "x-api-key": key } })
  expect(await usage.json()).toMatchObject({ data: { usage: [{ api: "linesorter", calls: 1 }] } })
  expect(await service.accounts.usage(account, 1)).toContainEqual(
    expect.objectContaining({ api: "linesorter" }),
  )
  values = { catalog: { exclude: ["linesorterr"] } }
  await expect(service.configuration.reload()).rejects.toThrow("There are linesorter,")
  expect(await sort()).toBe(404)
  values = {}
  await service.configuration.reload()
  expect(await sort()).toBe(200)
})

test("the administration writes the choice into its table of the file", async () => {
  const service = await startTestService({ configText: "max_calls = 100\n" })
  const edit = await service.configuration.edit({ "catalog.exclude": ["mail", "linesorter"] })
  await edit.save()
  expect(readFileSync(service.configFile, "utf8")).toBe(
    'max_calls = 100\n\n[catalog]\nexclude = ["mail", "linesorter"]\n',
  )
  expect((await fetch(`${service.url}/apis/spfvalidator`)).status).toBe(404)
  await expect(service.configuration.edit({ "catalog.exclude": ["male"] })).rejects.toThrow("There are mail,")
})
