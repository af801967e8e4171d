/** `mock --like`: a test double that names how it differs from a running service. */
import { afterAll, describe, expect, test } from "bun:test"
import type { Timer } from "../src/apis/contract.ts"
import { differencesFrom } from "../src/app/like.ts"
import { prepareApis } from "../src/app/prepare.ts"
import { loadConfig } from "../src/config/load.ts"
import { mockOwn } from "../src/config/options.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { runCliForTest } from "./support/cli.ts"
import { apiSource, folderOf } from "./support/own-apis.ts"
import { startTestService } from "./support/service.ts"
import { createManualTimer } from "./support/timer.ts"

async function compareWith(url: string, file: Record<string, unknown> = {}, timer: Timer = systemTimer) {
  const sources = { flags: { like: url }, env: {}, file: { name: "p.toml", values: file } }
  const config = loadConfig(sources, mockOwn)
  return differencesFrom(config, await prepareApis(config), timer)
}

/** A server that answers everything with this. It stops after the file's tests. */
function stub(answer: () => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer })
  afterAll(() => server.stop(true))
  return server.url.origin
}

/** The members of the document that tests change. */
interface Document {
  readonly info: { version: string }
  readonly paths: Record<string, { readonly get: Record<string, unknown> }>
  readonly components: {
    readonly schemas: Record<
      "HmacInput" | "HmacData",
      { readonly properties: Record<string, Record<string, unknown>>; readonly required: string[] }
    >
  }
  readonly "x-plans": Record<string, unknown>
}

const same = await startTestService()

/** The document of a service of this version, changed. */
async function changed(change: (document: Document) => void): Promise<string> {
  const document = (await (await fetch(`${same.url}/openapi.json`)).json()) as Document
  change(document)
  return stub(() => Response.json(document))
}

const file = {
  credits: { hmac: 7 },
  plans: {
    free: { monthly_credits: 2_000, price: "€0" },
    team: { monthly_credits: 9_000, price: "€9 a month" },
    acme: { monthly_credits: 5_000_000 },
  },
}

const { url } = await startTestService({ file })

describe("a service", () => {
  test("of the same version and settings has no differences", async () => {
    expect(await compareWith(url, file)).toEqual([])
    // The names in examples and the address are the service's own, and change nothing for a caller.
    const named = await startTestService({ flags: { exampleDomain: "shop.example", title: "Shop" } })
    expect(await compareWith(named.url)).toEqual([])
  })

  test("with other prices and plans: each difference is a sentence, and plans that it does not show stay unknown", async () => {
    const found = await compareWith(url)
    expect(found).toContain("/v1/hmac, price in credits: 7 in the service, 1 in the double.")
    expect(found).toContain("plan free, monthly_credits: 2000 in the service, 1000 in the double.")
    expect(found).toContain('plan free, price: "€0" in the service, null in the double.')
    expect(found).toContain("Only the service has plan team.")
    expect(found.join()).not.toContain("acme")
    expect(found.join()).not.toContain("5000000")
  })

  test("with another catalog: missing and own APIs, GraphQL", async () => {
    const apis = folderOf({ "shoesize/index.ts": apiSource("shoesize") })
    const { url } = await startTestService({ flags: { apis, catalogExclude: ["hmac"], noGraphql: true } })
    expect((await compareWith(url)).toSorted()).toEqual([
      "Only the double has /v1/graphql.",
      "Only the double has /v1/hmac.",
      "Only the service has /v1/shoesize.",
    ])
  })

  test("of a newer version: the version, parameters, fields and lists", async () => {
    const url = await changed(({ info, paths, components: { schemas } }) => {
      info.version = "9.0.0"
      schemas.HmacInput.properties.pepper = { type: "string", description: "New." }
      schemas.HmacInput.required.push("pepper")
      Object.assign(schemas.HmacData.properties.hmac ?? {}, {
        description: "Another sentence changes nothing.",
      })
      delete schemas.HmacData.properties.encoding
      Object.assign(paths["/v1/macvendor"]?.get ?? {}, { "x-data-date": "2031-01-01" })
    })
    const found = await compareWith(url)
    expect(found).toContain(
      '/v1/hmac, parameter pepper: {"type":"string"} in the service, missing in the double.',
    )
    expect(found[0]).toMatch(/^the program, version: "9\.0\.0" in the service, "\d\S+" in the double\.$/)
    for (const start of [
      "/v1/hmac, field encoding: missing in the service",
      "/v1/hmac, required parameters: ",
      '/v1/macvendor, date of its list: "2031-01-01"',
    ])
      expect(found.filter((one) => one.startsWith(start))).toHaveLength(1)
    expect(found).toHaveLength(5)
  })
})

