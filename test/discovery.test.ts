/** Crawlers and agents that start at `/` and know nothing else. */
import { expect, test } from "bun:test"
import LinkHeader from "http-link-header"
import { byCategory } from "../src/apis/categories.ts"
import { catalog, withServedExamples } from "../src/app/prepare.ts"
import { apiCatalogType } from "../src/surfaces/discovery/documents.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { parseLinkset } from "./support/linkset.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const ids = catalog.map(({ id }) => id)

async function get(
  path: string,
): Promise<{ text: string; type: string; links: ReturnType<typeof LinkHeader.parse>["refs"] }> {
  const answer = await service.fetch(path)
  expect([path, answer.status]).toEqual([path, 200])
  const link = answer.headers.get("link")
  return {
    text: await answer.text(),
    type: answer.headers.get("content-type") ?? "",
    links: link === null ? [] : LinkHeader.parse(link).refs,
  }
}

/** Everything that a crawler reaches from `/`, by path: each must be there, and of the type that its link promises. */
async function crawl() {
  const seen = new Map<string, { readonly text: string; readonly promised: string | undefined }>()
  const waiting: { path: string; type: string | undefined }[] = [{ path: "/", type: undefined }]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (seen.has(next.path) || /^\/(v1\/|health$)/.test(next.path)) continue
    const { text, type, links } = await get(next.path)
    const promised = next.type?.split(";")[0]
    seen.set(next.path, { text, promised })
    // RFC 9110 allows the general type for a document of a special one.
    if (promised !== undefined) expect([promised, "application/json"]).toContain(type.split(";")[0] ?? "")
    waiting.push(...links.map(({ uri, type: of }) => ({ path: uri, type: of })))
    if (type.startsWith("application/linkset+json")) {
      const targets = parseLinkset(text).flatMap(({ relations }) => [...relations.values()].flat())
      waiting.push(...targets.map(({ href, type: of }) => ({ path: href, type: of })))
    }
    if (type.startsWith("text/markdown")) {
      const inside = [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path = ""]) => path)
      waiting.push(...inside.map((path) => ({ path, type: undefined })))
    }
  }
  return seen
}

const seen = await crawl()
const textOf = (path: string) => seen.get(path)?.text ?? ""

test("a crawler that starts at / reaches every document, each of the type that was promised, and each API's own", () => {
  expect([...seen.keys()].sort()).toEqual(
    [
      ...["/", "/.well-known/api-catalog", "/docs", "/llms.txt", "/openapi.json"],
      ...ids.flatMap((id) => [`/docs/${id}.md`, `/openapi/${id}.json`]),
    ].sort(),
  )
  const [service, ...apis] = parseLinkset(textOf("/.well-known/api-catalog"))
  const paths = ids.map((id) => `/v1/${id}`)
  expect(service?.relations.get("item")?.map(({ href }) => href)).toEqual(paths)
  expect(apis.map(({ anchor }) => anchor)).toEqual(paths)
})

/**
 * Redocly takes a third of a second for each document. It checks the whole in openapi.test.ts. This test shows that every part
 * has exactly the operations of the whole, and the components that these need.
 */
test("a crawler that starts at / finds OpenAPI documents: the whole, and parts of it that refer to nothing else", async () => {
  const documents = [...seen].filter(([, { promised }]) => promised === "application/vnd.oai.openapi+json")
  expect(documents.map(([path]) => path).sort()).toEqual(
    ["/openapi.json", ...ids.map((id) => `/openapi/${id}.json`)].sort(),
  )
  const whole = JSON.parse(textOf("/openapi.json"))
  const nameOf = ({ name }: { readonly name: string }) => name
  for (const id of ids) {
    const text = textOf(`/openapi/${id}.json`)
    const { components, tags, ...rest } = JSON.parse(text)
    // The example of Forbidden names an API, and the descriptions of tags list the APIs of the document: these differ.
    const { Forbidden: _, ...responses } = components.responses
    expect(whole).toMatchObject({ ...rest, components: { ...components, responses } })
    expect(whole.tags.map(nameOf)).toEqual(expect.arrayContaining(tags.map(nameOf)))
    const referred = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    const names = Object.entries<object>(components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))
    expect([...new Set(referred.map(([, kind, name]) => `${kind}/${name}`))].sort()).toEqual(names.sort())
  }
}, 300_000)

