import { Elysia } from "elysia"
import {
  apiCatalogLink,
  apiCatalogType,
  discoveryLinks,
  indexOf,
  printApiCatalog,
  printLlms,
} from "../discovery/documents.ts"
import { exampleAnswer, toApiPage } from "../markdown/api-page.ts"
import type { ApiDocInput, DocumentedApi } from "../openapi/json-object.ts"
import type { HttpContext } from "./context.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { noRoute } from "./paths.ts"
import { parseQuery } from "./query.ts"
import { ownAnswer, send } from "./reply.ts"
import { createResource, type Resource } from "./resource.ts"
import { prefersPage, type SiteServer } from "./site.ts"

/** What crawlers and agents look for, and at `/` the page for people, all made from the catalog. None needs a key. */
export function discoveryFeature(
  base: ReturnType<typeof incomingRequests>,
  { observer, methods }: HttpContext,
  service: ApiDocInput,
  pages: SiteServer,
) {
  const record = observer.recorderFor("none", "unkeyed")
  const app = new Elysia({ name: "discovery" }).use(base).onAfterHandle(({ set, incoming }) => {
    record(incoming, { status: Number(set.status ?? 200) })
  })

  function addDocument(
    path: string,
    type: string,
    print: () => string | Promise<string>,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const document = printed(type, print, headers)
    app.get(path, ({ request, set }) => document(request, set), {
      detail: { summary: `The document at ${path}`, tags: ["operation"] },
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
    { detail: { summary: "What this service offers", tags: ["operation"] } },
  )
  addDocument("/.well-known/api-catalog", apiCatalogType, () => printApiCatalog(service), {
    // RFC 9727 §2 asks for the link, at least in the answer to HEAD.
    link: apiCatalogLink,
  })
  addDocument("/llms.txt", "text/markdown; charset=utf-8", () => printLlms(service))
  const documents = new Map(
    service.apis.map((api) => [`${api.definition.id}.json`, documentOf(api, service)]),
  )
  for (const name of documents.keys()) methods.set(`/openapi/${name}`, "GET")
  // One route for all APIs: a route costs the start of the service time.
  return app.get("/openapi/*", ({ request, set, params }) => {
    const document = documents.get(params["*"])
    if (!document) throw noRoute(request, methods)
    return document(request, set)
  })
}

/** A page for each API in Markdown, by its path. */
export function apiPages({ apis, publicUrl }: ApiDocInput): ReadonlyMap<string, Resource> {
  const url = publicUrl ?? "http://localhost:8080"
  const pages = apis.map(({ definition, credits }) => {
    const print = () =>
      toApiPage(definition, { credits, url, key: "YOUR-KEY", answer: exampleAnswer(definition) })
    return [`/docs/${definition.id}.md`, printed("text/markdown; charset=utf-8", print)] as const
  })
  return new Map(pages)
}

function documentOf(api: DocumentedApi, service: ApiDocInput): Resource {
  return printed("application/json", async () => {
    const { printOpenApi } = await import("../openapi/document.ts")
    return printOpenApi({ ...service, apis: [api] }, { apisOnly: true })
  })
}

/** A document that is made with the first request, so that the start does not wait for it. */
function printed(type: string, print: () => string | Promise<string>, headers = {}): Resource {
  return createResource({
    headers: { "content-type": type, ...headers },
    read: async () => new TextEncoder().encode(await print()),
  })
}
