import type { AnyElysia } from "elysia"
import type { Timer } from "../../apis/contract.ts"
import { httpLimits } from "./read/limits.ts"

/** PEM texts. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

/** The time in which the answer of a call that has just ended is sent. */
const lastAnswerMs = 50

/** One certificate on the port. Bun cannot change the certificate of a listening socket, so a new listener takes its place. */
type Listener = ReturnType<typeof listen>

/** The part of an Elysia app that is used here. */
export type ListeningApp = Pick<AnyElysia, "server" | "fetch" | "listen">

/** Where and how an app listens. */
export interface ListenOptions {
  readonly host: string
  /** 0 picks a free one. */
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
) {
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
    /** Requests in progress. */
    openRequests: () => server.pendingRequests,
    /** Answers the requests that come from now on with another app. Requests in progress are finished by the old one. */
    replaceApp(next: ListeningApp): void {
      current = next
      next.server = server
      // Elysia finds the route; it cannot hand the routes of another app to a listening server.
      server.reload({ routes: {}, fetch: next.fetch })
    },
    /** Closes each kept connection after its next answer, so that its client opens a new one. */
    letGo: () => server.reload({ routes: {}, fetch: (request: Request) => answerLast(current, request) }),
    /**
     * Takes no new connections, closes idle ones, waits `graceMs` at most for calls in progress, then cuts them off.
     * @param cutOff cuts off all connections sooner, soon after it has resolved
     */
    async stop(graceMs: number, cutOff?: Promise<void>): Promise<void> {
      const cancel = timer.after(graceMs, () => server.stop(true))
      // The last answer is still being sent.
      void cutOff?.then(() => timer.after(lastAnswerMs, () => server.stop(true)))
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

/** Busy clients have this long to reconnect before idle connections of an old certificate are closed. */
const letGoMs = 1_000

/** Calls in progress on an old certificate get this long, which is more than any may take. */
const leaveMs = httpLimits.longWorkSeconds * 1_000

/** An app on one port, which can change its certificate. */
export type RenewableListener = ReturnType<typeof listenRenewably>

/** Listens with an app. Throws if the address or the certificate is refused. */
export function listenRenewably(first: ListeningApp, options: ListenOptions, timer: Timer) {
  let app = first
  let current = listen(app, options, timer)
  const { port } = current
  const leaving = new Set<Listener>()
  let turn = Promise.resolve()

  async function replace(tls: Tls): Promise<void> {
    const old = current
    current = listen(app, { ...options, port, tls }, timer)
    leaving.add(old)
    old.letGo()
    await new Promise<void>((resolve) => timer.after(letGoMs, resolve))
    void old.stop(leaveMs).then(() => leaving.delete(old))
  }

  return {
    port,
    /** See {@link Listener.replaceApp}. */
    replaceApp(next: ListeningApp): void {
      app = next
      current.replaceApp(next)
    },
    /**
     * Serves new connections with another certificate; resolves when the old one no longer listens. Calls in progress finish on
     * the old one. Rejects when certificate and key cannot be served; the old ones stay.
     */
    replaceCertificate(tls: Tls): Promise<void> {
      const done = turn.then(() => replace(tls))
      turn = done.catch(() => {})
      return done
    },
    openRequests: () => [current, ...leaving].reduce((sum, listener) => sum + listener.openRequests(), 0),
    async stop(graceMs: number, cutOff?: Promise<void>): Promise<void> {
      await Promise.all([current, ...leaving].map((listener) => listener.stop(graceMs, cutOff)))
    },
  }
}