describe("what could not be found out is said as that", () => {
  const deepPlan = `{"info":{"version":"1"},"paths":{},"x-plans":{"free":{"price":${"[".repeat(99_999)}${"]".repeat(99_999)}}}}`
  const unknown = "It could not be found out what differs. "

  const json = (value: object) => () => Response.json(value)
  const text =
    (body: string | Uint8Array, status = 200) =>
    () =>
      new Response(body, { status })
  const elsewhere = "http://127.0.0.1:1/else"

  test.each<[string, () => Response, string]>([
    ["a page", text("<h1>hello</h1>"), "JSON"],
    ["another document", json({ openapi: "3.1.0", info: {}, paths: {} }), "no document of such a service"],
    ["a list", json([1]), "no document of such a service"],
    [
      "an older version",
      json({ info: { version: "0.1" }, paths: {} }),
      "no plans, as in those of older versions",
    ],
    ["a redirect", () => Response.redirect(elsewhere, 302), `status 302 ${elsewhere}`],
    ["a failure", text("", 503), "status 503"],
    ["over 10 MiB", text(new Uint8Array(11_000_000)), "the answer has more than 10485760 bytes"],
    ["deep nesting", text("[".repeat(2_000_000)), ""],
    ["a deep plan", text(deepPlan), ""],
  ])("%s", async (_, answer, reason) => {
    const url = stub(answer)
    const found = await compareWith(url)
    expect(found).toHaveLength(1)
    expect(found[0]).toStartWith(`${unknown}${url}/openapi.json: `)
    expect(found[0]).toContain(reason)
  })

  test("nothing listens there", async () => {
    const found = await compareWith("http://127.0.0.1:1")
    expect(found).toEqual([expect.stringContaining(`${unknown}http://127.0.0.1:1/openapi.json: `)])
  })

  test("no answer, and an answer that never ends", async () => {
    const never = new Promise<Response>(() => {})
    const endless = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(9)) }))
    for (const answer of [() => never, endless]) {
      const timer = createManualTimer()
      const { promise: asked, resolve } = Promise.withResolvers<void>()
      const url = stub(() => {
        resolve()
        return answer()
      })
      const found = compareWith(url, {}, timer)
      await asked
      timer.fire()
      expect(await found).toEqual([`${unknown}${url}/openapi.json: no whole answer in 5 s`])
    }
  })

  test("a hostile document: no characters that move the cursor, and no flood of lines", async () => {
    const url = await changed((document) => {
      document.info.version = "\u001b[2J9\u202e"
      for (let i = 0; i < 5_000; i++) document["x-plans"][`p${i}\n`] = { price: "x".repeat(1_000) }
    })
    const found = await compareWith(url)
    expect(found).toHaveLength(101)
    expect(found.at(-1)).toMatch(/^There are \d{4} more differences\.$/)
    expect(found.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(501)
  })
})

const run = (line: string) => runCliForTest(line.split(" "), { stopRequested: async () => {} })

test("the command warns, a line each, and starts; the JSON event has the differences", async () => {
  const differences = await compareWith(url)
  expect(differences.length).toBeGreaterThan(1)
  const { code, out, err } = await run(`mock --port 0 --json --like ${url}`)
  const lines = differences.map((difference) => `penknife: --like: ${difference}\n`)
  expect({ code, err }).toEqual({ code: 0, err: lines.join("") })
  expect(JSON.parse(out)).toMatchObject({ event: "listening", differences })
})

test("the command: --strict-like ends it with 1 if something differs or is not known, and not otherwise", async () => {
  expect(await run(`mock --port 0 --strict-like --like ${same.url}`)).toMatchObject({ code: 0, err: "" })
  for (const address of [url, "http://127.0.0.1:1"]) {
    const { code, out, err } = await run(`mock --port 0 --strict-like --like ${address}`)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toEndWith(`penknife: --strict-like: the double ends, since it may differ from ${address}.\n`)
  }
})

test("the command: without --like nothing is compared; --strict-like alone and addresses with a path are refused", async () => {
  const { out } = await run("mock --port 0 --json")
  expect(out).not.toContain("differences")
  const alone = { code: 2, err: "penknife: --strict-like needs --like.\n" }
  expect(await run("mock --port 0 --strict-like")).toMatchObject(alone)
  const { code, err } = await run("mock --port 0 --like http://127.0.0.1:1/v1")
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining("--like must be an address such as"),
  })
})
