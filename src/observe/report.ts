import type { ResolverStats } from "../ports/dns/resolver.ts"
import type { DroppedSpans } from "../ports/tracer.ts"
import type { Counts, Histogram } from "./counts.ts"
import help from "./metrics.json"

/** One metric of one process, in the JSON form of prom-client. */
interface Metric {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  /** How the values of several processes are merged. */
  readonly aggregator: "sum" | "max" | "min"
  readonly values: readonly Sample[]
}

interface Sample {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** The name of a part of a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string
}

/** All metrics of one process. Plain data. */
export type Report = readonly Metric[]

/** Values that are read at each scrape. */
export interface Gauges {
  readonly version: string
  /** The number of requests in progress. */
  openRequests(): number
  /** Bytes of large answers that clients have not read. */
  unsentBytes(): number
  droppedLines(): number
  /** Null when no traces are recorded. */
  droppedSpans(): DroppedSpans | null
  readonly eventLoopLag: Histogram
  dns(): ResolverStats
  /** Pending notices, by this state. Empty if the store does not answer. */
  readonly notices: Readonly<Record<string, number>>
  /** Pending mails, likewise. */
  readonly mails: Readonly<Record<string, number>>
  /** Visitors' questions of the last hour for a link by mail, by what was asked for, likewise. */
  readonly linkQuestions: Readonly<Record<string, number>>
  /** Sizes in bytes: the data file and its write-ahead log, or a database. Empty if the store does not answer. */
  readonly storeBytes: Readonly<Record<string, number>>
  /** The processes on this database that were heard of lately, and how many have other plans or prices. */
  readonly instances: { readonly count: number; readonly differing: number }
  /** Counts that the history lacks, for now or for good. */
  readonly history: {
    readonly waitingMinutes: number
    /** Calls of accounts beyond the most of a minute, and of minutes that waited too long. */
    readonly leftOut: Readonly<Record<"accounts" | "minutes", number>>
  }
  /** Requests of `--keep-requests` that were dropped. */
  readonly droppedRequests: number
  /** Seconds are sums. */
  readonly store: {
    readonly batches: number
    readonly charges: number
    readonly refusals: number
    readonly waitSeconds: number
    readonly roundTripSeconds: number
    readonly cacheAgeSeconds: number
  }
  process(): { readonly residentBytes: number; readonly cpuSeconds: number; readonly startSeconds: number }
}

type Name = keyof typeof help

/** Returns the current values of all metrics of this process. Quotients of two of the store's are averages: charges per batch. */
export function toReport({ tallies, charged, faults }: Counts, gauges: Gauges): Report {
  const dns = gauges.dns()
  const { store, history, instances } = gauges
  const spans = gauges.droppedSpans()
  const { residentBytes, cpuSeconds, startSeconds } = gauges.process()
  const requests = tallies.flatMap(({ api, surface, statuses }) =>
    [...statuses]
      .sort((one, other) => one.status - other.status)
      .map(({ status, requests }) => ({ value: requests, labels: { api, surface, status } })),
  )
  const durations = tallies
    .filter(({ statuses }) => statuses.length > 0)
    .map(({ api, surface, latency }) => ({ labels: { api, surface }, histogram: latency }))
  const calls = charged.map(({ api, surface, calls: value }) => ({ value, labels: { api, surface } }))
  const credits = charged.map(({ api, surface, credits: value }) => ({ value, labels: { api, surface } }))
  const transports = { udp: dns.queries - dns.tcpQueries, tcp: dns.tcpQueries }
  return [
    counter("penknife_requests_total", requests),
    histogram("penknife_request_duration_seconds", durations),
    counter("penknife_calls_charged_total", calls),
    counter("penknife_credits_charged_total", credits),
    counter("penknife_faults_total", byLabel("fault", Object.fromEntries(faults))),
    gauge("penknife_open_requests", "sum", gauges.openRequests()),
    // Each process has its own limit, so the sum would say nothing.
    gauge("penknife_unsent_answer_bytes", "max", gauges.unsentBytes()),
    counter("penknife_dns_queries_total", byLabel("transport", transports)),
    counter("penknife_dns_retries_total", dns.retries),
    counter("penknife_dns_cache_hits_total", dns.cacheHits),
    counter("penknife_dns_cache_misses_total", dns.cacheMisses),
    counter("penknife_dns_failures_total", dns.failures),
    // All processes read the same store, so its values are not added up.
    gauge("penknife_notices", "max", byLabel("state", gauges.notices)),
    gauge("penknife_mails", "max", byLabel("state", gauges.mails)),
    gauge("penknife_link_questions", "max", byLabel("asked", gauges.linkQuestions)),
    gauge("penknife_store_bytes", "max", byLabel("part", gauges.storeBytes)),
    counter("penknife_store_batches_total", store.batches),
    counter("penknife_store_charges_total", store.charges),
    counter("penknife_store_refusals_total", store.refusals),
    counter("penknife_store_wait_seconds_total", store.waitSeconds),
    counter("penknife_store_round_trip_seconds_total", store.roundTripSeconds),
    gauge("penknife_store_cache_age_seconds", "max", store.cacheAgeSeconds),
    gauge("penknife_instances", "max", instances.count),
    gauge("penknife_differing_instances", "max", instances.differing),
    gauge("penknife_history_waiting_minutes", "max", history.waitingMinutes),
    counter("penknife_history_left_out_total", byLabel("reason", history.leftOut)),
    counter("penknife_kept_requests_dropped_total", gauges.droppedRequests),
    histogram("penknife_event_loop_lag_seconds", [{ labels: {}, histogram: gauges.eventLoopLag }]),
    counter("penknife_log_lines_dropped_total", gauges.droppedLines()),
    ...(spans === null ? [] : [counter("penknife_trace_spans_dropped_total", byLabel("reason", spans))]),
    gauge("penknife_workers", "sum", 1),
    gauge("penknife_info", "max", byLabel("version", { [gauges.version]: 1 })),
    gauge("process_resident_memory_bytes", "sum", residentBytes),
    counter("process_cpu_seconds_total", cpuSeconds),
    gauge("process_start_time_seconds", "min", startSeconds),
  ]
}

