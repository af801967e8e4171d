import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import type { CallsInProgress } from "../calls.ts"
import { createFrame, type FrameOptions, type FrameParts } from "../frame.ts"
import { withReadableUrls } from "../request-url.ts"
import { adminFeature } from "./feature.ts"
import { answerPreflight, createRefuser, noOperation } from "./other-paths.ts"

export interface AdminAppParts extends FrameParts {
  readonly admin: AdminAccess
  readonly version: string
}

/** The administration alone as an Elysia app, for an address that only operators reach. It does not listen yet. */
export function createAdminApp(parts: AdminAppParts, options: FrameOptions, calls: CallsInProgress) {
  const recordUnkeyed = parts.observer.recorderFor("none", "unkeyed")
  const { base, context, headers } = createFrame(
    parts,
    options,
    calls,
    () => app.server,
    (exchange) => {
      const answer = answerPreflight(exchange)
      if (answer) recordUnkeyed(exchange.incoming, { status: 204 })
      return answer
    },
  )
  const refuse = createRefuser(context)
  const app = withReadableUrls(new Elysia())
    .headers(headers)
    .use(base)
    .onError(({ error, code, request, set, incoming }) =>
      refuse(code === "NOT_FOUND" ? noOperation(request) : error, { request, set, incoming }),
    )
    .use(adminFeature(base, context, parts.admin, parts.version))
  return app
}
