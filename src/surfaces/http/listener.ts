import type { AnyElysia } from "elysia"
import type { Timer } from "../../apis/contract.ts"

/** PEM texts. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** One certificate on the port. Bun cannot change the certificate of a listening socket, so a new listener takes its place. */
export interface Listener {
  readonly port: number
  /** Requests in progress. */
  openRequests(): number
  /** Answers the requests that come from now on with another app. Those in progress are finished by the old one. */
  replaceApp(app: ListeningApp): void
  /** Closes each kept connection after its next answer, so that its client opens a new one. */
  letGo(): void
  /** Takes no new connections, closes idle ones, waits `graceMs` at most for calls in progress, then cuts them off. */
  stop(graceMs: number): Promise<void>
}

/** The part of an Elysia app that is used here. */
export type ListeningApp = Pick<AnyElysia, "server" | "fetch" | "listen">

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Whether other listeners may share the port. */
  readonly shared: boolean
  readonly tls: Tls | null
  /** Seconds after which an idle connection is closed; 0 keeps it. */
  readonly idleSeconds: number
}

/** Listens with an app, which may already listen on the same port. Throws if the address or the certificate is refused. */
export function listen(
  app: ListeningApp,
  { host, port, shared, tls, idleSeconds }: ListenOptions,
  timer: Timer,
): Listener {
  app.listen({
    hostname: host,
    port,
    reusePort: shared,
    development: false,
    idleTimeout: idleSeconds,
    // Our own limit answers with an envelope; Bun's would answer with nothing.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(tls && { tls }),
  })
  const { server } = app
  if (server === null) throw new Error("an app that listens must have a server")
  let current = app
  return {
    port: server.port ?? port,
    openRequests: () => server.pendingRequests,
    replaceApp(next) {
      current = next
      next.server = server
      // Elysia finds the route; it cannot hand the routes of another app to a listening server.
      server.reload({ routes: {}, fetch: next.fetch })
    },
    letGo: () => server.reload({ routes: {}, fetch: (request: Request) => answerLast(current, request) }),
    async stop(graceMs) {
      const cancel = timer.after(graceMs, () => server.stop(true))
      await server.stop()
      cancel()
    },
  }
}

async function answerLast(app: ListeningApp, request: Request): Promise<Response> {
  const response = await app.fetch(request)
  response.headers.set("connection", "close")
  return response
}