type Values = number | readonly Sample[]

function counter(name: Name, values: Values): Metric {
  return { name, help: help[name], type: "counter", aggregator: "sum", values: toSamples(values) }
}

function gauge(name: Name, aggregator: Metric["aggregator"], values: Values): Metric {
  return { name, help: help[name], type: "gauge", aggregator, values: toSamples(values) }
}

function toSamples(values: Values): readonly Sample[] {
  return typeof values === "number" ? [{ value: values, labels: {} }] : values
}

function byLabel(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ value, labels: { [label]: key } }))
}

type LabelledHistogram = Pick<Sample, "labels"> & { readonly histogram: Histogram }

function histogram(name: Name, all: readonly LabelledHistogram[]): Metric {
  const values = all.flatMap(({ labels, histogram: { bounds, counts, sum } }): Sample[] => {
    let count = 0
    const buckets = [...counts].map((own, at) => {
      count += own
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? "+Inf" }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })
  return { name, help: help[name], type: "histogram", aggregator: "sum", values }
}

/** Metrics in the Prometheus text format. */
export type Exposition = { readonly contentType: string; readonly text: string }

/** Metrics that would tell strangers whether their question for a link made a mail, and so who has an account. */
const ofMails: readonly string[] =
  "penknife_mails penknife_store_bytes process_resident_memory_bytes process_cpu_seconds_total".split(" ")

/**
 * Merges the reports of all processes into one text.
 * @param hidesMails leaves out what tells strangers of mails
 */
export async function toExposition(reports: readonly Report[], hidesMails: boolean): Promise<Exposition> {
  const isShown = ({ name }: Metric) => !hidesMails || !ofMails.includes(name)
  const registry = await aggregate(reports.map((report) => report.filter(isShown)))
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/** Merges the reports of ended processes. Prometheus would take a counter that falls when a worker dies for a restart. */
export async function toRetired(reports: readonly Report[]): Promise<Report> {
  const kept = reports.map((report) => report.filter(({ type }) => type !== "gauge"))
  const registry = await aggregate(kept)
  // The library returns the form that it was given, but declares another type.
  return (await registry.getMetricsAsJSON()) as unknown as Report
}

/**
 * Loads the library at the first scrape, which keeps the start fast. Calls wait meanwhile, so it loads only a part: it takes a
 * tenth of the time of the whole.
 */
async function aggregate(reports: readonly Report[]) {
  const { default: AggregatorRegistry } = await import("prom-client/lib/cluster.js")
  return AggregatorRegistry.aggregate([...reports])
}
