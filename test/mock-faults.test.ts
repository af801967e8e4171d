/** Faults of the mock, in every way of calling, and that they act where the real ones do. */
import { beforeEach, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { readAnswer } from "./support/answer.ts"
import { errorReaders } from "./support/formats.ts"
import { post, readGraphql, startTestMock, ways } from "./support/mock.ts"

const mock = await startTestMock()
beforeEach(() => mock.reset())

const key = "mock-pro"
const fault = (rule: object) => mock.control("PUT", "/faults", rule)

async function usedCredits(): Promise<unknown> {
  const { data } = await readAnswer(mock.fetch("/v1/usage", { key }))
  return (data as { credits: { used: number } }).credits.used
}

interface Expected {
  readonly status: number
  /** Status of the batch as a whole; 200 where its inputs fail each for itself. */
  readonly batch: number
  readonly graphql: [status: number, code: string]
}

const onTheRoad: readonly Expected[] = [
  { status: 400, batch: 200, graphql: [200, "BAD_USER_INPUT"] },
  { status: 401, batch: 401, graphql: [401, "INVALID_API_KEY"] },
  { status: 403, batch: 403, graphql: [403, "FORBIDDEN"] },
  { status: 429, batch: 429, graphql: [429, "RATE_LIMITED"] },
  { status: 500, batch: 200, graphql: [200, "INTERNAL_SERVER_ERROR"] },
  { status: 503, batch: 200, graphql: [200, "UPSTREAM_UNAVAILABLE"] },
]

describe.each(onTheRoad.map((expected) => [expected.status, expected] as const))(
  "status %d",
  (status, { batch, graphql }) => {
    test.each(Object.entries(errorReaders))("over REST, in %s", async (format, readError) => {
      await fault({ api: "bluetoothlookup", status })
      const answer = await ways.rest(mock, key, format)
      expect(answer.status).toBe(status)
      expect(readError(await answer.text())).toMatch(/\w.*\.$/)
      expect(await usedAfterClearing()).toBe(0)
    })

    test("in a batch, charging nothing", async () => {
      await fault({ api: "bluetoothlookup", status })
      const answer = await ways.batch(mock, key)
      expect(answer.status).toBe(batch)
      if (batch === 200) {
        const { data } = await readAnswer(answer)
        expect(data).toMatchObject({ succeeded: 0, failed: 2, credits_used: 0 })
      }
      expect(await usedAfterClearing()).toBe(0)
    })

    test("over GraphQL, charging nothing", async () => {
      await fault({ api: "bluetoothlookup", status })
      const [code, name] = graphql
      expect(await readGraphql(ways.graphql(mock, key))).toMatchObject({ status: code, code: name })
      expect(await usedAfterClearing()).toBe(0)
    })

    test("of a usage call, and only where no API is named", async () => {
      await fault({ api: "bluetoothlookup", status })
      expect((await mock.fetch("/v1/usage", { key })).status).toBe(200)
      await fault({ status })
      expect((await mock.fetch("/v1/usage", { key })).status).toBe(status)
    })
  },
)

async function usedAfterClearing(): Promise<unknown> {
  await mock.control("DELETE", "/faults")
  return usedCredits()
}

test("a status that the service never gives comes as from a proxy before it, in the format asked for", async () => {
  await fault({ status: 502 })
  for (const [format, readError] of Object.entries(errorReaders)) {
    const answer = await ways.rest(mock, key, format)
    expect(answer.status).toBe(502)
    expect(readError(await answer.text())).toContain("502")
  }
  expect((await ways.batch(mock, key)).status).toBe(502)
  expect((await ways.graphql(mock, key)).status).toBe(502)
  expect(await usedAfterClearing()).toBe(0)
})

test("over GraphQL only the field of the API fails that is named", async () => {
  await fault({ api: "hmac", status: 503 })
  const query =
    '{ bluetoothlookup(input: {companyid: "76"}) { company } ...more } fragment more on Query { hmac(input: {message: "", secret: "s"}) { hmac } }'
  const answer = await readGraphql(post(mock, "/v1/graphql", key, { query }))
  expect(answer).toEqual({
    status: 200,
    code: "UPSTREAM_UNAVAILABLE",
    data: { bluetoothlookup: { company: "Apple, Inc." }, hmac: null },
  })
  expect(await usedCredits()).toBe(1)
})

describe("malformed", () => {
  test.each(Object.entries(errorReaders))(
    "%s that no reader takes; the call was made and charged",
    async (format, readError) => {
      await fault({ malformed: true, times: 1 })
      const answer = await ways.rest(mock, key, format)
      expect(answer.status).toBe(200)
      const text = await answer.text()
      expect(() => readError(text)).toThrow()
      expect(await usedCredits()).toBe(1)
    },
  )

  test("with a status, in a batch and over GraphQL", async () => {
    await fault({ malformed: true, status: 503 })
    for (const way of [ways.rest, ways.batch, ways.graphql]) {
      const answer = await way(mock, key)
      expect(answer.status).toBe(way === ways.rest ? 503 : 200)
      await expect(answer.json()).rejects.toThrow()
    }
  })
})

test("reset: the connection ends without an octet, and nothing is charged", async () => {
  await fault({ reset: true })
  for (const way of [ways.rest, ways.batch, ways.graphql]) {
    await expect(way(mock, key)).rejects.toThrow()
  }
  expect(await rawCall("/v1/bluetoothlookup?companyid=76")).toEqual({ received: "", code: "ECONNRESET" })
  expect(await usedAfterClearing()).toBe(0)
  const { data } = await mock.control("GET", "/requests?api=bluetoothlookup")
  const requests = data?.requests as { path: string; response: null }[]
  // Some clients, Bun's among them, try a GET once more when a kept connection breaks.
  expect(requests.length).toBeGreaterThanOrEqual(4)
  expect(requests.every(({ response }) => response === null)).toBe(true)
  expect(requests).toContainEqual(expect.objectContaining({ fault: { reset: true }, path: "/v1/graphql" }))
})

/** What a client on a bare socket sees. */
function rawCall(path: string): Promise<{ received: string; code: string | null }> {
  const { hostname, port } = new URL(mock.url)
  return new Promise((resolve) => {
    let received = ""
    let code: string | null = null
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`)
    })
    socket.on("data", (chunk) => {
      received += chunk
    })
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      code = cause.code ?? ""
    })
    socket.on("close", () => resolve({ received, code }))
  })
}

test("delay_ms holds the answer back in real time, whatever the mock's clock shows", async () => {
  await fault({ delay_ms: 80 })
  for (const way of [ways.rest, ways.batch, ways.graphql]) {
    const before = performance.now()
    expect((await way(mock, key)).status).toBe(200)
    expect(performance.now() - before).toBeGreaterThanOrEqual(79)
  }
  expect((await mock.control("GET", "/clock")).data).toEqual({ now: "2025-01-01T00:00:00.000Z" })
})

describe("which calls are struck", () => {
  const statusOf = async (way: keyof typeof ways, with_: string) => (await ways[way](mock, with_)).status

  test("so many as `times` says, however they are made", async () => {
    await fault({ api: "bluetoothlookup", status: 403, times: 2 })
    expect(await statusOf("rest", key)).toBe(403)
    expect((await mock.control("GET", "/faults")).data?.faults).toEqual([
      { api: "bluetoothlookup", status: 403, times: 1 },
    ])
    expect(await statusOf("batch", key)).toBe(403)
    expect(await statusOf("graphql", key)).toBe(200)
    expect((await mock.control("GET", "/faults")).data?.faults).toEqual([])
  })

  test("those of one key", async () => {
    await fault({ key: "mock-free", status: 401 })
    expect(await statusOf("rest", key)).toBe(200)
    expect(await statusOf("rest", "mock-free")).toBe(401)
  })

  test("control paths, health and preflights never", async () => {
    await fault({ status: 500, times: 1 })
    expect((await mock.control("GET", "/faults")).code).toBe(200)
    expect((await mock.fetch("/health")).status).toBe(200)
    expect((await mock.fetch("/v1/bluetoothlookup", { method: "OPTIONS" })).status).toBe(204)
    expect(await statusOf("rest", key)).toBe(500)
  })

  test("a second fault for the same calls takes the place of the first; DELETE takes all away", async () => {
    await fault({ status: 500 })
    await fault({ status: 429 })
    expect(await statusOf("rest", key)).toBe(429)
    await mock.control("DELETE", "/faults")
    expect(await statusOf("rest", key)).toBe(200)
  })
})
