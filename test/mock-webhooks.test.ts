/** Webhooks of the test double, delivered over real sockets to a receiver in this process. */
import { describe, expect, setSystemTime, test } from "bun:test"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { mockWebhookSecret } from "../src/mock/webhook-secret.ts"
import type { MockNotice } from "../src/mock-client/start-mock.ts"
import { runCliForTest } from "./support/cli.ts"
import { exhaust, listOf, post, startTestMock, type TestMock } from "./support/mock.ts"
import { type Received, startReceiver, statusOnly } from "./support/receiver.ts"

const noticesOf = (mock: TestMock) => listOf(mock, "notices")
const advance = (mock: TestMock, time: string) => mock.control("PUT", "/clock", { advance: time })
const raised = ["credits.exhausted", "credits.threshold_reached", "credits.threshold_reached"]

/** Runs an operation of the administration; any of its fields. */
async function administer(mock: TestMock, method: string, path: string, body?: object) {
  const headers = { "x-admin-key": "mock-admin", "content-type": "application/json" }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(`${mock.url}/admin/v1${path}`, init)
  return (await answer.json()) as {
    readonly data: readonly { readonly id: string }[]
    readonly id: string
    readonly secret: string
  }
}

/** As a receiver does: by its own clock. */
const verify = ({ headers, body }: Received) => new Webhook(mockWebhookSecret).verify(body, headers)

const types = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).type)

test("a webhook of the start gets what its accounts raise, at once, signed so that receivers verify it", async () => {
  const receiver = startReceiver()
  const mock = await startTestMock({ webhook: receiver.url })
  expect(await exhaust(mock)).toBe(429)
  const [notice, ...others] = await noticesOf(mock)
  expect(others).toHaveLength(2)
  expect(types(receiver.received)).toEqual(raised)
  for (const request of receiver.received) verify(request)
  const [request] = receiver.received as [Received]
  expect(verify(request)).toEqual({
    type: "credits.exhausted",
    timestamp: "2025-01-01T00:00:00.000Z",
    data: expect.objectContaining({ account: "acc_mockNoCredits", plan: "pro" }),
  })
  expect(notice).toMatchObject({ id: request.headers["webhook-id"], state: "delivered", reason: null })
  expect(notice?.attempts).toEqual([
    {
      at: "2025-01-01T00:00:00.000Z",
      duration_ms: 0,
      url: receiver.url,
      status: 204,
      error: null,
      fault: null,
      sent: true,
      headers: expect.any(Object),
      body: request.body,
    },
  ])
  expect(request.headers).toMatchObject(notice?.attempts[0]?.headers ?? { missing: "" })
})

test("moving the clock makes each attempt at its time, in order: 5 s, doubling up to an hour, for a day", async () => {
  const receiver = startReceiver()
  receiver.answer(() => statusOnly(503))
  const mock = await startTestMock({ webhook: receiver.url, webhookTime: "mock" })
  await exhaust(mock)
  const pending = { state: "pending", reason: "answered 503", next_attempt: "2025-01-01T00:00:05.000Z" }
  expect(await noticesOf(mock)).toMatchObject(raised.map(() => ({ ...pending, attempts: [{ status: 503 }] })))
  await advance(mock, "4s")
  expect(receiver.received).toHaveLength(3)
  await advance(mock, "1s")
  expect(receiver.received).toHaveLength(6)
  await advance(mock, "12h")
  receiver.answer(() => statusOnly(204))
  await advance(mock, "24h")
  const [notice] = await noticesOf(mock)
  const times = receiver.received
    .filter(({ body }) => body.includes("credits.exhausted"))
    .map(({ headers }) => Number(headers["webhook-timestamp"]))
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(waits.slice(0, 11)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600])
  expect(new Set(waits.slice(10))).toEqual(new Set([3_600]))
  expect(notice).toMatchObject({ state: "delivered", reason: null, next_attempt: null })
  expect(notice?.attempts.map(({ status }) => status)).toEqual([...times.slice(1).map(() => 503), 204])
})

