/** Queries and batches race for small balances, in two services on one store. */
import { expect, test } from "bun:test"
import { systemClock } from "../src/ports/clock.ts"
import { type Answer, readAnswer } from "./support/answer.ts"
import { useStoreKinds } from "./support/any-store.ts"
import { type GraphqlAnswer, readGraphql } from "./support/graphql.ts"
import { startTestService } from "./support/service.ts"

const file = {
  plans: { small: { monthly_credits: 300, sign_up_bonus: 40 } },
  credits: { hmac: 2, sunrisesunset: 7 },
}
const prices: Readonly<Record<string, number>> = { ...file.credits, bluetoothlookup: 1, linesorter: 1 }
const requests = 500
const clients = 32

/** A fixed seed, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const good: Readonly<Record<string, string>> = {
  hmac: `hmac(input: {message: "m", secret: "s"}) { hmac }`,
  bluetoothlookup: `bluetoothlookup(input: {companyid: "1"}) { company }`,
  linesorter: `linesorter(input: {lines: ["b", "a"]}) { sorted }`,
  sunrisesunset: "sunrisesunset(input: {lat: 1, lon: 1}) { sunrise }",
}
const bad: Readonly<Record<string, string>> = {
  hmac: `hmac(input: {message: "m", secret: ""}) { hmac }`,
  bluetoothlookup: `bluetoothlookup(input: {companyid: "x"}) { company }`,
  linesorter: `linesorter(input: {lines: [], order: "up"}) { sorted }`,
  sunrisesunset: "sunrisesunset(input: {lat: 91, lon: 1}) { sunrise }",
}
const apis = Object.keys(prices)

/** Up to six fields, aliased by the API they name, some of them bad. */
function randomQuery(random: (below: number) => number): string {
  const fields = Array.from({ length: 1 + random(6) }, (_, index) => {
    const api = apis[random(apis.length)] ?? ""
    return `${api}_${index}: ${(random(4) === 0 ? bad : good)[api]}`
  })
  return `{ ${fields.join(" ")} }`
}

function randomInputs(random: (below: number) => number): object[] {
  return Array.from({ length: 1 + random(12) }, () =>
    random(5) === 0 ? { message: 5 } : { message: "m", secret: "s" },
  )
}

test.each(useStoreKinds())(
  "$name: never overspent, and usage is what clients saw succeed",
  async ({ create }) => {
    const options = { file, ports: { clock: systemClock }, flags: { db: await create() } }
    const first = await startTestService(options)
    const second = await startTestService(options)
    const random = createRandom(20250101)
    const accounts = await Promise.all(Array.from({ length: 6 }, () => first.createKey("small")))
    const seen = new Map(
      accounts.map(({ account }) => [account, new Map<string, [calls: number, credits: number]>()]),
    )
    const statuses = new Map<string, number>()
    let sent = 0

    const count = (key: string) => statuses.set(key, (statuses.get(key) ?? 0) + 1)
    function earn(account: string, api: string, calls: number, credits: number): void {
      const [before, spent] = seen.get(account)?.get(api) ?? [0, 0]
      seen.get(account)?.set(api, [before + calls, spent + credits])
    }
    function earnQuery(account: string, { data }: GraphqlAnswer): void {
      const succeeded = Object.entries(data ?? {}).filter(([, value]) => value !== null)
      for (const api of new Set(succeeded.map(([name]) => name.split("_")[0] ?? ""))) {
        earn(account, api, 1, prices[api] ?? 0)
      }
    }
    function earnBatch(account: string, { data }: Answer): void {
      const { succeeded, credits_used: credits } = data as { succeeded: number; credits_used: number }
      expect(credits).toBe(2 * succeeded)
      if (succeeded > 0) earn(account, "hmac", succeeded, credits)
    }

    async function client(): Promise<void> {
      while (sent < requests) {
        sent++
        const { account, key } = accounts[random(accounts.length)] ?? { account: "", key: "" }
        const service = random(2) === 0 ? first : second
        const isQuery = random(2) === 0
        const body = isQuery ? { query: randomQuery(random) } : { inputs: randomInputs(random) }
        const answer = await service.post(isQuery ? "/v1/graphql" : "/v1/hmac/batch", body, { key })
        count(`${isQuery ? "query" : "batch"} ${answer.status}`)
        if (isQuery) earnQuery(account, (await readGraphql(answer)).body)
        else if (answer.status === 200) earnBatch(account, await readAnswer(answer))
      }
    }
    await Promise.all(Array.from({ length: clients }, client))

    expect([...statuses.keys()].sort()).toEqual(["batch 200", "batch 429", "query 200", "query 402"])
    for (const { account } of accounts) {
      const { balance } = await first.accounts.show(account)
      const usage = await first.accounts.usage(account, 1)
      expect(Object.fromEntries(usage.map(({ api, calls, credits }) => [api, [calls, credits]]))).toEqual(
        Object.fromEntries(seen.get(account) ?? []),
      )
      const spent = usage.reduce((sum, { credits }) => sum + credits, 0)
      expect(balance.used + (40 - balance.bonus)).toBe(spent)
      expect(balance.remaining).toBe(340 - spent)
      expect(spent).toBeLessThanOrEqual(340)
      expect(spent).toBeGreaterThan(300)
    }
  },
  300_000,
)
