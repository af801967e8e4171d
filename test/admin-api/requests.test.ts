/** Requests to the admin API: where parameters are, what is refused and how, replays, versions, and what no browser may do. */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { adminOf } from "../support/admin.ts"
import { startTestService } from "../support/service.ts"

const service = await startTestService()
const admin = await adminOf(service)

const createAccount = async (name = "Ann"): Promise<string> =>
  String((await admin("POST", "/accounts", { body: { name } })).body.id)

function expectProblem({ status, headers, body }: Awaited<ReturnType<typeof admin>>) {
  expect(body).toMatchObject({ status, title: expect.any(String) })
  expect(body.request_id).toBe(headers.get("x-request-id") ?? "")
  expect(headers.get("content-type")).toBe("application/problem+json")
  expect(headers.get("cache-control")).toBe("no-store")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
}

test.each([
  ["an unknown path", "GET", "/nothing", {}, 404, "not-found", "/admin/openapi.json lists the paths"],
  ["another method", "PUT", "/accounts", { body: {} }, 405, "method-not-allowed", "takes GET, POST, not PUT"],
  ["an unknown thing", "GET", "/accounts/acc_nobody", {}, 404, "not-found", "acc_nobody"],
  ["no body", "POST", "/accounts", {}, 415, "media-type-unsupported", "Content-Type"],
  [
    "no declared JSON",
    "POST",
    "/accounts",
    { body: "{}", headers: { "content-type": "text/plain" } },
    415,
    "media-type-unsupported",
    "Content-Type",
  ],
  [
    "too large a body",
    "POST",
    "/accounts",
    { body: { name: "a".repeat(2_097_152) } },
    413,
    "body-too-large",
    "2,097,152",
  ],
] as const)("a problem for %s", async (_name, method, path, request, status, code, detail) => {
  const answer = await admin(method, path, request)
  expect([answer.status, answer.body.type]).toEqual([status, `urn:penknife:problem:${code}`])
  expect(String(answer.body.detail)).toContain(detail)
  expectProblem(answer)
})

const metadata = { a: "b".repeat(4_090) }
test.each([
  ["an unknown parameter", "GET", "/accounts?lmit=1", undefined, "There is no parameter 'lmit'"],
  ["a wrong parameter", "GET", "/accounts?limit=many", undefined, "'limit' parameter must be"],
  ["a parameter twice", "GET", "/accounts?limit=1&limit=2", undefined, "given once, not 2 times"],
  ["a broken escape", "GET", "/accounts?plan=%ff", undefined, "percent-encoded UTF-8"],
  ["a broken escape in the path", "PATCH", "/accounts/%ff", {}, "percent-encoded"],
  ["a malformed cursor", "GET", "/accounts?after=x", undefined, "the 'next' of the page before"],
  ["a path parameter again", "GET", "/accounts/a?id=b", undefined, "'id' parameter is part of the path"],
  ["a query string of a change", "POST", "/accounts?name=Ann", {}, "no query string"],
  ["a path parameter in the body", "PATCH", "/accounts/a", { id: "b" }, "part of the path"],
  ["no JSON", "POST", "/accounts", "{", "line 1, column 2"],
  ["no object", "POST", "/accounts", "[]", "not an array"],
  ["metadata over 4 kB", "POST", "/accounts", { name: "A", metadata }, "4096 bytes"],
  ["a control character in a name", "POST", "/accounts", { name: "A\u0007" }, "U+0007"],
  ["an unknown permission", "POST", "/admins", { name: "x", may: ["keys.eat"] }, "keys.eat"],
] as const)("a problem for %s, as invalid", async (_name, method, path, body, detail) => {
  const answer = await admin(method, path, body === undefined ? {} : { body })
  expect([answer.status, answer.body.type]).toEqual([400, "urn:penknife:problem:invalid"])
  expect(String(answer.body.detail)).toContain(detail)
  expectProblem(answer)
})

