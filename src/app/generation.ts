import { holdsKey } from "../accounts/key.ts"
import { offeredPlans } from "../accounts/plan.ts"
import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdmission, sunsetsOf } from "../call/admission.ts"
import { createCharges } from "../call/charges.ts"
import type { Guests } from "../call/guests.ts"
import type { FindLiveAccount } from "../call/live-account.ts"
import type { Pipeline } from "../call/pipeline.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { readBrand } from "../config/brand.ts"
import type { Config } from "../config/load.ts"
import type { Tracer } from "../ports/tracer.ts"
import type { HttpParts } from "../surfaces/http/app.ts"
import { createRequestIds } from "../surfaces/http/request.ts"
import type { HttpOptions } from "../surfaces/http/server.ts"
import { type RunningConfig, runningOf, signUpSettings } from "./admin-parts.ts"
import type { createObservability } from "./observability.ts"
import { mcpNames } from "./prepare.ts"
import type { WatchedStore } from "./store-health.ts"
import { commit, version } from "./version.ts"

/**
 * One configuration with everything made from it: plans, prices, limits. It never changes. A new configuration makes a new
 * generation, and a call keeps the one with which it began.
 */
export interface Generation extends RunningConfig {
  readonly parts: HttpParts
}

interface GenerationParts {
  readonly store: WatchedStore
  /** State that all calls of the process share, under any configuration. */
  readonly shared: Pick<Pipeline, "scheduler" | "ports" | "log" | "unsent">
  readonly findLive: FindLiveAccount
  readonly observability: Pick<ReturnType<typeof createObservability>, "observerFor" | "readMetrics">
  readonly admin: AdminAccess
  /** Null when no traces are recorded. */
  readonly tracer: Tracer | null
}

/** Returns the function that makes a generation of a configuration and its APIs. */
export function createGenerations(options: GenerationParts) {
  const { store, shared, findLive, observability, admin, tracer } = options
  const { ports, log } = shared
  return (config: Config, apis: readonly PreparedApi[], guests: Guests | null): Generation => {
    const definitions = apis.map(({ definition }) => definition)
    const admission = createAdmission(store, config.plans, ports, sunsetsOf(definitions))
    const charges = createCharges(store, admission, ports, log, findLive)
    const hidesMails = config.smtp !== null && config.metricsToken === null
    const apiIds = definitions.map(({ id }) => id)
    return {
      ...runningOf(config, apis),
      parts: {
        apis,
        pipeline: { ...shared, admission, charges },
        requestIdFor: createRequestIds(ports.random, holdsKey),
        tracer,
        guests,
        observer: observability.observerFor(apiIds, config.logLevel, config.logSample),
        readMetrics: config.noMetrics ? null : () => observability.readMetrics(hidesMails),
        ping: () => store.ready(),
        admin,
        portal: config.noPortal ? null : admin,
        unsubscribes: admin.unsubscribes,
        version,
        commit,
      },
    }
  }
}

/** The options of the HTTP surface under a configuration. */
export function httpSettings(
  config: Config,
  { isMock = false, ...more }: Pick<HttpOptions, "sharedPort" | "tls"> & { readonly isMock?: boolean },
): HttpOptions {
  const bodyTimeoutMs = config.bodyTimeoutSeconds * 1_000
  return {
    ...{ ...config, ...more, bodyTimeoutMs, graphql: !config.noGraphql, mcp: mcpNames(config) },
    brand: readBrand(config),
    offer: {
      plans: offeredPlans(config.plans),
      signUp: config.signUpUrl ?? ownSignUp(config, isMock),
      signUpPlan: config.signUpUrl === null ? config.signUpPlan : null,
      contact: config.contact,
      terms: config.termsUrl ?? config.signUpTerms,
      privacy: config.privacyUrl,
      status: config.statusUrl,
    },
  }
}

/** The page of the portal where strangers sign up; null where they cannot. */
function ownSignUp(config: Config, isMock: boolean): string | null {
  const { mode, hasMail } = signUpSettings(config, { isMock })
  return mode === "open" && hasMail && !config.noPortal ? "/portal/sign-up" : null
}
