/** Calls without a key: whose they are, what bounds them, and what they must not reach. */
import { expect, test } from "bun:test"
import { gtinvalidator } from "../src/apis/gtinvalidator/index.ts"
import { hmac } from "../src/apis/hmac/index.ts"
import { catalog, catalogIds } from "../src/app/prepare.ts"
import { guestApis } from "../src/app/served-apis.ts"
import { bucketOf } from "../src/call/guests.ts"
import { loadConfig } from "../src/config/load.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { openStore } from "../src/store/open.ts"
import { readAnswer } from "./support/answer.ts"
import { postWith } from "./support/keyed-request.ts"
import { startTestMock } from "./support/mock.ts"
import { startTestService, type TestService } from "./support/service.ts"

const input = { message: "m", secret: "s", algorithm: "sha256" }
const free = { monthly_credits: 20, sign_up_bonus: 0, requests_per_minute: 10 }
const open = (options: Parameters<typeof startTestService>[0] = {}) =>
  startTestService({
    ...options,
    flags: { trustedProxies: ["127.0.0.1"], ...options.flags },
    file: { plans: { free }, try: { calls: 3 }, ...options.file },
  })
const callFrom = (service: TestService, address: string, headers = {}) =>
  service.call(hmac, input, { headers: { "x-forwarded-for": address, ...headers } })
const statusFrom = async (...given: Parameters<typeof callFrom>) => (await callFrom(...given)).status
const errorOf = async (answer: Response) => [answer.status, (await readAnswer(answer)).error]

async function inStore<T>(
  service: TestService,
  read: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
) {
  const ports = { clock: service.clock, random: systemRandom, timer: systemTimer, mustExist: true }
  const opened = await openStore(service.db, { ...ports, limitMs: 30_000 })
  try {
    return await read(opened)
  } finally {
    await opened.store.close()
  }
}
const guestAccounts = (service: TestService) =>
  inStore(service, ({ admin }) => admin.accounts({ externalId: "guests" }, { limit: 10, after: null }))

const service = await open({
  file: { try: { calls: 100 }, plans: { free: { ...free, requests_per_minute: 500 } } },
})

test("without --try-calls a call without a key is a 401, and no account is made for guests", async () => {
  const service = await startTestService()
  expect(await errorOf(await service.call(hmac, input, {}))).toEqual([
    401,
    "An API key is needed: send it in the 'x-api-key' header, or as 'Authorization: Bearer KEY'.",
  ])
  expect(await guestAccounts(service)).toEqual([])
})

test("a guest is charged each time, also with an Idempotency-Key: another guest may use the same one", async () => {
  const headers = { "idempotency-key": "k" }
  const first = await callFrom(service, "192.0.2.9", headers)
  const again = await callFrom(service, "192.0.2.9", headers)
  const left = [first, again].map((answer) => Number(answer.headers.get("x-api-remaining-credits")))
  expect(left[0]).toBe((left[1] ?? 0) + 1)
  expect(again.headers.has("idempotent-replayed")).toBe(false)
})

test("a guest is charged on the guests' account, which all processes and starts share", async () => {
  const service = await open()
  const answer = await callFrom(service, "192.0.2.1")
  expect(answer.status).toBe(200)
  expect(answer.headers.get("x-api-remaining-credits")).toBe("19")
  const [account, ...others] = await guestAccounts(service)
  expect([account?.used, account?.plan, others]).toEqual([1, "free", []])
  const again = await startTestService({
    flags: { db: service.db },
    file: { try: { calls: 3, plan: "team" }, plans: { team: free } },
  })
  expect((await again.call(hmac, input, {})).status).toBe(200)
  const [after, ...rest] = await guestAccounts(service)
  expect([after?.id, after?.plan, rest]).toEqual([account?.id, "team", []])
  expect(await inStore(service, ({ admin }) => admin.countKeys(account?.id ?? ""))).toBe(1)
})

