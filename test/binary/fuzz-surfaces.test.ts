/**
 * Generated requests to the executable, beside those of `fuzz.test.ts`: to the admin API, the portal, MCP, pages, documents and
 * own APIs, and to the control paths of the test double. `bun run fuzz` sends more of them.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"
import fc from "fast-check"
import { mockZone } from "../../src/app/mock.ts"
import { catalog } from "../../src/app/prepare.ts"
import type { OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"
import { seedOfDay } from "../fuzz/seed.ts"
import { controlRequests, pageOfEachKind, type SurfacesParts, surfaceRequests } from "../fuzz/surfaces.ts"
import { hasWrongHost, pathOf, saysTwice } from "../fuzz/verdict.ts"
import { createWire, toBytes, type WireRequest } from "../fuzz/wire.ts"
import { checkAdminAnswer } from "../support/admin-answer-check.ts"
import { startDnsServer } from "../support/dns-server.ts"
import { mainThreadMs } from "../support/processor-time.ts"
import { tempDir } from "../support/temp.ts"
import { watchTurns } from "../support/turn-watch.ts"
import { createAccount } from "./accounts.ts"
import { runJson, serve, start } from "./support.ts"

const seed = Number(process.env.FUZZ_SEED ?? seedOfDay())
const runs = Number(process.env.FUZZ_RUNS ?? 750)
const byHand = process.env.FUZZ_RUNS !== undefined || process.env.FUZZ_SEED !== undefined
/** Each may make 600 requests a minute. */
const administrators = byHand ? 60 : 8
/** Their changes are limited, too. */
const customers = byHand ? 20 : 2
const timeoutMs = 300_000 + runs * 10

test(
  `${runs.toLocaleString("en-US")} requests to all other surfaces, seed ${seed}`,
  async () => {
    const zone = Object.entries(mockZone).filter(([, entries]) => !/timeout/i.test(JSON.stringify(entries)))
    const dns = await startDnsServer(Object.fromEntries(zone))
    try {
      const db = join(tempDir(), "store.db")
      const callers = await createAccount(db, { plan: "enterprise" })
      const { key: adminKey } = await runJson("admin-key", "create", "--name", "first", "--db", db)
      const apis = join(import.meta.dir, "../../examples/apis")
      const server = await serve(db, "--dns-server", dns.address, "--apis", apis)
      const parts = await prepare(server.url, callers.key, adminKey)
      const answers = await sendAll(server, surfaceRequests(parts), runs, pageOfEachKind(parts))
      expect(await server.stop()).toBe(0)
      const succeeded = "/admin/v1 /portal/v1 /mcp /docs /apis /console /portal /assets /v1".split(" ")
      expect(succeeded.filter((surface) => !answers.has(`${surface} 200`))).toEqual([])
    } finally {
      await dns.stop()
    }
  },
  timeoutMs,
)

test(
  `${(runs / 10).toLocaleString("en-US")} requests to the control paths of the test double, seed ${seed}`,
  async () => {
    const mock = await start(["mock", "--port", "0"])
    const ids = catalog.map(({ id }) => id)
    const answers = await sendAll(mock, controlRequests(new URL(mock.url).host, ids), runs / 10)
    expect(await mock.stop()).toBe(0)
    expect([...answers.keys()]).toEqual(expect.arrayContaining(["/_mock 200", "/_mock 400"]))
  },
  timeoutMs,
)

