/** The pages that the server writes: the landing page and the reference, as a browser gets them. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { byCategory } from "../src/apis/categories.ts"
import { type ApiDefinition, defineApi, deprecated, premium } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { loadConfig } from "../src/config/load.ts"
import { brandStyle, contrast, toBrandColors } from "../src/surfaces/site/brand-look.ts"
import { html } from "../src/surfaces/site/site.ts"
import { readAnswer } from "./support/answer.ts"
import { startCatalogService } from "./support/catalog-service.ts"
import { startTestService } from "./support/service.ts"

/** The headers that Chromium sends when an address is opened. */
const browser = {
  accept:
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
}
const service = await startTestService()

async function open(path: string, from = service) {
  const answer = await from.fetch(path, { headers: browser })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

test("/ is a page for a browser: each API with what it does, its price and its pages", async () => {
  const { status, text, headers } = await open("/")
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(headers.get("vary")).toBe("Accept, Accept-Encoding")
  for (const { id, title, credits } of catalog) {
    expect(text).toContain(`href="/apis/${id}">${title}</a>`)
    expect(text).toContain(`href="/apis/${id}#try"`)
    expect(text).toContain(credits === 1 ? ">1 credit<" : `>${credits} credits<`)
  }
})

test("/ shows all APIs in groups with links to them where no script runs, and the words that find each", async () => {
  const { text } = await open("/")
  const groups = byCategory(catalog.map((definition) => ({ definition })))
  for (const { anchor, heading, apis } of groups) {
    expect(text).toContain(`<a href="#${anchor}">${heading}</a> <span class="muted">${apis.length}</span>`)
    expect(text.split(`id="${anchor}"`)).toHaveLength(2)
  }
  expect(text).toMatch(/<search class="search" data-many="APIs" hidden>/)
  for (const { keywords = [] } of catalog)
    expect(text).toContain(`data-terms="${Bun.escapeHTML(keywords.join(" "))}"`)
})

test.each([
  ["curl", "*/*", "application/json"],
  ["a client that says nothing", "", "application/json"],
  ["a client that wants JSON", "application/json", "application/json"],
  ["JSON before HTML", "application/json, text/html;q=0.9", "application/json"],
  ["a client that wants XML", "application/xml", "application/xml; charset=utf-8"],
  ["HTML that is not accepted", "text/html;q=0, */*", "application/json"],
])("/ is the index for %s", async (_who, accept, type) => {
  const answer = await service.fetch("/", { headers: accept === "" ? {} : { accept } })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
  const { data } = await readAnswer(service.fetch("/", { headers: { accept: "application/json" } }))
  expect(data).toMatchObject({ name: "penknife", links: { openapi: "/openapi.json" } })
})

test("/ is the index for a browser that asks for a format, and refuses a wrong one", async () => {
  expect((await open("/?format=yaml")).headers.get("content-type")).toBe("application/yaml")
  expect((await open("/?format=html")).status).toBe(400)
})

test("/ has no version of its own, since the same address gives an index", async () => {
  const again = await service.fetch("/", { headers: { ...browser, "if-none-match": "*" } })
  expect([again.status, again.headers.get("etag")]).toEqual([200, null])
  expect((await service.fetch("/", { method: "HEAD", headers: browser })).headers.get("content-type")).toBe(
    "text/html; charset=utf-8",
  )
})

test("/apis/<id> shows parameters, four languages, four formats, errors and price of every API", async () => {
  for (const { id, input, examples, description } of catalog) {
    const { status, text } = await open(`/apis/${id}`)
    expect([id, status]).toEqual([id, 200])
    for (const name of Object.keys(input.properties)) expect(text).toContain(`<code>${name}</code>`)
    for (const part of ["curl", "javascript", "python", "go", "json", "xml", "yaml", "csv"]) {
      expect(text.split(`<code data-language="${part}">`)).toHaveLength(examples.length + 1)
    }
    const codes = ["inputRejected", "keyMissing", "rateLimited", "creditsUsedUp", "storeUnavailable"]
    for (const code of codes) expect(text).toContain(`<code>${code}</code>`)
    expect(text).toContain(Bun.escapeHTML(description.slice(0, 40)))
    expect(text).toContain("for each input that succeeds")
  }
})

test("/apis/<id> keeps its version, so that a browser loads it once", async () => {
  const { headers } = await open("/apis/hmac")
  const again = await service.fetch("/apis/hmac", {
    headers: { ...browser, "if-none-match": headers.get("etag") ?? "" },
  })
  expect(again.status).toBe(304)
})

test("/apis/<id> says what is deprecated, what is premium and what there is none of", async () => {
  const own: ApiDefinition = defineApi({
    id: "marked",
    title: "<img src=x onerror=alert(1)>",
    description: "Gives back a text. `x` is code.",
    method: "POST",
    credits: 3,
    deprecation: { since: "2024-12-01", sunset: "2099-03-01", successor: "other" },
    input: Type.Object({
      what: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 5, description: "A number." })),
      old: Type.Optional(deprecated(Type.String({ description: "Old." }), { since: "2024-12-01" })),
      best: Type.Optional(premium(Type.String({ description: "Best." }))),
    }),
    output: Type.Object({ done: Type.String({ description: "Done." }) }),
    examples: [],
    run: () => ({ done: "" }),
  })
  const { url } = startCatalogService([own])
  const text = await (await fetch(`${url}/apis/marked`)).text()
  expect(text).toContain(
    "Deprecated since 2024-12-01. Use &#x27;other&#x27; instead. It is gone from 2099-03-01 on.",
  )
  expect(text).toContain('<span class="tag warn">deprecated</span>')
  expect(text).toContain('<span class="tag premium">premium</span>')
  expect(text).toContain("A whole number from 1 to 9. Default: <code>5</code>")
  expect(text).toContain("<code>x</code> is code.")
  expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;")
  expect(text).not.toContain("<img src=x")
  expect(text).not.toContain(">Examples<")
  expect(await (await fetch(url, { headers: browser })).text()).not.toContain("<img src=x")
})

