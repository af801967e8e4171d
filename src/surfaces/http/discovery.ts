import {
  apiCatalogLink,
  apiCatalogType,
  discoveryLinks,
  indexOf,
  printApiCatalog,
  printLlms,
} from "../discovery/documents.ts"
import type { DocumentOptions } from "../openapi/document.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import { type HttpContext, unkeyedFeature } from "./frame.ts"
import { prefersPage, type SiteServer } from "./page-routes.ts"
import { parseQuery } from "./read/query.ts"
import { negotiateFormat } from "./reply/format.ts"
import { ownAnswer, send } from "./reply/headers.ts"
import { type IncomingApp, noRoute } from "./request.ts"
import { createResource } from "./resource.ts"

/** Pages for crawlers and agents, and at `/` the page for people, all made from the catalog. None needs a key. */
export function discoveryFeature(
  base: IncomingApp,
  context: HttpContext,
  service: ApiDocInput,
  pages: SiteServer,
) {
  const app = unkeyedFeature("discovery", base, context)

  /** Adds a document that is made with the first request, so that the start does not wait for it. */
  function addDocument(
    path: string,
    type: string,
    print: () => string | Promise<string>,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const document = createResource({ headers: { "content-type": type, ...headers }, read: print })
    app.get(path, ({ request, set }) => document(request, set), {
      detail: { summary: `The document at ${path}`, tags: ["document"] },
    })
  }

  app.get(
    "/",
    async ({ request, set }) => {
      if (prefersPage(request)) return pages.send("/", request, set)
      const { format, problem } = negotiateFormat(request, parseQuery(request.url))
      if (problem) throw problem
      const body = send(ownAnswer(200, { data: indexOf(service) }), format, set)
      set.headers.link = discoveryLinks
      return body
    },
    { detail: { summary: "What this service offers", tags: ["document"] } },
  )
  addDocument("/.well-known/api-catalog", apiCatalogType, () => printApiCatalog(service), {
    // RFC 9727 §2 asks for the link, at least in the answer to HEAD.
    link: apiCatalogLink,
  })
  addDocument("/llms.txt", "text/markdown; charset=utf-8", () => printLlms(service))
  addDocument("/openapi.json", "application/json", () => openApiOf(service, context), {
    link: discoveryLinks,
  })
  const documents = new Map(
    service.apis.map((api) => {
      const read = () => openApiOf({ ...service, apis: [api] }, context, { apisOnly: true })
      const headers = { "content-type": "application/json" }
      return [`${api.definition.id}.json`, createResource({ headers, read })]
    }),
  )
  for (const name of documents.keys()) context.methods.set(`/openapi/${name}`, "GET")
  // One route for all APIs: a route costs the start of the service time.
  return app.get("/openapi/*", ({ request, set, params }) => {
    const document = documents.get(params["*"])
    if (!document) throw noRoute(request, context.methods)
    return document(request, set)
  })
}

async function openApiOf(
  service: ApiDocInput,
  { pipeline }: HttpContext,
  options: DocumentOptions = {},
): Promise<string> {
  const { printOpenApi } = await import("../openapi/document.ts")
  return printOpenApi(service, options, () => pipeline.ports.timer.turn())
}
