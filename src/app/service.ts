import type { ApiDefinition, Timer } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import type { FromSupervisor } from "../observe/siblings.ts"
import type { Log } from "../ports/log.ts"
import { systemTimer } from "../ports/timer.ts"
import { httpLimits } from "../surfaces/http/read/limits.ts"
import { type ServiceServer, startHttpServer } from "../surfaces/http/server.ts"
import { messageOf } from "../values/message-of.ts"
import { orRefuse } from "./config-edit.ts"
import { httpSettings } from "./generation.ts"
import { catalog, readTls } from "./prepare.ts"
import { createWork, openBase, openData, type StartOptions } from "./service-parts.ts"
import { keepPlans, logAdminPlace, requireKnownPlans } from "./start-log.ts"
import { traceFlushMs } from "./traces.ts"

/** Due notices are sent after this time: reading them takes a tenth of a start, and waiting clients are answered first. */
const backgroundAfterMs = 100

/** A running service. */
export type Service = Awaited<ReturnType<typeof startService>>

/**
 * The composition root: everything is made here, once, from the configuration. Each phase gets the results of those before it,
 * so that nothing can be called that is not there yet.
 */
export async function startService(config: Config, options: StartOptions = {}) {
  readPromiseProperties()
  const { sharedPort = false, channel, serve = startHttpServer, backgroundTimer = systemTimer } = options
  // Closed when the service stops or its start fails, the last one first.
  await using opening = new AsyncDisposableStack()
  const base = await openBase(config, options, opening)
  const { log } = base.logging
  const data = await openData(config, base, options, opening)
  const work = await createWork(config, base, data, options, opening)
  data.listen(work.listeners)
  const settings = { sharedPort, tls: base.tls }
  const server = serve(work.first.parts, httpSettings(config, settings))
  work.now.server = server
  if (!sharedPort) logAdminPlace(log, config, server.adminUrl)
  const { hot, now, observability, background } = work
  /** Never rejects. */
  const keepRunningPlans = () =>
    keepPlans({ admin: data.admin, clock: base.ports.clock, plans: now.running.config.plans }, log)
  hot.start(async (next) => {
    await orRefuse(() => requireKnownPlans(data.admin, next, now.running.config))
    const generation = await work.makeNext(next, await base.prepareApis(next))
    const swap = server.prepareApps(generation.parts, httpSettings(next, settings))
    return () => {
      swap()
      work.take(generation)
      void keepRunningPlans()
    }
  })
  channel?.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "reload") void hot.reloadLogged()
    else if (message.kind === "take")
      hot.follow(message.text).catch((thrown) => {
        log.error("the configuration of the other workers cannot be taken over", {
          cause: messageOf(thrown),
        })
        channel.send({ kind: "behind" })
      })
  })
  const cancelBackground = backgroundTimer.after(backgroundAfterMs, () => {
    for (const part of background) part.start()
    void keepRunningPlans()
    void warmLibraries(catalog, backgroundTimer, log)
  })
  observability.history().start()
  const resources = opening.move()
  return {
    server,
    configuration: hot,
    hasAdmin: () => data.admin.hasAdmin(),
    reloadCertificate: () => reloadCertificate(config, server, log),
    /**
     * Serves on for the time of `--drain`, then closes the connections, waits for calls in progress, and closes the store.
     * @param options `drainEnds` ends the wait when it resolves; `atOnce` leaves it out, and closes kept connections without an
     * answer that says so
     */
    async stop({ drainEnds = new Promise<void>(() => {}), atOnce = false } = {}) {
      if (!atOnce) await server.drain(config.drainSeconds * 1_000, drainEnds)
      cancelBackground()
      await using _closedLast = resources
      const { monotonicMs } = base.ports.clock
      const askedMs = monotonicMs()
      // The streams of live requests would keep their connections open.
      observability.requests.close()
      const closed = atOnce ? Promise.resolve() : server.closeBusyConnections()
      const stopped = closed.then(() => server.stop(httpLimits.stopSeconds * 1_000, atOnce))
      await Promise.all([stopped, ...background.map((part) => part.stop())])
      // After the calls, since it counts and logs them.
      await Promise.all([observability.stop(), base.tracer?.stop(traceFlushMs(monotonicMs() - askedMs))])
    },
  }
}

/** Reads certificate and key again, for new connections. If not usable, logs it and keeps the old. Never rejects. */
async function reloadCertificate(config: Config, server: ServiceServer, log: Log): Promise<void> {
  try {
    const renewed = readTls(config)
    if (renewed === null) return
    const { X509Certificate } = await import("node:crypto")
    await server.replaceCertificate(renewed)
    log.info("certificate reloaded", { validTo: new X509Certificate(renewed.cert).validTo })
  } catch (thrown) {
    log.error("certificate not reloaded; the old one stays", { cause: messageOf(thrown) })
  }
}

/** Loads the libraries that take long, one in a turn of the event loop, so that first callers need not wait. Never rejects. */
export async function warmLibraries(
  apis: readonly Pick<ApiDefinition, "id" | "warm">[],
  { turn }: Pick<Timer, "turn">,
  log: Pick<Log, "error">,
): Promise<void> {
  for (const { id, warm } of apis) {
    if (!warm) continue
    await turn()
    try {
      await warm()
    } catch (cause) {
      // The first call tries again, and tells its caller.
      log.error("library not loaded", { api: id, cause: String(cause) })
    }
  }
}

/**
 * Reads each property of `Promise` once. JavaScriptCore adds such a property to the object when it is first read, and then
 * discards all compiled code that awaits promises: the whole pipeline, which takes hundreds of milliseconds of
 * processor time to compile again. Call it at the start, before anything is compiled.
 */
export function readPromiseProperties(): void {
  for (const builtIn of [Promise, Promise.prototype]) Object.getOwnPropertyDescriptors(builtIn)
}
