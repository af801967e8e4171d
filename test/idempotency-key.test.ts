/** A repeated call with an Idempotency-Key is answered again and charged once, on REST, batch and GraphQL. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readAnswer } from "./support/answer.ts"
import { createManualClock } from "./support/clock.ts"
import { postWith } from "./support/keyed-request.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService } from "./support/service.ts"

const clock = createManualClock()
const service = await startTestService({
  clock,
  file: {
    plans: {
      tiny: { monthly_credits: 4, sign_up_bonus: 0 },
      slow: { monthly_credits: 100, requests_per_minute: 2, sign_up_bonus: 0 },
    },
  },
})
const json = "application/json"

/** Sends a body to a path, under an Idempotency-Key unless it is null. */
function send(path: string, body: unknown, key: string, idempotencyKey: string | null): Promise<Response> {
  const headers = {
    "content-type": json,
    ...(idempotencyKey !== null && { "idempotency-key": idempotencyKey }),
  }
  return service.fetch(path, postWith(body, { key, headers }))
}

async function usedBy(key: string): Promise<unknown> {
  const { data } = await readAnswer(service.fetch("/v1/usage", { key }))
  return [data?.credits, data?.usage]
}

const message = { message: "The quick brown fox", secret: "key" }
const query = "query ($m: HmacInput!) { hmac(input: $m) { hmac } }"

/** The same call and another one on each surface, by its path. */
const surfaces: readonly (readonly [path: string, body: object, other: object])[] = [
  ["/v1/hmac", message, { ...message, secret: "another" }],
  ["/v1/hmac/batch", { inputs: [message, { secret: "only" }] }, { inputs: [message] }],
  [
    "/v1/graphql",
    { query: '{ linesorter(input: {lines: ["b", "a"]}) { sorted } }' },
    { query: '{ linesorter(input: {lines: ["a"]}) { sorted } }' },
  ],
]

describe.each(surfaces)("%s", (path, body, other) => {
  test("a repeated call is answered again and charged once", async () => {
    const { key } = await service.createKey("pro")
    const first = await send(path, body, key, "k")
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
    const used = await usedBy(key)
    const again = await send(path, body, key, "k")
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
    expect(await again.text()).toBe(await first.text())
    for (const name of ["content-type", "x-api-credits-used", "x-api-remaining-credits", "vary"])
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    expect(await usedBy(key)).toEqual(used)
    const fresh = await send(path, body, key, "k2")
    expect([fresh.status, fresh.headers.get("idempotent-replayed")]).toEqual([200, null])
    expect(await usedBy(key)).not.toEqual(used)
  })

  test("another input is a 422, another account may use the same key", async () => {
    const [{ key }, { key: stranger }] = [await service.createKey("pro"), await service.createKey("pro")]
    await send(path, body, key, "k")
    const used = await usedBy(key)
    const refused = await send(path, other, key, "k")
    expect(refused.status).toBe(422)
    expect(await refused.text()).toMatch(/used for a call with other input/)
    expect(await usedBy(key)).toEqual(used)
    expect((await send(path, other, stranger, "k")).status).toBe(200)
  })

  test("a malformed key is a 400 that names the header", async () => {
    const { key } = await service.createKey("pro")
    for (const wrong of ["", "é", "x".repeat(256), key]) {
      const refused = await send(path, body, key, wrong)
      expect(refused.status).toBe(400)
      expect(await refused.text()).toContain("'Idempotency-Key' must")
    }
    expect((await send(path, body, key, "x".repeat(255))).status).toBe(200)
  })

  test("of calls at the same time one is charged; the others are replays or a 409 with Retry-After", async () => {
    const { key } = await service.createKey("pro")
    const once = await usedAfterOne(path, body)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(path, body, key, "k")))
    const fresh = answers.filter(
      ({ status, headers }) => status === 200 && !headers.has("idempotent-replayed"),
    )
    expect(fresh).toHaveLength(1)
    for (const { status, headers } of answers.filter((each) => each.status !== 200))
      expect([status, headers.get("retry-after")]).toEqual([409, "1"])
    expect(await usedBy(key)).toEqual(once)
  })

  test("a call is answered again 10 times, whichever key of the account sends it; then it is a 429", async () => {
    const { key, account } = await service.createKey("pro")
    await send(path, body, key, "k")
    const used = await usedBy(key)
    for (let replay = 1; replay <= 10; replay++) expect((await send(path, body, key, "k")).status).toBe(200)
    clock.advance(3_600_000)
    const { key: second } = await service.accounts.createKey({ accountId: account })
    for (const each of [key, second]) {
      const refused = await send(path, body, each, "k")
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, String(23 * 3_600)])
      expect(await refused.text()).toMatch(/answered again 10 times already/)
    }
    expect((await send(path, other, key, "k")).status).toBe(422)
    expect(await usedBy(key)).toEqual(used)
    expect((await send(path, body, key, "k2")).headers.has("idempotent-replayed")).toBe(false)
    clock.advance(23 * 3_600_000)
    expect((await send(path, body, key, "k")).headers.has("idempotent-replayed")).toBe(false)
  })

  test("a page of another origin may send the header and read the answer's", async () => {
    const { key } = await service.createKey("pro")
    const answer = await send(path, body, key, "k")
    expect(answer.headers.get("access-control-expose-headers")).toContain("idempotent-replayed")
  })
})

