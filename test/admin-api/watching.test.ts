/** Requests that someone watches while they happen, over HTTP. */
import { expect, test } from "bun:test"
import { adminClient, adminOf, createTestAdminKey } from "../support/admin.ts"
import { startTestMock } from "../support/mock.ts"
import { startTestService } from "../support/service.ts"
import { createManualTimer } from "../support/timer.ts"

const lookup = "/v1/bluetoothlookup?companyid=76"

/** Watches requests, and reads the answer piece by piece. */
async function watch(url: string, key: string, query = "") {
  const answer = await fetch(`${url}/admin/v1/requests${query}`, { headers: { "x-admin-key": key } })
  const reader = answer.body?.getReader()
  let text = ""
  const readMore = async () => {
    const { value, done = true } = (await reader?.read()) ?? {}
    text += new TextDecoder().decode(value)
    return !done
  }
  return {
    answer,
    text: () => text,
    events: () => [...text.matchAll(/^data: (\{"at".*)$/gm)].map(([, json = ""]) => JSON.parse(json)),
    /** Reads until there is this text. */
    async readTo(expected: string) {
      while (!text.includes(expected)) if (!(await readMore())) throw new Error(`the end came first: ${text}`)
    },
    async readAll() {
      while (await readMore());
      return text
    },
    cancel: () => reader?.cancel(),
  }
}

test("shows each request with who called what, and nothing of its input or key", async () => {
  const service = await startTestService()
  const { key: adminKey } = await createTestAdminKey(service.db)
  const { key, id, account } = await service.createKey("pro")
  const watching = await watch(service.url, adminKey)
  const { headers, status } = watching.answer
  expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"])
  expect(headers.get("cache-control")).toBe("no-store")
  await watching.readTo(": watching")
  const called = await service.fetch(`${lookup}&format=json`, { key })
  await service.fetch("/v1/hmac", { key: `${key}x` })
  await service.fetch(`/v1/${key}`, {})
  await watching.readTo('"status":404')
  expect(watching.events()).toMatchObject([
    {
      at: "2025-01-01T00:00:00.000Z",
      request_id: called.headers.get("x-request-id") ?? "",
      surface: "rest",
      api: "bluetoothlookup",
      status: 200,
      fault: null,
      account,
      key: id,
      credits: 1,
      ms: 0,
      address: "127.0.0.1",
    },
    { api: "none", status: 405 },
    { api: "none", status: 404 },
  ])
  expect(watching.text()).not.toContain(key.slice(0, 12))
  expect(watching.text()).not.toContain("companyid")
  await watching.cancel()
})

test("shows what the filters choose", async () => {
  const service = await startTestService()
  const { key: adminKey } = await createTestAdminKey(service.db)
  const { key: other } = await createTestAdminKey(service.db)
  const one = await service.createKey("pro")
  const two = await service.createKey("pro")
  const queries = [
    "?status=4xx",
    "?status=400&status=200",
    `?account=${one.account}`,
    `?key=${two.id}&fault=inputInvalid`,
    "?surface=admin",
    "?api=bluetoothlookup",
  ]
  const watches = await Promise.all(
    queries.map((query, index) => watch(service.url, index < 5 ? adminKey : other, query)),
  )
  await service.fetch(lookup, { key: one.key })
  await service.fetch("/v1/bluetoothlookup", { key: two.key })
  await service.fetch("/v1/bluetoothlookup", {})
  await adminClient(service.url, adminKey)("GET", "/whoami")
  await service.stop()
  const seen = await Promise.all(
    watches.map(async (watching) => {
      await watching.readAll()
      return watching.events().map(({ status, fault, api }) => `${status} ${fault ?? api}`)
    }),
  )
  const [, bad = "", missing = ""] = ["", ...(seen[0] ?? [])]
  expect([bad, missing]).toEqual([expect.stringContaining("400 "), "401 keyMissing"])
  expect(seen.slice(1, 3)).toEqual([["200 bluetoothlookup", bad], ["200 bluetoothlookup"]])
  expect(seen[5]).toEqual(["200 bluetoothlookup", bad, missing])
  expect(seen[4]).toContain("200 whoami")
})

test.each([
  ["?status=abc", "status", "must be statuses such as 404, or classes such as 4xx"],
  ["?status=6xx", "status", "must be statuses"],
  ["?surface=phone", "surface", "must be some of rest"],
  ["?api=", "api", ""],
  [`?key=${"k".repeat(101)}`, "key", ""],
  ["?limit=5", "limit", "There is no parameter 'limit'"],
])("%s is a 400", async (query, parameter, detail) => {
  const admin = await adminOf(await shared)
  const { status, body } = await admin("GET", `/requests${query}`)
  expect([status, body.parameter]).toEqual([400, parameter])
  expect(body.detail).toContain(detail)
})

const shared = startTestService()

test("ends when its key is revoked, expires, or may no longer watch; others go on", async () => {
  const timer = createManualTimer()
  const service = await startTestService({ ports: { timer } })
  const admin = await adminOf(service)
  const issue = async (body: object) =>
    (await admin("POST", "/admins", { body: { name: "x", ...body } })).body
  const revoked = await issue({ may: ["requests.read"] })
  const expiring = await issue({ may: ["requests.*"], expires: "1h" })
  const good = await issue({ may: ["requests.read"] })
  const open = ({ key }: { readonly key?: unknown }) => watch(service.url, String(key))
  const watches = await Promise.all([revoked, expiring, good].map(open))
  for (const one of watches) await one.readTo(": watching")
  await admin("POST", `/admins/${revoked.id}/revoke`)
  service.clock.advance(3_600_000)
  timer.advance(15_000)
  const [first, second, third] = watches
  for (const one of [first, second])
    expect(await one?.readAll()).toEndWith('event: end\ndata: {"reason":"not-allowed"}\n\n')
  await third?.readTo(": still here")
  expect(third?.text()).not.toContain("event: end")
  await third?.cancel()
})

test("ends when the service stops", async () => {
  const service = await startTestService()
  const { key } = await createTestAdminKey(service.db)
  const watching = await watch(service.url, key)
  const stopped = service.stop()
  expect(await watching.readAll()).toEndWith('event: end\ndata: {"reason":"closing"}\n\n')
  await stopped
})

test("one key takes 5 of the watches at once, and leaves the others to others", async () => {
  const service = await startTestService()
  const { key } = await createTestAdminKey(service.db)
  const { key: other } = await createTestAdminKey(service.db)
  const watches = await Promise.all(Array.from({ length: 5 }, () => watch(service.url, key)))
  const more = await adminClient(service.url, key)("GET", "/requests")
  expect([more.status, more.headers.get("retry-after")]).toEqual([429, "10"])
  expect(more.body.detail).toBe("Close another watch of this key first: it may have 5 at once.")
  const ofOther = await watch(service.url, other)
  expect(ofOther.answer.status).toBe(200)
  await watches[0]?.cancel()
  let last = await watch(service.url, key)
  while (last.answer.status === 429) last = await watch(service.url, key)
  expect(last.answer.status).toBe(200)
  for (const one of [...watches.slice(1), ofOther, last]) await one.cancel()
})

test("takes 20 at once; one more is a 503 until another has gone", async () => {
  const service = await startTestService()
  const issue = async () => (await createTestAdminKey(service.db)).key
  const keys = await Promise.all(Array.from({ length: 5 }, issue))
  const [key = ""] = keys.splice(4)
  const five = keys.flatMap((one) => Array.from({ length: 5 }, () => watch(service.url, one)))
  const watches = await Promise.all(five)
  const more = await adminClient(service.url, key)("GET", "/requests")
  expect([more.status, more.headers.get("retry-after")]).toEqual([503, "10"])
  expect(more.body.detail).toStartWith("Close another watch first")
  await watches[0]?.cancel()
  let last = await watch(service.url, key)
  while (last.answer.status === 503) last = await watch(service.url, key)
  expect(last.answer.status).toBe(200)
  for (const one of [...watches.slice(1), last]) await one.cancel()
})

test("in the mock, too: until a reset, and the journal leaves it out", async () => {
  const mock = await startTestMock()
  const watching = await watch(mock.url, "mock-admin", "?status=2xx")
  await watching.readTo(": watching")
  await mock.fetch(lookup, { key: "mock-pro" })
  await watching.readTo('"api":"bluetoothlookup"')
  expect(watching.events()).toMatchObject([{ status: 200, credits: 1 }])
  await mock.reset()
  expect(await watching.readAll()).toEndWith('event: end\ndata: {"reason":"closing"}\n\n')
  expect(JSON.stringify((await mock.control("GET", "/requests")).data)).not.toContain("/admin/v1/requests")
})
