/** The page of the test double, and the events that keep it up to date. */
import { expect, test } from "bun:test"
import { networkInterfaces } from "node:os"
import { askForLink, startTestMock } from "./support/mock.ts"
import { newSession } from "./support/mock-sessions.ts"
import { startTestService } from "./support/service.ts"

const page = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } }
/** The page and its events, with how each is asked for. */
const routes = [
  ["/_mock", page.headers],
  ["/_mock/events", {}],
] as const

/** Reads events until one is as wanted. */
async function watch(url: string) {
  const abort = new AbortController()
  const answer = await fetch(`${url}/_mock/events`, { signal: abort.signal })
  const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    /** The next view that fits; undefined when the events end before. */
    async next(fits: (view: Record<string, never[]>) => boolean) {
      for (;;) {
        const event = /data: (\{.*\})\n\n/.exec(text)
        if (event) {
          text = text.slice(event.index + event[0].length)
          const view = JSON.parse(event[1] ?? "")
          if (fits(view)) return view
        } else {
          const { done, value } = await reader.read()
          if (done) return undefined
          text += value
        }
      }
    },
    end: () => abort.abort(),
  }
}

test("browsers get a page at /_mock, other clients the paths; the page runs nothing inline", async () => {
  const mock = await startTestMock()
  const answer = await fetch(`${mock.url}/_mock`, page)
  const text = await answer.text()
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringContaining("default-src 'self'"),
    vary: "Accept, Accept-Encoding",
  })
  expect(answer.headers.get("access-control-allow-origin")).toBeNull()
  expect(text).not.toMatch(/<style|style=|<script(?![^>]*src=)|\bon\w+=/)
  const [, script = ""] = /<script type="module" src="([^"]+)"/.exec(text) ?? []
  expect(script).toMatch(/^\/assets\/mock-/)
  expect((await fetch(mock.url + script)).status).toBe(200)
  const plain = await fetch(`${mock.url}/_mock`)
  expect([plain.status, plain.headers.get("vary")]).toEqual([200, "Accept"])
  expect(((await plain.json()) as { data: { paths: string[] } }).data.paths).toContain("GET /_mock/events")
})

test("a service has no such page", async () => {
  const service = await startTestService()
  for (const path of ["/_mock", "/_mock/events"]) {
    expect((await fetch(service.url + path, page)).status).toBe(404)
    expect((await fetch(service.url + path)).status).toBe(404)
  }
})

test("another machine gets neither the page nor its events, but the control paths", async () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const outer = own.find(({ internal, family }) => !internal && family === "IPv4")
  if (!outer) return
  const mock = await startTestMock({ host: outer.address })
  for (const [path, headers] of routes) {
    const answer = await fetch(mock.url + path, { headers })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain("on the machine of the test double alone")
  }
  expect((await fetch(`${mock.url}/_mock`)).status).toBe(200)
  expect((await fetch(`${mock.url}/_mock/clock`)).status).toBe(200)
})

test("a name that is not this machine's own gets neither the page nor its events (DNS rebinding)", async () => {
  const mock = await startTestMock()
  const { port } = new URL(mock.url)
  const { id } = await newSession(mock.url)
  for (const base of ["", `/s/${id}`])
    for (const [path, accepted] of routes)
      for (const [host, status] of [
        [`rebound.example:${port}`, 403],
        ["127.0.0.1.rebound.example", 403],
        ["localhost.rebound.example", 403],
        [`localhost:${port}`, 200],
        [`127.0.0.1:${port}`, 200],
        [`[::1]:${port}`, 200],
      ] as const) {
        const abort = new AbortController()
        const headers = { ...accepted, host }
        const answer = await fetch(mock.url + base + path, { headers, signal: abort.signal })
        expect([base + path, host, answer.status]).toEqual([base + path, host, status])
        abort.abort()
      }
})

