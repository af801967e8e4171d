import type { Timer } from "../../apis/contract.ts"
import { httpLimits } from "./limits.ts"
import { type Listener, type ListeningApp, type ListenOptions, listen, type Tls } from "./listener.ts"

/** Busy clients have this long to reconnect before idle connections of an old certificate are closed. */
const letGoMs = 1_000

/** Calls in progress on an old certificate get this long, which is more than any may take. */
const leaveMs = httpLimits.longWorkSeconds * 1_000

/** An app on one port, which can change its certificate. */
export interface RenewableListener extends Pick<Listener, "port" | "openRequests" | "stop"> {
  /**
   * Serves new connections with another certificate; resolves when the old one no longer listens. Calls in progress finish on
   * the old one. Rejects when certificate and key cannot be served; the old ones stay.
   */
  replaceCertificate(tls: Tls): Promise<void>
  /** See {@link Listener.replaceApp}. */
  replaceApp(app: ListeningApp): void
}

/** Listens with an app. Throws if the address or the certificate is refused. */
export function listenRenewably(
  first: ListeningApp,
  options: ListenOptions,
  timer: Timer,
): RenewableListener {
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
    old.stop(leaveMs).then(() => leaving.delete(old))
  }

  return {
    port,
    replaceApp(next) {
      app = next
      current.replaceApp(next)
    },
    replaceCertificate(tls) {
      const done = turn.then(() => replace(tls))
      turn = done.catch(() => {})
      return done
    },
    openRequests: () => [current, ...leaving].reduce((sum, listener) => sum + listener.openRequests(), 0),
    async stop(graceMs) {
      await Promise.all([current, ...leaving].map((listener) => listener.stop(graceMs)))
    },
  }
}
