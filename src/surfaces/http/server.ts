import type { AdminAccess } from "../../admin/admin-access.ts"
import type { Brand } from "../../config/brand.ts"
import type { AdminPlace } from "../../config/readers.ts"
import { createAdminFeature } from "./admin/admin-feature.ts"
import { createHttpApp, type HttpAppOptions, type HttpParts } from "./app.ts"
import { type CallsInProgress, createCallsInProgress, createClosing } from "./calls.ts"
import { createFrame, type FrameOptions, type FrameParts } from "./frame.ts"
import {
  type ListeningApp,
  type ListenOptions,
  listenRenewably,
  type RenewableListener,
  type Tls,
} from "./listener.ts"
import { httpLimits } from "./read/limits.ts"
import { createListeningApp } from "./request.ts"
import { webFeature } from "./web/feature.ts"

/** The settings of the HTTP server, with those of its apps. */
export interface HttpOptions extends HttpAppSettings, Pick<ListenOptions, "host" | "port"> {
  /** Whether other processes may share the ports. With a certificate they always may: check first that they are free. */
  readonly sharedPort: boolean
  readonly tls: Tls | null
  /** Where `/admin` is served. */
  readonly admin: AdminPlace
}

/** The HTTP surface of the service, which can change its certificate while it runs. */
export type ServiceServer = ReturnType<typeof startHttpServer>

/** The options that may change while the server listens. */
export type HttpAppSettings = Omit<HttpAppOptions, "closing" | "strict">

type CreateApp = (parts: HttpParts, settings: HttpAppSettings) => ListeningApp

/** Starts the HTTP surface. It accepts connections when this returns. */
export function startHttpServer(parts: HttpParts, options: HttpOptions) {
  const { host, port, tls, admin } = options
  const { timer } = parts.pipeline.ports
  const calls = createCallsInProgress()
  const closing = createClosing(timer)
  const shared = options.sharedPort || tls !== null
  const listeners: { readonly listener: RenewableListener; readonly createApp: CreateApp }[] = []

  function createMainApp(next: HttpParts, settings: HttpAppSettings): ListeningApp {
    const served = admin === "same" ? next : { ...next, admin: null }
    return createHttpApp(served, { ...settings, closing, strict: true }, calls)
  }

  function createSeparateAdminApp(next: HttpParts, settings: HttpAppSettings): ListeningApp {
    if (!next.admin) throw new Error("the admin app needs its operations")
    const access = { ...next, admin: next.admin }
    return createAdminApp(access, { ...settings, closing, strict: true }, calls)
  }

  function listenAt(createApp: CreateApp, place: { readonly host: string; readonly port: number }): string {
    const listening = { ...place, shared, tls, idleSeconds: httpLimits.idleSeconds }
    const listener = listenRenewably(createApp(parts, options), listening, timer)
    listeners.push({ listener, createApp })
    return urlOf(place.host, listener.port, tls !== null)
  }

  /** Calls whose client hung up, too: they have still to be logged. */
  function endedWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = timer.after(graceMs, resolve)
      void calls.ended().then(() => {
        cancel()
        resolve()
      })
    })
  }

  /**
   * Takes no new connections, waits `graceMs` at most for calls in progress, then cuts them off.
   * @param isAtOnce whether connections without a call are cut off before that, also those that a client keeps or has not read
   */
  async function stop(graceMs: number, isAtOnce = false): Promise<void> {
    const ended = endedWithin(graceMs)
    const cutOff = isAtOnce ? ended : undefined
    await Promise.all([...listeners.map(({ listener }) => listener.stop(graceMs, cutOff)), ended])
  }

  const url = listenAt(createMainApp, { host, port })
  let adminUrl = parts.admin && admin === "same" ? url : null
  if (parts.admin && typeof admin === "object") {
    try {
      adminUrl = listenAt(createSeparateAdminApp, admin)
    } catch (thrown) {
      // The caller gets the first failure.
      stop(0).catch(() => {})
      throw thrown
    }
  }

  return {
    url,
    /** The address of the admin API without a path; null when it is off. */
    adminUrl,
    /** See {@link RenewableListener.replaceCertificate}. */
    async replaceCertificate(next: Tls): Promise<void> {
      await Promise.all(listeners.map(({ listener }) => listener.replaceCertificate(next)))
    },
    /**
     * Makes the apps of another configuration. The returned function lets them answer all requests that come from then on;
     * those in progress keep the parts and options with which they began.
     */
    prepareApps(next: HttpParts, settings: HttpAppSettings): () => void {
      const made = listeners.map(({ listener, createApp }) => [listener, createApp(next, settings)] as const)
      return () => {
        for (const [listener, app] of made) listener.replaceApp(app)
      }
    },
    /** From now on `/ready` is 503. All is served on for `ms`, or until `ends` resolves; each answer closes its connection. */
    drain: closing.drain,
    /**
     * Closes each connection after its next answer, which says so, and still takes new ones. A client that keeps its connection
     * would otherwise send a request on it while it is closed. Resolves when no request has come for 250 ms, after a second at
     * most.
     */
    closeBusyConnections: closing.begin,
    /** Requests in progress. */
    openRequests: () => listeners.reduce((sum, { listener }) => sum + listener.openRequests(), 0),
    stop,
  }
}

/** The address that clients use. An IPv6 host is written in brackets (RFC 3986 §3.2.2). */
export function urlOf(host: string, port: number, secure: boolean): string {
  return `${secure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** A service that listens on all addresses is reached on this machine by this name. */
export function reachable(url: string): string {
  return url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, "$1localhost")
}

/** The administration alone as an Elysia app, for an address that only operators reach. It does not listen yet. */
function createAdminApp(
  parts: FrameParts & { readonly admin: AdminAccess; readonly version: string },
  options: FrameOptions & { readonly brand: Brand },
  calls: CallsInProgress,
) {
  const { base, begin, context, headers } = createFrame(
    parts,
    options,
    calls,
    () => app.server,
    (exchange) => (exchange.request.method === "OPTIONS" ? feature?.answer(exchange) : undefined),
  )
  const service = { version: parts.version, title: options.brand.title }
  const feature = createAdminFeature(base, context, { admin: parts.admin, portal: null }, service)
  if (feature === null) throw new Error("an app for operators alone needs the administration")
  const app = createListeningApp(begin)
    .headers(headers)
    .use(base)
    .onError(({ error, code, request, set, incoming }) =>
      feature.answer({ request, set, incoming }, code === "NOT_FOUND" ? undefined : error),
    )
    .use(
      webFeature(base, context, {
        console: true,
        portal: false,
        brand: options.brand,
      }),
    )
    .use(feature.app)
  return app
}
