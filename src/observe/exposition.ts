import type { Report } from "./report.ts"

/** Metrics in the Prometheus text format. */
export type Exposition = { readonly contentType: string; readonly text: string }

/** Merges the reports of all processes into one text. */
export async function toExposition(reports: readonly Report[]): Promise<Exposition> {
  const registry = await aggregate(reports)
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