test("events show the state at once, and after each request and each change", async () => {
  const mock = await startTestMock()
  const events = await watch(mock.url)
  expect([events.status, events.type]).toEqual([200, "text/event-stream"])
  expect(await events.next(() => true)).toMatchObject({
    now: "2025-01-01T00:00:00.000Z",
    clock_runs: false,
    faults: [],
    requests: [],
    notices: [],
    mails: [],
    zone: { "good.example": expect.anything() },
  })
  await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
  const { requests } = (await events.next(({ requests }) => (requests ?? []).length > 0)) ?? {}
  expect(requests).toMatchObject([{ number: 1, path: "/v1/bluetoothlookup?companyid=76" }])
  await mock.control("PUT", "/clock", { advance: "31d" })
  const moved = await events.next(({ now }) => String(now).startsWith("2025-02-01"))
  expect(moved?.notices).toContainEqual(expect.objectContaining({ type: "month.renewed" }))
  await mock.control("PUT", "/faults", { status: 503 })
  expect(await events.next(({ faults }) => (faults ?? []).length > 0)).toBeDefined()
  await mock.control("PUT", "/dns", { "a.example": [] })
  expect(await events.next(({ zone }) => Object.keys(zone ?? {}).length === 1)).toBeDefined()
  // A refused change changes nothing, and reading is no change.
  await mock.control("GET", "/clock")
  events.end()
})

test("of many requests and mails the newest 50 are shown", async () => {
  const mock = await startTestMock()
  for (let mail = 0; mail < 60; mail++) {
    await mock.fetch("/v1/usage", { key: "mock-pro" })
    await askForLink(mock.url, `ann${mail}@example.com`)
  }
  const events = await watch(mock.url)
  const { requests, mails } = (await events.next(() => true)) ?? {}
  expect(mails).toHaveLength(50)
  expect(requests.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 11),
  )
  events.end()
})

test("a reset ends the events, whose next ones are those of the new state", async () => {
  const mock = await startTestMock()
  const events = await watch(mock.url)
  await events.next(() => true)
  await mock.fetch("/v1/usage", { key: "mock-pro" })
  await mock.reset()
  expect(await events.next(() => false)).toBeUndefined()
  const again = await watch(mock.url)
  expect(await again.next(() => true)).toMatchObject({ requests: [] })
  again.end()
})

test("a stop ends the events at once", async () => {
  const mock = await startTestMock()
  const events = await watch(mock.url)
  await events.next(() => true)
  await fetch(`${mock.url}/_mock/faults`, { method: "PUT", body: '{"status": 503}' })
  const stopped = mock.stop()
  expect(await events.next(({ faults }) => (faults ?? []).length > 1)).toBeUndefined()
  await stopped
})

test("the seventeenth page is refused, until one of them is closed", async () => {
  const mock = await startTestMock()
  const open = await Promise.all(Array.from({ length: 16 }, () => watch(mock.url)))
  for (const each of open) expect(each.status).toBe(200)
  const refused = await fetch(`${mock.url}/_mock/events`)
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain("Only 16 pages can be live. Close one.")
  open[0]?.end()
  let status = 429
  while (status === 429) {
    const next = await watch(mock.url)
    status = next.status
    next.end()
  }
  expect(status).toBe(200)
  for (const each of open) each.end()
})

test("a fault of no calls removes that of the same calls alone", async () => {
  const mock = await startTestMock()
  const hmac = { api: "hmac", status: 503 }
  await mock.control("PUT", "/faults", hmac)
  await mock.control("PUT", "/faults", { status: 500 })
  expect((await mock.control("PUT", "/faults", { times: 0 })).data).toEqual({ faults: [hmac] })
  expect((await mock.control("PUT", "/faults", { api: "hmac", key: "mock-pro", times: 0 })).data).toEqual({
    faults: [hmac],
  })
  expect((await mock.control("PUT", "/faults", { api: "hmac", times: 0 })).data).toEqual({ faults: [] })
})

test("what a page reads changes no later answer", async () => {
  const answers = async (isWatched: boolean) => {
    const mock = await startTestMock()
    const events = isWatched ? await watch(mock.url) : null
    if (isWatched) await (await fetch(`${mock.url}/_mock`, page)).text()
    const texts: string[] = []
    for (const key of ["mock-pro", "mock-no-credits"]) {
      const answer = await mock.fetch("/v1/bluetoothlookup?companyid=76", { key })
      texts.push(JSON.stringify([...answer.headers].filter(([name]) => name !== "date")), await answer.text())
      await events?.next(({ requests }) => (requests ?? []).length * 2 === texts.length)
    }
    events?.end()
    return texts
  }
  expect(await answers(true)).toEqual(await answers(false))
})
