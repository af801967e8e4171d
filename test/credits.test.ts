/** The cost of calls, the headers that say so, and rate limits. */
import { expect, test } from "bun:test"
import { readAnswer } from "./support/answer.ts"
import { createManualClock } from "./support/clock.ts"
import { startTestService } from "./support/service.ts"

const path = "/v1/bluetoothlookup?companyid=76"
const start = "2025-01-31T12:00:00Z"
const tiny = { plans: { tiny: { monthly_credits: 3, sign_up_bonus: 2, premium: false } } }
const clock = createManualClock(start)
const service = await startTestService({ clock, file: tiny })

const call = (key: string, target = path) => service.fetch(target, { key })
const usageOf = ({ headers }: Response) => ({
  used: headers.get("x-api-credits-used"),
  left: headers.get("x-api-remaining-credits"),
  max: headers.get("x-api-max-credits"),
  renewal: headers.get("x-api-renewal"),
  plan: headers.get("x-api-current-plan"),
})

test("credits: the month's credits are used first, then the bonus; then calls are refused until the month renews", async () => {
  clock.set(start)
  const { account, key } = await service.createKey("tiny")
  const renewal = String(Date.parse("2025-02-28T12:00:00Z") / 1_000)
  for (const pair of ["1 4", "2 3", "3 2", "3 1", "3 0"]) {
    const [used = "", left = ""] = pair.split(" ")
    const answer = await call(key)
    expect(answer.status).toBe(200)
    expect(usageOf(answer)).toEqual({ used, left, max: "3", renewal, plan: "tiny" })
  }
  const refused = await call(key)
  expect(refused.status).toBe(429)
  expect(usageOf(refused)).toMatchObject({ left: "0", renewal })
  expect(refused.headers.get("retry-after")).toBe(String(28 * 86_400))
  const error =
    "The credits of this account are used up: this call costs 1 credit, and 0 are left. Credits renew at 2025-02-28T12:00:00.000Z."
  expect(await readAnswer(refused)).toEqual({ status: "error", error, data: null })

  clock.set("2025-02-28T11:59:59.999Z")
  expect((await call(key)).status).toBe(429)
  clock.set("2025-02-28T12:00:00Z")
  const renewed = await call(key)
  const nextRenewal = String(Date.parse("2025-03-31T12:00:00Z") / 1_000)
  expect(usageOf(renewed)).toMatchObject({ used: "1", left: "2", renewal: nextRenewal })
  const { balance } = await service.accounts.show(account)
  expect(balance).toMatchObject({ used: 1, bonus: 0, remaining: 2 })
})

test("credits: accounts of one plan, called by turns, each get the end of their own month", async () => {
  const days = ["05", "06", "07"]
  const keys: string[] = []
  for (const day of days) {
    clock.set(`2025-01-${day}T12:00:00Z`)
    keys.push((await service.createKey("tiny")).key)
  }
  clock.set("2025-01-10T12:00:00Z")
  const renewals = days.map((day) => String(Date.parse(`2025-02-${day}T12:00:00Z`) / 1_000))
  for (let turn = 1; turn <= 2; turn++) {
    const answers = await Promise.all(keys.map((key) => call(key)))
    expect(answers.map((answer) => usageOf(answer).renewal)).toEqual(renewals)
  }
})

test("credits: a refusal says what the call costs and what is left, and when to try again only if that helps", async () => {
  clock.set(start)
  const { key } = await service.createKey("tiny")
  const spf = "/v1/spfvalidator?domain=example.com"
  const inputs = Array.from({ length: 6 }, () => ({ companyid: 76 }))
  expect((await call(key)).status).toBe(200)
  const first = await call(key, spf)
  expect([first.status, first.headers.get("retry-after")]).toEqual([429, String(28 * 86_400)])
  expect((await readAnswer(first)).error).toBe(
    "The credits of this account are used up: this call costs 5 credits, and 4 are left. Credits renew at 2025-02-28T12:00:00.000Z.",
  )
  const batch = await service.post("/v1/bluetoothlookup/batch", { inputs }, { key })
  expect([batch.status, batch.headers.get("retry-after")]).toEqual([429, null])
  expect((await readAnswer(batch)).error).toEndWith(
    "this call costs 6 credits, and 4 are left. Credits renew at 2025-02-28T12:00:00.000Z, but those of a month do not cover this call.",
  )
})

