import { holdsKey } from "../../accounts/key.ts"
import { createHttpApp, type HttpAppOptions, type HttpParts } from "./app.ts"
import { createCallsInProgress } from "./calls.ts"
import { createClosing } from "./closing.ts"
import { httpLimits } from "./limits.ts"
import { type Listener, listen, type Tls } from "./listener.ts"

export interface HttpOptions extends Omit<HttpAppOptions, "closing" | "holdsKey" | "strict"> {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /** Whether other processes may share the port. With a certificate they always may: check first that the port is free. */
  readonly sharedPort: boolean
  readonly tls: Tls | null
}

/** Busy clients have this long to reconnect before idle connections of an old certificate are closed. */
const letGoMs = 1_000

/** Calls in progress on an old certificate get this long, which is more than any may take. */
const leaveMs = httpLimits.patientSeconds * 1_000

/** A server that listens. */
export interface HttpServer {
  readonly url: string
  /** Requests in progress. */
  openRequests(): number
  /** Takes no new connections, waits `graceMs` at most for calls in progress, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

/** The HTTP surface of the service, which can change its certificate while it runs. */
export interface ServiceServer extends HttpServer {
  /**
   * Closes each connection after its next answer, which says so, and still takes new ones. A client that keeps its connection
   * would otherwise send a request on it while it is closed. Resolves when no request has come for 250 ms, after a second at most.
   */
  closeBusyConnections(): Promise<void>
  /**
   * Serves new connections with another certificate; resolves when the old one no longer listens. Calls in progress finish on
   * the old one. Rejects when certificate and key cannot be served; the old ones stay.
   */
  replaceCertificate(tls: Tls): Promise<void>
}

/** Starts the HTTP surface. It accepts connections when this returns. */
export function startHttpServer(parts: HttpParts, options: HttpOptions): ServiceServer {
  const { host, tls } = options
  const { timer } = parts.pipeline.ports
  const calls = createCallsInProgress()
  const closing = createClosing(timer)
  const app = createHttpApp(parts, { ...options, closing, holdsKey, strict: true }, calls)
  const shared = options.sharedPort || tls !== null
  const common = { host, shared, idleSeconds: httpLimits.idleSeconds }
  let current = listen(app, { ...common, port: options.port, tls }, timer)
  const { port } = current
  const leaving = new Set<Listener>()
  let turn = Promise.resolve()

  async function replace(next: Tls): Promise<void> {
    const old = current
    current = listen(app, { ...common, port, tls: next }, timer)
    leaving.add(old)
    old.letGo()
    await new Promise<void>((resolve) => timer.after(letGoMs, resolve))
    old.stop(leaveMs).then(() => leaving.delete(old))
  }

  /** Calls whose client hung up, too: they have still to be logged. */
  function endedWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timer.after(graceMs, resolve)
      calls.ended().then(() => {
        cancel()
        resolve()
      })
    })
  }

  return {
    url: urlOf(host, port, tls !== null),
    replaceCertificate(next) {
      const done = turn.then(() => replace(next))
      turn = done.catch(() => {})
      return done
    },
    closeBusyConnections: closing.begin,
    openRequests: () => [current, ...leaving].reduce((sum, listener) => sum + listener.openRequests(), 0),
    async stop(graceMs) {
      const listeners = [current, ...leaving].map((listener) => listener.stop(graceMs))
      await Promise.all([...listeners, endedWithin(graceMs)])
    },
  }
}

/** The address that clients use. An IPv6 host is written in brackets (RFC 3986 §3.2.2). */
export function urlOf(host: string, port: number, secure: boolean): string {
  return `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
}
