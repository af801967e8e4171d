import type { Counts } from "./counts.ts"
import type { Histogram } from "./histogram.ts"

/** One metric of one process, in the form that prom-client merges and writes. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  /** How values of several processes become one. */
  readonly aggregator: "sum" | "max" | "min"
  readonly values: readonly Sample[]
}

export interface Sample {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  /** Where it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string
}

/** Everything that one process has to report. Plain data. */
export type Report = readonly Metric[]

/** What is looked at when someone asks. */
export interface Gauges {
  readonly version: string
  /** Requests under way. */
  openRequests(): number
  droppedLines(): number
  readonly eventLoopLag: Histogram
  dns(): DnsCounts
  /** Empty where the store does not answer. */
  notices(): Readonly<Record<string, number>>
  /** Octets by part. */
  storeBytes(): Readonly<Record<string, number>>
  process(): { readonly residentBytes: number; readonly cpuSeconds: number; readonly startSeconds: number }
}

export interface DnsCounts {
  readonly queries: number
  readonly tcpQueries: number
  readonly retries: number
  readonly cacheHits: number
  readonly cacheMisses: number
  readonly failures: number
}

export function toReport(counts: Counts, gauges: Gauges): Report {
  const { tallies, charged, faults } = counts
  const dns = gauges.dns()
  const { residentBytes, cpuSeconds, startSeconds } = gauges.process()
  return [
    counter("penknife_requests_total", "Requests by API, surface and HTTP status.", [
      ...tallies.flatMap(({ api, surface, statuses }) =>
        [...statuses].flatMap((value, status) =>
          value > 0 ? [{ value, labels: { api, surface, status } }] : [],
        ),
      ),
    ]),
    histogram(
      "penknife_request_duration_seconds",
      "From the arrival of a request's head until its answer was made.",
      tallies
        .filter(({ statuses }) => statuses.some((count) => count > 0))
        .map(({ api, surface, latency }) => ({ labels: { api, surface }, histogram: latency })),
    ),
    counter(
      "penknife_calls_charged_total",
      "Successful calls that were charged; one request may hold many.",
      charged.map(({ api, surface, calls }) => ({ value: calls, labels: { api, surface } })),
    ),
    counter(
      "penknife_credits_charged_total",
      "Credits charged.",
      charged.map(({ api, surface, credits }) => ({ value: credits, labels: { api, surface } })),
    ),
    counter(
      "penknife_faults_total",
      "Requests that failed, by what was wrong: rateLimited, creditsUsedUp, keyUnknown and so on.",
      [...faults].map(([fault, value]) => ({ value, labels: { fault } })),
    ),
    gauge("penknife_open_requests", "Requests under way, this one included.", "sum", gauges.openRequests()),
    counter("penknife_dns_queries_total", "DNS queries sent, repeated ones included.", [
      { value: dns.queries - dns.tcpQueries, labels: { transport: "udp" } },
      { value: dns.tcpQueries, labels: { transport: "tcp" } },
    ]),
    counter(
      "penknife_dns_retries_total",
      "DNS queries sent since an earlier one brought nothing.",
      dns.retries,
    ),
    counter("penknife_dns_cache_hits_total", "DNS questions answered from memory.", dns.cacheHits),
    counter("penknife_dns_cache_misses_total", "DNS questions that had to be sent.", dns.cacheMisses),
    counter("penknife_dns_failures_total", "DNS questions that no server answered.", dns.failures),
    byLabel("penknife_notices", "Notices to accounts, by state.", "state", gauges.notices()),
    byLabel(
      "penknife_store_bytes",
      "Size of the data file and its write-ahead log.",
      "part",
      gauges.storeBytes(),
    ),
    histogram(
      "penknife_event_loop_lag_seconds",
      "How late the event loop was for a timer, looked at twice a second.",
      [{ labels: {}, histogram: gauges.eventLoopLag }],
    ),
    counter(
      "penknife_log_lines_dropped_total",
      "Log lines thrown away because their reader did not keep up.",
      gauges.droppedLines(),
    ),
    gauge("penknife_workers", "Processes that have reported.", "sum", 1),
    gauge("penknife_info", "The version that runs.", "max", 1, { version: gauges.version }),
    gauge("process_resident_memory_bytes", "Resident memory, of all workers.", "sum", residentBytes),
    counter("process_cpu_seconds_total", "User and system CPU time, of all workers.", cpuSeconds),
    gauge(
      "process_start_time_seconds",
      "Start since the Unix epoch, of the oldest worker.",
      "min",
      startSeconds,
    ),
  ]
}

function counter(name: string, help: string, values: number | readonly Sample[]): Metric {
  const samples = typeof values === "number" ? [{ value: values, labels: {} }] : values
  return { name, help, type: "counter", aggregator: "sum", values: samples }
}

function gauge(
  name: string,
  help: string,
  aggregator: Metric["aggregator"],
  value: number,
  labels: Sample["labels"] = {},
): Metric {
  return { name, help, type: "gauge", aggregator, values: [{ value, labels }] }
}

/** What all processes see alike: one store. */
function byLabel(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Metric {
  const samples = Object.entries(values).map(([key, value]) => ({ value, labels: { [label]: key } }))
  return { name, help, type: "gauge", aggregator: "max", values: samples }
}

interface LabelledHistogram {
  readonly labels: Sample["labels"]
  readonly histogram: Histogram
}

function histogram(name: string, help: string, all: readonly LabelledHistogram[]): Metric {
  const values = all.flatMap(({ labels, histogram: { bounds, counts, sum } }): Sample[] => {
    let count = 0
    const buckets = [...counts].map((own, index) => {
      count += own
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: bounds[index] ?? "+Inf" },
        value: count,
      }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  })
  return { name, help, type: "histogram", aggregator: "sum", values }
}