async function usedAfterOne(path: string, body: object): Promise<unknown> {
  const { key } = await service.createKey("pro")
  await send(path, body, key, "k")
  return usedBy(key)
}

test("one key means one call: another path under it is a 422", async () => {
  const { key } = await service.createKey("pro")
  await send("/v1/hmac", message, key, "k")
  expect((await send("/v1/hmac/batch", { inputs: [message] }, key, "k")).status).toBe(422)
})

test("the order of members, defaults that are written out and the format are not another input", async () => {
  const { key } = await service.createKey("pro")
  await send("/v1/hmac", '{"message": "a", "secret": "b"}', key, "k")
  const again = await send(
    "/v1/hmac?format=xml",
    '{"secret":"b","message":"a","unknown":1,"algorithm":null}',
    key,
    "k",
  )
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"])
  expect(again.headers.get("content-type")).toStartWith("application/xml")
  const batches = [
    { inputs: [{ message: "a", secret: "b" }, { message: 1 }] },
    { inputs: [{ secret: "b", message: "a", unknown: 1, algorithm: null, encoding: "hex" }, { message: 1 }] },
    { inputs: [{ message: "a", secret: "b" }, { message: 2 }] },
  ]
  const statuses: number[] = []
  for (const batch of batches) statuses.push((await send("/v1/hmac/batch", batch, key, "b")).status)
  expect(statuses).toEqual([200, 200, 422])
  const variables = [{ m: { message: "a", secret: "b" } }, { m: { secret: "b", message: "a" } }]
  const [one, two] = [
    await send("/v1/graphql", { query, variables: variables[0] }, key, "g"),
    await send("/v1/graphql", { variables: variables[1], query }, key, "g"),
  ]
  expect([one.headers.has("idempotent-replayed"), two.headers.has("idempotent-replayed")]).toEqual([
    false,
    true,
  ])
  expect((await send("/v1/graphql", { query: `${query} `, variables: variables[0] }, key, "g")).status).toBe(
    422,
  )
})

