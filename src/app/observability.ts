import type { Instances } from "../admin/health/service-health.ts"
import type { Clock, Ports, Timer } from "../apis/contract.ts"
import { faultCodes } from "../call/fault.ts"
import type { Config } from "../config/load.ts"
import { createMinutes } from "../history/minute.ts"
import { createRequestWriter, type RequestKeeping } from "../history/request-writer.ts"
import { createHistoryWriter } from "../history/writer.ts"
import { createAccountSums, createCounts, createHistogram, record } from "../observe/counts.ts"
import { createObserver, type Observer } from "../observe/observer.ts"
import { type Gauges, toExposition, toReport } from "../observe/report.ts"
import { createRequestFeed, type RequestFeed } from "../observe/request-feed.ts"
import { createRequestLog, noRequestLog } from "../observe/request-log.ts"
import { shareFeed } from "../observe/shared-feed.ts"
import { type Channel, joinSiblings, noSiblings } from "../observe/siblings.ts"
import type { ResolverStats } from "../ports/dns/resolver.ts"
import { createLog, type LogLevel } from "../ports/log.ts"
import { type LogOutput, loadPrettyFormat, openLogOutput } from "../ports/log-output.ts"
import { systemRandom } from "../ports/random.ts"
import { keepAliveTimer, systemTimer } from "../ports/timer.ts"
import type { OpenStore } from "../store/store-options.ts"
import { escapeHiddenInJson } from "../values/hidden-characters.ts"
import { once } from "../values/once.ts"

const periodMs = 500
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Starts to measure how late timers run, in seconds. Requests wait as long. */
function createLagMeter(timer: Timer, clock: Clock) {
  const lag = createHistogram(bounds)
  let cancel = begin()

  function begin(): () => void {
    const dueMs = clock.monotonicMs() + periodMs
    return timer.after(periodMs, () => {
      record(lag, Math.max(0, clock.monotonicMs() - dueMs) / 1_000)
      cancel = begin()
    })
  }

  return { lag, stop: () => cancel() }
}

const noLagMeter = { lag: createHistogram(bounds), stop() {} }

/** A log and its output. */
export type OpenLog = Awaited<ReturnType<typeof openLog>>

interface OpenLogOptions {
  /** The level when the configuration sets none. */
  readonly defaultLevel?: LogLevel
  /** Whether other processes write to the same place. */
  readonly shared?: boolean
  /** Standard error by default. */
  readonly output?: LogOutput | undefined
}

/** Opens the log that a configuration describes. */
export async function openLog(
  { logLevel, logFormat }: Config,
  { clock }: Pick<Ports, "clock">,
  { defaultLevel = "info", shared = false, output }: OpenLogOptions,
) {
  const color = process.stderr.isTTY === true
  const isPretty = logFormat === "pretty" || (logFormat === "auto" && color)
  const format = isPretty ? await loadPrettyFormat({ color }) : (line: string) => line
  // Keeps the process alive until the last lines are written.
  const opened = output ?? openLogOutput({ timer: keepAliveTimer, shared })
  const write = (line: string) => opened.write(escapeHiddenInJson(format(line)))
  // Lines of requests are escaped already.
  const writeRequest = isPretty ? write : opened.write
  const level = logLevel ?? defaultLevel
  const log = createLog(write, { level, clock, urgent: opened.flush })
  return { ...opened, /** Writes a line of the request log. */ writeRequest, defaultLevel, log }
}

/** The most accounts whose charges of a minute are kept. */
const maxAccounts = 10_000

interface ObservabilityParts
  extends Pick<Gauges, "version" | "openRequests" | "unsentBytes">,
    Partial<Pick<Gauges, "droppedSpans">> {
  readonly opened: OpenLog
  readonly ports: Ports & { readonly dns: { readonly stats?: () => ResolverStats } }
  /** The timer for writes between calls; the runtime's timer by default. */
  readonly timer?: Timer
  readonly store: Pick<OpenStore, "gauges" | "history" | "requests">
  /** The history is kept for so many days; 0 for none. */
  readonly keeping: () => RequestKeeping & Pick<Config, "history">
  /** The name of this process in the store; a random one by default. */
  readonly process?: string
  /** Whether kept requests are written when they are asked for, not by time, and nothing is measured by time. */
  readonly isUntimed?: boolean
  /** The processes that work on the same database; null for a data file. */
  readonly instances?: () => Instances | null
}

