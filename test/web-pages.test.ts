/** The pages of the console and the portal and what they load, as the service sends them. */
import { expect, test } from "bun:test"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { operations } from "../src/admin/operations.ts"
import { readWebFiles } from "../src/surfaces/http/web/source-files.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const raw = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers, decompress: false })

test.each(["console", "portal"])(
  "/%s is one page for all its paths, which may load only what this host serves",
  async (name) => {
    const page = await raw(`/${name}`)
    const text = await page.text()
    expect(page.status).toBe(200)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    })
    expect(page.headers.get("access-control-allow-origin")).toBeNull()
    expect(text).not.toMatch(/<style|style=|<script(?![^>]*src=)|\bon\w+=/)
    expect(await (await raw(`/${name}/accounts/acc_1?plan=pro`)).text()).toBe(text)
    expect((await raw(`/${name}`, { "if-none-match": page.headers.get("etag") ?? "" })).status).toBe(304)
  },
)

test.each(["console", "portal"])(
  "/%s shows the service's name before its script runs, and names all that the script imports",
  async (name) => {
    const own = await startTestService({ flags: { title: "A&B" } })
    const page = await (await fetch(`${own.url}/${name}`)).text()
    expect(page).toMatch(/<div id="app"><main [^>]*>.*A&amp;B.*<\/main><\/div>/)
    expect(page).toMatch(new RegExp(`<main [^>]*>.*<noscript><p>The ${name} needs JavaScript\\.`))
    const [, script = ""] = /<script type="module" src="([^"]+)"/.exec(page) ?? []
    const imports = [...(await (await raw(script)).text()).matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(
      (m) => m[1],
    )
    const preloaded = [...page.matchAll(/rel="modulepreload" href="\/assets\/([^"]+)"/g)].map((m) => m[1])
    expect(imports).not.toEqual([])
    expect(preloaded).toEqual(imports)
  },
)

test("a browser waits for one style sheet, and for a second with the operator's colour alone", async () => {
  const own = await startTestService({ flags: { brandColor: "tomato" } })
  const sheets = async (url: string) =>
    (await (await fetch(url, { headers: { accept: "text/html" } })).text()).match(/rel="stylesheet"/g)?.length
  for (const path of ["/", "/docs", "/apis/hmac", "/console", "/portal"])
    expect([path, await sheets(service.url + path), await sheets(own.url + path)]).toEqual([path, 1, 2])
})

test("what a page loads is kept for good, and sent in the form that the browser takes", async () => {
  const page = await (await raw("/console")).text()
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "")
  expect(paths.length).toBeGreaterThan(3)
  for (const path of paths) {
    const plain = await (await raw(path, { "accept-encoding": "identity" })).bytes()
    for (const [coding, open] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const answer = await raw(path, { "accept-encoding": coding })
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-encoding": coding,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      })
      expect(answer.headers.get("content-type")).toMatch(/^(?:text\/(?:javascript|css)|image\/svg\+xml)/)
      expect(Buffer.compare(open(await answer.bytes()), plain)).toBe(0)
    }
    const first = await raw(path)
    const kept = await raw(path, { "if-none-match": first.headers.get("etag") ?? "" })
    expect([kept.status, (await kept.bytes()).length]).toEqual([304, 0])
  }
})

test("an unknown file is a 404", async () => {
  for (const path of ["/assets/console.js", "/assets/..%2f..%2fetc%2fpasswd", "/assets/"])
    expect((await raw(path)).status).toBe(404)
})

test("the console is where the admin API is, the portal on the main address", async () => {
  const off = await startTestService({ flags: { admin: "off" } })
  const statusOf = async (url: string) => (await fetch(url)).status
  expect(await statusOf(`${off.url}/console`)).toBe(404)
  expect(await statusOf(`${off.url}/portal`)).toBe(200)
  const apart = await startTestService({ flags: { admin: "127.0.0.1:0" } })
  const adminUrl = apart.server.adminUrl ?? ""
  expect(await statusOf(`${apart.url}/console`)).toBe(404)
  expect(await statusOf(`${adminUrl}/console/accounts`)).toBe(200)
  expect(await statusOf(`${adminUrl}/portal`)).toBe(404)
})

test("scripts and styles are small enough to be there at once", async () => {
  const files = [...(await readWebFiles()).values()]
  const read = await Promise.all(files.map(async (f) => [f.name, Buffer.from(await f.read("br"))] as const))
  const bytes = new Map(read)
  /** A script with all that it imports, at once or later. */
  const scriptsFrom = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    const text = brotliDecompressSync(bytes.get(name) ?? "").toString()
    for (const [part] of text.matchAll(/[\w-]+\.js/g)) if (bytes.has(part)) scriptsFrom(part, found)
    return found
  }
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (bytes.get(name)?.length ?? 0), 0)
  const scriptOf = (page: string) =>
    [...bytes.keys()].find((name) => new RegExp(`^${page}-.*js$`).test(name)) ?? ""
  expect(sum(scriptsFrom(scriptOf("console")))).toBeWithin(50_000, 95_000)
  // With the report of an audit.
  expect(sum(scriptsFrom(scriptOf("portal")))).toBeWithin(50_000, 70_000)
  expect(sum(scriptsFrom(scriptOf("mock")))).toBeWithin(10_000, 25_000)
  expect(sum([...bytes.keys()].filter((name) => /^(?!library-).*css$/.test(name)))).toBeWithin(1_000, 15_000)
})

test("of the operations only method, path and the parameters of forms get into a browser", async () => {
  const files = [...(await readWebFiles()).values()].filter(({ name }) => name.endsWith(".js"))
  const script = (await Promise.all(files.map(async ({ read }) => gunzipSync(await read("gzip"))))).join("")
  expect(operations.filter(({ path }) => !script.includes(path))).toEqual([])
  expect(operations.filter(({ description }) => script.includes(description))).toEqual([])
  const { input } = operations.find(({ id }) => id === "accounts.update") ?? {}
  expect(script).toContain(input?.properties.plan?.description ?? "missing")
  expect(script).not.toContain(input?.properties.metadata?.description ?? "")
})

test("the script of the portal has the operations that customers can run, and no others", async () => {
  const files = [...(await readWebFiles()).values()].filter(({ name }) => name.endsWith(".js"))
  const texts = await Promise.all(
    files.map(async ({ name, read }) => [name, String(gunzipSync(await read("gzip")))] as const),
  )
  const withoutConsole = texts.filter(([name]) => !name.startsWith("console-")).map(([, text]) => text)
  const [customers, operators] = [true, false].map((isPortal) =>
    operations.filter(({ portal }) => (portal !== undefined) === isPortal).map(({ path }) => `"${path}"`),
  )
  const script = withoutConsole.join("").replaceAll("`", '"')
  expect(customers?.filter((path) => !script.includes(path))).toEqual([])
  const shared = new Set(customers)
  expect(operators?.filter((path) => !shared.has(path) && script.includes(path))).toEqual([])
})
