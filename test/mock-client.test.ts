/** `startMock` of `penknife/mock`. */
import { afterAll, afterEach, expect, spyOn, test } from "bun:test"
import { performance } from "node:perf_hooks"
import { Webhook } from "standardwebhooks"
import { mockMatchers } from "../clients/javascript/expect.ts"
import { type MockOptions, startMock } from "../src/mock-client/start-mock.ts"
import { waitForWebhooks } from "../src/mock-client/webhooks.ts"
import { readAnswer } from "./support/answer.ts"
import { freePort } from "./support/free-port.ts"
import { program as command } from "./support/own-command.ts"
import { startReceiver } from "./support/receiver.ts"

const settings = {
  PENKNIFE_PLAN: "gold",
  PENKNIFE_CONFIG: "gone.toml",
  PENKNIFE_HOST: "203.0.113.1",
  penknife_max_body: "none",
}

/** For tests that need no options. Each resets it. */
const mock = await startMock({ command })
afterAll(mock.stop)
const lookUp = "/v1/bluetoothlookup?companyid=76"
const call = (url = mock.url, key = mock.key) => fetch(url + lookUp, { headers: { "x-api-key": key } })

afterEach(() => {
  for (const name of Object.keys(settings)) delete process.env[name]
})

test("the settings of the shell have no effect", async () => {
  Object.assign(process.env, settings)
  await using mock = await startMock({ command, plan: "free" })
  const answer = await fetch(`${mock.url}/v1/usage`, { headers: { "x-api-key": mock.key } })
  expect([answer.status, answer.headers.get("x-api-current-plan")]).toEqual([200, "free"])
})

test("an option that does not exist is refused, and the message names those that do", async () => {
  for (const wrong of [{ plna: "free" }, { seed_time: "2025-01-01" }, { host: "::" }, { toString: 1 }]) {
    const [name = ""] = Object.keys(wrong)
    await expect(startMock({ command, ...wrong } as MockOptions)).rejects.toThrow(
      `penknife mock: there is no option '${name}'; there are port, seedTime, clock, dns, web, seed, plan, tls, apis, like, strictLike, smtp, webhook, webhookTime, graphql, shared, command`,
    )
  }
})

test("a mock listens on the port that is named, and says when another process has it", async () => {
  const port = freePort()
  await using mock = await startMock({ command, port })
  expect(mock.url).toBe(`http://127.0.0.1:${port}`)
  await expect(startMock({ command, port })).rejects.toThrow(`Is port ${port} in use?`)
  await using other = await startMock({ command, port: 0 })
  expect(other.url).not.toBe(mock.url)
})

test("a mock starts with a seed, from an object or a file", async () => {
  const seed = {
    accounts: [{ name: "Acme", credits_used: 1_000, bonus: 0, keys: [{ text: "acme-test-key" }] }],
  }
  await using mock = await startMock({ command, seed })
  expect((await call(mock.url, "acme-test-key")).status).toBe(429)
  expect(await mock.seed()).toContain("name: Acme\n")
  await expect(startMock({ command, seed: { foo: 1 } })).rejects.toThrow("--seed:1:2: foo is not known here")
  await expect(startMock({ command, seed: "none.yaml" })).rejects.toThrow("The seed none.yaml cannot be read")
})