test("a guest of one network has so many calls a minute; others have theirs", async () => {
  const service = await open()
  for (let call = 0; call < 3; call++) expect(await statusFrom(service, "192.0.2.1")).toBe(200)
  const refused = await callFrom(service, "192.0.2.1")
  expect(refused.headers.get("retry-after")).toBe("20")
  expect(await errorOf(refused)).toEqual([
    429,
    "Without an API key you can make 3 calls per minute. Try again in 20 s. With an API key of your own you can go on: " +
      "the first page of this service says how to get one.",
  ])
  expect(await statusFrom(service, "192.0.2.2")).toBe(200)
  service.clock.advance(20_000)
  expect(await statusFrom(service, "192.0.2.1")).toBe(200)
})

test("a guest does not get more by the addresses of one IPv6 network, or by a header that no proxy wrote", async () => {
  const service = await open()
  for (let host = 1; host <= 3; host++) expect(await statusFrom(service, `2001:db8::${host}`)).toBe(200)
  expect(await statusFrom(service, "2001:db8::ffff:1")).toBe(429)
  expect(await statusFrom(service, "2001:db8:0:1::1")).toBe(200)
  expect(await statusFrom(service, "192.0.2.9, 2001:db8::4")).toBe(429)
  const direct = await open({ flags: { trustedProxies: [] } })
  for (let call = 0; call < 3; call++) expect(await statusFrom(direct, `192.0.2.${call}`)).toBe(200)
  expect(await statusFrom(direct, "192.0.2.77")).toBe(429)
})

test("a guest shares the limits of the plan with all guests, calls a minute and credits", async () => {
  const service = await open()
  const statuses: number[] = []
  for (let host = 1; host <= 11; host++) statuses.push(await statusFrom(service, `192.0.2.${host}`))
  expect(statuses).toEqual([...Array(10).fill(200), 429])
  expect(await errorOf(await callFrom(service, "198.51.100.1"))).toEqual([
    429,
    expect.stringContaining("Too many calls without an API key are made at the moment."),
  ])
  service.clock.advance(60_000)
  for (let host = 1; host <= 10; host++) expect(await statusFrom(service, `203.0.113.${host}`)).toBe(200)
  service.clock.advance(60_000)
  expect(await errorOf(await callFrom(service, "198.51.100.2"))).toEqual([
    429,
    expect.stringContaining("The calls without an API key are used up until "),
  ])
  // Customers are not concerned.
  const { key } = await service.createKey("pro")
  expect((await service.call(hmac, input, { key })).status).toBe(200)
})

test("a guest pays nothing for refused input, and gets no premium fields on a plan without them", async () => {
  const service = await open()
  expect((await service.fetch("/v1/gtinvalidator")).status).toBe(400)
  const [account] = await guestAccounts(service)
  expect(account?.used).toBe(0)
  const { key } = await service.createKey("pro")
  const fieldsOf = async (more: { key?: string }) => {
    const answer = await service.call(gtinvalidator, gtinvalidator.examples[0]?.input ?? {}, more)
    return Object.keys((await readAnswer(answer)).data ?? {})
  }
  expect(await fieldsOf({ key })).toContain("registration")
  expect(await fieldsOf({})).toContain("is_valid")
  expect(await fieldsOf({})).not.toContain("registration")
})

test.each([
  ["a page of another site", { "sec-fetch-site": "cross-site" }, 401],
  ["a page of a sibling", { "sec-fetch-site": "same-site" }, 401],
  ["an old browser on another site", { origin: "https://evil.example" }, 401],
  ["a page without an origin", { origin: "null" }, 401],
  ["a page of this service", { "sec-fetch-site": "same-origin" }, 200],
  ["an address that was typed", { "sec-fetch-site": "none" }, 200],
  ["an empty key", { "x-api-key": "" }, 401],
  ["another scheme", { authorization: "Basic eDp5" }, 401],
  ["a mistyped key", { "x-api-key": "pk-wrong" }, 401],
])("a guest is no one else: %s", async (_who, headers, status) => {
  expect(await statusFrom(service, "192.0.2.30", headers)).toBe(status)
})