test("31 days in one move: retries and events in the order of their times, the same bytes in two runs", async () => {
  async function run(): Promise<readonly Received[]> {
    const receiver = startReceiver()
    let seen = 0
    receiver.answer(() => statusOnly(++seen % 3 === 0 ? 204 : 500))
    const mock = await startTestMock({ webhook: receiver.url, webhookTime: "mock" })
    await exhaust(mock)
    await noticesOf(mock)
    await advance(mock, "31d")
    expect((await noticesOf(mock)).flatMap(({ attempts }) => attempts)).toHaveLength(receiver.received.length)
    return receiver.received.map(({ headers: { host: _, ...headers }, ...rest }) => ({ ...rest, headers }))
  }
  const [one, two] = [await run(), await run()]
  expect(one).toEqual(two)
  const times = one.map(({ headers }) => Number(headers["webhook-timestamp"]))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)).toBeGreaterThan(Date.parse("2025-01-31T23:59:59Z") / 1_000)
  expect([...new Set(types(one))]).toEqual([...new Set(raised), "key.expiring", "month.renewed"])
})

test("a webhook on another host is listed with the reason, and nothing is sent", async () => {
  const mock = await startTestMock({ webhook: "https://receiver.example/hook" })
  await exhaust(mock)
  const reason = expect.stringContaining("not sent: the test double delivers to this machine")
  expect(await noticesOf(mock)).toMatchObject(raised.map(() => ({ state: "failed", reason, attempts: [] })))
})

test("the start says at once that nothing is sent to another host, and says nothing of one on this machine", async () => {
  const start = (url: string) =>
    runCliForTest(["mock", "--port", "0", "--webhook", url], { stopRequested: async () => {} })
  const away = await start("https://receiver.example/hook")
  expect(away.err).toBe(
    "penknife: Webhooks to https://receiver.example/hook are listed, but not sent: the test double delivers to this machine alone, which is localhost, 127.0.0.0/8 and ::1\n",
  )
  expect(away.out).not.toContain("Webhooks go to")
  const here = await start("http://127.0.0.1:1/hook")
  expect(here.err).toBe("")
  expect(here.out).toContain(`Webhooks go to http://127.0.0.1:1/hook, signed with ${mockWebhookSecret}`)
})

test("the start says so of a webhook of an account of the seed, and once of several", async () => {
  const hosts = ["https://a.example", "http://127.0.0.1", "https://b.example", "https://a.example"]
  const seed = { accounts: hosts.map((host) => ({ name: host, webhook: `${host}/hook` })) }
  const { err } = await runCliForTest(["mock", "--port", "0", "--seed", JSON.stringify(seed)], {
    stopRequested: async () => {},
  })
  const lines = err.trimEnd().split("\n")
  const others = ["https://a.example/hook", "https://b.example/hook"]
  expect(lines.map((line) => /Webhooks to (\S+) are listed, but not sent/.exec(line)?.[1])).toEqual(others)
})

test("a reset ends attempts in progress, forgets the attempts, and keeps the webhook", async () => {
  const receiver = startReceiver()
  receiver.answer(() => new Promise(() => {}))
  const mock = await startTestMock({ webhook: receiver.url })
  await exhaust(mock)
  await receiver.count(1)
  await mock.reset()
  expect(await noticesOf(mock)).toEqual([])
  receiver.answer(() => statusOnly(204))
  await exhaust(mock)
  const delivered = { state: "delivered", attempts: [{ status: 204 }] }
  expect(await noticesOf(mock)).toMatchObject(raised.map(() => delivered))
})