test("webhooks waits for those that are delivered, and says what came instead; resend sends one again", async () => {
  const receiver = startReceiver()
  await using mock = await startMock({ command, webhook: receiver.url })
  const { secret = "" } = mock.webhook ?? {}
  expect(mock.webhook?.url).toBe(receiver.url)
  await mock.fault({ webhook: true, status: 503, times: 1 })
  await call(mock.url, "mock-no-credits")
  const type = "credits.threshold_reached"
  const two = await mock.webhooks({ type, count: 2 })
  expect(two.map(({ data }) => data.threshold)).toEqual([80, 95])
  expect(two.map(({ type, state }) => [type, state])).toEqual(Array(2).fill([type, "delivered"]))
  await expect(mock.webhooks({ type: "credits.exhausted", timeoutMs: 0 })).rejects.toThrow(
    /^penknife mock: 0 of 1 webhooks of the type 'credits.exhausted' were delivered in 0 ms\n {2}credits.exhausted msg_\w+ is pending: answered 503; it is tried next at 2025-01-01T00:00:05.000Z$/,
  )
  await expect(mock.webhooks({ type: "credits.low", timeoutMs: 0 })).rejects.toThrow(
    "0 of 1 webhooks of the type 'credits.low' were delivered in 0 ms\n  types that were raised: credits.exhausted, credits.threshold_reached",
  )
  await mock.advance("5s")
  const [late] = await mock.webhooks({ type: "credits.exhausted" })
  expect((await mock.resend(late?.id ?? "")).attempts.map(({ status }) => status)).toEqual([503, 204, 204])
  for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers)
  expect(receiver.received).toHaveLength(4)
  await expect(mock.resend("msg_0")).rejects.toThrow("penknife mock: ")
})

test("a wait for webhooks ends at its time, also if each look is slow, as while a receiver is silent", async () => {
  let nowMs = 0
  using _ = spyOn(performance, "now").mockImplementation(() => nowMs)
  let looks = 0
  const slow = async () => {
    looks++
    nowMs += 1_000
    return []
  }
  await expect(waitForWebhooks(slow, { timeoutMs: 2_000 })).rejects.toThrow("were delivered in 2000 ms")
  expect(looks).toBe(2)
  const underWay = { id: "msg_1", type: "test", state: "pending", reason: null }
  const waiting = async () => [{ ...underWay, next_attempt: "2025-01-01T00:01:00.000Z" }]
  await expect(waitForWebhooks(waiting, { timeoutMs: 0 })).rejects.toThrow(/ is pending: no answer so far$/)
  // With a clock that a test has stopped, the waits are counted.
  looks = 0
  const stopped = async () => {
    looks++
    return []
  }
  await expect(waitForWebhooks(stopped, { timeoutMs: 50 })).rejects.toThrow("were delivered in 50 ms")
  expect(looks).toBe(3)
})

test("a wait for webhooks refuses an option that does not exist", async () => {
  for (const wrong of [{ typ: "key.created" }, { timeout: 5 }]) {
    const [name = ""] = Object.keys(wrong)
    await expect(mock.webhooks(wrong as object)).rejects.toThrow(
      `penknife mock: webhooks has no option '${name}'; there are type, count, timeoutMs`,
    )
  }
})

test("shared uses a session of a running mock: only it is reset, and it ends with the test", async () => {
  await mock.reset()
  const sessions = async () =>
    (await readAnswer(fetch(`${mock.url}/_mock/sessions`))).data?.sessions as { url: string }[]
  const [one, other] = await Promise.all([`${mock.url}/`, mock.url].map((shared) => startMock({ shared })))
  if (!one || !other) throw new Error("two sessions were made")
  expect((await sessions()).map(({ url }) => url).sort()).toEqual([one.url, other.url].sort())
  expect([one.pid, one.ca, one.key, one.webhook]).toEqual([null, null, mock.key, null])
  await Promise.all([one.advance("31d"), other.advance("1d"), other.fault({ api: "hmac", status: 503 })])
  expect((await call(one.url)).status).toBe(200)
  const [came, ...others] = await one.requests()
  expect(came).toMatchObject({ at: expect.stringMatching(/^2025-02-01/), path: lookUp })
  expect(others).toEqual([])
  expect([await other.requests(), await mock.requests()]).toEqual([[], []])
  await one.reset()
  expect(await one.advance("1d")).toStartWith("2025-01-02")
  expect(await other.advance("1d")).toStartWith("2025-01-03")
  await one.stop()
  expect((await call(one.url)).status).toBe(404)
  await expect(one.reset()).rejects.toThrow("penknife mock: There is no such session.")
  expect((await sessions()).map(({ url }) => url)).toEqual([other.url])
  await other.stop()
})