test("an API with GET takes the header too", async () => {
  const { key } = await service.createKey("pro")
  const get = (id: string) =>
    service.fetch(`/v1/bluetoothlookup?companyid=${id}`, { key, headers: { "idempotency-key": "k" } })
  const [first, again, other] = [await get("76"), await get("76"), await get("77")]
  expect([first.headers.has("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
    false,
    "true",
  ])
  expect(other.status).toBe(422)
  expect(await again.text()).toBe(await first.text())
})

test("a call that failed leaves nothing: its key may be used again, also with other input", async () => {
  const { key } = await service.createKey("pro")
  expect((await send("/v1/hmac", {}, key, "k")).status).toBe(400)
  expect((await send("/v1/hmac/batch", { inputs: [{}] }, key, "k")).status).toBe(200)
  const answer = await send("/v1/hmac", message, key, "k")
  expect([answer.status, answer.headers.has("idempotent-replayed")]).toEqual([200, false])
})

test("a replay is answered when the credits are used up, and at the price that was charged", async () => {
  const { key } = await service.createKey("tiny")
  const batch = { inputs: [message, message, {}, message] }
  await send("/v1/hmac/batch", batch, key, "k")
  const plain = [await send("/v1/hmac", message, key, null), await send("/v1/hmac", message, key, null)]
  expect(plain.map(({ status }) => status)).toEqual([200, 429])
  const again = await send("/v1/hmac/batch", batch, key, "k")
  expect(again.headers.get("x-api-remaining-credits")).toBe("0")
  const { data } = await readAnswer(Promise.resolve(again))
  expect(data).toMatchObject({ count: 4, succeeded: 3, failed: 1, credits_used: 3 })
})

test("limits per minute count replays", async () => {
  const { key } = await service.createKey("slow")
  const statuses: number[] = []
  for (let i = 0; i < 3; i++) statuses.push((await send("/v1/hmac", message, key, "k")).status)
  expect(statuses).toEqual([200, 200, 429])
})

test("a key is forgotten after 24 hours", async () => {
  const { key } = await service.createKey("pro")
  await send("/v1/hmac", message, key, "k")
  clock.advance(86_400_000 - 1)
  expect((await send("/v1/hmac", message, key, "k")).headers.has("idempotent-replayed")).toBe(true)
  clock.advance(1)
  const answer = await send("/v1/hmac", { ...message, secret: "other" }, key, "k")
  expect([answer.status, answer.headers.has("idempotent-replayed")]).toEqual([200, false])
})

test("large inputs of any depth are compared", async () => {
  const { key } = await service.createKey("pro")
  const nested = `{"inputs": [${'{"x": ['.repeat(4_000)}${"]}".repeat(4_000)}, ${JSON.stringify(message)}]}`
  const statuses: unknown[] = []
  for (let i = 0; i < 2; i++) {
    const { status, headers } = await send("/v1/hmac/batch", nested, key, "k")
    statuses.push([status, headers.has("idempotent-replayed")])
  }
  expect(statuses).toEqual([
    [200, false],
    [200, true],
  ])
})

test("whatever is sent in whatever order, each distinct key that succeeded is charged once", async () => {
  const call = fc.record({
    surface: fc.constantFrom(0, 1, 2),
    other: fc.boolean(),
    key: fc.constantFrom("a", "b", "c", null),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { minLength: 1, maxLength: 5 }), { maxLength: 4 }),
      async (turns) => {
        const { key } = await service.createKey("pro")
        let charged = 0
        for (const turn of turns) {
          const answers = await Promise.all(
            turn.map(async ({ surface, other, key: idempotencyKey }) => {
              const [path, body, another] = surfaces[surface] as (typeof surfaces)[number]
              return send(path, other ? another : body, key, idempotencyKey)
            }),
          )
          for (const { status, headers } of answers) {
            expect([200, 409, 422]).toContain(status)
            if (status === 200 && !headers.has("idempotent-replayed")) charged++
          }
        }
        const { data } = await readAnswer(service.fetch("/v1/usage", { key }))
        // Each surface charges one call of one credit.
        expect(data?.credits).toMatchObject({ used: charged })
      },
    ),
    { numRuns: 15, seed: 28 },
  )
})

interface Sent {
  readonly headers: Readonly<Record<string, string>>
}

test("the test double does the same, and its journal shows it", async () => {
  const mock = await startTestMock()
  const headers = { "content-type": json, "idempotency-key": "order-7" }
  const post = (body: object) => mock.fetch("/v1/hmac", postWith(body, { key: "mock-pro", headers }))
  expect([
    (await post(message)).status,
    (await post(message)).status,
    (await post({ ...message, secret: "b" })).status,
  ]).toEqual([200, 200, 422])
  const { data } = await mock.control("GET", "/requests")
  const { requests } = data as { requests: { request: Sent; response: Sent & { status: number } }[] }
  const seen = requests.map(({ request, response }) => [
    request.headers["idempotency-key"],
    response.status,
    response.headers["idempotent-replayed"],
  ])
  expect(seen).toEqual([
    ["order-7", 200, undefined],
    ["order-7", 200, "true"],
    ["order-7", 422, undefined],
  ])
})
