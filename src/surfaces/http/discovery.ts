import { Elysia } from "elysia"
import { apiCatalogType, printApiCatalog } from "../discovery/api-catalog.ts"
import { discoveryLinks } from "../discovery/links.ts"
import { printLlms } from "../discovery/llms.ts"
import { indexOf } from "../discovery/service-index.ts"
import { exampleAnswer, toApiPage } from "../markdown/api-page.ts"
import type { ApiDocInput } from "../openapi/json-object.ts"
import type { HttpContext } from "./context.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { parseQuery } from "./query.ts"
import { ownAnswer, send } from "./reply.ts"
import { createResource, type ResourceSource } from "./resource.ts"

/** What crawlers and agents look for, all made from the catalog. None needs a key. */
export function discoveryFeature(
  base: ReturnType<typeof incomingRequests>,
  { observer, methods }: HttpContext,
  service: ApiDocInput,
) {
  const record = observer.recorderFor("none", "unkeyed")
  const app = new Elysia({ name: "discovery" }).use(base).onAfterHandle(({ set, incoming }) => {
    record(incoming, { status: Number(set.status ?? 200) })
  })

  function addDocument(path: string, type: string, print: () => string | Promise<string>): void {
    const source: ResourceSource = {
      headers: { "content-type": type },
      // Made with the first request, so that the start does not wait for it.
      read: async () => new TextEncoder().encode(await print()),
    }
    const document = createResource(source)
    methods.set(path, "GET")
    app.get(path, ({ request, set }) => document(request, set), {
      detail: { summary: `The document at ${path}`, tags: ["operation"] },
    })
  }

  methods.set("/", "GET")
  app.get(
    "/",
    ({ request, set }) => {
      const { format, problem } = negotiateFormat(request, parseQuery(request.url))
      if (problem) throw problem
      const body = send(ownAnswer(200, { data: indexOf(service) }), format, set)
      set.headers.link = discoveryLinks
      return body
    },
    { detail: { summary: "What this service offers", tags: ["operation"] } },
  )
  addDocument("/.well-known/api-catalog", apiCatalogType, () => printApiCatalog(service))
  addDocument("/llms.txt", "text/markdown; charset=utf-8", () => printLlms(service))
  const url = service.publicUrl ?? "http://localhost:8080"
  for (const api of service.apis) {
    const { definition, credits } = api
    addDocument(`/docs/${definition.id}.md`, "text/markdown; charset=utf-8", () =>
      toApiPage(definition, { credits, url, key: "YOUR-KEY", answer: exampleAnswer(definition) }),
    )
    addDocument(`/openapi/${definition.id}.json`, "application/json", async () => {
      const { printOpenApi } = await import("../openapi/document.ts")
      return printOpenApi({ ...service, apis: [api] }, { apisOnly: true })
    })
  }
  return app
}
