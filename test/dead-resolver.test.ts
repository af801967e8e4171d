/** No server of the operator is of any use: no API has anything to say about its input, and none charges. */
import { afterAll, describe, expect, test } from "bun:test"
import { catalog } from "../src/app/prepare.ts"
import { systemClock } from "../src/ports/clock.ts"
import { systemTimer } from "../src/ports/timer.ts"
import type { ReplyParts } from "./support/dns-reply.ts"
import { type DnsServerOptions, startDnsServer, type TestDnsServer } from "./support/dns-server.ts"
import { resolverFor } from "./support/resolver.ts"
import { startTestService } from "./support/service.ts"

/** Gives every question this answer without a record, over UDP alone if it is cut short or has another id. */
const always = (change: Partial<ReplyParts>): DnsServerOptions => ({
  ...(change.id || change.truncated ? { transports: "udp" } : {}),
  answer: ({ id, question }) => {
    const parts = { question, rcode: 3, truncated: false, answers: [], authority: [], ...change }
    return { ...parts, id: id ^ (change.id ?? 0) }
  },
})
const useless: Readonly<Record<string, DnsServerOptions>> = {
  "is silent": { answer: () => null },
  "answers FORMERR": always({ rcode: 1 }),
  "answers SERVFAIL": always({ rcode: 2 }),
  "answers NOTIMP": always({ rcode: 4 }),
  "answers REFUSED": always({ rcode: 5 }),
  "answers NOTAUTH": always({ rcode: 9 }),
  "answers under other ids": always({ id: 0x1234 }),
  "cuts all answers short, without TCP": always({ rcode: 0, truncated: true }),
  "cuts all answers short, and closes TCP": {
    ...always({ rcode: 0, truncated: true }),
    tcp: "close at once",
    transports: "both",
  },
  "sends no DNS messages": { rewrite: () => [Buffer.from("garbage")], transports: "udp" },
}
const servers: TestDnsServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop())))

async function start(...given: Parameters<typeof startDnsServer>): Promise<TestDnsServer> {
  const server = await startDnsServer(...given)
  servers.push(server)
  return server
}

async function serviceAsking(addresses: readonly string[], queryTimeoutMs = 50) {
  const servers = addresses.map((address) => ({ address }))
  const dns = resolverFor(servers, { clock: systemClock, timer: systemTimer, queryTimeoutMs })
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

const tried = [...examples.filter(({ index }) => index === 0), ...withAddress]

describe.each(Object.entries(useless))("a server that %s", (_name, options) => {
  test("makes every API that asks it a 503, and free", async () => {
    const { service, key } = await serviceAsking([(await start({}, options)).address])
    const answers = await Promise.all(
      tried.map(async ({ api, input }) => {
        const answer = await service.call(api, input, { key })
        const isClear = (await answer.text()).includes("Try again later.")
        return [api.id, answer.status, answer.headers.get("x-api-credits-used"), isClear]
      }),
    )
    expect(answers).toEqual(tried.map(({ api }) => [api.id, 503, "0", true]))
  })

  test("changes no answer while another one answers", async () => {
    const zone = {
      "good.example": [{ MX: [10, "mail.good.example"] }, { TXT: "v=spf1 ip4:192.0.2.1 -all" }],
    } as const
    const good = await start(zone)
    const alone = await serviceAsking([good.address], 5_000)
    const beside = await serviceAsking([(await start({}, options)).address, good.address], 5_000)
    for (const path of ["dnslookup?name=good.example&type=MX", "spfvalidator?domain=good.example"]) {
      const [expected, found] = await Promise.all(
        [alone, beside].map(async ({ service, key }) => {
          const answer = await service.fetch(`/v1/${path}`, { key })
          expect(answer.status).toBe(200)
          return (await answer.text()).replace(/"elapsed_ms":[\d.]+/, "")
        }),
      )
      expect(found).toEqual(expected)
    }
  })
})

test("a server that dies after the first answer of a call makes it a 503, and free", async () => {
  let left = 1
  const rewrite = (reply: Buffer) => (left-- > 0 ? [reply] : [])
  const { address } = await start(
    { "good.example": [{ TXT: "v=spf1 a -all" }] },
    { rewrite, transports: "udp" },
  )
  const { service, key } = await serviceAsking([address])
  const answer = await service.fetch("/v1/spfvalidator?domain=good.example&ip=192.0.2.1", { key })
  expect([answer.status, answer.headers.get("x-api-credits-used")]).toEqual([503, "0"])
})

test("a domain whose own servers are silent stays a result where others answer", async () => {
  const half = await start({ "slow.example": ["TIMEOUT"] })
  const { service, key } = await serviceAsking([half.address])
  const answer = await service.fetch("/v1/spfvalidator?domain=slow.example&ip=192.0.2.1", { key })
  expect(await answer.json()).toMatchObject({
    data: { ip_result: "temperror", risk_level: "medium", risk_score: 40 },
  })
})