/**
 * Makes the metrics and the request log of a service.
 * @param channel to the supervisor of several processes, which gets a last report on `stop`; null for a single process
 */
export function createObservability(parts: ObservabilityParts, channel: Channel | null) {
  const {
    opened,
    ports,
    store,
    keeping,
    timer = systemTimer,
    instances = () => null,
    isUntimed = false,
    ...read
  } = parts
  const keepDays = () => keeping().history
  const process = parts.process ?? Buffer.from(systemRandom.bytes(8)).toString("hex")
  const { clock, random } = ports
  const { writeRequest: write } = opened
  const counts = createCounts(faultCodes)
  const accounts = createAccountSums(maxAccounts, () => keepDays() > 0)
  const sinceMs = clock.now()
  // Made when they are first used: in most sessions of a test double they never are.
  const writers: { stop(): Promise<void> }[] = []
  const made = <W extends { stop(): Promise<void> }>(writer: W) => {
    writers.push(writer)
    return writer
  }
  const writing = { keepDays, keeping, process, clock, timer, log: opened.log, isUntimed, sinceMs }
  const history = once(() => {
    const takeMinute = createMinutes(counts, accounts)
    return made(createHistoryWriter({ ...writing, history: store.history, takeMinute }))
  })
  const kept = once(() => made(createRequestWriter({ ...writing, requests: store.requests })))
  // A test double's clock does not tell how late a timer is.
  const meter = isUntimed ? noLagMeter : createLagMeter(timer, clock)
  const report = async () => {
    const { gauges } = store
    return toReport(counts, {
      droppedSpans: () => null,
      ...read,
      droppedLines: opened.dropped,
      eventLoopLag: meter.lag,
      dns: () => ports.dns.stats?.() ?? noDns,
      notices: await orNone(gauges.pendingNotices().then((pending) => ({ pending }))),
      mails: await orNone(gauges.pendingMails().then((pending) => ({ pending }))),
      linkQuestions: await orNone(
        gauges.signUpQuestions(clock.now()).then((count) => ({ "sign-up": count })),
      ),
      storeBytes: await orNone(gauges.bytes()),
      instances: { count: instances()?.count ?? 1, differing: instances()?.differing.length ?? 0 },
      history: {
        waitingMinutes: history().waiting(),
        leftOut: { accounts: accounts.leftOut(), minutes: history().dropped() },
      },
      droppedRequests: kept().dropped(),
      store: { ...gauges.activity, cacheAgeSeconds: gauges.cacheAgeSeconds() },
      process: readProcess,
    })
  }
  const keep: RequestFeed["offer"] = (...request) => kept().offer(...request)
  const sinks = {
    feed: createRequestFeed(ports),
    accounts,
    kept: { isOn: () => keeping().keepRequests > 0, offer: keep },
  }
  const requests: RequestFeed = channel ? shareFeed(sinks.feed, channel) : sinks.feed
  const onProblem = (cause: unknown) => opened.log.error("no report was sent", { cause: String(cause) })
  const siblings = channel ? joinSiblings(channel, report, onProblem) : noSiblings(report)
  return {
    /** Makes an observer with APIs and log settings of a configuration. Observers share counts; a sample of null logs nothing. */
    observerFor(apiIds: readonly string[], logLevel: LogLevel | null, sample: number | null): Observer {
      const level = logLevel ?? opened.defaultLevel
      const requestLog =
        sample === null ? noRequestLog : createRequestLog({ write, level, sample, clock, random })
      return createObserver(counts, requestLog, clock, apiIds, sinks)
    },
    requests,
    readMetrics: async (hidesMails = false) => toExposition(await siblings.gather(), hidesMails),
    history,
    kept,
    /** Ends the timer of the measurements. */
    stopMeasuring: meter.stop,
    async stop() {
      meter.stop()
      await Promise.all(writers.map((writer) => writer.stop()))
      await siblings.leave()
    },
  }
}

/** For a resolver that does not count, such as a zone. */
const noDns = { queries: 0, tcpQueries: 0, retries: 0, cacheHits: 0, cacheMisses: 0, failures: 0 }

/** While the store does not answer, its metrics are missing, which an alert can detect. The others stay readable. */
async function orNone(measured: Promise<Readonly<Record<string, number>>>) {
  try {
    return await measured
  } catch {
    return {}
  }
}

function readProcess() {
  const { user, system } = process.cpuUsage()
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1_000_000,
    startSeconds: Math.round(performance.timeOrigin) / 1_000,
  }
}
