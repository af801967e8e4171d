/** A service asks the real DNS, so nothing that it shows may send callers to the test double's names. */
import { expect, test } from "bun:test"
import { exampleAnchor } from "../src/apis/mail/dnssec/example-zone.ts"
import { mockZone } from "../src/app/mock.ts"
import { catalog } from "../src/app/prepare.ts"
import { readAnswer } from "./support/answer.ts"
import { connectMcp } from "./support/mcp.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService, toRequest } from "./support/service.ts"
import { inTurn } from "./support/turns.ts"

/** Inventions of the test double: its trust anchor, and each of its domains. */
const invented = [
  exampleAnchor,
  ...new Set(
    Object.keys(mockZone)
      .map((name) => /[\w-]+\.(?:example|test)$/.exec(name)?.[0])
      .filter((zone) => zone !== undefined),
  ),
]
const dnsApis = catalog.filter(({ asksDns }) => asksDns)
const said = "Example data; your call asks the real DNS."

const inventedIn = (text: string): readonly string[] =>
  invented.filter((part) => text.toLowerCase().includes(part.toLowerCase()))

test("no page, document, form or tool of a service names what only the test double has", async () => {
  expect(invented.length).toBeGreaterThan(15)
  const service = await startTestService()
  const { key } = await service.createKey("enterprise")
  // The documents of all APIs name each. Pages of single APIs take turns.
  const tried = inTurn(catalog, 3)
  const paths = [
    ..."/ /docs /docs/batch /docs/credits /docs/mcp /docs/graphql /openapi.json /llms.txt".split(" "),
    ...tried.flatMap(({ id }) => [`/apis/${id}`, `/docs/${id}.md`, `/openapi/${id}.json`]),
  ]
  for (const path of paths) {
    const answer = await service.fetch(path, { headers: { accept: "text/html,*/*;q=0.5" } })
    expect([path, answer.status, inventedIn(await answer.text())]).toEqual([path, 200, []])
  }
  await using full = await connectMcp(service.url, key)
  await using search = await connectMcp(service.url, key, "/mcp/search")
  expect(inventedIn(JSON.stringify(await full.client.listTools()))).toEqual([])
  for (const { id, asksDns } of tried) {
    const { data } = await search.call("describe_api", { id })
    expect([id, inventedIn(JSON.stringify(data))]).toEqual([id, []])
    expect([id, data?.example_note]).toEqual([id, asksDns ? said : undefined])
    const page = await full.client.readResource({ uri: `penknife://apis/${id}` })
    expect([id, inventedIn(JSON.stringify(page))]).toEqual([id, []])
  }
})

test("examples of a service name its domain, and say that the call asks the real DNS", async () => {
  expect(dnsApis).toHaveLength(15)
  const service = await startTestService({ flags: { exampleDomain: "shop.invalid" } })
  for (const { id } of dnsApis) {
    const page = await (await service.fetch(`/apis/${id}`, { headers: { accept: "text/html" } })).text()
    expect(page).toContain(said)
    expect(await (await service.fetch(`/openapi/${id}.json`)).text()).toContain(`"description":"${said}"`)
    expect(await (await service.fetch(`/docs/${id}.md`)).text()).toContain(said)
  }
  const page = await (await service.fetch("/docs/mailaudit.md")).text()
  expect(page).toContain("/v1/mailaudit?domain=shop.invalid' ")
})

test("the test double keeps its examples, and their calls answer as shown", async () => {
  const mock = await startTestMock()
  for (const api of dnsApis) {
    const { id, examples } = api
    expect(await (await mock.fetch(`/openapi/${id}.json`)).text()).not.toContain(said)
    const [example] = examples
    if (!example) throw new Error(`${id} has no example`)
    await mock.control("PUT", "/clock", { now: example.given?.now ?? "2025-01-01T00:00:00Z" })
    const { path, init } = toRequest(api, example.input)
    const { status, data } = await readAnswer(mock.fetch(path, { ...init, key: "mock-pro" }))
    // The zone of the test double has a key more than the example of dkimvalidator.
    const differing = [...(example.varying ?? []), ...(id === "dkimvalidator" ? ["usual_selectors"] : [])]
    const varying = Object.fromEntries(differing.map((name) => [name, expect.anything()]))
    expect([id, status, data]).toEqual([id, "ok", { ...example.output, ...varying }])
  }
  expect(await (await mock.fetch("/apis/mailaudit", { headers: { accept: "text/html" } })).text()).toContain(
    exampleAnchor,
  )
})
