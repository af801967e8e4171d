import { noticeThresholds } from "../accounts/credits.ts"
import type { Ports, Timer } from "../apis/contract.ts"
import { createAccountSnapshots } from "../call/account-snapshots.ts"
import type { Guests } from "../call/guests.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { createScheduler } from "../call/scheduler.ts"
import { createUnsentAnswers } from "../call/unsent.ts"
import type { ConfigSource } from "../config/file.ts"
import type { Config } from "../config/load.ts"
import { createMailDelivery } from "../mail/deliver-mails.ts"
import type { Channel, FromSupervisor, FromWorker } from "../observe/siblings.ts"
import { createThreadTime } from "../plugins/thread-time.ts"
import type { Log } from "../ports/log.ts"
import type { LogOutput } from "../ports/log-output.ts"
import { collectGarbage, hostName } from "../ports/machine.ts"
import { createMailSender } from "../ports/mail-sender.ts"
import type { RunOwnCommand } from "../ports/own-process.ts"
import { systemTimer } from "../ports/timer.ts"
import { createWebhookSender } from "../ports/webhook-sender.ts"
import { createCleaner } from "../retention/cleaner.ts"
import { openStore } from "../store/open.ts"
import type { NoticeRecord } from "../store/outbox.ts"
import type { RunningService } from "../surfaces/cli/parts.ts"
import { httpLimits } from "../surfaces/http/limits.ts"
import { type ServiceServer, startHttpServer } from "../surfaces/http/server.ts"
import { messageOf } from "../values/message-of.ts"
import { createDelivery } from "../webhooks/deliver.ts"
import { createEventCheck } from "../webhooks/event-check.ts"
import { createAdminAccess } from "./admin-parts.ts"
import { createBackups, requireBackupDirectory } from "./backups.ts"
import type { ConfigPeers } from "./config-peers.ts"
import { createGenerations, httpSettings } from "./generation.ts"
import { openGuests } from "./guests.ts"
import { createHotConfig, type HotConfig } from "./hot-config.ts"
import { keepPlans, logMissingPlans, requireKnownPlans } from "./known-plans.ts"
import { createLazyThreads } from "./lazy-threads.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { mailBrandOf, mailServerOf } from "./mails.ts"
import { createNextGenerations } from "./next-generation.ts"
import { createObservability, openLog } from "./observability.ts"
import { programParts } from "./open-accounts.ts"
import { loadOwnApis } from "./own-apis.ts"
import { pageAddresses } from "./page-addresses.ts"
import { catalog, catalogIds, prepareApis, readTls } from "./prepare.ts"
import { readPromiseProperties } from "./promise-properties.ts"
import { createScheduledBackups } from "./scheduled-backups.ts"
import { logAdminPlace, logDataFile, logNewDataFile, logNoMail, logOpenMetrics } from "./start-log.ts"
import { withHealth } from "./store-health.ts"
import { openTracer, traceFlushMs } from "./traces.ts"
import { version } from "./version.ts"
import { warmLibraries } from "./warm.ts"

/** A running service. */
export interface Service extends RunningService {
  readonly server: ServiceServer
  readonly configuration: HotConfig
  /**
   * Serves on for the time of `--drain`, then closes the connections, waits for calls in progress, and closes the store.
   * @param options `drainEnds` ends the wait when it resolves; `atOnce` leaves it out, and closes kept connections without an
   * answer that says so
   */
  stop(options?: { readonly drainEnds?: Promise<void>; readonly atOnce?: boolean }): Promise<void>
}

/** The text of a stall in the log. The cause may also be a halted machine. */
const stallProblem =
  "The API's step took too long; other requests waited. Report it if the machine was not overloaded."

/** Due notices are sent after this time: reading them takes a tenth of a start, and waiting clients are answered first. */
const backgroundAfterMs = 100

interface StartOptions {
  readonly ports?: Ports
  /** Whether other processes listen on the same port. */
  readonly sharedPort?: boolean
  /** To the supervisor of those processes. */
  readonly channel?: Channel | null
  /** For backups; without it none can be made. */
  readonly runOwnCommand?: RunOwnCommand | null
  /** Where log lines are written; standard error by default. */
  readonly logOutput?: LogOutput
  /** How long a call waits for a database on a server, milliseconds. Tests on a busy machine allow more than usual. */
  readonly databaseLimitMs?: number
  /** How far the clocks of this process and a database on a server may be apart, milliseconds. Tests move that of the process. */
  readonly maxSkewMs?: number | undefined
  /** Where the configuration is read again; without it, it does not change. */
  readonly configSource?: ConfigSource | null
  /** How the store is opened. A simulation opens its own, which fails and tells things at any moment. */
  readonly open?: typeof openStore
  /** How the service is served. A simulation has no sockets. */
  readonly serve?: typeof startHttpServer
  /** The timer of all that the service does between calls; that of the runtime by default. */
  readonly backgroundTimer?: Timer
  /** Ends the process a second after the disk did not confirm a flush of the data file. */
  readonly onUnflushed?: () => void
}

