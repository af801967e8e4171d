/** Sessions of the mock: each is a mock of its own below a base path, or by a header. */
import { heapStats } from "bun:jsc"
import { expect, test } from "bun:test"
import fc from "fast-check"
import { mostOpen } from "../src/app/mock-stores.ts"
import { createSessions, maxSessions } from "../src/surfaces/http/mock/sessions.ts"
import { readAnswer } from "./support/answer.ts"
import { openBrowser } from "./support/browser.ts"
import { postWith } from "./support/keyed-request.ts"
import { askForLink, startTestMock } from "./support/mock.ts"
import { liveInParallel, newSession } from "./support/mock-sessions.ts"
import { createManualTimer } from "./support/timer.ts"
import { hasTurn, inTurn } from "./support/turns.ts"
import { until } from "./support/until.ts"

const mock = await startTestMock()
const get = (url: string, headers: Record<string, string> = {}) => readAnswer(fetch(url, { headers }))
const put = (url: string, body: object) => readAnswer(fetch(url, { ...postWith(body), method: "PUT" }))
const key = { "x-api-key": "mock-pro" }
const lookUp = "/v1/bluetoothlookup?companyid=76"

test("60 tests at a time see nothing of each other, nor the shared mock of them", async () => {
  const before = await get(`${mock.url}/_mock/clock`)
  await liveInParallel(mock.url, 60)
  for (const path of ["clock", "faults", "stubs", "mails", "notices", "dns", "web"])
    expect(JSON.stringify(await get(`${mock.url}/_mock/${path}`))).not.toContain("session-")
  expect(await get(`${mock.url}/_mock/clock`)).toEqual(before)
  expect((await get(`${mock.url}/_mock/requests`)).data).toEqual({ requests: [], total: 0, dropped: 0 })
})

test("a session begins as the shared mock did, also after another one was changed and ended", async () => {
  const read = async (url: string) => {
    const answers = [lookUp, "/v1/usage", "/v1/spfvalidator?domain=good.example", "/_mock/notices"]
    const texts: string[] = []
    for (const path of answers) {
      const answer = await fetch(url + path, { headers: key })
      const { date: _, ...headers } = Object.fromEntries(answer.headers)
      texts.push(`${answer.status} ${JSON.stringify(headers)} ${await answer.text()}`)
    }
    return texts
  }
  await mock.reset()
  const expected = await read(mock.url)
  const changed = await newSession(mock.url)
  await put(`${changed.url}/_mock/clock`, { advance: "31d" })
  await fetch(`${mock.url}/_mock/sessions/${changed.id}`, { method: "DELETE" })
  const { url } = await newSession(mock.url)
  expect(await read(url)).toEqual(expected)
  await put(`${url}/_mock/clock`, { advance: "31d" })
  await fetch(`${url}/_mock/reset`, { method: "POST" })
  expect(await read(url)).toEqual(expected)
})

test("the header names a session too, for calls and control paths; a reset of a session is of it alone", async () => {
  const { id, url, header } = await newSession(mock.url)
  const inSession = { [header]: id }
  await put(`${mock.url}/_mock/clock`, { now: "2026-01-01T00:00:00Z" })
  await put(`${url}/_mock/clock`, { now: "2027-01-01T00:00:00Z" })
  await fetch(mock.url + lookUp, { headers: { ...key, ...inSession } })
  const { data } = await get(`${mock.url}/_mock/requests`, inSession)
  expect(data).toMatchObject({ total: 1, requests: [{ at: "2027-01-01T00:00:00.000Z", path: lookUp }] })
  expect((await get(`${url}/_mock/requests`, inSession)).data).toEqual(data)
  expect((await fetch(`${url}/_mock/reset`, { method: "POST" })).status).toBe(200)
  expect((await get(`${url}/_mock/clock`)).data?.now).toBe("2025-01-01T00:00:00.000Z")
  expect((await get(`${mock.url}/_mock/clock`)).data?.now).toBe("2026-01-01T00:00:00.000Z")
  await mock.reset()
})

