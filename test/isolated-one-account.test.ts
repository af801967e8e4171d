/** One account that fills all threads of isolated APIs, by every surface and with several keys: others are answered beside it. */
import { expect, test } from "bun:test"
import { earlierRequest } from "./support/mcp.ts"
import { mainThreadMs } from "./support/processor-time.ts"
import { startWatchedService } from "./support/worst-inputs.ts"

const isWatchable = process.platform === "linux"
const service = isWatchable ? await startWatchedService(3, 1) : null

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
/** Runs until its time is over. */
const endless = { document: nested(90), path: `$${"..*".repeat(600)}` }
const short = { document: [1], path: "$[*]" }

type Sent = readonly [path: string, body: unknown, headers?: Record<string, string>]

const single = (input: object): Sent => ["/v1/jsonpath", input]
const batch = (input: object, count: number): Sent => [
  "/v1/jsonpath/batch",
  { inputs: Array(count).fill(input) },
]
function query(input: object, count: number): Sent {
  const fields = Array.from({ length: count }, (_, index) => `a${index}: jsonpath(input: $input) { values }`)
  return [
    "/v1/graphql",
    { query: `query($input: JsonpathInput!) { ${fields.join(" ")} }`, variables: { input } },
  ]
}
function tool(input: object): Sent {
  const { body, headers } = earlierRequest("tools/call", { name: "jsonpath", arguments: input })
  return ["/mcp", body, { ...headers, accept: "application/json, text/event-stream" }]
}

/** The first call of each surface loads it. */
const first = [single(short), batch(short, 1), query(short, 1), tool(short)]
/** With each key: more calls than threads and places in which calls wait. */
const many = [
  ...Array.from({ length: 20 }, () => single(endless)),
  ...[batch(endless, 100), query(endless, 50), tool(endless), tool(endless)],
]

test.skipIf(!service)("another account is answered in its turn, and /health at once", async () => {
  if (!service) return
  const { url, pid, keys } = service
  const [ofBad = [], [other = ""] = []] = keys
  const hangUp = new AbortController()
  const send = ([path, body, headers]: Sent, key: string, signal: AbortSignal | null = null) =>
    fetch(url + path, {
      ...{ method: "POST", body: JSON.stringify(body), signal },
      headers: { "content-type": "application/json", ...headers, "x-api-key": key },
    })
  for (const one of first) expect((await send(one, other)).status).toBe(200)
  const sent = ofBad.flatMap((key) =>
    many.map((one) =>
      send(one, key, hangUp.signal).then(
        ({ status }) => status,
        () => "hung up",
      ),
    ),
  )
  const answers: unknown[] = []
  const call = async () => {
    const answer = await send(single(short), other)
    answers.push([answer.status, ((await answer.json()) as { data?: { values?: unknown } }).data?.values])
  }
  await call()
  // By now the requests have been read. Reading so many that come at once takes longer, whatever they ask for. On a busy machine
  // some are read later, and garbage is collected by the main thread alone: that falls into some rounds, not into each.
  let longestMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < 4 && longestMs >= 50; round++) {
    let isOver = false
    const longest = watchTurns(url, pid, () => isOver)
    const enough = answers.length + 9
    while (answers.length < enough) await call()
    isOver = true
    longestMs = Math.min(longestMs, await longest)
  }
  hangUp.abort()
  for (const answer of answers) expect(answer).toEqual([200, [1]])
  // The account had calls under way all the while.
  expect(await Promise.all(sent)).toContain("hung up")
  expect(longestMs).toBeLessThan(50)
})

/** Asks for /health all the while. Returns the most processor time that the main thread used during one request. */
async function watchTurns(url: string, pid: number, isOver: () => boolean): Promise<number> {
  let longestMs = 0
  while (!isOver()) {
    const startedMs = mainThreadMs(pid)
    const health = await fetch(`${url}/health`)
    await health.text()
    longestMs = Math.max(longestMs, mainThreadMs(pid) - startedMs)
  }
  return longestMs
}
