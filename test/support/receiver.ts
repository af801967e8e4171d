import { afterAll } from "bun:test"

/** An answer without a body. */
export const statusOnly = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers })

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A server on loopback that receives webhooks. */
export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** Sets the answer to the next requests. */
  answer(reply: (request: Received) => Response | Promise<Response>): void
  /** Resolves when this many requests have arrived. */
  count(number: number): Promise<void>
}

/** Starts a receiver that answers 204. It ends with the test file. */
export function startReceiver(): Receiver {
  const received: Received[] = []
  let reply: Parameters<Receiver["answer"]>[0] = () => statusOnly(204)
  let waiting: { number: number; resolve: () => void }[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // An answer may be held back for as long as the test needs.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const entry = { path, headers: Object.fromEntries(request.headers), body: await request.text() }
      received.push(entry)
      for (const { number, resolve } of waiting) if (received.length >= number) resolve()
      waiting = waiting.filter(({ number }) => received.length < number)
      return reply(entry)
    },
  })
  afterAll(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    answer(next) {
      reply = next
    },
    count(number) {
      if (received.length >= number) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ number, resolve }))
    },
  }
}