test("every way of calling works below the base path, with addresses that do so too", async () => {
  const { url } = await newSession(mock.url)
  const call = async (path: string, body: object, accept = "*/*") => {
    const headers = { ...key, accept, "content-type": "application/json" }
    return (await fetch(url + path, postWith(body, { headers }))).text()
  }
  expect(await call("/v1/bluetoothlookup/batch", { inputs: [{ companyid: "76" }] })).toContain("Apple")
  const query = '{ bluetoothlookup(input: {companyid: "76"}) { company } }'
  expect(await call("/v1/graphql", { query })).toContain("Apple")
  const params = { name: "bluetoothlookup", arguments: { companyid: "76" } }
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params }
  expect(await call("/mcp", message, "application/json, text/event-stream")).toContain("Apple")
  const called = ["/v1/bluetoothlookup/batch", "/v1/graphql", "/mcp"]
  expect((await get(`${url}/_mock/requests`)).data).toMatchObject({
    requests: called.map((path) => ({ path, apis: ["bluetoothlookup"] })),
  })
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: { url: string }[] }
  expect(document.servers.map((server) => server.url)).toEqual([url])
  expect(await (await fetch(`${url}/llms.txt`)).text()).toContain(`${url}/`)
  await askForLink(url)
  const { mails } = (await get(`${url}/_mock/mails`)).data as { mails: { link: string }[] }
  expect(mails.map(({ link }) => link.startsWith(`${url}/portal`))).toEqual([true])
  expect((await get(`${mock.url}/_mock/mails`)).data).toEqual({ mails: [] })
})

test("a session whose store is put away before each request answers as one whose store stays open", async () => {
  const others = await Promise.all(Array.from({ length: mostOpen }, () => newSession(mock.url)))
  const putAway = () => Promise.all(others.map(({ url }) => fetch(`${url}/v1/usage`, { headers: key })))
  const admin = { "x-admin-key": "mock-admin" }
  const accounts = ["acc_mockNoCredits", "acc_none"]
  const ofAccount = (id: string) => [`accounts/${id}`, `keys?account=${id}`, `usage?account=${id}`]
  const adminPaths = ["accounts", ...accounts.flatMap(ofAccount)]
  const [GET, PUT, POST, DELETE] = ["GET", "PUT", "POST", "DELETE"] as const
  const step = fc.oneof(
    fc.constantFrom([GET, lookUp], [GET, "/v1/usage"], [POST, "/v1/hmac", { message: "a", key: "b" }]),
    fc.integer({ min: 1, max: 3 }).map((count) => {
      const inputs = Array.from({ length: count }, () => ({ companyid: "76" }))
      return [POST, "/v1/bluetoothlookup/batch", { inputs }] as const
    }),
    fc.constantFrom("1h", "1d", "31d", "400d").map((advance) => [PUT, "/_mock/clock", { advance }] as const),
    fc.constantFrom(
      [PUT, "/_mock/faults", { api: "hmac", status: 503, times: 1 }],
      [DELETE, "/_mock/faults"],
    ),
    fc.constantFrom("requests", "notices", "mails", "faults", "clock").map((path) => [GET, `/_mock/${path}`]),
    fc.constantFrom([GET, "/_mock/seed"], [POST, "/_mock/reset"]),
    fc.constantFrom(...adminPaths.map((path) => [GET, `/admin/v1/${path}`])),
    fc.constantFrom("", ...accounts).map((account) => {
      const body = { name: "Made by a test", ...(account && { account }) }
      return [POST, `/admin/v1/${account ? "keys" : "accounts"}`, body] as const
    }),
  ) as fc.Arbitrary<readonly [method: string, path: string, body?: object]>
  const statuses = new Set<number>()
  const answerOf = async (base: string, [method, path, body]: readonly [string, string, object?]) => {
    const headers = { ...key, ...admin, "content-type": "application/json" }
    const answer = await fetch(base + path, { ...(body && postWith(body)), method, headers })
    statuses.add(answer.status)
    const { date: _, ...kept } = Object.fromEntries(answer.headers)
    return `${answer.status} ${JSON.stringify(kept)} ${await answer.text()}`.replaceAll(base, "BASE")
  }
  const lives = fc.sample(fc.array(step, { minLength: 3, maxLength: 9 }), 12)
  const always = [
    [GET, "/admin/v1/accounts/acc_none"],
    [POST, "/admin/v1/accounts", { name: "Made by a test" }],
    [GET, "/admin/v1/accounts"],
  ] as const
  for (const steps of [always, ...inTurn(lives, 6)]) {
    const [open, putAwayOften] = [await newSession(mock.url), await newSession(mock.url)]
    const expected: string[] = []
    for (const one of steps) expected.push(await answerOf(open.url, one))
    const given: string[] = []
    for (const one of steps) {
      await putAway()
      given.push(await answerOf(putAwayOften.url, one))
    }
    expect(given).toEqual(expected)
    for (const { id } of [open, putAwayOften])
      await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "DELETE" })
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 404]))
})