describe("faults of webhooks", () => {
  const fault = (mock: TestMock, effects: object) =>
    mock.control("PUT", "/faults", { webhook: true, ...effects })
  /** The first webhook of a mock with this fault, as it arrives, and the notices. */
  async function withFault(effects: object) {
    const receiver = startReceiver()
    const mock = await startTestMock({ webhook: receiver.url })
    expect((await fault(mock, effects)).code).toBe(200)
    await exhaust(mock)
    return { mock, receiver, notices: await noticesOf(mock), first: receiver.received[0] as Received }
  }

  test.each([
    ["bad_signature", "No matching signature"],
    ["late_timestamp", "Message timestamp too old"],
  ])("%s: the library refuses it", async (name, message) => {
    const { first, notices, receiver, mock } = await withFault({ [name]: true, times: 1 })
    expect(() => verify(first)).toThrow(message)
    for (const request of receiver.received.slice(1)) verify(request)
    expect(receiver.received).toHaveLength(3)
    const [attempt] = notices[0]?.attempts ?? []
    expect(attempt).toMatchObject({ fault: { webhook: true, [name]: true } })
    expect(first.headers).toMatchObject(attempt?.headers ?? { missing: "" })
    expect((await mock.control("GET", "/faults")).data).toEqual({ faults: [] })
  })

  test("late_timestamp has a right signature for its time", async () => {
    const { first } = await withFault({ late_timestamp: true })
    const atMs = Number(first.headers["webhook-timestamp"]) * 1_000
    expect(Date.now() - atMs).toBeGreaterThan(300_000)
    setSystemTime(atMs)
    verify(first)
    setSystemTime()
  })

  test("twice: the same request arrives two times, and counts once", async () => {
    const { receiver, notices } = await withFault({ twice: true, times: 1 })
    const [one, two, three] = receiver.received
    expect(one).toEqual(two as Received)
    expect(three?.headers["webhook-id"]).not.toBe(one?.headers["webhook-id"])
    expect(notices.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ["delivered", 2],
      ["delivered", 1],
      ["delivered", 1],
    ])
  })

  test("status: the receiver is not asked, and the attempt comes again", async () => {
    const { receiver, notices, mock } = await withFault({ status: 503, times: 1 })
    expect(receiver.received).toHaveLength(2)
    expect(notices[0]).toMatchObject({ state: "pending", attempts: [{ status: 503, sent: false }] })
    await advance(mock, "5s")
    expect(types(receiver.received)).toEqual([...raised.slice(1), raised[0]])
  })

  test.each([
    ["drop", { drop: true, times: 1 }, "dropped by a fault", "5s"],
    ["delay_ms", { delay_ms: 90_000, times: 1 }, "delayed by a fault", "90s"],
  ])("%s: later webhooks overtake this one", async (_, effects, error, wait) => {
    const { receiver, notices, mock } = await withFault(effects)
    const pending = { state: "pending", reason: error, attempts: [{ status: null, error, sent: false }] }
    expect(notices[0]).toMatchObject(pending)
    await advance(mock, "4s")
    expect(types(receiver.received)).toEqual(raised.slice(1))
    await advance(mock, wait)
    expect(types(receiver.received)).toEqual([...raised.slice(1), raised[0]])
    expect((await noticesOf(mock)).map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"])
  })

  test("a delay that stays delays each webhook once", async () => {
    const { receiver, mock } = await withFault({ delay_ms: 90_000 })
    expect(receiver.received).toHaveLength(0)
    await advance(mock, "90s")
    expect(receiver.received).toHaveLength(3)
  })

  test("acts by probability on the same attempts in every run, and never on calls", async () => {
    const run = async () => (await withFault({ drop: true, probability: 0.5, seed: 3 })).notices
    const states = (await run()).map(({ state }) => state)
    expect((await run()).map(({ state }) => state)).toEqual(states)
    expect(new Set(states)).toEqual(new Set(["pending", "delivered"]))
    const { mock } = await withFault({ status: 503 })
    expect((await mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })).status).toBe(200)
  })

  test("with webhook: false it is a fault of calls, and says nothing of webhooks", async () => {
    const fault = { webhook: false, status: 503, times: 1 }
    const mock = await startTestMock()
    expect((await mock.control("PUT", "/faults", fault)).data).toEqual({ faults: [fault] })
    const call = () => mock.fetch("/v1/bluetoothlookup?companyid=76", { key: "mock-pro" })
    expect([(await call()).status, (await call()).status]).toEqual([503, 200])
  })

  test("is told that it acts on nothing yet, until an account has a webhook on this machine", async () => {
    const note = expect.stringContaining("so this fault acts on nothing yet")
    const put = (mock: TestMock, body: object) =>
      mock.control("PUT", "/faults", body).then(({ data }) => data)
    const fault = { webhook: true, twice: true }
    const mock = await startTestMock()
    expect(await put(mock, fault)).toEqual({ faults: [fault], note })
    expect(await put(mock, { webhook: true, times: 0 })).toEqual({ faults: [] })
    expect(await put(mock, { api: "hmac", status: 503 })).not.toHaveProperty("note")
    const away = await startTestMock({ webhook: "https://receiver.example/hook" })
    expect(await put(away, fault)).toHaveProperty("note", note)
    const [account] = (await administer(mock, "GET", "/accounts")).data
    await administer(mock, "POST", `/accounts/${account?.id}/webhook`, { url: startReceiver().url })
    expect(await put(mock, fault)).toEqual({ faults: [expect.anything(), fault] })
    const here = await startTestMock({ webhook: startReceiver().url })
    expect(await put(here, fault)).toEqual({ faults: [fault] })
  })
})