test("a guest calls the chosen APIs one by one: no others, no batch, GraphQL, MCP or usage", async () => {
  const statusOf = async (path: string, init = {}) => (await service.fetch(path, init)).status
  expect(await statusOf("/v1/spfvalidator?domain=good.example")).toBe(401)
  expect(await statusOf("/v1/hmac/batch", postWith({ inputs: [input] }))).toBe(401)
  const query = '{ hmac(message: "m", secret: "s") { hash } }'
  expect(await statusOf("/v1/graphql", postWith({ query }))).toBe(401)
  expect(await statusOf("/mcp", postWith({ jsonrpc: "2.0", id: 1, method: "tools/list" }))).toBe(401)
  expect(await statusOf("/v1/usage")).toBe(401)
})

test("a guest is refused like before when the operator closes the account or revokes its key", async () => {
  const closing = await open()
  expect(await statusFrom(closing, "192.0.2.1")).toBe(200)
  const [account] = await guestAccounts(closing)
  const [key] = await inStore(closing, ({ admin }) =>
    admin.keys({ accountId: account?.id ?? "" }, { limit: 1, after: null }),
  )
  await closing.accounts.revokeKey(key?.id ?? "")
  expect(await errorOf(await callFrom(closing, "192.0.2.1"))).toEqual([
    401,
    expect.stringContaining("An API key is needed"),
  ])
})

test("a guest is served as a reload says", async () => {
  let calls = 0
  const changing = await startTestService({ readFile: () => ({ try: { calls } }) })
  const status = async () => (await changing.call(hmac, input, {})).status
  expect(await status()).toBe(401)
  calls = 2
  await changing.configuration.reloadLogged()
  expect(await status()).toBe(200)
  calls = 0
  await changing.configuration.reloadLogged()
  expect(await status()).toBe(401)
})

test("a guest is served by the test double too", async () => {
  const mock = await startTestMock({ tryCalls: "2" })
  const statuses = []
  for (let call = 0; call < 3; call++) statuses.push((await mock.fetch("/v1/hmac", postWith(input))).status)
  expect(statuses).toEqual([200, 200, 429])
})

test("strangers with many networks do not fill the store, and cannot tell which networks share a limit", () => {
  const ids = new Set(
    Array.from({ length: 20_000 }, (_, number) => bucketOf(`2001:db8:${number.toString(16)}::1`, "a")),
  )
  for (const id of ids) expect(id).toMatch(/^guests-\d{1,5}$/)
  // Few of 20,000 networks share one of 65,536 buckets.
  expect(ids.size).toBeGreaterThan(16_000)
  expect(bucketOf("192.0.2.1", "a")).not.toBe(bucketOf("192.0.2.1", "b"))
  expect(bucketOf("::ffff:192.0.2.1", "a")).toBe(bucketOf("192.0.2.1", "a"))
  expect(bucketOf("fe80::1%eth0", "a")).toBe(bucketOf("fe80::2", "a"))
})

const load = (values: Record<string, unknown>) =>
  loadConfig({ flags: {}, env: {}, file: { name: "p.toml", values } })

test("the settings: a plan that ends the use of strangers", () => {
  for (const plan of ["pro", "enterprise"])
    expect(() => load({ try: { calls: 5, plan } })).toThrow("need a plan with limits")
  expect(() => load({ try: { calls: 5, plan: "gold" } })).toThrow(
    "'try.plan' in p.toml must be one of free, ",
  )
  expect(load({ try: { plan: "pro" } }).tryCalls).toBe(0)
})

test("the settings: the APIs: by default those of the program that ask nobody, and mailaudit", () => {
  const idsOf = (tryApis: string[]) =>
    guestApis({ tryApis }, [...catalog, own], catalogIds).map(({ id }) => id)
  const own = { ...hmac, id: "own" }
  const ids = idsOf([])
  expect(ids).toContain("mailaudit")
  expect(ids).not.toContain("own")
  for (const { id, asksDns, asksWeb } of catalog)
    if ((asksDns || asksWeb) && id !== "mailaudit") expect(ids).not.toContain(id)
  const texts = catalog.flatMap(({ id, category }) => (category === "text" ? [id] : []))
  expect(texts).toContain("linesorter")
  expect(idsOf(["own", "text"])).toEqual([...texts, "own"])
  expect(() => idsOf(["nope"])).toThrow("'try.apis': there is no API or category 'nope'.")
})