test("a start says why nothing is sent to a webhook on another machine, in its sessions too", async () => {
  const url = "https://receiver.example/hook"
  await using started = await startMock({ command, webhook: url })
  await using session = await startMock({ shared: started.url })
  const reason = expect.stringContaining("not sent: the test double delivers to this machine alone")
  expect(started.webhook).toEqual({ url, secret: expect.any(String), reason })
  expect(session.webhook).toEqual(started.webhook)
})

test("a session of a mock with a webhook has that webhook too", async () => {
  const receiver = startReceiver()
  await using started = await startMock({ command, webhook: receiver.url })
  await using session = await startMock({ shared: started.url })
  expect(started.webhook).toMatchObject({ url: receiver.url, reason: null })
  expect(session.webhook).toEqual(started.webhook)
  await call(session.url, "mock-no-credits")
  await session.webhooks({ count: 3 })
  for (const { body, headers } of receiver.received)
    new Webhook(session.webhook?.secret ?? "").verify(body, headers)
  expect(receiver.received).toHaveLength(3)
  expect(await started.notices()).toEqual([])
})

test("shared must be a URL", () =>
  expect(startMock({ shared: "8090" })).rejects.toThrow(
    "penknife mock: 'shared' must be a URL such as http://127.0.0.1:8090, not '8090'",
  ))

test("a mock that does not answer is named", async () => {
  const shared = `http://127.0.0.1:${freePort()}`
  await expect(startMock({ shared })).rejects.toThrow(`penknife mock: ${shared} does not answer: `)
})

test("shared goes with no option for the start of a mock", async () => {
  const shared = "http://127.0.0.1:1"
  await expect(startMock({ shared, plan: "free" })).rejects.toThrow(
    "penknife mock: 'shared' uses a mock that runs already: start that with 'plan'",
  )
})

test("verify says what came instead, and tells a refusal from it", async () => {
  await mock.reset()
  await call()
  expect(await mock.verify({ api: "bluetoothlookup", count: 1 })).toContain(
    "#1 GET /v1/bluetoothlookup?companyid=76",
  )
  const wrong = mock.verify({ api: "bluetoothlookup", input: { companyid: "77" } })
  await expect(wrong).rejects.toMatchObject({
    name: "NotAsExpected",
    message:
      'Expected at least 1: api bluetoothlookup, input.companyid "77"\n0 came.\nThe nearest of 1 others (- expected, + came):\n' +
      "#1 GET /v1/bluetoothlookup?companyid=76 with key mock-key → 200\n    api bluetoothlookup\n" +
      '  - input.companyid "77"\n  + input.companyid "76"',
  })
  await expect(mock.verify({ count: 1, at_least: 1 })).rejects.toMatchObject({
    name: "Error",
    message: expect.stringMatching(/^penknife mock: The 'count' parameter /),
  })
})

test("toHaveCalled fails with and without 'not' when the mock refuses a question, or there is no mock", async () => {
  await mock.reset()
  await call()
  const came = await mockMatchers.toHaveCalled(mock)
  expect(came.pass).toBe(true)
  expect(came.message()).toMatch(
    /^This should not have come\. Expected at least 1: any request\n1 came\.\n#1 GET /,
  )
  const missing = await mockMatchers.toHaveCalled(mock, { api: "hmac" })
  expect(missing.pass).toBe(false)
  expect(missing.message()).toContain("  - api hmac\n  + api bluetoothlookup")
  // Thrown, and not a 'pass: false', which 'not' would turn into a success.
  await expect(mockMatchers.toHaveCalled(mock, { api: "hmacs" })).rejects.toThrow(
    "The 'api' parameter must be one of",
  )
  await expect(mockMatchers.toHaveCalled("mock")).rejects.toThrow("toHaveCalled needs a mock of startMock")
})
