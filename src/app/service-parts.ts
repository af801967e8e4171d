import { noticeThresholds } from "../accounts/credits.ts"
import { createProgramAccounts } from "../admin/program-accounts.ts"
import { createProgramRun } from "../admin/program-run.ts"
import { createUnsubscribes } from "../admin/unsubscribe.ts"
import type { Ports, Timer } from "../apis/contract.ts"
import { createLiveAccounts } from "../call/live-account.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { createScheduler } from "../call/scheduler.ts"
import { createUnsentAnswers } from "../call/unsent.ts"
import type { ConfigSource } from "../config/file.ts"
import type { Config } from "../config/load.ts"
import { createMailDelivery } from "../mail/deliver-mails.ts"
import type { Channel } from "../observe/siblings.ts"
import { createThreadTime } from "../plugins/thread-time.ts"
import type { LogOutput } from "../ports/log-output.ts"
import { collectGarbage, collectNewGarbage, hostName } from "../ports/machine.ts"
import { createMailSender } from "../ports/mail-sender.ts"
import type { RunOwnCommand } from "../ports/own-process.ts"
import { systemTimer } from "../ports/timer.ts"
import { createWebhookSender } from "../ports/webhook-sender.ts"
import { createCleaner } from "../retention/cleaner.ts"
import { openStore } from "../store/open.ts"
import type { OpenStore, StoreListeners } from "../store/store-options.ts"
import type { ServiceServer, startHttpServer } from "../surfaces/http/server.ts"
import { createDelivery } from "../webhooks/deliver.ts"
import { createEventCheck } from "../webhooks/event-check.ts"
import { createAdminAccess, type RunningConfig, runningOf } from "./admin-parts.ts"
import { createBackups, requireBackupDirectory } from "./backups.ts"
import { createGenerations, type Generation } from "./generation.ts"
import { openGuests } from "./guests.ts"
import { createHotConfig } from "./hot-config.ts"
import { createLazyThreads } from "./lazy-threads.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { mailBrandOf, mailServerOf } from "./mails.ts"
import { createObservability, openLog } from "./observability.ts"
import { loadOwnApis } from "./own-apis.ts"
import { type ListeningAt, pageAddresses } from "./page-addresses.ts"
import { catalog, catalogIds, prepareApis, readTls } from "./prepare.ts"
import { createScheduledBackups } from "./scheduled-backups.ts"
import { logDataFile, logMissingPlans, logNewDataFile, logNoMail, logOpenMetrics } from "./start-log.ts"
import { watchStore } from "./store-health.ts"
import { openTracer } from "./traces.ts"
import { version } from "./version.ts"

/** The options of the start of a service. */
export interface StartOptions {
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
  /** How far the clocks of the process and of a database server may be apart, milliseconds. Tests move the process's clock. */
  readonly maxSkewMs?: number | undefined
  /** Where the configuration is read again; without it, it does not change. */
  readonly configSource?: ConfigSource | null
  /** How the store is opened. A simulation opens its own, which fails and tells things at any moment. */
  readonly open?: typeof openStore
  /** How the service is served. A simulation has no sockets. */
  readonly serve?: typeof startHttpServer
  /** The timer for all work between calls; the runtime's timer by default. */
  readonly backgroundTimer?: Timer
  /** Ends the process a second after the disk did not confirm a flush of the data file. */
  readonly onUnflushed?: () => void
}

/** The parts of a service that need no store. */
type OpenBase = Awaited<ReturnType<typeof openBase>>

/** First phase: the ports, the log, and the APIs. A wrong configuration ends the start here, before a data file is made. */
export async function openBase(config: Config, options: StartOptions, opening: AsyncDisposableStack) {
  const { ports = livePorts(config), sharedPort = false, logOutput } = options
  const { clock, timer } = ports
  const tls = readTls(config)
  const mailServer = mailServerOf(config)
  // The supervisor has checked it. A worker that is replaced serves also while the disk of the backups is away.
  if (!sharedPort) requireBackupDirectory(config)
  const logging = await openLog(config, ports, { shared: sharedPort, output: logOutput })
  opening.defer(() => logging.close())
  const { log } = logging
  const tracer = await openTracer(config, { log, version })
  const time = createThreadTime(clock)
  const ownApis = await loadOwnApis(config, { clock, timer, time, log, taken: catalogIds })
  opening.defer(() => ownApis.end())
  const threads = createLazyThreads(clock, timer, time, log)
  opening.defer(threads.end)
  const apisOf = (next: Config) => prepareApis(next, ownApis, threads)
  return { ports, tls, mailServer, logging, tracer, apis: await apisOf(config), prepareApis: apisOf }
}

