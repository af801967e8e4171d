import type { Metric, Report, Sample } from "./report.ts"

/** Metrics as Prometheus reads them. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** Puts the reports of all processes together into one text. */
export async function toExposition(reports: readonly Report[]): Promise<Exposition> {
  const registry = await aggregate(reports)
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/**
 * What is to be kept of processes that have ended, as one report: counters would otherwise fall when a worker dies, and
 * whoever reads them takes a fall for a restart and counts the rest anew.
 */
export async function toRetired(reports: readonly Report[]): Promise<Report> {
  const kept = reports.map((report) => report.filter(({ type }) => type !== "gauge"))
  const merged = await (await aggregate(kept)).getMetricsAsJSON()
  return merged.map(({ name, help, type, aggregator, values }): Metric => {
    return {
      name,
      help,
      type: String(type) as Metric["type"],
      aggregator: aggregator as Metric["aggregator"],
      values: values as unknown as readonly Sample[],
    }
  })
}

/** The library is loaded with the first question: a start must not wait for it. */
async function aggregate(reports: readonly Report[]) {
  const { AggregatorRegistry } = await import("prom-client")
  return AggregatorRegistry.aggregate([...reports])
}