test("credits: a clock that jumps back gives no month twice", async () => {
  clock.set(start)
  const { key } = await service.createKey("tiny")
  clock.set("2025-03-01T00:00:00Z")
  for (let i = 0; i < 5; i++) expect((await call(key)).status).toBe(200)
  for (const day of ["2025-02-01", "2025-03-02", "2024-12-01"]) {
    clock.set(`${day}T00:00:00Z`)
    expect((await call(key)).status).toBe(429)
  }
  clock.set(start)
})

test("credits: refused, failed and unauthorised calls cost nothing", async () => {
  const { account, key } = await service.createKey("tiny", { blockApis: ["hmac"] })
  const bad = await call(key, "/v1/bluetoothlookup?companyid=x")
  expect([bad.status, usageOf(bad).used]).toEqual([400, "0"])
  const forbidden = await service.fetch("/v1/hmac", { method: "POST", key })
  expect([forbidden.status, usageOf(forbidden).left]).toEqual([403, "5"])
  const stranger = await service.fetch(path)
  expect(usageOf(stranger)).toEqual({ used: null, left: null, max: null, renewal: null, plan: null })
  expect((await service.accounts.show(account)).balance.used).toBe(0)
  expect(await service.accounts.usage(account, 1)).toEqual([])
})

test("credits: a grant and a change of plan count from the next call on", async () => {
  const { account, key } = await service.createKey("tiny")
  for (let i = 0; i < 5; i++) await call(key)
  expect((await call(key)).status).toBe(429)
  await service.accounts.grant(account, 1)
  expect(usageOf(await call(key))).toMatchObject({ left: "0" })
  expect((await call(key)).status).toBe(429)
  await service.accounts.setPlan(account, "enterprise")
  const unlimited = { used: "4", left: "unlimited", max: "unlimited", plan: "enterprise" }
  expect(usageOf(await call(key))).toMatchObject(unlimited)
  await service.accounts.setPlan(account, "tiny")
  expect((await call(key)).status).toBe(429)
})

test("GET /v1/usage costs nothing and shows plan, credits, renewal and the usage by API and day", async () => {
  clock.set(start)
  const { account, key } = await service.createKey("pro")
  await call(key)
  await call(key)
  clock.set("2025-02-01T00:00:00Z")
  await call(key)
  await service.post("/v1/hmac", { message: "m", secret: "s" }, { key })
  const answer = await call(key, "/v1/usage")
  expect(answer.status).toBe(200)
  expect(usageOf(answer)).toMatchObject({ used: "4", left: "999996" })
  expect((await readAnswer(answer)).data).toEqual({
    account,
    plan: "pro",
    credits: { allowance: 1_000_000, used: 4, bonus: 0, bonus_used: 0, remaining: 999_996 },
    period_start: "2025-01-31T12:00:00.000Z",
    renewal: "2025-02-28T12:00:00.000Z",
    usage: [
      { day: "2025-02-01", api: "bluetoothlookup", calls: 1, credits: 1 },
      { day: "2025-02-01", api: "hmac", calls: 1, credits: 1 },
      { day: "2025-01-31", api: "bluetoothlookup", calls: 2, credits: 2 },
    ],
  })
  clock.set(start)
})

