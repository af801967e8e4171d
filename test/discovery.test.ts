/** What crawlers and agents find, starting at `/` and knowing nothing else. */
import { describe, expect, test } from "bun:test"
import LinkHeader from "http-link-header"
import { catalog } from "../src/app/service.ts"
import { readAnswer } from "./support/answer.ts"
import { runCliForTest } from "./support/cli.ts"
import { lintOpenApi } from "./support/lint-openapi.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const ids = catalog.map(({ id }) => id)

interface Linkset {
  readonly linkset: readonly {
    readonly anchor: string
    readonly [relation: string]: string | readonly { readonly href: string; readonly type?: string }[]
  }[]
}

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

describe("a crawler that starts at /", () => {
  test("reaches every document, each of the type that was promised, and each API's own", async () => {
    const seen = new Map<string, string>()
    const waiting: { path: string; type: string | undefined }[] = [{ path: "/", type: undefined }]
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (seen.has(next.path) || /^\/(v1\/|health$)/.test(next.path)) continue
      const { text, type, links } = await get(next.path)
      seen.set(next.path, text)
      const promised = next.type?.split(";")[0]
      // RFC 9110 allows the general type for a document of a special one.
      if (promised !== undefined) expect([promised, "application/json"]).toContain(type.split(";")[0] ?? "")
      waiting.push(...links.map(({ uri, type: of }) => ({ path: uri, type: of })))
      if (type.startsWith("application/linkset+json")) {
        const { linkset } = JSON.parse(text) as Linkset
        for (const entry of linkset) {
          expect(URL.canParse(entry.anchor, service.url)).toBe(true)
          for (const value of Object.values(entry)) {
            if (typeof value !== "string")
              waiting.push(...value.map(({ href, type: of }) => ({ path: href, type: of })))
          }
        }
      }
      if (type.startsWith("text/markdown")) {
        const inside = [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path = ""]) => path)
        waiting.push(...inside.map((path) => ({ path, type: undefined })))
      }
    }
    expect([...seen.keys()].sort()).toEqual(
      [
        "/",
        "/.well-known/api-catalog",
        "/docs",
        "/llms.txt",
        "/openapi.json",
        ...ids.flatMap((id) => [`/docs/${id}.md`, `/openapi/${id}.json`]),
      ].sort(),
    )
    const { linkset } = JSON.parse(seen.get("/.well-known/api-catalog") ?? "") as Linkset
    expect(linkset.slice(1).map(({ anchor }) => anchor)).toEqual(ids.map((id) => `/v1/${id}`))
    for (const id of ids) expect(seen.get("/llms.txt")).toContain(`/docs/${id}.md`)
  })

  test("gets a short index of the service in the envelope", async () => {
    const { data } = await readAnswer(service.fetch("/"))
    expect(data).toMatchObject({
      name: "penknife",
      apis: catalog.map(({ id, method, credits }) => ({ id, method, credits, path: `/v1/${id}` })),
      links: { openapi: "/openapi.json", mcp: "/mcp", graphql: "/v1/graphql" },
    })
    expect((await service.fetch("/?format=yaml")).headers.get("content-type")).toContain("yaml")
  })
})

describe("an API's own documents", () => {
  test("are OpenAPI without a warning, with its two paths alone", async () => {
    const texts = await Promise.all(
      ids.map(async (id) => {
        const { text } = await get(`/openapi/${id}.json`)
        expect(Object.keys(JSON.parse(text).paths)).toEqual([`/v1/${id}`, `/v1/${id}/batch`])
        return text
      }),
    )
    expect(await lintOpenApi(...texts)).toEqual([])
  }, 60_000)

  test("are Markdown with its parameters, a command and the answer to it", async () => {
    for (const { id, examples, input } of catalog) {
      const { text } = await get(`/docs/${id}.md`)
      for (const name of Object.keys(input.properties)) expect(text).toContain(`\`${name}\``)
      const json = /```json\n(.*?)```/s.exec(text)?.[1] ?? ""
      expect(JSON.parse(json)).toEqual({ status: "ok", error: null, data: examples[0]?.output })
    }
  })

  test("there is none for an API that is not there", async () => {
    for (const path of ["/docs/nothing.md", "/openapi/nothing.json"]) {
      expect((await service.fetch(path)).status).toBe(404)
    }
  })
})

test("--public-url makes every address whole, also in documents that the command line prints", async () => {
  const publicUrl = "https://api.example.com"
  const public_ = await startTestService({ flags: { publicUrl } })
  const { servers } = (await (await public_.fetch("/openapi.json")).json()) as { servers: object[] }
  expect(servers).toMatchObject([{ url: publicUrl }])
  const { linkset } = (await (await public_.fetch("/.well-known/api-catalog")).json()) as Linkset
  for (const { anchor } of linkset) expect(anchor).toStartWith(`${publicUrl}/`)
  expect(await (await public_.fetch("/llms.txt")).text()).toContain(`(${publicUrl}/docs/hmac.md)`)
  expect(await (await public_.fetch("/docs/hmac.md")).text()).toContain(`${publicUrl}/v1/hmac`)
  const { out } = await runCliForTest(["openapi", "--public-url", publicUrl])
  expect(JSON.parse(out).servers).toMatchObject([{ url: publicUrl }])
  const wrong = await runCliForTest(["openapi", "--public-url", "https://api.example.com/x"])
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("without a path")])
})
