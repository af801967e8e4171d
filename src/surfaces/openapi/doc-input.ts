import type { Config } from "../../config/load.ts"
import type { ApiDocInput } from "./json-object.ts"

/** What the document says about a service with this configuration. */
export function toDocInput(
  { noGraphql, noMcp, noMetrics, metricsToken, maxBodyBytes, publicUrl }: Config,
  catalog: Pick<ApiDocInput, "apis" | "version">,
): ApiDocInput {
  const metrics = metricsToken === null ? "open" : "token"
  return {
    ...catalog,
    graphql: !noGraphql,
    mcp: !noMcp,
    metrics: noMetrics ? "off" : metrics,
    maxBodyBytes,
    publicUrl,
  }
}
