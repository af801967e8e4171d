import type { Config } from "../../config/load.ts"
import type { ApiDocInput } from "./json-object.ts"

/** What the document says about a service with this configuration. */
export function toDocInput(
  { noGraphql, noMetrics, metricsToken, maxBodyBytes }: Config,
  catalog: Pick<ApiDocInput, "apis" | "version">,
): ApiDocInput {
  const metrics = metricsToken === null ? "open" : "token"
  return { ...catalog, graphql: !noGraphql, metrics: noMetrics ? "off" : metrics, maxBodyBytes }
}
