import { Elysia } from "elysia"
import { discoveryLinks } from "../discovery/service-index.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { HttpContext } from "./context.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import { apiPages } from "./discovery.ts"
import type { AnswerSettings } from "./exchange.ts"
import type { incomingRequests } from "./incoming.ts"
import { docsParts } from "./pages/docs.ts"
import { graphiqlPage, graphiqlParts } from "./pages/graphiql.ts"
import { noRoute } from "./paths.ts"
import { createResource, type Resource } from "./resource.ts"
import type { SiteServer } from "./site.ts"

/** The OpenAPI document, the page that shows it, and GraphiQL. None needs a key. */
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
  methods.set("/openapi.json", "GET")

  async function docsPage(request: Request, set: AnswerSettings): ReturnType<Resource> {
    const page = await pages.send("/docs", request, set)
    if (page === undefined) throw noRoute(request, methods)
    return page
  }

  function addPage(path: string, page: Resource, parts: ReadonlyMap<string, Resource>): void {
    methods.set(path, "GET")
    app.get(
      path,
      ({ request, set }) => {
        sameOriginOnly(set)
        set.headers.link = discoveryLinks
        return page(request, set)
      },
      { detail: { summary: `The page at ${path}`, tags: ["operation"] } },
    )
    app.get(`${path}/*`, ({ request, set, params }) => {
      const part = parts.get(params["*"])
      if (!part) throw noRoute(request, methods)
      sameOriginOnly(set)
      return part(request, set)
    })
  }

  addPage("/docs", docsPage, new Map([...docsParts, ...apiPages(service)]))
  if (service.graphql) addPage("/graphiql", graphiqlPage, graphiqlParts)
  return app
}