// One commit of four measures it. The executable is measured with each (test/binary/mock.test.ts).
test.if(hasTurn(1, 4))("a session that was used keeps at most 26.5 kB of objects", async () => {
  const use = async () => {
    const { url } = await newSession(mock.url)
    for (const path of [lookUp, "/v1/usage", "/v1/ipcalculator?ip=10.0.0.0/8"])
      await (await fetch(url + path, { headers: key })).text()
  }
  const liveBytes = async () => {
    // Objects that a first collection frees may hold others until the next one.
    for (let turn = 0; turn < 3; turn++) {
      Bun.gc(true)
      await new Promise(setImmediate)
    }
    const { heapSize, extraMemorySize } = heapStats()
    return heapSize + extraMemorySize
  }
  // Open stores and code that was compiled are there before.
  for (let used = 0; used < 200; used++) await use()
  const before = await liveBytes()
  for (let used = 0; used < 200; used++) await use()
  expect(((await liveBytes()) - before) / 200).toBeLessThanOrEqual(26_500)
})

const html = { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" } as const

test("a browser that opens a page of a session is in that session on all pages, and leaves it when it ends", async () => {
  const { id, url } = await newSession(mock.url)
  const opened = await fetch(`${url}/console/accounts?page=2`, html)
  const cookie = `mock-session=${id}`
  expect([opened.status, opened.headers.get("location"), opened.headers.get("set-cookie")]).toEqual([
    303,
    "/console/accounts?page=2",
    `${cookie}; Path=/; HttpOnly; SameSite=Lax`,
  ])
  const browser = openBrowser(mock.url)
  browser.cookies.set("mock-session", id)
  await browser.signIn("console", { token: "mock-console-link" })
  const made = await browser.send("POST", "/admin/v1/accounts", { body: { name: "In the session" } })
  expect(made.status).toBe(201)
  const headers = { authorization: "Bearer mock-admin" }
  const accounts = async (base: string) => (await fetch(`${base}/admin/v1/accounts`, { headers })).text()
  expect(await accounts(url)).toContain("In the session")
  expect(await accounts(mock.url)).not.toContain("In the session")
  const page = await fetch(`${mock.url}/console`, { headers: { ...html.headers, cookie } })
  expect(page.status).toBe(200)
  expect(page.headers.get("content-type")).toContain("text/html")
  await put(`${url}/_mock/clock`, { now: "2027-01-01T00:00:00Z" })
  // Control paths without a base path stay those of the shared mock.
  expect((await get(`${mock.url}/_mock/clock`, { cookie })).data?.now).toBe("2025-01-01T00:00:00.000Z")
  await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "DELETE" })
  const ended = await fetch(`${mock.url}/console`, { headers: { ...html.headers, cookie } })
  expect([ended.status, ended.headers.get("set-cookie")]).toEqual([404, "mock-session=; Path=/; Max-Age=0"])
})

test("a browser is never sent to another host, and programs are not sent away", async () => {
  const { url } = await newSession(mock.url)
  for (const path of ["//other.example/", "/\\other.example/", "///other.example"]) {
    const location = (await fetch(url + path, html)).headers.get("location") ?? "/"
    expect(new URL(location, mock.url).host).toBe(new URL(mock.url).host)
  }
  for (const path of [lookUp, "/admin/v1/accounts", "/_mock/clock"])
    expect((await fetch(url + path, html)).status).not.toBe(303)
  expect((await fetch(`${url}/console`, { redirect: "manual" })).status).toBe(200)
})

test("an id without a session is a 404 that says so, by path and by header, for calls and control paths", async () => {
  const { id, url, header } = await newSession(mock.url)
  expect((await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "DELETE" })).status).toBe(200)
  const total = async () => (await get(`${mock.url}/_mock/requests`)).data?.total
  const before = await total()
  for (const named of [id, "x", "", "../1", "1,2", "%31", "0".repeat(5_000)]) {
    const byHeader = named === "" ? [] : [[mock.url, { [header]: named }] as const]
    for (const [base, headers] of [[`${mock.url}/s/${named}`, {}] as const, ...byHeader])
      for (const path of [lookUp, "/_mock/clock", "/_mock/reset", "/console"]) {
        if (named === "../1" && base !== mock.url) continue
        const { status, error } = await get(base + path, { ...key, ...headers })
        expect({ named, path, status, error }).toEqual({
          ...{ named, path, status: "error" },
          error: expect.stringMatching(/^There is no such session\..*POST \/_mock\/sessions makes one\.$/),
        })
      }
  }
  expect(await total()).toBe(before)
  expect((await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "DELETE" })).status).toBe(404)
  expect((await fetch(url + lookUp)).headers.get("access-control-allow-origin")).toBe("*")
})