test("GET /v1/usage counts from the month's first instant, not from the midnight before, and its rows add up to what was used and paid from the bonus", async () => {
  clock.set(start)
  const { account, key } = await service.createKey("tiny")
  const report = async () => {
    const { data } = await readAnswer(await call(key, "/v1/usage"))
    const { credits, usage } = data as {
      credits: { used: number; bonus_used: number; bonus: number }
      usage: { day: string; credits: number }[]
    }
    const rows = usage.map(({ day, credits }) => `${day} ${credits}`)
    return [credits.used, credits.bonus_used, credits.bonus, rows]
  }
  clock.set("2025-02-28T11:59:59Z")
  await call(key)
  await call(key)
  expect(await report()).toEqual([2, 0, 2, ["2025-02-28 2"]])
  clock.set("2025-02-28T12:00:00Z")
  expect(await report()).toEqual([0, 0, 2, []])
  await call(key)
  expect(await report()).toEqual([1, 0, 2, ["2025-02-28 1"]])
  clock.set("2025-03-01T00:00:00Z")
  for (let i = 0; i < 3; i++) await call(key)
  expect(await report()).toEqual([3, 1, 1, ["2025-03-01 3", "2025-02-28 1"]])
  // After the clock is set back the month stays the same, and so does what it paid for.
  clock.set("2025-02-20T00:00:00Z")
  await call(key)
  expect(await report()).toEqual([3, 2, 0, ["2025-03-01 3", "2025-02-28 1", "2025-02-20 1"]])
  clock.set("2025-03-01T00:00:00Z")
  const row = { day: "2025-02-28", api: "bluetoothlookup", calls: 3, credits: 3 }
  expect(await service.accounts.usage(account, 2)).toContainEqual(row)
  clock.set("2025-02-20T00:00:00Z")
  await service.accounts.renew(account)
  expect(await report()).toEqual([0, 0, 0, []])
  await service.accounts.grant(account, 1)
  for (let i = 0; i < 4; i++) await call(key)
  expect(await report()).toEqual([3, 1, 0, ["2025-02-20 4"]])
  clock.set(start)
})

test("GET /v1/usage comes in every format and needs a key", async () => {
  const { key } = await service.createKey("tiny")
  expect(await (await call(key, "/v1/usage?format=csv")).text()).toContain("credits.remaining,5\r\n")
  expect(await (await call(key, "/v1/usage?format=xml")).text()).toContain("<remaining>5</remaining>")
  expect((await call(key, "/v1/usage?format=x")).status).toBe(400)
  expect((await service.fetch("/v1/usage")).status).toBe(401)
  expect((await service.fetch("/v1/usage", { method: "POST", key })).headers.get("allow")).toBe("GET")
})

/** Status, limit, remaining, reset and Retry-After. */
const rate = ({ status, headers }: Response) => {
  const limits = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`))
  return [status, ...limits, headers.get("retry-after")].map(String).join(" ")
}

test("rate limits: the free plan makes 60 calls a minute, spread over all its keys", async () => {
  clock.set(start)
  const { account, key } = await service.createKey("free")
  const other = await service.accounts.createKey({ accountId: account })
  expect(rate(await call(key))).toBe("200 60 59 1 null")
  for (let i = 0; i < 59; i++) expect((await call(i % 2 ? key : other.key)).status).toBe(200)
  const refused = await call(key)
  expect(rate(refused)).toBe("429 60 0 60 1")
  expect(await readAnswer(refused)).toMatchObject({
    error: "The limit of 60 calls per minute is reached; try again in 1 second.",
  })
  expect((await service.accounts.show(account)).balance.used).toBe(60)
  clock.advance(1_000)
  expect((await call(other.key)).status).toBe(200)
  expect((await call(key)).status).toBe(429)
  clock.advance(60_000)
  expect(rate(await call(key))).toBe("200 60 59 1 null")
})

test("rate limits: a key's own limit applies to that key only, and the headers show the tighter limit", async () => {
  const { account, key } = await service.createKey("free", { rateLimit: 2 })
  const other = await service.accounts.createKey({ accountId: account })
  expect(rate(await call(key))).toBe("200 2 1 30 null")
  await call(key)
  expect(rate(await call(key))).toBe("429 2 0 60 30")
  expect(rate(await call(other.key))).toBe("200 60 57 3 null")
})

test("rate limits: unthrottled plans carry no limit headers", async () => {
  const { key } = await service.createKey("pro")
  expect(rate(await call(key))).toBe("200 null null null null")
})

test("rate limits: a throttled call is refused before its body is looked at", async () => {
  const { key } = await service.createKey("free", { rateLimit: 1 })
  await call(key)
  expect((await service.fetch("/v1/hmac", { method: "POST", body: "not json", key })).status).toBe(429)
})
