/** Abuse of an Idempotency-Key: a call for free, knowledge of others' calls, or a service that is kept busy. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import type { Dns } from "../src/apis/contract.ts"
import { readAnswer } from "./support/answer.ts"
import { createManualClock } from "./support/clock.ts"
import { noExchange } from "./support/dns.ts"
import { postWith } from "./support/keyed-request.ts"
import { converse } from "./support/raw-http.ts"
import { startTestService } from "./support/service.ts"

const clock = createManualClock()
const file = { plans: { tiny: { monthly_credits: 1, sign_up_bonus: 0 } } }
const service = await startTestService({ clock, file })

const message = { message: "The quick brown fox", secret: "key" }

function send(body: unknown, key: string, idempotencyKey: string, path = "/v1/hmac"): Promise<Response> {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey }
  return service.fetch(path, postWith(body, { key, headers }))
}

const kindOf = ({ status, headers }: Response) =>
  `${status}${headers.has("idempotent-replayed") ? " again" : ""}`

async function usedBy(key: string): Promise<unknown> {
  const { data } = await readAnswer(service.fetch("/v1/usage", { key }))
  return Object(data?.credits).used
}

describe("the Idempotency-Key of another account", () => {
  test("is no replay of that account's call, tells nothing of it, and is charged", async () => {
    const [one, two] = [await service.createKey("pro"), await service.createKey("pro")]
    await send(message, one.key, "shared")
    expect(kindOf(await send(message, two.key, "shared"))).toBe("200")
    expect([await usedBy(one.key), await usedBy(two.key)]).toEqual([1, 1])
    // Nor does one account keep another one from its call.
    const [three, four] = [await service.createKey("pro"), await service.createKey("pro")]
    const both = await Promise.all([three, four].map(({ key }) => send(message, key, "at once")))
    expect(both.map(kindOf)).toEqual(["200", "200"])
  })
})

test("another API key of the same account gets the replay, since both spend the same credits", async () => {
  const { account, key } = await service.createKey("pro")
  const second = await service.accounts.createKey({ accountId: account })
  await send(message, key, "k")
  expect(kindOf(await send(message, second.key, "k"))).toBe("200 again")
  expect(await usedBy(key)).toBe(1)
})

test("another API key of the same account gets no replay of what it may not call", async () => {
  const { account, key } = await service.createKey("pro")
  const limited = await service.accounts.createKey({ accountId: account, allowApis: ["linesorter"] })
  const elsewhere = await service.accounts.createKey({ accountId: account, allowIps: ["192.0.2.1"] })
  const ended = await service.accounts.createKey({ accountId: account })
  await service.accounts.revokeKey(ended.id)
  const query = { query: '{ hmac(input: {message: "a", secret: "b"}) { hmac } }' }
  await send(message, key, "k")
  await send({ inputs: [message] }, key, "b", "/v1/hmac/batch")
  await send(query, key, "g", "/v1/graphql")
  for (const [other, status] of [
    [limited.key, 403],
    [elsewhere.key, 403],
    [ended.key, 401],
  ] as const) {
    expect((await send(message, other, "k")).status).toBe(status)
    expect((await send({ inputs: [message] }, other, "b", "/v1/hmac/batch")).status).toBe(status)
    expect((await send(query, other, "g", "/v1/graphql")).status).toBe(status)
  }
})

test("another API key of the same account has its own limit per minute for replays", async () => {
  const { account, key } = await service.createKey("pro")
  const slow = await service.accounts.createKey({ accountId: account, rateLimit: 2 })
  await send(message, key, "k")
  const kinds: string[] = []
  for (let call = 0; call < 3; call++) kinds.push(kindOf(await send(message, slow.key, "k")))
  expect(kinds).toEqual(["200 again", "200 again", "429"])
})

describe("a call that asks servers of others", () => {
  const query = { query: '{ spfvalidator(input: {domain: "example.com"}) { has_spf_record } }' }
  test.each<[path: string, body: object | null]>([
    ["/v1/spfvalidator?domain=example.com", null],
    ["/v1/spfvalidator/batch", { inputs: [{ domain: "example.com" }] }],
    ["/v1/graphql", query],
  ])("%s is answered again twice, and then charged", async (path, body) => {
    const { key } = await service.createKey("pro")
    const once = { headers: { "idempotency-key": "k" }, key }
    const kinds: string[] = []
    for (let call = 0; call < 5; call++)
      kinds.push(kindOf(await (body ? send(body, key, "k", path) : service.fetch(path, once))))
    expect(kinds).toEqual(["200", "200 again", "200 again", "200", "200"])
    const { key: other } = await service.createKey("pro")
    await (body ? send(body, other, "k", path) : service.fetch(path, { ...once, key: other }))
    expect(await usedBy(key)).toBe(3 * Number(await usedBy(other)))
  })
})

test("a call that fails when it is repeated does not use its replays up: it is not charged again", async () => {
  let isDead = false
  const dns: Dns = {
    resolve: async () => (isDead ? { kind: "failure", reason: "timeout" } : { kind: "nxdomain" }),
    exchange: noExchange,
  }
  const asking = await startTestService({ ports: { dns } })
  const { account, key } = await asking.createKey("pro")
  for (const [path, body] of [
    ["/v1/spfvalidator?domain=example.com", null],
    ["/v1/spfvalidator/batch", { inputs: [{ domain: "example.com" }] }],
    ["/v1/graphql", { query: '{ spfvalidator(input: {domain: "example.com"}) { has_spf_record } }' }],
  ] as const) {
    const headers = { "content-type": "application/json", "idempotency-key": path }
    const call = async () =>
      kindOf(await asking.fetch(path, body ? postWith(body, { key, headers }) : { key, headers }))
    const used = async () => (await asking.accounts.show(account)).balance.used
    isDead = false
    expect(await call()).toBe("200")
    const charged = await used()
    isDead = true
    for (let time = 0; time < 5; time++) await call()
    isDead = false
    expect([await call(), await call(), await used()]).toEqual(["200 again", "200 again", charged])
    // The third one that is answered is charged, as the page says.
    expect([await call(), (await used()) > charged]).toEqual(["200", true])
  }
})

test.each([
  ['{"message":"a","secret":"b"}', '{ "secret" : "\\u0062",\n"message":"\\u0061" }'],
  ['{"message":"a","secret":"b"}', '{"message":"z","secret":"b","message":"a"}'],
])("an input in another form is the same call if it means the same: %s, %s", async (first, again) => {
  const { key } = await service.createKey("pro")
  await send(first, key, "k")
  expect(kindOf(await send(again, key, "k"))).toBe("200 again")
  expect(await usedBy(key)).toBe(1)
})

test.each([
  ['{"message":"é","secret":"b"}', '{"message":"e\\u0301","secret":"b"}'],
  ['{"message":"a","secret":"b"}', '{"message":"a ","secret":"b"}'],
  ['{"message":"a","secret":"b"}', '{"message":"a","secret":"b","algorithm":"sha512"}'],
  ['{"message":"a\\",\\"secret\\":\\"b","secret":"c"}', '{"message":"a","secret":"b"}'],
])("an input in another form is another call if it means another thing: %s, %s", async (first, other) => {
  const { key } = await service.createKey("pro")
  await send(first, key, "k")
  expect(kindOf(await send(other, key, "k"))).toBe("422")
  expect(await usedBy(key)).toBe(1)
})

test("the same input of another API is another call: a cheap API pays for no expensive one", async () => {
  const { key } = await service.createKey("pro")
  // Each API reads its own parameters of it.
  const inputs = [{ ...message, lines: ["b", "a"] }]
  const kinds = [
    kindOf(await send({ inputs }, key, "k", "/v1/hmac/batch")),
    kindOf(await send({ inputs }, key, "k", "/v1/linesorter/batch")),
  ]
  expect([...kinds, await usedBy(key)]).toEqual(["200", "422", 1])
})

describe("a key that no client would send", () => {
  const bad: readonly (readonly [what: string, header: string])[] = [
    ["10 kB", "x".repeat(10_000)],
    ["256 characters", "x".repeat(256)],
    ["nothing", ""],
    ["a tab", "a\tb"],
    ["letters beyond ASCII", "clé-№-🔑"],
    ["a direction of text", "a\u202eb"],
    ["DEL", "a\u007fb"],
    ["a comma, as two headers come", "first, second"],
  ]

  /** Sends bytes as no HTTP library would. */
  function sendRaw(header: string, key: string): Promise<string> {
    const body = JSON.stringify(message)
    const head = `POST /v1/hmac HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nx-api-key: ${key}\r\n`
    const text = `${head}Idempotency-Key: ${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    return converse(service.url, text)
  }

  test.each(bad)("with %s is a 400 that names the header and does not repeat it", async (_what, header) => {
    const { key } = await service.createKey("pro")
    const answer = await sendRaw(header, key)
    expect(answer).toStartWith("HTTP/1.1 400 ")
    expect(answer).toContain(
      "The request header 'Idempotency-Key' must be sent once: 1 to 255 printable ASCII characters without a comma.",
    )
    if (header !== "") expect(answer).not.toContain(header)
    expect(await usedBy(key)).toBe(0)
  })

  test.each(["a\r\nx-api-key: pk-other", "a\n b", "a\rb", "a\u0000b"])(
    "with line breaks or zero bytes is refused, or ends there: %j",
    async (header) => {
      const { key } = await service.createKey("pro")
      expect(await sendRaw(header, key)).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(await usedBy(key)).toBe(0)
    },
  )
})

test("neither a log line nor the store has the key, the input or the answer, and a row is as small for the longest key", async () => {
  const { account, key } = await service.createKey("pro")
  const input = { message: "a-text-that-nobody-keeps", secret: "a-secret-that-nobody-keeps" }
  const idempotencyKey = `order-4711-${"x".repeat(244)}`
  const { data } = await readAnswer(send(input, key, idempotencyKey))
  using store = new Database(service.db, { readonly: true })
  const rows = store.query<Record<string, unknown>, []>("SELECT * FROM call_replays").all()
  const kept = JSON.stringify(rows)
  for (const text of ["order-4711", input.message, input.secret, String(data?.hmac)])
    expect([kept, service.logged()].filter((each) => each.includes(text))).toEqual([])
  for (const row of rows) expect(JSON.stringify(row).length).toBeLessThan(300)
  // Without the key nobody can try out inputs: the same one has another hash under another key.
  await send(input, key, "another")
  const select = "SELECT input_hash AS hash FROM call_replays WHERE account_id = ?1"
  const hashes = store.query<{ hash: string }, [string]>(select).all(account)
  expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(2)
})

test("calls that are refused keep nothing in the store and nothing under way: the key is free at once", async () => {
  const { key } = await service.createKey("tiny")
  await send(message, key, "spends all")
  const countRows = () => {
    using store = new Database(service.db, { readonly: true })
    return store.query<{ rows: number }, []>("SELECT count(*) AS rows FROM call_replays").get()?.rows
  }
  const before = countRows()
  for (let call = 0; call < 50; call++) {
    const refused = await send(message, key, `refused ${call % 2}`)
    expect([refused.status, refused.headers.get("x-error-code")]).toEqual([429, "creditsUsedUp"])
  }
  for (const [path, body] of [
    ["/v1/hmac/batch", { inputs: [message] }],
    ["/v1/graphql", { query: '{ hmac(input: {message: "a", secret: "b"}) { hmac } }' }],
  ] as const) {
    const statuses = [await send(body, key, "refused", path), await send(body, key, "refused", path)]
    expect(statuses.map(({ status }) => status)).not.toContain(409)
  }
  expect(countRows()).toBe(before)
})
