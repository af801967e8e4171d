/** An account that calls are made for. */
export interface Customer {
  readonly id: string
  readonly keyId: string
  readonly key: string
}

/** A call as its client saw it. Times are of `performance.now()`. */
export interface Call {
  readonly customer: Customer
  /** The number of the instance that was asked. */
  readonly instance: number
  /** The credits that it costs when it succeeds. */
  readonly cost: number
  readonly startMs: number
  readonly endMs: number
  /** Null when no answer came. */
  readonly status: number | null
  /** The error of a failed call, or why no answer came. */
  readonly failure: string | null
  /** Credits that the answer says were charged. */
  readonly credits: number
  /** Whether it may have been charged although it did not succeed: the connection broke, or the answer says so. */
  readonly isUncertain: boolean
  /** Whether an instance answered, and not a proxy before it. */
  readonly isOfInstance: boolean
}

/** Clients that call until they are told to stop. */
interface Traffic {
  /** The calls that have ended. */
  readonly calls: readonly Call[]
  /** Resolves with the end of the first success of an instance that ends after an instant, or with null after ten seconds. */
  successAfter(instance: number, ms: number): Promise<number | null>
  /** Resolves when each client has sent its last call, by `isLast` or since it was told to stop. */
  readonly ended: Promise<unknown>
  /** Resolves when the calls under way have ended. */
  stop(): Promise<void>
}

interface Request {
  readonly path: string
  readonly body: object | null
  readonly cost: number
}

const get: Request = { path: "/v1/bluetoothlookup?companyid=76", body: null, cost: 1 }
const batch = batchOf(3)
const fields = `bluetoothlookup(input: {companyid: "76"}) { company } linesorter(input: {lines: ["b", "a"]}) { sorted }`
const graphql: Request = { path: "/v1/graphql", body: { query: `{ ${fields} }` }, cost: 2 }

/** REST calls alone. */
export const singleCalls: readonly Request[] = [get]
/** REST, batches and GraphQL in turn. */
export const mixedCalls: readonly Request[] = [get, batch, graphql]

export function batchOf(inputs: number): Request {
  const body = { inputs: Array(inputs).fill({ companyid: "76" }) }
  return { path: "/v1/bluetoothlookup/batch", body, cost: inputs }
}

interface TrafficOptions {
  /** Each has a client for each customer of the list. */
  readonly instances: readonly { readonly url: string }[]
  /** A customer may be in it several times. */
  readonly customers: readonly Customer[]
  readonly requests: readonly Request[]
  /** Tells a client to stop after a call. */
  readonly isLast?: (call: Call) => boolean
}

/** A client whose call failed waits so long, as clients do. */
const retryMs = 5
const giveUpMs = 30_000

export function startTraffic({ instances, customers, requests, isLast }: TrafficOptions): Traffic {
  const calls: Call[] = []
  let isStopped = false

  async function client(instance: number, url: string, customer: Customer, first: number): Promise<void> {
    for (let turn = first; !isStopped; turn++) {
      const request = requests[turn % requests.length]
      if (!request) return
      const call = await send(url, instance, customer, request)
      calls.push(call)
      if (isLast?.(call)) return
      if (call.status === null || call.status >= 500) await Bun.sleep(retryMs)
    }
  }

  const clients = instances.flatMap(({ url }, instance) =>
    customers.map((customer, first) => client(instance, url, customer, first)),
  )
  const ended = Promise.all(clients)
  return {
    calls,
    ended,
    async successAfter(instance, ms) {
      for (let next = 0; performance.now() < ms + 10_000; ) {
        for (; next < calls.length; next++) {
          const call = calls[next]
          if (call?.instance === instance && call.status === 200 && call.endMs > ms) return call.endMs
        }
        await Bun.sleep(1)
      }
      return null
    },
    async stop() {
      isStopped = true
      await ended
    },
  }
}

/** Sends one call and reads its answer. */
export async function send(
  url: string,
  instance: number,
  customer: Customer,
  { path, body, cost }: Request,
): Promise<Call> {
  const startMs = performance.now()
  const common = { customer, instance, cost, startMs }
  try {
    const answer = await fetch(url + path, {
      method: body === null ? "GET" : "POST",
      headers: { "x-api-key": customer.key, ...(body !== null && { "content-type": "application/json" }) },
      ...(body !== null && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(giveUpMs),
    })
    const text = await answer.text()
    const { status } = answer
    const credits = status === 200 ? creditsOf(text, body) : 0
    const isUncertain = status === 503 && text.includes("may have been charged")
    const isOfInstance = answer.headers.has("x-request-id")
    const failure = status === 200 ? null : text
    return { ...common, endMs: performance.now(), status, failure, credits, isUncertain, isOfInstance }
  } catch (cause) {
    const wasRefused = cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED"
    const lost = { status: null, failure: String(cause), credits: 0, isOfInstance: false }
    return { ...common, ...lost, endMs: performance.now(), isUncertain: !wasRefused }
  }
}

/** The charge that an answer names: the field of a batch, the results of a query, or one. */
function creditsOf(text: string, body: object | null): number {
  if (body === null) return 1
  const { data } = JSON.parse(text) as { data: Record<string, unknown> & { credits_used?: number } }
  return data.credits_used ?? Object.values(data).filter((result) => result !== null).length
}
