import type { Server } from "elysia/universal"
import { createHttpApp, type HttpAppOptions, type HttpParts } from "./http-app.ts"
import { httpLimits } from "./limits.ts"
import { type Listener, listen, stopServer, type Tls } from "./listener.ts"

export interface HttpOptions extends Omit<HttpAppOptions, "strict"> {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
  /**
   * Whether other processes listen on the same port and take a share of the connections. With a certificate they may in any
   * case: see that the port is free before.
   */
  readonly sharedPort: boolean
  /** PEM texts. */
  readonly tls: Tls | null
}

/** In which busy clients come back on new connections, before the idle ones of an old certificate are closed. */
const letGoMs = 1_000

/** Calls under way on an old certificate; longer than any may take. */
const leaveMs = httpLimits.patientSeconds * 1_000

export interface HttpServer {
  readonly url: string
  /** Requests under way. */
  openRequests(): number
  /** Takes no new connections, waits for calls under way for `graceMs` at most, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

/** An HTTP surface that serves accounts, and may outlive its certificate. */
export interface ServiceServer extends HttpServer {
  /**
   * Serves new connections with another certificate; calls under way finish on the old one. Resolves when it is gone from the
   * port. Several at once are done one after the other.
   * @throws Error when certificate and key are not fit to serve; the old ones stay
   */
  replaceCertificate(tls: Tls): Promise<void>
}

/** Starts the HTTP surface; it accepts connections when this returns. */
export function startHttpServer(parts: HttpParts, options: HttpOptions): ServiceServer {
  const { host, tls } = options
  const app = createHttpApp(parts, { ...options, strict: true })
  const common = { host, idleSeconds: httpLimits.idleSeconds }
  const shared = options.sharedPort || tls !== null
  let current = listen(app, { ...common, port: options.port, shared, tls })
  const { port } = current
  const leaving = new Set<Listener>()
  let turn = Promise.resolve()

  async function replace(next: Tls): Promise<void> {
    const old = current
    current = listen(app, { ...common, port, shared, tls: next })
    leaving.add(old)
    old.letGo()
    await new Promise((resolve) => setTimeout(resolve, letGoMs))
    old.stop(leaveMs).then(() => leaving.delete(old))
  }

  return {
    url: urlOf(host, port, tls !== null),
    replaceCertificate(next) {
      const done = turn.then(() => replace(next))
      turn = done.catch(() => {})
      return done
    },
    openRequests: () => [current, ...leaving].reduce((sum, listener) => sum + listener.openRequests(), 0),
    async stop(graceMs) {
      await Promise.all([current, ...leaving].map((listener) => listener.stop(graceMs)))
    },
  }
}

/** What is to be known of a server that listens. */
export function toHttpServer(
  server: Pick<Server, "port" | "stop" | "pendingRequests">,
  options: { readonly host: string; readonly tls: object | null },
): HttpServer {
  return {
    url: urlOf(options.host, server.port ?? 0, options.tls !== null),
    openRequests: () => server.pendingRequests,
    stop: (graceMs) => stopServer(server, graceMs),
  }
}

function urlOf(host: string, port: number, secure: boolean): string {
  return `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
}