test("a notice is sent again with the same id; one that waits or has no webhook is not", async () => {
  const receiver = startReceiver()
  const mock = await startTestMock({ webhook: receiver.url })
  await exhaust(mock)
  const [notice] = (await noticesOf(mock)) as [MockNotice]
  const resend = (id: string) => mock.control("PUT", `/notices/${id}/resend`)
  const again = { id: notice.id, state: "delivered", attempts: [{ status: 204 }, { status: 204 }] }
  expect(await resend(notice.id)).toMatchObject({ code: 200, data: again })
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"])
  expect([ids.length, ids[3]]).toEqual([4, notice.id])
  receiver.answer(() => statusOnly(500))
  expect(await resend(notice.id)).toMatchObject({ code: 200, data: { state: "pending" } })
  const error = expect.stringContaining("is being sent already")
  expect(await resend(notice.id)).toMatchObject({ code: 400, error })
  expect(await resend("msg_0")).toMatchObject({ code: 404 })
  const without = await startTestMock()
  await exhaust(without)
  const [unsent] = (await noticesOf(without)) as [MockNotice]
  const refused = await without.control("PUT", `/notices/${unsent.id}/resend`)
  expect(refused).toMatchObject({ code: 400, error: expect.stringContaining("has no webhook") })
})

test("thresholds and key events reach webhooks that the admin API has set, with its secret", async () => {
  const receiver = startReceiver()
  const mock = await startTestMock()
  const [account] = (await administer(mock, "GET", "/accounts?search=mock-free")).data
  const { secret } = await administer(mock, "POST", `/accounts/${account?.id}/webhook`, { url: receiver.url })
  const inputs = Array.from({ length: 200 }, () => ({ companyid: "76" }))
  for (let batch = 0; batch < 4; batch++)
    await post(mock, "/v1/bluetoothlookup/batch", "mock-free", { inputs })
  expect(await noticesOf(mock)).toMatchObject([{ type: "credits.threshold_reached", state: "delivered" }])
  const [request] = receiver.received as [Received]
  expect(new Webhook(secret).verify(request.body, request.headers)).toMatchObject({ data: { threshold: 80 } })
  expect(() => verify(request)).toThrow("No matching signature")
})

test("webhooks of one instant come in the order in which they were raised, however slow the receiver is", async () => {
  const receiver = startReceiver()
  const mock = await startTestMock({ webhook: receiver.url, webhookTime: "mock" })
  /** Raises notices of three kinds. The receiver answers a request as soon as so many were raised since. */
  async function play(kinds: readonly string[], delays: readonly number[]) {
    await mock.reset()
    const start = receiver.received.length
    const waiting = new Map<number, () => void>()
    let [steps, isOver] = [0, false]
    receiver.answer(async () => {
      const until = steps + (delays[(receiver.received.length - start) % delays.length] ?? 0)
      if (until > steps && !isOver)
        await new Promise<void>((resolve) => waiting.set(until, chain(waiting.get(until), resolve)))
      return statusOnly(204)
    })
    const created = { name: "A", events: ["key.created"] }
    const { id: account } = await administer(mock, "POST", "/accounts", created)
    await administer(mock, "POST", `/accounts/${account}/webhook`, { url: receiver.url })
    for (const kind of kinds) {
      if (kind === "exhaust") await exhaust(mock)
      else await administer(mock, "POST", "/keys", { account, name: `k${steps}` })
      if (delays.every((delay) => delay === 0)) await noticesOf(mock)
      waiting.get(++steps)?.()
    }
    isOver = true
    for (const answer of waiting.values()) answer()
    const notices = await noticesOf(mock)
    expect(notices.map(({ state }) => state)).toEqual(notices.map(() => "delivered"))
    return receiver.received.slice(start)
  }
  const chain = (first: (() => void) | undefined, next: () => void) => () => {
    first?.()
    next()
  }
  const kinds = fc.array(fc.constantFrom("key", "key", "exhaust"), { minLength: 4, maxLength: 10 })
  const delays = fc.array(fc.nat(6), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(kinds, delays, async (kinds, delays) => {
      const fast = await play(kinds, [0])
      expect(fast.length).toBeGreaterThan(0)
      expect(await play(kinds, delays)).toEqual(fast)
    }),
    { numRuns: 25 },
  )
}, 120_000)