test("a crawler that starts at / finds a list of the APIs for language models in the form of llmstxt.org", () => {
  const [head = "", ...sections] = textOf("/llms.txt").split(/^## /m)
  expect(head).toMatch(/^# penknife\n\n> [^\n]+\n/)
  expect(head).toContain("/mcp")
  expect(sections.map((section) => section.split("\n")[0])).toEqual([
    ...byCategory(catalog.map((definition) => ({ definition }))).map(({ heading }) => heading),
    "Documents",
    "Optional",
  ])
  for (const section of sections) {
    for (const line of section.split("\n").slice(1).filter(Boolean)) {
      expect(line).toMatch(/^- \[[^\]]+\]\(\/[^)]*\)(: .+)?$/)
    }
  }
  for (const id of ids) expect(textOf("/llms.txt")).toContain(`/docs/${id}.md`)
})

test("a crawler that starts at / finds the list of APIs by its head too (RFC 9727 §2)", async () => {
  const answer = await service.fetch("/.well-known/api-catalog", { method: "HEAD" })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, apiCatalogType])
  const links = LinkHeader.parse(answer.headers.get("link") ?? "").refs
  expect(links).toMatchObject([{ uri: "/.well-known/api-catalog", rel: "api-catalog" }])
})

test("a crawler that starts at / gets a short index of the service in the envelope", async () => {
  const { data } = await readAnswer(service.fetch("/"))
  expect(data).toMatchObject({
    name: "penknife",
    apis: catalog.map(({ id, method, credits }) => ({ id, method, credits, path: `/v1/${id}` })),
    links: { openapi: "/openapi.json", mcp: "/mcp", graphql: "/v1/graphql" },
  })
  expect((await service.fetch("/?format=yaml")).headers.get("content-type")).toContain("yaml")
})

test("an API's own documents are OpenAPI with its two paths alone", async () => {
  for (const id of ids) {
    const { text } = await get(`/openapi/${id}.json`)
    expect(Object.keys(JSON.parse(text).paths)).toEqual([`/v1/${id}`, `/v1/${id}/batch`])
  }
})

test("an API's own documents are Markdown with its parameters, a command and the answer to it", async () => {
  for (const api of catalog) {
    const { id, examples, input } = withServedExamples(api, "example.com")
    const { text } = await get(`/docs/${id}.md`)
    for (const name of Object.keys(input.properties)) expect(text).toContain(`\`${name}\``)
    const json = /```json\n(.*?)```/s.exec(text)?.[1] ?? ""
    expect(JSON.parse(json)).toEqual({ status: "ok", error: null, data: examples[0]?.output })
  }
})

test("there is no document of an API that does not exist", async () => {
  for (const path of ["/docs/nothing.md", "/openapi/nothing.json"]) {
    expect((await service.fetch(path)).status).toBe(404)
  }
})

test("--public-url makes every address whole, also in documents that the command line prints", async () => {
  const publicUrl = "https://api.example.com"
  const public_ = await startTestService({ flags: { publicUrl } })
  const { servers } = (await (await public_.fetch("/openapi.json")).json()) as { servers: object[] }
  expect(servers).toMatchObject([{ url: publicUrl }])
  const catalogOf = await public_.fetch("/.well-known/api-catalog")
  for (const { anchor, relations } of parseLinkset(await catalogOf.text())) {
    expect(anchor).toStartWith(`${publicUrl}/`)
    for (const { href } of [...relations.values()].flat()) expect(href).toStartWith(`${publicUrl}/`)
  }
  expect(await (await public_.fetch("/llms.txt")).text()).toContain(`(${publicUrl}/docs/hmac.md)`)
  expect(await (await public_.fetch("/docs/hmac.md")).text()).toContain(`${publicUrl}/v1/hmac`)
  const { out } = await runCliForTest(["openapi", "--public-url", publicUrl])
  expect(JSON.parse(out).servers).toMatchObject([{ url: publicUrl }])
  const wrong = await runCliForTest(["openapi", "--public-url", "https://api.example.com/x"])
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("without a path")])
})
