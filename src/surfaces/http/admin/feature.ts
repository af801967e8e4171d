import { Elysia } from "elysia"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { operations } from "../../../admin/operations.ts"
import type { HttpContext } from "../context.ts"
import { sameOriginOnly } from "../cross-origin.ts"
import type { incomingRequests } from "../incoming.ts"
import { createResource } from "../resource.ts"
import { operationRouteOf } from "../route-schemas.ts"
import { type AnswerParts, answerOperation } from "./answer-operation.ts"
import { documentPath } from "./document-path.ts"
import { routerPath, routesOf } from "./operation-path.ts"
import { otherPaths } from "./other-paths.ts"
import { createRequestRate, unlimitedRate } from "./request-rate.ts"
import { createSignInFailures, unlimitedFailures } from "./sign-in-failures.ts"

/** Every operation of the administration as a route under `/admin/v1`, and the document that describes them. */
export function adminFeature(
  base: ReturnType<typeof incomingRequests>,
  context: HttpContext,
  { administration, signIn }: AdminAccess,
  version: string,
) {
  const { observer, pipeline } = context
  const { clock, timer } = pipeline.ports
  const parts: AnswerParts = {
    administration,
    context,
    signIn,
    // The clock of a test double stands still.
    failures: context.strict ? createSignInFailures({ clock, timer }) : unlimitedFailures,
    rate: context.strict ? createRequestRate(clock) : unlimitedRate,
    log: pipeline.log,
  }
  const app = new Elysia({ name: "admin" }).use(base)
  for (const route of routesOf(operations)) {
    const { id, method } = route.operation
    const record = observer.recorderFor(id, "admin")
    app.route(
      method,
      routerPath(route),
      ({ request, set, incoming }) => answerOperation({ request, set, incoming }, route, record, parts),
      operationRouteOf(route),
    )
  }
  return app.use(documentRoute(base, context, version)).use(otherPaths(base, context))
}

/** The document needs no key: it says nothing of this installation. */
function documentRoute(
  base: ReturnType<typeof incomingRequests>,
  { observer }: HttpContext,
  version: string,
) {
  const record = observer.recorderFor("none", "unkeyed")
  const document = createResource({
    headers: { "content-type": "application/json" },
    // Made with the first request, so that the start does not wait for it.
    async read() {
      const { printAdminOpenApi } = await import("../../openapi/admin/document.ts")
      return new TextEncoder().encode(printAdminOpenApi({ operations, version }))
    },
  })
  return new Elysia({ name: "admin-document" }).use(base).get(
    documentPath,
    async ({ request, set, incoming }) => {
      sameOriginOnly(set)
      const bytes = await document(request, set)
      record(incoming, { status: Number(set.status ?? 200) })
      return bytes
    },
    { detail: { summary: "The OpenAPI document of the admin API", tags: ["operation"] } },
  )
}