/** The open store of a service. */
type OpenData = Awaited<ReturnType<typeof openData>>

/** Second phase: the store. It tells nobody of changes yet: those wait in the outbox, which is read when all works. */
export async function openData(
  config: Config,
  { ports, logging: { log } }: OpenBase,
  options: StartOptions,
  opening: AsyncDisposableStack,
) {
  const { open = openStore, sharedPort = false, databaseLimitMs, maxSkewMs, onUnflushed } = options
  const { clock } = ports
  const opened = await open(config.db, {
    ...storePorts(ports, config),
    ...(databaseLimitMs !== undefined && { limitMs: databaseLimitMs }),
    ...(maxSkewMs !== undefined && { maxSkewMs }),
    log,
    serving: { onChange: (problem) => logDataFile(log, problem), onUnflushed },
    notices: { thresholds: noticeThresholds, now: clock.now },
  })
  const store = watchStore(opened.store, clock, log)
  opening.defer(() => store.close())
  if (opened.isNew) logNewDataFile(log, config)
  if (!sharedPort) {
    logOpenMetrics(log, config)
    logNoMail(log, config)
    await logMissingPlans(log, opened.admin, config)
  }
  return { ...opened, store }
}

/** The text of a stall in the log. The cause may also be a halted machine. */
const stallProblem =
  "The API's step took too long; other requests waited. Report it if the machine was not overloaded."

/**
 * Makes all that works on an open store: what sends, watches, cleans, counts and administers. Nothing is started, but each part
 * may be called from then on.
 */
