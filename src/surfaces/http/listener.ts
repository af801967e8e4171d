import type { Server } from "elysia/universal"
import type { createHttpApp } from "./http-app.ts"

/** PEM texts. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** One certificate on the port. The platform cannot give a listening socket another one, so a new one takes its place. */
export interface Listener {
  readonly port: number
  /** Requests under way. */
  openRequests(): number
  /** Asks clients of kept connections to come back on new ones, one answer later. */
  letGo(): void
  /** Takes no new connections, closes idle ones, waits for calls under way for `graceMs` at most, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

type App = ReturnType<typeof createHttpApp>

/**
 * Listens with an app that may listen already, on the same port.
 * @throws what the operating system says of the address, or the TLS library of certificate and key
 */
export function listen(app: App, { host, port, shared, tls, idleSeconds }: ListenOptions): Listener {
  // Elysia leaves a handler behind with every listener, for a way of ending that this program does not take.
  const handlers = process.listeners("beforeExit")
  app.listen({
    hostname: host,
    port,
    reusePort: shared,
    development: false,
    idleTimeout: idleSeconds,
    // Our own limit answers with an envelope; the platform's would answer with nothing.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(tls && { tls }),
  })
  for (const handler of process.listeners("beforeExit")) {
    if (!handlers.includes(handler)) process.removeListener("beforeExit", handler)
  }
  const { server } = app
  if (!server) throw new Error("the server did not start")
  return {
    port: server.port ?? port,
    openRequests: () => server.pendingRequests,
    letGo: () => server.reload({ routes: {}, fetch: (request: Request) => answerLast(app, request) }),
    stop: (graceMs) => stopServer(server, graceMs),
  }
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Whether others may listen on the port, too. */
  readonly shared: boolean
  readonly tls: Tls | null
  readonly idleSeconds: number
}

async function answerLast(app: App, request: Request): Promise<Response> {
  const response = await app.fetch(request)
  response.headers.set("connection", "close")
  return response
}

/** See {@link Listener.stop}. */
export async function stopServer(server: Pick<Server, "stop">, graceMs: number): Promise<void> {
  const overdue = setTimeout(() => server.stop(true), graceMs)
  await server.stop()
  clearTimeout(overdue)
}