test("an id without a session does not become that of the path when the header names another one", async () => {
  const [one, other] = [await newSession(mock.url), await newSession(mock.url)]
  const { error } = await get(one.url + lookUp, { ...key, [one.header]: other.id })
  expect(error).toContain(
    `The request header 'x-mock-session' must name the session of the path, '/s/${one.id}'`,
  )
})

test("lists its sessions, takes no body to make one, and says which methods there are", async () => {
  const { id } = await newSession(mock.url)
  const { data } = await get(`${mock.url}/_mock/sessions`)
  expect(data).toMatchObject({ most: maxSessions })
  expect((data as { sessions: object[] }).sessions).toContainEqual({ id, url: `${mock.url}/s/${id}` })
  const refused = await mock.control("POST", "/sessions", { name: "a" })
  expect([refused.code, refused.error]).toEqual([400, expect.stringContaining("'body'")])
  const wrong = await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "PUT" })
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE"])
  const { error } = await mock.control("GET", "/nothing")
  expect(error).toContain("/_mock/sessions/{id}")
})

test("a request in progress is answered by its session, which ends meanwhile", async () => {
  const { id, url } = await newSession(mock.url)
  await put(`${url}/_mock/faults`, { api: "bluetoothlookup", delay_ms: 300, times: 1 })
  const call = get(url + lookUp, key)
  // Its fault is taken when the request has begun.
  await until(async () => !JSON.stringify((await get(`${url}/_mock/faults`)).data).includes("delay_ms"))
  const ended = await fetch(`${mock.url}/_mock/sessions/${id}`, { method: "DELETE" })
  expect([(await call).data?.company, ended.status]).toEqual(["Apple, Inc.", 200])
})

const create = (more: Partial<Parameters<typeof createSessions<string>>[0]> = {}) => {
  const timer = createManualTimer()
  const [opened, closed]: [string[], string[]] = [[], []]
  const sessions = createSessions({
    open: async (base) => {
      opened.push(base)
      return base
    },
    close: async (base) => {
      closed.push(base)
    },
    onProblem: (cause) => {
      throw cause
    },
    timer,
    ...more,
  })
  return { timer, opened, closed, sessions }
}

test("the room for sessions is taken back also when an idle session cannot be closed, and that is told", async () => {
  const problems: string[] = []
  const { timer, sessions } = create({
    close: () => Promise.reject(new Error("no")),
    onProblem: (cause) => void problems.push(String(cause)),
  })
  await sessions.use(sessions.create(), async () => {})
  timer.advance(600_000)
  await until(() => problems.length > 0)
  expect([problems, sessions.ids()]).toEqual([["Error: no"], []])
})

test("the room for sessions is for a thousand; one more is refused until one ends", async () => {
  const { opened, closed, sessions } = create()
  expect(new Set(Array.from({ length: maxSessions }, sessions.create)).size).toBe(1_000)
  expect(sessions.create).toThrow(
    /^There are 1000 sessions, the most at once\. End one with DELETE \/_mock\/sessions\/ID\. /,
  )
  await sessions.end("7")
  expect(sessions.create()).toBe("1001")
  expect([sessions.ids().length, opened, closed]).toEqual([1_000, [], []])
})

test("the room for sessions is taken back from a session that is idle for ten minutes, and not from one in use", async () => {
  const { timer, opened, closed, sessions } = create()
  const [idle, used] = [sessions.create(), sessions.create()]
  timer.advance(599_999)
  let finish = () => {}
  const work = sessions.use(used, () => new Promise<void>((resolve) => (finish = resolve)))
  timer.advance(1)
  expect(sessions.ids()).toEqual([used])
  await expect(sessions.use(idle, async () => {})).rejects.toThrow("There is no such session.")
  timer.advance(3_600_000)
  await Promise.resolve()
  finish()
  await work
  timer.advance(599_999)
  expect([sessions.ids(), opened, closed]).toEqual([[used], ["/s/2"], []])
  timer.advance(1)
  await Promise.resolve()
  expect([sessions.ids(), timer.waiting]).toEqual([[], []])
  expect(closed).toEqual(["/s/2"])
})

test("the room for sessions is given back whole when the mock stops", async () => {
  const { timer, closed, sessions } = create()
  const ids = [sessions.create(), sessions.create()]
  await sessions.use(ids[1] ?? "", async () => {})
  await Promise.all(sessions.ids().map(sessions.end))
  expect([sessions.ids(), closed, timer.waiting]).toEqual([[], ["/s/2"], []])
})