export async function createWork(
  config: Config,
  { ports, logging, tracer, mailServer, apis }: OpenBase,
  data: OpenData,
  options: StartOptions,
  opening: AsyncDisposableStack,
) {
  const { clock, random } = ports
  const { log } = logging
  const { backgroundTimer: timer = systemTimer, channel = null } = options
  const { admin: adminStore, outbox, retention } = data
  /** Both change while the parts work. The server is null until it listens. */
  const now: { running: RunningConfig; server: ServiceServer | null } = {
    ...{ running: runningOf(config, apis), server: null },
  }
  const host = hostName()
  const pages = pageAddresses({ config: () => now.running.config, listening: () => now.server })
  // Only several instances need it.
  const peers =
    data.instances &&
    (await import("./config-peers.ts")).createConfigPeers({
      ...{ channel: data.instances, host, clock, timer, log },
      running: () => now.running,
    })
  const instances = () => peers?.instances() ?? null
  const sender = createWebhookSender({ timer })
  const delivery = createDelivery({ outbox, sender, clock, random, timer, log, tracer })
  const unsubscribes = createUnsubscribes({ admin: adminStore, clock, pages, random, auditRandom: random })
  const mailing = createMailDelivery({
    mails: data.mails,
    sender: mailServer && createMailSender(mailServer, { timer }),
    brand: () => mailBrandOf(now.running.config, pages),
    unsubscribeLink: unsubscribes.linkFor,
    ...{ clock, random, timer, log },
  })
  const eventCheck = createEventCheck({
    events: data.timedEvents,
    get plans() {
      return now.running.config.plans
    },
    ...{ clock, timer, log },
  })
  const kept = () => now.running.config
  const cleaner = createCleaner({ store: data, kept, clock, timer: ports.timer, log })
  const shared = {
    scheduler: createScheduler(ports, (api, ms) =>
      log.warn("event loop held up", { api, ms: Math.round(ms), problem: stallProblem }),
    ),
    ports,
    log,
    unsent: createUnsentAnswers(config.maxUnsentBytes, (which) =>
      which === "all" ? collectGarbage() : collectNewGarbage(),
    ),
  }
  const observability = createObservability(
    {
      ...{ opened: logging, ports, timer, store: data, keeping: kept, version, instances },
      openRequests: () => now.server?.openRequests() ?? 0,
      unsentBytes: shared.unsent.bytes,
      droppedSpans: () => tracer?.dropped() ?? null,
    },
    channel,
  )
  opening.defer(observability.stopMeasuring)
  const hot = createHotConfig({
    running: config,
    source: options.configSource ?? null,
    log,
    onTaken: (text) => channel?.send({ kind: "taken", text }),
  })
  const backups = createBackups(config, options.runOwnCommand ?? null)
  const admin = createAdminAccess(() => now.running, {
    ...{ opened: data, clock, random, backups, unsubscribes, pages, instances, config: hot },
    watchRequests: observability.requests.watch,
    keptRequests: observability.kept(),
    mailHealth: mailing.health,
    startedMs: clock.now(),
  })
  const schedule = createScheduledBackups({
    ...{ administration: admin.administration, backups, clock, timer, random, log, host, config },
    takeBackup: retention.takeBackup,
  })
  const makeGeneration = createGenerations({
    ...{
      store: data.store,
      shared,
      findLive: createLiveAccounts(),
      observability,
      admin,
      version,
      tracer,
    },
  })
  async function makeNext(next: Config, served: readonly PreparedApi[]): Promise<Generation> {
    const definitions = served.map(({ definition }) => definition)
    const parts = { ...programParts(data, next, ports), log, ownIds: catalogIds }
    return makeGeneration(next, served, await openGuests(next, definitions, parts))
  }
  const listeners: StoreListeners = {
    onRaised(raised) {
      delivery.raised(raised)
      mailing.wake()
    },
    onMessage: (text) => peers?.onMessage(text),
    onConnected: () => peers?.onConnected(),
  }
  if (peers) opening.defer(() => peers.stop())
  return {
    ...{ now, listeners, observability, hot, makeNext },
    /** The parts that work between calls. */
    background: [delivery, mailing, eventCheck, cleaner, schedule],
    first: await makeNext(config, apis),
    /** Lets a new configuration take effect. */
    take(generation: Generation): void {
      now.running = generation
      peers?.announce()
      log.setLevel(generation.config.logLevel ?? logging.defaultLevel)
      shared.unsent.setLimit(generation.config.maxUnsentBytes)
    },
  }
}

/** The accounts of a data file; close the result when done. `create` makes a missing file. */
export async function openAccounts(config: Config, options: { create: boolean }) {
  const ports = livePorts(config)
  const opened = await openStore(config.db, { ...storePorts(ports, config), mustExist: !options.create })
  const accounts = createProgramAccounts(programParts(opened, config, ports))
  return { accounts, close: () => opened.store.close() }
}

/** The parts with which the program itself runs operations of the administration. */
export function programParts(opened: Omit<OpenStore, "store">, config: Config, { clock, random }: Ports) {
  const { admin, outbox } = opened
  const prices = new Map(catalog.map(({ id, credits }) => [id, config.credits.get(id) ?? credits]))
  return { admin, outbox, clock, random, auditRandom: random, plans: config.plans, prices }
}

/**
 * Makes a link to the console for the first start of a service. Null if a link was made before, there is a session or an admin
 * key, or the console is off.
 */
export async function createFirstConsoleLink(config: Config, listening: ListeningAt): Promise<string | null> {
  if (config.admin === "off") return null
  const ports = livePorts(config)
  const opened = await openStore(config.db, storePorts(ports, config))
  await using _ = { [Symbol.asyncDispose]: opened.store.close }
  if (await opened.admin.hasAdmin()) return null
  const { consoleLink } = await import("../admin/links/link.ts")
  const pages = pageAddresses({ config: () => config, listening: () => listening })
  const run = createProgramRun({ ...programParts(opened, config, ports), pages })
  return (await run(consoleLink, {})).url
}