test("a problem names the parameter with the id of what does not exist, or cannot be changed any more", async () => {
  const account = await createAccount()
  const { body: key } = await admin("POST", "/keys", { body: { account } })
  await admin("POST", `/keys/${key.id}/revoke`, { body: {} })
  await admin("POST", `/accounts/${account}/close`, { body: {} })
  const requests = [
    ["POST", "/keys", { body: { account: "acc_nobody" } }, 404, "account"],
    ["POST", "/keys", { body: { account } }, 409, "account"],
    ["GET", "/keys?account=acc_nobody", {}, 404, "account"],
    ["GET", "/usage?key=key_none", {}, 404, "key"],
    ["GET", "/notices/attempts?notice=ntc_none", {}, 404, "notice"],
    ["GET", "/accounts/acc_nobody", {}, 404, "id"],
    ["PATCH", `/keys/${key.id}`, { body: { name: "x" } }, 409, "id"],
    ["POST", "/admins/adm_none/revoke", { body: {} }, 404, "id"],
  ] as const
  for (const [method, path, request, status, parameter] of requests) {
    const answer = await admin(method, path, request)
    expect([path, answer.status, answer.body.parameter]).toEqual([path, status, parameter])
  }
})

test("a problem names the methods of the path; HEAD and the path alone are refused too", async () => {
  expect((await admin("PUT", "/accounts", { body: {} })).headers.get("allow")).toBe("GET, POST")
  const head = await admin("HEAD", "/accounts")
  expect([head.status, head.text]).toEqual([405, ""])
  for (const path of ["/admin", "/admin/", "/admin/v2/accounts", "/admin/v1/accounts/a/b/c"]) {
    const answer = await fetch(service.url + path)
    const found = [path, answer.status, answer.headers.get("content-type")]
    expect(found).toEqual([path, 404, "application/problem+json"])
  }
})

test("a problem does not repeat a path, which may hold a key", async () => {
  expect((await admin("GET", "/pka-0123456789abcdefghij")).text).not.toContain("0123456789")
  expect(service.logged()).not.toContain("pka-0123456789abcdef")
})

test("Idempotency-Key repeats the answer, with 422 for other contents; another admin's same key is another request", async () => {
  const headers = { "idempotency-key": "order 4711" }
  const first = await admin("POST", "/accounts", { headers, body: { name: "Ann" } })
  const again = await admin("POST", "/accounts", { headers, body: { name: "Ann" } })
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.body).toEqual(first.body)
  expect([first, again].map((answer) => answer.headers.get("idempotent-replayed"))).toEqual([null, "true"])
  const other = await admin("POST", "/accounts", { headers, body: { name: "Bob" } })
  expect([other.status, other.body.type]).toEqual([422, "urn:penknife:problem:idempotency-mismatch"])
  const colleague = await adminOf(service)
  const theirs = await colleague("POST", "/accounts", { headers, body: { name: "Bob" } })
  expect([theirs.status, theirs.headers.get("idempotent-replayed")]).toEqual([201, null])
})

test("Idempotency-Key of requests at the same time: one effect, and 409 or the same answer", async () => {
  const headers = { "idempotency-key": "at once" }
  const body = { name: "Twice" }
  const create = () => admin("POST", "/accounts", { headers, body })
  const answers = await Promise.all(Array.from({ length: 8 }, create))
  for (const answer of answers) expect([201, 409]).toContain(answer.status)
  expect((await admin("GET", "/accounts?search=Twice")).body.data).toHaveLength(1)
})

test.each([
  ["empty", ""],
  ["256 characters", "a".repeat(256)],
  ["not ASCII", "clé"],
  ["a key", "pka-0123456789abcdefghij0123456789abcdefgh"],
])("Idempotency-Key that is %s is a 400", async (_name, key) => {
  const headers = { "idempotency-key": key }
  const answer = await admin("POST", "/accounts", { headers, body: { name: "Ann" } })
  expect([answer.status, answer.body.parameter]).toEqual([400, "Idempotency-Key"])
  expect(answer.text).not.toContain("0123456789")
})

test("Idempotency-Key never stores or repeats the text of a new key", async () => {
  const account = await createAccount()
  const request = { headers: { "idempotency-key": "one key" }, body: { account, name: "ci" } }
  const first = await admin("POST", "/keys", request)
  const again = await admin("POST", "/keys", request)
  expect(String(first.body.key)).toStartWith("pk-")
  expect([again.status, again.body.id, again.body.key]).toEqual([first.status, first.body.id, null])
  expect(service.logged()).not.toContain(String(first.body.key))
})