/** Makes administrators, accounts and sessions, and reads which pages there are. */
async function prepare(url: string, apiKey: string, adminKey: string): Promise<SurfacesParts> {
  const read = async (path: string) => (await fetch(url + path)).text()
  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
    expect([path, answer.status]).toEqual([path, 201])
    return { answer, body: (await answer.json()) as Record<"id" | "key" | "csrf" | "url", string> }
  }
  const asFirst = { authorization: `Bearer ${adminKey}` }
  const change = async (path: string, body: object) => (await send(`/admin/v1${path}`, body, asFirst)).body
  const adminKeys: string[] = []
  for (let n = 0; n < administrators; n++)
    adminKeys.push((await change("/admins", { name: `fuzz ${n}`, may: ["*"] })).key)
  const signIn = async (page: string, secret: object) => {
    const { answer, body } = await send(`/${page}/session`, secret, { "sec-fetch-site": "same-origin" })
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? ""
    return [
      ["cookie", cookie],
      ["x-csrf-token", body.csrf],
      ["sec-fetch-site", "same-origin"],
    ] as const
  }
  const ids: string[] = []
  const ownIds: string[] = []
  const portalSessions: Awaited<ReturnType<typeof signIn>>[] = []
  for (let n = 0; n < customers; n++) {
    const plan = n % 2 === 0 ? "pro" : "free"
    for (const made of [ids, ownIds]) {
      const { id } = await change("/accounts", { name: `fuzz ${n}`, plan })
      made.push(id, (await change("/keys", { account: id })).id)
    }
    const { url: link } = await change(`/accounts/${ownIds.at(-2)}/portal-link`, {})
    portalSessions.push(await signIn("portal", { token: link.split("#token=")[1] }))
  }
  const linking = ["/", "/docs", "/console", "/portal", "/docs/graphql", "/apis/hmac", "/llms.txt"]
  const linked = (await Promise.all(linking.map(read))).flatMap((text) =>
    [...text.matchAll(/(?:href|src)="(\/[^"#]*)"/g)].map(([, path = "/"]) => path),
  )
  return {
    ...{ catalog, adminKeys, ids, ownIds, portalSessions, apiKeys: [apiKey] },
    host: new URL(url).host,
    document: JSON.parse(await read("/openapi.json")) as OpenApiDocument,
    adminDocument: JSON.parse(await read("/admin/openapi.json")) as OpenApiDocument,
    consoleSessions: await Promise.all(adminKeys.slice(0, 4).map((key) => signIn("console", { key }))),
    pages: [
      ...new Set([
        ...linked,
        ...catalog.flatMap(({ id }) => [
          `/apis/${id}`,
          `/docs/${id}.md`,
          `/docs/${id}.graphql`,
          `/openapi/${id}.json`,
        ]),
        ...pages.split(" "),
      ]),
    ],
  }
}

const pages =
  "/ /docs /console /portal /graphiql /llms.txt /robots.txt /openapi.json /admin/openapi.json /.well-known/api-catalog " +
  "/metrics /health /ready /v1/wordcount?text=a%20b /v1/mailservers?domain=good.example"

/**
 * By hand, a request that takes longer in all its turns together is sent three times more, and its turns are watched: a busy
 * machine makes few of them long, and the service all.
 */
const longMs = 40
/** No turn of the service may take longer. */
const longestMs = 50

/** A request and the time on a processor that the service's main thread took for it. */
interface Turn {
  /** Its longest turn, the lowest of the times that it was watched; `firstMs` if it was not watched. */
  readonly ms: number
  /** All its turns together when it was first sent. */
  readonly firstMs: number
  readonly request: string
}

/**
 * Sends `first` and other requests one after another and judges their answers. Returns how many answers of which status each
 * surface gave.
 */
async function sendAll(
  { url, child }: Awaited<ReturnType<typeof serve>>,
  lists: fc.Arbitrary<readonly WireRequest[]>,
  count: number,
  first: readonly WireRequest[] = [],
): Promise<ReadonlyMap<string, number>> {
  const wire = createWire(url)
  const answers = new Map<string, number>()
  const longest: Turn[] = []
  let sent = 0
  const property = fc.asyncProperty(lists, async (list) => {
    for (const request of list) {
      const beforeMs = mainThreadMs(child.pid)
      const response = await wire.send(request)
      const firstMs = mainThreadMs(child.pid) - beforeMs
      let ms = firstMs
      for (let again = 0; byHand && again < 3 && ms > longMs; again++)
        ms = Math.min(ms, (await watchTurns({ url, pid: child.pid }, () => wire.send(request))).longestMs)
      const turn = { ms, firstMs, request: describe(request) }
      await judge(request, response).catch((cause) => {
        throw new Error(`${cause}: ${describe(request)}`, { cause })
      })
      const place = `${surfaceOf(request.target)} ${response.status}`
      answers.set(place, (answers.get(place) ?? 0) + 1)
      sent++
      if (turn.ms > (longest.at(-1)?.ms ?? 0) || longest.length < 10) {
        longest.push(turn)
        longest.sort((a, b) => b.ms - a.ms).splice(10)
      }
    }
  })
  const numRuns = Math.ceil(count / 5)
  const details = await fc.check(property, { seed, numRuns, endOnFailure: true, examples: [[first]] })
  wire.close()
  if (details.failed) throw details.errorInstance
  if (byHand) {
    console.log(
      `${sent} requests. Longest turns, ms of the main thread; in brackets all turns of the first time:`,
    )
    for (const { ms, firstMs, request } of longest)
      console.log(`  ${ms.toFixed(1)} (${firstMs.toFixed(1)}): ${request.slice(0, 300)}`)
    for (const [place, number] of [...answers].sort()) console.log(`  ${place}: ${number}`)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    const lag = metrics.split("\n").filter((line) => /^penknife_event_loop_lag_.* [1-9]/.test(line))
    console.log(`How late timers ran, whatever kept them:\n  ${lag.join("\n  ")}`)
    expect(longest[0]?.ms).toBeLessThan(longestMs)
  }
  return answers
}

/** The APIs of the catalog that ask the DNS, and the own one: they may be unavailable. */
const askingDns = new RegExp(
  [...catalog.filter(({ asksDns, asksWeb }) => asksDns || asksWeb).map(({ id }) => id), "mailservers"].join(
    "|",
  ),
)

/** Signs of internals in an answer: a stack, a path of the program, a code of the store. */
const inside = /\.[jt]sx?:\d+:\d+|SQLITE_|\/\$bunfs\/|node_modules/i

async function judge(request: WireRequest, response: Response): Promise<void> {
  const { method, target, body } = request
  const { status } = response
  if (status === 431) return
  const isDns = askingDns.test(target) || askingDns.test(body?.toString() ?? "")
  if (status === 500 || (status === 503 && !isDns)) {
    const text = await response.text()
    // An earlier request may have asked the test double for it.
    if (!text.includes("A fault of the mock answers with"))
      throw new Error(`a ${status}: ${text.slice(0, 300)}`)
    return
  }
  if (!/^[\w.-]{1,128}$/.test(response.headers.get("x-request-id") ?? ""))
    throw new Error(`a ${status} without id`)
  if (status >= 400 && inside.test(await response.clone().text()))
    throw new Error("the answer shows internals")
  const path = pathOf(target)
  // Both are refused before the path is looked at, and so with any method.
  const isMalformed =
    hasWrongHost(request) || (status === 400 && saysTwice(await response.clone().text(), request))
  if (path.startsWith("/admin/v1/") && !isMalformed) await checkAdminAnswer(method, path, response)
}

const describe = (request: WireRequest): string =>
  JSON.stringify(toBytes(request).toString("latin1").slice(0, 3_000))

const surfaceOf = (target: string): string =>
  /^\/(?:(?:admin|portal)\/v1|[\w.-]+)/.exec(target)?.[0] ?? "other"
