import type { Config } from "../../config.ts"
import type { Described } from "./part.ts"

/** What a service with this configuration has to say of itself. */
export function describedBy(
  { noGraphql, noMetrics, metricsToken, maxBodyBytes }: Config,
  catalog: Pick<Described, "apis" | "version">,
): Described {
  const metrics = metricsToken === null ? "open" : "token"
  return { ...catalog, graphql: !noGraphql, metrics: noMetrics ? "off" : metrics, maxBodyBytes }
}