/** The composition root: everything is made here, once, from the configuration. */
export async function startService(config: Config, options: StartOptions = {}): Promise<Service> {
  readPromiseProperties()
  const {
    ports = livePorts(config),
    sharedPort = false,
    channel = null,
    runOwnCommand = null,
    logOutput,
    databaseLimitMs,
    maxSkewMs,
    configSource = null,
    open = openStore,
    serve = startHttpServer,
    backgroundTimer = systemTimer,
    onUnflushed,
  } = options
  // Closed when the service stops or its start fails, the last one first.
  await using opening = new AsyncDisposableStack()
  const tls = readTls(config)
  const mailServer = mailServerOf(config)
  // The supervisor has checked it. A worker that is replaced serves also while the disk of the backups is away.
  if (!sharedPort) requireBackupDirectory(config)
  const { clock, random } = ports
  const opened = await openLog(config, ports, { shared: sharedPort, output: logOutput })
  opening.defer(() => opened.close())
  const { log } = opened
  const tracer = await openTracer(config, { log, version })
  const time = createThreadTime(clock)
  const ownParts = { clock, timer: ports.timer, time, log, taken: catalogIds }
  const ownApis = await loadOwnApis(config, ownParts)
  opening.defer(() => ownApis.end())
  // Before the store is opened, so that a mistake makes no data file.
  const threads = createLazyThreads(clock, ports.timer, time, log)
  opening.defer(threads.end)
  const preparedApis = await prepareApis(config, ownApis, threads)
  // The store must be open before something can send. What other instances raise until then waits in the outbox, which is read
  // at the start.
  let onRaised: (raised: readonly NoticeRecord[]) => void = () => {}
  const openedStore = await open(config.db, {
    ...storePorts(ports, config),
    ...(databaseLimitMs !== undefined && { limitMs: databaseLimitMs }),
    ...(maxSkewMs !== undefined && { maxSkewMs }),
    log,
    serving: { onChange: (problem) => logDataFile(log, problem), onUnflushed },
    notices: { thresholds: noticeThresholds, now: clock.now, onRaised: (raised) => onRaised(raised) },
  })
  const { outbox, timedEvents, isNew } = openedStore
  const store = withHealth(openedStore.store, clock, log)
  opening.defer(() => store.close())
  if (isNew) logNewDataFile(log, config)
  if (!sharedPort) logOpenMetrics(log, config)
  if (!sharedPort) logNoMail(log, config)
  if (!sharedPort) await logMissingPlans(log, openedStore.admin, config)
  const sender = createWebhookSender({ timer: backgroundTimer })
  const delivery = createDelivery({ outbox, sender, clock, random, timer: backgroundTimer, log, tracer })
  const pages = pageAddresses({ config: () => current.config, listening: () => server })
  const mailing = createMailDelivery({
    mails: openedStore.mails,
    sender: mailServer && createMailSender(mailServer, { timer: backgroundTimer }),
    brand: () => mailBrandOf(current.config, pages),
    unsubscribeLink: (...of) => admin.unsubscribes.linkFor(...of),
    ...{ clock, random, timer: backgroundTimer, log },
  })
  onRaised = (raised) => {
    delivery.raised(raised)
    mailing.wake()
  }
  const eventCheck = createEventCheck({
    events: timedEvents,
    get plans() {
      return current.config.plans
    },
    clock,
    timer: backgroundTimer,
    log,
  })
  const cleaner = createCleaner({
    store: openedStore,
    kept: () => current.config,
    clock,
    timer: ports.timer,
    log,
  })
  const shared = {
    scheduler: createScheduler(ports, (api, ms) =>
      log.warn("event loop held up", { api, ms: Math.round(ms), problem: stallProblem }),
    ),
    ports,
    log,
    unsent: createUnsentAnswers(config.maxUnsentBytes, collectGarbage),
  }
  const observability = createObservability(
    {
      opened,
      ports,
      timer: backgroundTimer,
      store: openedStore,
      keepDays: () => current.config.history,
      keeping: () => current.config,
      version,
      openRequests: () => server.openRequests(),
      unsentBytes: shared.unsent.bytes,
      instances: () => peers?.instances() ?? null,
      droppedSpans: () => tracer?.dropped() ?? null,
    },
    channel,
  )
  opening.defer(observability.stopMeasuring)
  function findGuests(next: Config, apis: readonly PreparedApi[]): Promise<Guests | null> {
    const definitions = apis.map(({ definition }) => definition)
    return openGuests(next, definitions, {
      ...programParts(openedStore, next, ports),
      log,
      ownIds: catalogIds,
    })
  }
  let peers: ConfigPeers | null = null
  const tellSupervisor = (message: FromWorker) => channel?.send(message)
  const hot = createHotConfig({
    running: config,
    source: configSource,
    log,
    onTaken: (text) => tellSupervisor({ kind: "taken", text }),
    prepare: createNextGenerations({
      prepareApis: (next) => prepareApis(next, ownApis, threads),
      requireKnownPlans: (next) => requireKnownPlans(openedStore.admin, next, current.config),
      makeGeneration: (...made) => makeGeneration(...made),
      openGuests: findGuests,
      prepareApps: ({ parts, config: next }) =>
        server.prepareApps(parts, httpSettings(next, { sharedPort, tls })),
      onTaken(generation) {
        current = generation
        peers?.announce()
        log.setLevel(generation.config.logLevel ?? opened.defaultLevel)
        shared.unsent.setLimit(generation.config.maxUnsentBytes)
        void keepPlans({ admin: openedStore.admin, clock, plans: generation.config.plans }, log)
      },
    }),
  })
  const backups = createBackups(config, runOwnCommand)
  const admin = createAdminAccess(() => current, {
    opened: openedStore,
    clock,
    random,
    backups,
    watchRequests: observability.requests.watch,
    keptRequests: observability.kept,
    mailHealth: mailing.health,
    pages,
    version,
    startedMs: clock.now(),
    instances: () => peers?.instances() ?? null,
    config: hot,
  })
  const { backupEverySeconds } = config
  const schedule = createScheduledBackups({
    ...{ administration: admin.administration, backups, clock, timer: backgroundTimer, random, log },
    takeBackup: openedStore.retention.takeBackup,
    everyMs: backupEverySeconds === null ? null : backupEverySeconds * 1_000,
    keep: config.backupKeep,
    host: hostName(),
  })
  const makeGeneration = createGenerations({
    store,
    shared,
    findSnapshot: createAccountSnapshots(),
    observability,
    admin,
    version,
    tracer,
  })
  let current = makeGeneration(config, preparedApis, await findGuests(config, preparedApis))
  const server = serve(current.parts, httpSettings(config, { sharedPort, tls }))
  if (!sharedPort) logAdminPlace(log, config, server.adminUrl)
  if (openedStore.instances) {
    // Only several instances need it.
    const { createConfigPeers } = await import("./config-peers.ts")
    peers = createConfigPeers({
      channel: openedStore.instances,
      host: hostName(),
      clock,
      timer: backgroundTimer,
      log,
      running: () => current,
    })
  }
  channel?.onMessage((received) => {
    const message = received as FromSupervisor
    if (message.kind === "reload") void hot.reloadLogged()
    else if (message.kind === "take")
      hot.follow(message.text).catch((thrown) => {
        log.error("the configuration of the other workers cannot be taken over", {
          cause: messageOf(thrown),
        })
        tellSupervisor({ kind: "behind" })
      })
  })
  const cancelBackground = backgroundTimer.after(backgroundAfterMs, () => {
    delivery.start()
    mailing.start()
    eventCheck.start()
    cleaner.start()
    void keepPlans({ admin: openedStore.admin, clock, plans: current.config.plans }, log)
    schedule.start()
    void warmLibraries(catalog, backgroundTimer, log)
  })
  observability.history.start()
  const resources = opening.move()
  return {
    server,
    configuration: hot,
    hasAdmin: () => openedStore.admin.hasAdmin(),
    reloadCertificate: () => reloadCertificate(config, server, log),
    async stop({ drainEnds = new Promise<void>(() => {}), atOnce = false } = {}) {
      if (!atOnce) await server.drain(config.drainSeconds * 1_000, drainEnds)
      cancelBackground()
      schedule.stop()
      await using _closedLast = resources
      const askedMs = clock.monotonicMs()
      // The streams of live requests would keep their connections open.
      observability.requests.close()
      const closed = atOnce ? Promise.resolve() : server.closeBusyConnections()
      const stopped = closed.then(() => server.stop(httpLimits.stopSeconds * 1_000, atOnce))
      await Promise.all([
        stopped,
        delivery.stop(),
        mailing.stop(),
        eventCheck.stop(),
        cleaner.stop(),
        peers?.stop(),
      ])
      const flushMs = traceFlushMs(clock.monotonicMs() - askedMs)
      // After the calls, since it counts and logs them.
      await Promise.all([observability.stop(), tracer?.stop(flushMs)])
    },
  }
}

/** Reads certificate and key again, for new connections. If they cannot be used, this is logged, and the old ones stay. */
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