test("/docs lists every API with its parameters, every rule and every error", async () => {
  const { status, text } = await open("/docs")
  expect(status).toBe(200)
  for (const { id, title, input } of catalog) {
    expect(text).toContain(`href="/apis/${id}">${title}</a>`)
    const page = (await open(`/apis/${id}`)).text
    for (const name of Object.keys(input.properties)) {
      expect(text).toContain(`href="/apis/${id}#parameter-${name}"`)
      expect(page).toContain(`id="parameter-${name}"`)
    }
  }
  const errors = (await open("/docs/errors")).text
  for (const code of ["inputRejected", "keyMissing", "bodyTooLarge", "rateLimited", "overloaded"]) {
    expect(text).toContain(`href="/docs/errors#${code}"`)
    expect(errors).toContain(`<li class="entry" id="${code}">`)
  }
})

test("/docs lists APIs under the headings of their categories, those without one last", async () => {
  const headingsIn = async (url: string) =>
    [
      ...(await (await fetch(url)).text()).matchAll(
        /<section aria-labelledby="category-[^>]*><h2[^>]*>([^<]+)</g,
      ),
    ].map(([, title]) => title)
  const own = ["Mail", "Identity", "Data", "Time and place", "Text"]
  expect(await headingsIn(`${service.url}/docs`)).toEqual(own)
  const [first, second, third, fourth] = catalog
  if (!first || !second || !third || !fourth) throw new Error("the catalog has too few APIs")
  const { category: _, ...without } = first
  const { url } = startCatalogService([
    without,
    { ...second, category: "Règles" },
    { ...third, category: "règles" },
    { ...fourth, category: "mail" },
  ])
  expect(await headingsIn(`${url}/docs`)).toEqual(["Mail", "Règles", "Others"])
})

test("/docs has a page for each rule; those of GraphQL and MCP only where they are served", async () => {
  const rulesIn = (text: string) => [
    ...new Set([...text.matchAll(/href="\/docs\/([a-z]+)"/g)].map(([, name]) => name)),
  ]
  const without = await startTestService({ flags: { noGraphql: true, noMcp: true } })
  const always = ["identity", "errors", "formats", "limits", "credits", "batch"]
  for (const [from, rules] of [
    [service, [...always, "graphql", "mcp"]],
    [without, always],
  ] as const) {
    expect(rulesIn((await open("/docs", from)).text)).toEqual([...rules])
    for (const rule of rules) expect((await open(`/docs/${rule}`, from)).status).toBe(200)
  }
  expect((await open("/docs/mcp", without)).status).toBe(404)
  expect((await open("/graphiql", without)).status).toBe(404)
})

test("/docs: an example names the configured address", async () => {
  const own = await startTestService({ flags: { publicUrl: "https://api.example.com" } })
  for (const rule of ["identity", "batch", "graphql", "mcp"]) {
    expect((await open(`/docs/${rule}`, own)).text).toContain("https://api.example.com/")
  }
})

test.each(["/nothing", "/apis/nothing", "/apis"])(
  "an address without a page: %s is a page for a browser",
  async (path) => {
    const { status, text, headers } = await open(path)
    expect([status, headers.get("content-type"), headers.get("x-error-code")]).toEqual([
      404,
      "text/html; charset=utf-8",
      "notFound",
    ])
    expect(text).toContain("There is no page at this address.")
    expect(headers.get("etag")).toBeNull()
    const { status: plain, body } = await service.fetch(path).then(async (answer) => {
      return { status: answer.status, body: await answer.json() }
    })
    expect([plain, body]).toMatchObject([404, { status: "error" }])
  },
)