test("versions are the ETag; If-Match lets one of two changes through", async () => {
  const id = await createAccount()
  const shown = await admin("GET", `/accounts/${id}`)
  const etag = shown.headers.get("etag") ?? ""
  expect(etag).toBe(`"${shown.body.version}"`)
  const change = (name: string) =>
    admin("PATCH", `/accounts/${id}`, { headers: { "if-match": etag }, body: { name } })
  const both = await Promise.all([change("One"), change("Two")])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  expect(both.find(({ status }) => status === 412)?.body.type).toBe("urn:penknife:problem:version-mismatch")
  const headers = { "if-match": "*" }
  const any = await admin("PATCH", `/accounts/${id}`, { headers, body: { name: "Three" } })
  expect([any.status, any.headers.get("etag")]).toEqual([200, `"${any.body.version}"`])
})

test.each(['W/"1"', "1", '"one"', '"1", "2"', '"0"'])("versions: If-Match: %s is a 400", async (etag) => {
  const id = await createAccount()
  const headers = { "if-match": etag }
  const answer = await admin("PATCH", `/accounts/${id}`, { headers, body: { name: "x" } })
  expect([answer.status, answer.body.parameter]).toEqual([400, "If-Match"])
})

test("a created thing has its place in Location", async () => {
  const created = await admin("POST", "/accounts", { body: { name: "Ann" } })
  const path = created.headers.get("location") ?? ""
  expect((await admin("GET", path.replace("/admin/v1", ""))).body.id).toBe(created.body.id ?? "")
})

test("an operation without required parameters in its body takes an empty one", async () => {
  const id = await createAccount()
  for (const body of [undefined, {}]) {
    const answer = await admin("POST", `/accounts/${id}/close`, body ? { body } : {})
    expect([200, 409]).toContain(answer.status)
  }
})

test("a list goes page by page, and the export of the audit log gives all of it as JSON lines", async () => {
  for (let count = 0; count < 3; count++) await createAccount()
  const ids: unknown[] = []
  let after = ""
  do {
    const { body } = await admin("GET", `/accounts?limit=2${after}`)
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id))
    after = body.next === null ? "" : `&after=${body.next}`
    expect(body.has_more).toBe(after !== "")
  } while (after !== "")
  expect(new Set(ids).size).toBe(ids.length)
  const exported = await admin("GET", "/audit/export?limit=2")
  expect(exported.headers.get("content-type")).toBe("application/x-ndjson")
  const lines = exported.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ operation }) => operation === "accounts.create").length).toBe(ids.length)
})

test("no page of another origin can use it, not even after a preflight", async () => {
  const origin = { origin: "https://evil.example" }
  const preflight = await fetch(`${service.url}/admin/v1/accounts`, {
    method: "OPTIONS",
    headers: {
      ...origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-admin-key",
    },
  })
  expect([preflight.status, preflight.headers.get("allow")]).toEqual([204, "GET, POST"])
  const answers = [
    preflight.headers,
    (await admin("GET", "/accounts", { headers: origin })).headers,
    (await admin("GET", "/nothing", { headers: origin })).headers,
    (await fetch(`${service.url}/admin/openapi.json`, { headers: origin })).headers,
  ]
  for (const headers of answers)
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
})

test("a wrong Host is a problem too", async () =>
  expect((await fetch(`${service.url}/admin/v1/accounts`, { headers: { host: "a b" } })).status).toBe(400))

test("a fault of the service is a 500 without its cause, which is in the log", async () => {
  const own = await startTestService()
  const ask = await adminOf(own)
  using database = new Database(own.db)
  database.run("ALTER TABLE admin_keys RENAME TO lost")
  const answer = await ask("GET", "/accounts")
  expect([answer.status, answer.body.type]).toEqual([500, "urn:penknife:problem:internal"])
  expect(answer.text).not.toContain("admin_keys")
  expect(own.logged()).toContain("no such table: admin_keys")
})
