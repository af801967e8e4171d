import type { AdminAccess } from "../../../admin/admin-access.ts"
import type { Brand } from "../../../config/brand.ts"
import type { CallsInProgress } from "../calls.ts"
import { createFrame, type FrameOptions, type FrameParts } from "../frame.ts"
import { createListeningApp } from "../request.ts"
import { webFeature } from "../web/feature.ts"
import { createAdminFeature } from "./admin-feature.ts"

/** The administration alone as an Elysia app, for an address that only operators reach. It does not listen yet. */
export function createAdminApp(
  parts: FrameParts & { readonly admin: AdminAccess; readonly version: string },
  options: FrameOptions & { readonly brand: Brand },
  calls: CallsInProgress,
) {
  const { base, begin, context, headers } = createFrame(
    parts,
    options,
    calls,
    () => app.server,
    (exchange) => (exchange.request.method === "OPTIONS" ? feature?.answer(exchange) : undefined),
  )
  const service = { version: parts.version, title: options.brand.title }
  const feature = createAdminFeature(base, context, { admin: parts.admin, portal: null }, service)
  if (feature === null) throw new Error("an app for operators alone needs the administration")
  const app = createListeningApp(begin)
    .headers(headers)
    .use(base)
    .onError(({ error, code, request, set, incoming }) =>
      feature.answer({ request, set, incoming }, code === "NOT_FOUND" ? undefined : error),
    )
    .use(
      webFeature(base, context, {
        console: true,
        portal: false,
        brand: options.brand,
      }),
    )
    .use(feature.app)
  return app
}
