import { Elysia } from "elysia"
import { discoveryLinks } from "../discovery/documents.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { HttpContext } from "./context.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import { apiPages } from "./discovery.ts"
import type { AnswerSettings } from "./exchange.ts"
import type { incomingRequests } from "./incoming.ts"
import { noRoute } from "./paths.ts"
import { createResource, type Resource } from "./resource.ts"
import type { SiteServer } from "./site.ts"

/** The OpenAPI document, the pages of the reference, and GraphiQL. None needs a key. */
export function documentationFeature(
  base: ReturnType<typeof incomingRequests>,
  { observer, methods }: HttpContext,
  service: ApiDocInput,
  pages: SiteServer,
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
  function sendDocument(request: Request, set: AnswerSettings): ReturnType<Resource> {
    set.headers.link = discoveryLinks
    return document(request, set)
  }
  const app = new Elysia({ name: "documentation" })
    .use(base)
    .onAfterHandle(({ set, incoming }) => {
      record(incoming, { status: Number(set.status ?? 200) })
    })
    .get("/openapi.json", ({ request, set }) => sendDocument(request, set), {
      detail: { summary: "The OpenAPI document", tags: ["operation"] },
    })

  /** Adds a page and those below it. `send` answers for a path; undefined where there is nothing. */
  function addPages(root: string, send: SiteServer["send"]): void {
    const detail = { summary: `The pages at ${root}`, tags: ["operation"] }
    async function answer(path: string, request: Request, set: AnswerSettings): ReturnType<Resource> {
      const body = await send(path, request, set)
      if (body === undefined) throw noRoute(request, methods)
      sameOriginOnly(set)
      return body
    }
    app
      .get(
        root,
        ({ request, set }) => {
          set.headers.link = discoveryLinks
          return answer(root, request, set)
        },
        { detail },
      )
      .get(`${root}/*`, ({ request, set, params }) => answer(`${root}/${params["*"]}`, request, set), {
        detail,
      })
  }

  const inMarkdown = apiPages(service)
  addPages("/docs", async (path, request, set) => {
    const page = inMarkdown.get(path)
    return page ? page(request, set) : pages.send(path, request, set)
  })
  if (service.graphql) addPages("/graphiql", pages.send)
  return app
}
