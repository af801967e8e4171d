import type { AdminAccess } from "../../admin/admin-access.ts"
import type { Unsubscribes } from "../../admin/unsubscribe.ts"
import { toFault } from "../../call/fault.ts"
import { logFault } from "../../call/pipeline.ts"
import { type Brand, logoPath } from "../../config/brand.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { Offer, Site } from "../site/site.ts"
import { createAdminFeature } from "./admin/admin-feature.ts"
import { addBatchRoutes } from "./batch.ts"
import { type CallsInProgress, createCallsInProgress } from "./calls.ts"
import { discoveryFeature } from "./discovery.ts"
import { createFrame, type FrameOptions, type FrameParts, leaveRequestBody } from "./frame.ts"
import { graphqlFeature } from "./graphql.ts"
import { mcpFeature, type TrustedNames } from "./mcp.ts"
import { createServiceApp } from "./metered.ts"
import { createSiteServer, isPagePath, prefersPage, siteFeature, unsubscribeFeature } from "./page-routes.ts"
import { type ProbesParts, probesFeature } from "./probes.ts"
import { httpLimits } from "./read/limits.ts"
import { sendFault } from "./reply/headers.ts"
import { addRoutes, type Exchange, noRoute } from "./request.ts"
import { addRestRoutes, addUsageRoute } from "./rest.ts"
import { webFeature } from "./web/feature.ts"

/** The parts of the service that the HTTP app calls. */
export interface HttpParts
  extends FrameParts,
    Pick<ProbesParts, "version" | "commit" | "ping" | "readMetrics"> {
  /** Null when this app does not serve the admin API and the console. */
  readonly admin: AdminAccess | null
  /** Null when it does not serve the portal. */
  readonly portal: AdminAccess | null
  /** The links in mails that end notices by mail; null when it does not serve them. */
  readonly unsubscribes: Unsubscribes | null
}

/** The settings of the HTTP app. */
export interface HttpAppOptions extends FrameOptions, Pick<ProbesParts, "metricsToken"> {
  /** False answers GraphQL requests with `GRAPHQL_NOT_SUPPORTED`. */
  readonly graphql: boolean
  /** Null turns `/mcp` off. */
  readonly mcp: TrustedNames | null
  readonly brand: Brand
  /** The plans and addresses that the landing page shows. */
  readonly offer: Offer
  readonly plans: ApiDocInput["plans"]
}

/** The service as an Elysia app: one instance for each feature. It does not listen yet. */
export function createHttpApp(
  parts: HttpParts,
  options: HttpAppOptions,
  calls: CallsInProgress = createCallsInProgress(),
) {
  const { apis, pipeline, observer, admin, portal, version } = parts
  const recordUnkeyed = observer.recorderFor("none", "unkeyed")
  const recordUnmatched = observer.recorderFor("none", "none")

  /** The cross-origin plugin answers preflights itself, but not those for the admin API. */
  function onIncoming(exchange: Exchange): Promise<Response> | undefined {
    if (exchange.request.method !== "OPTIONS") return
    if (adminFeature?.serves(exchange.request.url)) return adminFeature.answer(exchange)
    recordUnkeyed(exchange.incoming, { status: 204 })
  }

  const frame = createFrame(parts, options, calls, () => app.server, onIncoming)
  const { base, context } = frame
  const { brand, graphql, maxBodyBytes, publicUrl, plans } = options
  const adminFeature = createAdminFeature(base, context, parts, { version, title: brand.title })
  const metrics = parts.readMetrics ? (options.metricsToken === null ? "open" : "token") : "off"
  const service: ApiDocInput = {
    ...{ apis, version, graphql, metrics, maxBodyBytes, publicUrl, plans },
    mcp: options.mcp !== null,
    title: brand.title,
    logo: logoPath(brand),
  }
  const site: Site = {
    ...service,
    portal: portal !== null,
    console: admin !== null,
    offer: options.offer,
    guests: context.guests,
  }
  const pages = createSiteServer(site, brand, pipeline.ports.timer)
  const app = createServiceApp(frame)
  app.onError(async ({ error, code, request, set, incoming, call }) => {
    // The macro of metered routes answers, with what is known of the caller.
    if (call !== null) return
    if (adminFeature?.serves(request.url)) return adminFeature.answer({ request, set, incoming }, error)
    const fault = code === "NOT_FOUND" ? noRoute(request, context.methods) : toFault(error)
    logFault(fault, incoming.requestId, pipeline.log)
    recordUnmatched(incoming, { status: fault.status, fault: fault.code })
    await leaveRequestBody(request, set, context)
    if (fault.code === "notFound" && isPagePath(request.url) && prefersPage(request))
      return pages.sendNotFound(request, set)
    return sendFault(fault, request, set)
  })
  addRestRoutes(app, context)
  addBatchRoutes(app, context)
  addUsageRoute(app, context)
  app
    .use(graphqlFeature(base, context, options.graphql))
    .use(
      probesFeature(base, context, {
        ...parts,
        metricsToken: options.metricsToken,
        // Tests that use a test double want what is true now.
        sharedAnswerMs: options.strict ? httpLimits.sharedAnswerSeconds * 1_000 : 0,
      }),
    )
    .use(discoveryFeature(base, context, service, pages))
    .use(siteFeature(base, context, pages, site))
    .use(webFeature(base, context, { console: admin !== null, portal: portal !== null, brand }))
  if (parts.unsubscribes) app.use(unsubscribeFeature(base, context, pages, parts.unsubscribes))
  if (options.mcp) app.use(mcpFeature(base, context, { version, title: brand.title, names: options.mcp }))
  addRoutes(context.methods, app.routes)
  return adminFeature ? app.use(adminFeature.app) : app
}
