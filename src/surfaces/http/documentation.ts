import { Elysia } from "elysia"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { HttpContext } from "./context.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import { docsPage, docsParts } from "./docs/docs.ts"
import type { AnswerSettings } from "./exchange.ts"
import type { incomingRequests } from "./incoming.ts"
import { noRoute } from "./paths.ts"
import { createResource, type Resource } from "./resource.ts"

/** The OpenAPI document, and the page that shows it with its scripts and styles. None needs a key. */
export function documentationFeature(
  base: ReturnType<typeof incomingRequests>,
  { observer, methods }: HttpContext,
  service: ApiDocInput,
) {
  const record = observer.recorderFor("none", "unkeyed")
  const document = createResource({
    headers: { "content-type": "application/json" },
    // Made with the first request, so that the start does not wait for it.
    async read() {
      const { printOpenApi } = await import("../openapi/document.ts")
      return new TextEncoder().encode(printOpenApi(service))
    },
  })
  for (const path of ["/openapi.json", "/docs"]) methods.set(path, "GET")
  return new Elysia({ name: "documentation" })
    .use(base)
    .onAfterHandle(({ set, incoming }) => {
      record(incoming, { status: Number(set.status ?? 200) })
    })
    .get("/openapi.json", ({ request, set }) => document(request, set), {
      detail: { summary: "The OpenAPI document", tags: ["operation"] },
    })
    .get("/docs", ({ request, set }) => own(docsPage, request, set), {
      detail: { summary: "The documentation page", tags: ["operation"] },
    })
    .get("/docs/*", ({ request, set, params }) => {
      const part = docsParts.get(params["*"])
      if (!part) throw noRoute(request, methods)
      return own(part, request, set)
    })
}

/** Answers with a part of the page, which no other origin needs to read. */
function own(part: Resource, request: Request, set: AnswerSettings) {
  sameOriginOnly(set)
  return part(request, set)
}
