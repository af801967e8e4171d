import { type Unsubscribes, unsubscribePath } from "../../admin/unsubscribe.ts"
import type { Timer } from "../../apis/contract.ts"
import type { Brand } from "../../config/brand.ts"
import { mediaTypeNames, preferredType } from "../../encode/formats.ts"
import { once } from "../../values/once.ts"
import { discoveryLinks } from "../discovery/documents.ts"
import type { Site } from "../site/site.ts"
import { type HttpContext, inProgress, leaveRequestBody, requireRoom, unkeyedFeature } from "./frame.ts"
import { parseQuery } from "./read/query.ts"
import { acceptedBy } from "./reply/format.ts"
import { sameOriginOnly } from "./reply/headers.ts"
import { type AnswerSettings, type Exchange, type IncomingApp, noRoute, pathOf } from "./request.ts"
import type { Resource } from "./resource.ts"

/** The pages of a link that ends notices by mail. */
type UnsubscribePage = "ask" | "done" | "refused"

/** The pages for people. */
export type SiteServer = ReturnType<typeof createSiteServer>

/**
 * Loads the pages with the first request for one, so that the start does not wait for them. Others have their turns before the
 * page is written: all in one would hold them up for 40 ms.
 */
export function createSiteServer(site: Site, brand: Brand, { turn }: Pick<Timer, "turn">) {
  const load = once(async () => {
    const { createSitePages } = await import("./pages/site-pages.ts")
    await turn()
    const pages = await createSitePages(site, brand)
    await turn()
    return pages
  })
  return {
    /** Sends the page of a path; undefined when there is none. */
    async send(path: string, request: Request, set: AnswerSettings) {
      const page = (await load()).byPath.get(path)
      return page && (path === "/" ? sendNegotiated(page, request, set) : sendPage(page, request, set))
    },
    /**
     * Sends the page of a link that ends notices by mail: with its button, that the notices have ended, or that the link does not
     * work.
     */
    async sendUnsubscribe(page: UnsubscribePage, request: Request, set: AnswerSettings) {
      const body = await sendWhole((await load()).unsubscribe[page], request, set)
      set.headers["cache-control"] = "no-store"
      if (page === "refused") set.status = 404
      return body
    },
    /** Sends the page for an address that has no page. */
    async sendNotFound(request: Request, set: AnswerSettings) {
      const body = await sendNegotiated((await load()).notFound, request, set)
      set.status = 404
      set.headers["x-error-code"] = "notFound"
      return body
    },
  }
}

function sendPage(page: Resource, request: Request, set: AnswerSettings): ReturnType<Resource> {
  sameOriginOnly(set)
  return page(request, set)
}

/** Sends a page from an address with other answers too. The page has no ETag, since they would share it. */
async function sendWhole(page: Resource, { url, headers }: Request, set: AnswerSettings) {
  const unconditional = new Headers(headers)
  unconditional.delete("if-none-match")
  const body = await sendPage(page, new Request(url, { headers: unconditional }), set)
  delete set.headers.etag
  return body
}

/** Sends a page from an address that answers other clients with data. */
export async function sendNegotiated(page: Resource, request: Request, set: AnswerSettings) {
  const body = await sendWhole(page, request, set)
  set.headers.link = discoveryLinks
  set.headers.vary = "Accept, Accept-Encoding"
  return body
}

/** Whether a request is one of a browser that opens a page. `?format=` and every other client get data. */
export function prefersPage(request: Request): boolean {
  const accept = acceptedBy(request.headers)
  if (accept === null || !accept.includes("text/html") || !/^(?:GET|HEAD)$/.test(request.method)) return false
  if (parseQuery(request.url).parameters.some(({ name }) => name === "format")) return false
  return preferredType(accept, [...mediaTypeNames, "text/html"]) === "text/html"
}

/** Whether an address is one that people open: what programs call answers them alike, whatever they accept. */
export function isPagePath(url: string): boolean {
  return !/^\/(?:v1|admin|mcp|_mock)(?:\/|$)/.test(pathOf(url))
}

const checkDetail = { detail: { summary: "The page that checks a domain", tags: ["page"] } }

/** The reference, and the files that pages and crawlers load. `/` is a route of discovery: programs get an index. */
export function siteFeature(base: IncomingApp, context: HttpContext, pages: SiteServer, site: Site) {
  const app = unkeyedFeature("site", base, context)
  async function answer(path: string, request: Request, set: AnswerSettings) {
    const body = await pages.send(path, request, set)
    if (body === undefined) throw noRoute(request, context.methods)
    return body
  }
  for (const { definition } of site.apis) context.methods.set(`/apis/${definition.id}`, "GET")
  for (const path of ["/docs", "/favicon.ico", "/robots.txt"]) {
    context.methods.set(path, "GET")
    app.get(
      path,
      ({ request, set }) => {
        if (path === "/docs") set.headers.link = discoveryLinks
        return answer(path, request, set)
      },
      { detail: { summary: `The page or file at ${path}`, tags: ["page"] } },
    )
  }
  if (site.graphql)
    app.get(
      "/graphiql",
      ({ set }) => {
        set.status = 301
        set.headers.location = "/docs/graphql#try"
        return ""
      },
      { detail: { summary: "Leads to the page on which queries can be run", tags: ["page"] } },
    )
  // The script reads the domain from the address, so all have the same page.
  app.get("/check", ({ request, set }) => answer("/check", request, set), checkDetail)
  app.get("/check/*", ({ request, set }) => answer("/check", request, set), checkDetail)
  for (const root of ["/apis", "/docs"]) {
    app.get(`${root}/*`, ({ request, set, params }) => answer(`${root}/${params["*"]}`, request, set), {
      detail: { summary: `The pages below ${root}`, tags: ["page"] },
    })
  }
  return app
}

/**
 * The links in notices by mail that end them (RFC 8058). GET shows a page with one button and changes nothing, since programs
 * open links to look at them; POST ends the notices. The body is left unread: the link says everything. No session or page of
 * this service is needed: the signature shows that the link was in a mail. A forged one costs no look at the store.
 */
export function unsubscribeFeature(
  base: IncomingApp,
  context: HttpContext,
  pages: SiteServer,
  unsubscribes: Unsubscribes,
) {
  const app = unkeyedFeature("unsubscribe", base, context)
  const tokenOf = ({ url }: Request) => pathOf(url).slice(unsubscribePath.length)
  const path = `${unsubscribePath}*`
  return app
    .get(
      path,
      async ({ request, set }) => {
        const isSigned = await unsubscribes.isSigned(tokenOf(request))
        return pages.sendUnsubscribe(isSigned ? "ask" : "refused", request, set)
      },
      { detail: { summary: "A page with a button that ends notices by mail", tags: ["page"] } },
    )
    .post(path, ({ request, set, incoming }) => stop({ request, set, incoming }), {
      parse: "none",
      detail: { summary: "End notices by mail with the link of a mail (RFC 8058)", tags: ["page"] },
    })

  async function stop({ request, set, incoming }: Exchange) {
    requireRoom(context)
    return inProgress(context, async () => {
      await leaveRequestBody(request, set, context)
      const from = { source: incoming.address(), requestId: incoming.requestId }
      const isStopped = await unsubscribes.stop(tokenOf(request), from)
      sameOriginOnly(set)
      return pages.sendUnsubscribe(isStopped ? "done" : "refused", request, set)
    })
  }
}
