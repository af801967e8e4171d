/** HTTP around the APIs: paths, methods, headers, formats, cross-origin rules. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { httpLimits } from "../src/surfaces/http/read/limits.ts"
import { readAnswer } from "./support/answer.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { converse, slowly } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const { key } = await service.createKey("pro")
const path = "/v1/bluetoothlookup?companyid=76"

test.each([
  ["application/xml", "application/xml; charset=utf-8"],
  ["text/xml", "application/xml; charset=utf-8"],
  ["application/yaml", "application/yaml"],
  ["application/x-yaml", "application/yaml"],
  ["text/yaml", "application/yaml"],
  ["text/csv", "text/csv; charset=utf-8; header=present"],
  ["application/json", "application/json"],
  ["*/*", "application/json"],
  ["image/png", "application/json"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
  ["application/xml;q=0.5, application/yaml", "application/yaml"],
  ["application/xml;q=0, */*", "application/json"],
])("formats: Accept: %s is answered with %s", async (accept, contentType) => {
  const answer = await service.fetch(path, { key, headers: { accept } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toBe(contentType)
  expect(answer.headers.get("vary")).toBe("Accept")
})

test("formats: ?format= wins over Accept, for answers and refusals", async () => {
  const headers = { accept: "application/xml" }
  const good = await service.fetch(`${path}&format=csv`, { key, headers })
  expect(await good.text()).toStartWith("key,value\r\ncompanyId,76\r\n")
  const bad = await service.fetch(`${path}&format=yaml`, { headers })
  expect([bad.status, bad.headers.get("content-type")]).toEqual([401, "application/yaml"])
})

/** As few lines as linesorter takes. */
const linesOf = (character: string, size: number) =>
  Array.from({ length: Math.ceil(size / 100_000) }, (_, index) =>
    character.repeat(Math.min(100_000, size - index * 100_000)),
  )
const sort = (lines: readonly string[], format: string) =>
  service.post(`/v1/linesorter?format=${format}`, { lines }, { key })

test.each([1, 4_700, 7_300, 15_000, 400_000])(
  "large answers of %d characters arrive whole, with their length if they are sent in one piece",
  async (size) => {
    for (const format of ["json", "csv"]) {
      for (const lines of [linesOf("é", size), linesOf("x", size)]) {
        const answer = await sort(lines, format)
        const bytes = await answer.bytes()
        const isOnePiece = size < 65_536
        expect(answer.headers.get("content-length")).toBe(isOnePiece ? String(bytes.length) : null)
        expect(answer.headers.get("transfer-encoding")).toBe(isOnePiece ? null : "chunked")
        const text = new TextDecoder().decode(bytes)
        expect(lines.filter((line) => !text.includes(line))).toEqual([])
      }
    }
  },
)

test("large answers do not stop the service when the client hangs up in the middle", async () => {
  const body = JSON.stringify({ lines: linesOf("x", 900_000) })
  const { socket } = slowly(
    service.url,
    `POST /v1/linesorter HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await new Promise((resolve) => socket.once("data", resolve))
  socket.destroy()
  expect((await sort(["a"], "json")).status).toBe(200)
})

const unknownPaths = "/v1 /v1/ /v1/nothing /v2/hmac /V1/hmac /v1/hmac/x /v1/constructor /%00".split(" ")
test.each(unknownPaths)("paths and methods: %s is an enveloped 404 in every format", async (unknown) => {
  const answer = await service.fetch(unknown, { headers: { accept: "application/xml" } })
  const type = answer.headers.get("content-type")
  expect([answer.status, type]).toEqual([404, "application/xml; charset=utf-8"])
  expect(await answer.text()).toContain("<status>error</status>")
  expect(answer.headers.get("x-request-id")).toBeTruthy()
  const json = await readAnswer(service.fetch(unknown))
  expect(json).toEqual({
    status: "error",
    error: expect.stringMatching(/^No such path\. .*See \/docs\.$/),
    data: null,
  })
})

test.each([
  ["GET", "/v1/hmac", "POST"],
  ["GET", "/v1/hmac/", "POST"],
  ["DELETE", "/v1/hmac", "POST"],
  ["POST", "/v1/bluetoothlookup", "GET"],
  ["PUT", "/v1/bluetoothlookup", "GET"],
  ["PATCH", "/v1/bluetoothlookup", "GET"],
])("paths and methods: %s %s is an enveloped 405 that allows %s", async (method, wrong, allow) => {
  const answer = await service.fetch(wrong, { method, key })
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow])
  expect(await answer.json()).toEqual({
    status: "error",
    error: `This path takes ${allow}, not ${method}.`,
    data: null,
  })
})

test("paths and methods: HEAD answers as GET does, without the body (RFC 9110 §9.3.2)", async () => {
  for (const target of ["/health", "/ready"]) {
    const lines = `HEAD ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    const head = await converse(service.url, lines)
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(head).toMatch(/content-type: application\/json/i)
    expect(head).toEndWith("\r\n\r\n")
    expect(head).not.toContain('"status"')
  }
  expect((await service.fetch("/nothing", { method: "HEAD" })).status).toBe(404)
})

test("paths and methods: HEAD is refused where a call would be charged, and costs nothing", async () => {
  const used = async () => (await service.fetch("/v1/usage", { key })).headers.get("x-api-credits-used")
  const before = await used()
  for (const target of [path, "/v1/usage"]) {
    const answer = await service.fetch(target, { method: "HEAD", key })
    expect([answer.status, answer.headers.get("allow"), await answer.text()]).toEqual([405, "GET", ""])
  }
  expect(await used()).toBe(before)
})

test("paths and methods: the path of a 404 is not repeated: it may hold a key", async () => {
  const answer = await service.fetch(`/v1/${key}?k=${key}`)
  expect(answer.status).toBe(404)
  expect(await answer.text()).not.toContain(key.slice(0, 9))
})

test("paths and methods: unknown parameters are ignored", async () => {
  expect((await service.fetch(`${path}&other=1&other=2&bad=%ff&%ff=1`, { key })).status).toBe(200)
})

test("refused bodies that are no JSON say where, in one call, a batch and a query, and are not quoted", async () => {
  for (const target of ["/v1/linesorter", "/v1/linesorter/batch", "/v1/graphql"]) {
    const answer = await service.post(target, '{\n  "secret": "s3cret",\n}', { key })
    const text = await answer.text()
    expect([target, answer.status]).toEqual([target, 400])
    expect(text).toContain("The 'body' parameter must be valid JSON; the mistake is at line 3, column 1.")
    expect(text).not.toContain("s3cret")
  }
})

test("request ids: a well-formed one is echoed, on success, refusal, 404 and preflight", async () => {
  const headers = { "x-request-id": "trace-1_A.b" }
  for (const request of [
    service.fetch(path, { key, headers }),
    service.fetch(path, { headers }),
    service.fetch("/nothing", { headers }),
    service.fetch(path, { method: "OPTIONS", headers }),
    service.fetch("/health", { headers }),
  ]) {
    expect((await request).headers.get("x-request-id")).toBe("trace-1_A.b")
  }
})

test.each(["apk-20250101", "pk-1", "mock-pro", "550e8400-e29b-41d4-a716-446655440000"])(
  "request ids: %s only looks a little like a key, and is echoed",
  async (id) => {
    const answer = await service.fetch(path, { key, headers: { "x-request-id": id } })
    expect(answer.headers.get("x-request-id")).toBe(id)
  },
)

test("request ids: anything else is replaced by a new id, different each time", async () => {
  const ids = new Set<string>()
  for (const id of [undefined, "", "has space", "x".repeat(129), "new\tline", "é"]) {
    const headers = id === undefined ? {} : { "x-request-id": id }
    const answer = await service.fetch(path, { key, headers })
    const own = answer.headers.get("x-request-id") ?? ""
    expect(own).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
    ids.add(own)
  }
  expect(ids.size).toBe(6)
})

test("two request ids, or a list of them, are a 400: a log must not choose one", async () => {
  const twice = `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-request-id: a\r\nx-request-id: b\r\n\r\n`
  const answers = [await converse(service.url, twice)]
  const listed = await service.fetch(path, { key, headers: { "x-request-id": "a, b" } })
  answers.push(`HTTP/1.1 ${listed.status} ${await listed.text()}`)
  for (const answer of answers) {
    expect(answer).toStartWith("HTTP/1.1 400")
    expect(answer).toContain("The request header 'X-Request-ID' must be sent once")
  }
})

/** The answer to a request with these headers, each in a line of its own. */
const converseWith = (lines: string[]) =>
  converse(
    service.url,
    [`GET ${path} HTTP/1.1`, "host: x", "connection: close", ...lines, "", ""].join("\r\n"),
  )

test.each([
  ["Bearer KEY", "Bearer KEY"],
  ["Bearer KEY", "Bearer other"],
  ["Basic YTpi", "Bearer KEY"],
  ["Bearer KEY", "Basic YTpi"],
  ["Bearer KEY", ""],
  ["", "Bearer KEY"],
  ["Bearer KEY", "KEY"],
  ['Digest username="a", realm="b, c"', "Bearer KEY"],
])("two headers of credentials are a 400, also beside x-api-key: %p and %p", async (one, other) => {
  const lines = [one, other].map((value) => `authorization: ${value.replace("KEY", key)}`)
  for (const beside of [[], [`x-api-key: ${key}`]]) {
    const answer = await converseWith([...lines, ...beside])
    expect(answer).toStartWith("HTTP/1.1 400")
    expect(answer).toContain("The request header 'Authorization' must be sent once.")
    expect(answer).not.toContain(key)
  }
})

test.each([
  ["X-Api-Key", "KEY", "KEY"],
  ["x-api-key", "KEY", "other"],
  ["X-API-KEY", "", "KEY"],
  ["X-Admin-Key", "pka-a", "pka-b"],
])("two headers %s are a 400, whatever they hold: %p and %p", async (name, one, other) => {
  const answer = await converseWith([one, other].map((value) => `${name}: ${value.replace("KEY", key)}`))
  expect(answer).toStartWith("HTTP/1.1 400")
  expect(answer.toLowerCase()).toContain(`the request header '${name.toLowerCase()}' must be sent once`)
  expect(answer).not.toContain(key)
})

test("the parameters of one header of credentials, for a proxy, are no second one", async () => {
  const value = 'Digest username="a", realm="b, c \\", Bearer d", nc=00000001 , uri="/"'
  expect(await converseWith([`authorization: ${value}`, `x-api-key: ${key}`])).toStartWith("HTTP/1.1 200")
})

test("cross-origin: any origin may read answers and refusals, none with credentials", async () => {
  for (const caller of [{ key }, {}]) {
    const { headers } = await service.fetch(path, { ...caller, headers: { origin: "https://a.example" } })
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(headers.get("access-control-allow-credentials")).toBeNull()
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(", ")
    const wanted = "x-request-id retry-after x-ratelimit-remaining x-api-remaining-credits".split(" ")
    expect(exposed).toEqual(expect.arrayContaining(wanted))
  }
})

test("cross-origin: a preflight needs no key, allows the headers that it asks for, and holds for a day", async () => {
  const answer = await service.fetch("/v1/hmac", {
    method: "OPTIONS",
    headers: {
      origin: "https://a.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key,content-type,x-of-their-own",
    },
  })
  expect(answer.status).toBe(204)
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
  expect(answer.headers.get("access-control-max-age")).toBe("86400")
  expect(answer.headers.get("access-control-allow-headers")).toBe("x-api-key,content-type,x-of-their-own")
  expect(answer.headers.get("access-control-allow-methods")).toContain("POST")
})

test("health and readiness need no key; readiness asks the store", async () => {
  expect(await (await service.fetch("/health")).json()).toMatchObject({ status: "ok", error: null })
  const ready = await service.fetch("/ready")
  expect([ready.status, (await readAnswer(ready)).status]).toEqual([200, "ok"])
})

test("readiness writes to the store once a second, however often it is asked", async () => {
  const asked = await startTestService()
  const database = new Database(asked.db, { readonly: true })
  const probes = database.query<{ value: number }, []>("SELECT value FROM meta WHERE name = 'probes'")
  for (let second = 1; second <= 2; second++) {
    for (let n = 0; n < 30; n++) expect((await asked.fetch("/ready")).status).toBe(200)
    expect(probes.get()?.value).toBe(second)
    asked.clock.advance(httpLimits.sharedAnswerSeconds * 1_000)
  }
  database.close()
})

test.each([
  ["GET /v1/spfvalidator?domain=a.example", ""],
  ["POST /v1/spfvalidator/batch", '{"inputs":[{"domain":"a.example"}]}'],
  ["POST /v1/graphql", '{"query":"{ spfvalidator(input: {domain: \\"a.example\\"}) { has_spf_record } }"}'],
])("a stopping service tells %s in progress that it closes the connection", async (line, body) => {
  const { dns, release, asked } = createHeldDns()
  const stopping = await startTestService({ ports: { dns } })
  const { key } = await stopping.createKey("pro")
  const headers = `Host: a\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const { closed } = slowly(stopping.url, `${line} HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
  await asked()
  const quiet = stopping.server.closeBusyConnections()
  release()
  const answer = await closed
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toMatch(/^connection: close\r$/im)
  // Later requests get an answer too, until the server stops.
  expect((await stopping.fetch("/nothing")).headers.get("connection")).toBe("close")
  await quiet
  await stopping.stop()
})

test("a service that drains is not ready, and answers calls until it is told to stop waiting", async () => {
  const draining = await startTestService({ flags: { drain: "3600" } })
  const { key } = await draining.createKey("pro")
  // A probe shares its answer for a second: this one must not be given again.
  expect((await draining.fetch("/ready")).status).toBe(200)
  const ends = Promise.withResolvers<void>()
  const stopped = draining.stop({ drainEnds: ends.promise })
  const ready = await draining.fetch("/ready")
  expect([ready.status, (await readAnswer(ready)).error]).toEqual([503, expect.stringContaining("stops")])
  expect((await draining.fetch("/health")).status).toBe(200)
  for (let n = 0; n < 3; n++) {
    const call = await draining.fetch(path, { key, keepalive: false })
    expect([call.status, call.headers.get("connection")]).toEqual([200, "close"])
  }
  ends.resolve()
  await stopped
  await expect(fetch(`${draining.url}/health`, { keepalive: false })).rejects.toThrow()
})

test("a stopping service finishes the call in progress and takes no new one", async () => {
  const { dns, release, asked } = createHeldDns()
  const stopping = await startTestService({ ports: { dns } })
  const { key } = await stopping.createKey("pro")
  const underWay = stopping.fetch("/v1/spfvalidator?domain=a.example", { key })
  await asked()
  const stopped = stopping.stop()
  await expect(fetch(`${stopping.url}/health`, { keepalive: false })).rejects.toThrow()
  release()
  expect((await readAnswer(underWay)).data).toMatchObject({ has_spf_record: false })
  await stopped
})