test("an address without a page: an API's path answers a browser with JSON", async () => {
  const { status, headers } = await open("/v1/nothing")
  expect([status, headers.get("content-type")]).toEqual([404, "application/json"])
})

test("pages hold no script and no style of their own, and only this host may be loaded from and frame them", async () => {
  for (const path of ["/", "/docs", "/docs/errors", "/docs/graphql", "/apis/spfvalidator", "/nothing"]) {
    const { text, headers } = await open(path)
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
    const policy = headers.get("content-security-policy") ?? ""
    for (const rule of [
      "default-src 'self'",
      ...["frame-ancestors", "base-uri", "object-src"].map((name) => `${name} 'none'`),
    ]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    if (path === "/docs") expect(text).not.toMatch(/https?:\/\//)
    expect(headers.get("access-control-allow-origin")).toBeNull()
    expect(text).not.toMatch(
      /<script(?![^>]* src="\/)|<style| style=| on[a-z]+="|(?:src|href)="(?:https?:)?\/\//,
    )
  }
})

test("/favicon.ico is a picture, and /robots.txt keeps crawlers from what is private or costs", async () => {
  const icon = await service.fetch("/favicon.ico")
  expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
  expect(await icon.text()).toContain("#0b6b5d")
  const robots = await service.fetch("/robots.txt")
  expect(robots.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  const text = await robots.text()
  for (const path of ["/admin", "/console", "/portal", "/v1/"]) expect(text).toContain(`Disallow: ${path}\n`)
  expect(text).not.toMatch(/Disallow: \/(?:apis|docs|openapi|llms)?\n/)
})

test("--title and --brand-color: name and colour stand on every page, the name as text", async () => {
  const own = await startTestService({ flags: { title: '<b>"A&B"', brandColor: "tomato" } })
  for (const path of ["/", "/apis/hmac", "/nothing"]) {
    const { text } = await open(path, own)
    expect(text).toContain("&lt;b&gt;&quot;A&amp;B&quot;")
    expect(text).not.toContain('<b>"')
  }
  expect(await (await own.fetch("/favicon.ico")).text()).toContain("#ff6347")
  const [, style = ""] = /href="(\/assets\/brand-[^"]+)"/.exec((await open("/", own)).text) ?? []
  expect(await (await own.fetch(style)).text()).toBe(brandStyle(toBrandColors("#ff6347")))
})

test.each([
  ["title", "", "must be one line of 1 to 60 characters"],
  ["title", "two\nlines", "must be one line"],
  ["title", "x".repeat(61), "must be one line of 1 to 60 characters"],
  ["title", "a\u202eb", "without control characters"],
  ["brandColor", "nope", "must be a colour without transparency such as #0b6b5d or teal, not 'nope'"],
  ["brandColor", "#12345680", "must be a colour without transparency"],
  ["brandColor", "red; } body { display: none", "must be a colour without transparency"],
  ["brandColor", "red blue", "must be a colour without transparency"],
  ["brandColor", "currentcolor", "must be a colour without transparency"],
  ["brandColor", "color(display-p3 1 0 0)", "must be a colour without transparency"],
])("--title and --brand-color: %s %p is refused", (key, value, message) => {
  expect(() => loadConfig({ flags: { [key]: value }, env: {}, file: null })).toThrow(message)
})

test("--title and --brand-color: whatever the colour is, text in it and on it can be read in light and dark", () => {
  const steps = [0, 51, 102, 153, 204, 255].map((value) => value.toString(16).padStart(2, "0"))
  const colors = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)))
  for (const color of colors) {
    const { light, dark } = toBrandColors(color)
    for (const ground of ["#ffffff", "#f6f6f3", "#efefea"]) {
      expect([color, contrast(light.accent, ground) >= 4.5]).toEqual([color, true])
    }
    for (const ground of ["#121417", "#1a1d21", "#22262b"]) {
      expect([color, contrast(dark.accent, ground) >= 4.5]).toEqual([color, true])
    }
    for (const one of [light, dark]) expect(contrast(one.accent, one.onAccent)).toBeGreaterThan(4.5)
  }
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21)
})

test("a template escapes every value, and leaves out nothing but null, undefined and false", () => {
  const name = `<img src="x" onerror='alert(1)'>`
  expect(html`<p title="${name}">${[name, 0, null, false, undefined, html`<br>`]}</p>`.text).toBe(
    '<p title="&lt;img src=&quot;x&quot; onerror=&#x27;alert(1)&#x27;&gt;">&lt;img src=&quot;x&quot; onerror=&#x27;alert(1)&#x27;&gt;0<br></p>',
  )
})
