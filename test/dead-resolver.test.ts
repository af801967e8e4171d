/** No server of the operator answers: no API has anything to say about its input, and none charges. */
import { afterAll, expect, test } from "bun:test"
import { catalog } from "../src/app/prepare.ts"
import { systemClock } from "../src/ports/clock.ts"
import { createResolver } from "../src/ports/dns/resolver.ts"
import { parseServerAddress } from "../src/ports/dns/server-address.ts"
import { systemRandom } from "../src/ports/random.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { startDnsServer } from "./support/dns-server.ts"
import { startTestService } from "./support/service.ts"

const silent = await startDnsServer({}, { answer: () => null })
const half = await startDnsServer({ "slow.example": ["TIMEOUT"] })
afterAll(() => Promise.all([silent.stop(), half.stop()]))

async function serviceAsking(address: string) {
  const servers = [parseServerAddress(address)]
  const parts = { clock: systemClock, random: systemRandom, timer: systemTimer }
  const dns = createResolver({ ...parts, servers, queryTimeoutMs: 50 })
  const service = await startTestService({ ports: { clock: systemClock, dns } })
  return { service, ...(await service.createKey("enterprise")) }
}

const asking = catalog.filter(({ asksDns }) => asksDns)
const examples = asking.flatMap((api) => api.examples.map(({ input }, index) => ({ api, input, index })))
const withAddress = examples.filter(({ api, input }) => api.id === "spfvalidator" && "ip" in input)

test("every API that asks the DNS has an example here, and spfvalidator one with an address", () => {
  expect(asking.length).toBeGreaterThan(12)
  expect(withAddress).not.toBeEmpty()
})

const first = examples.filter(({ index }) => index === 0)
const dead = await serviceAsking(silent.address)
test.each([...first, ...withAddress])(
  "$api.id $input.domain $input.ip: a 503, and free",
  async ({ api, input }) => {
    const answer = await dead.service.call(api, input, { key: dead.key })
    expect([answer.status, answer.headers.get("x-api-credits-used")]).toEqual([503, "0"])
    expect(await answer.text()).toContain("Try again later.")
  },
)

test("a domain whose own servers are silent stays a result where others answer", async () => {
  const { service, key } = await serviceAsking(half.address)
  const answer = await service.fetch("/v1/spfvalidator?domain=slow.example&ip=192.0.2.1", { key })
  expect(await answer.json()).toMatchObject({
    data: { ip_result: "temperror", risk_level: "medium", risk_score: 40 },
  })
})
