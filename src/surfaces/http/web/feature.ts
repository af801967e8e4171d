import type { Brand } from "../../../config/brand.ts"
import { once } from "../../../values/once.ts"
import type { Site } from "../../site/site.ts"
import { type HttpContext, unkeyedFeature } from "../frame.ts"
import { sameOriginOnly } from "../reply/headers.ts"
import { type Exchange, type IncomingApp, noRoute } from "../request.ts"
import type { WebPage } from "./web-http.ts"

/** The pages that an app serves, and their brand. */
interface WebOptions extends Pick<Site, "console" | "portal"> {
  readonly brand: Brand
}

/**
 * The pages that run in a browser, and the files that they load. Their script finds the screen by the path, so each path below
 * `/console` or `/portal` has the same page. All of it is loaded with the first request, so that the start does not wait.
 */
export function webFeature(base: IncomingApp, context: HttpContext, options: WebOptions) {
  const load = once(async () => (await import("./web-http.ts")).createWebHttp(options.brand))
  const app = unkeyedFeature("web", base, context)

  function addPage(page: WebPage): void {
    const answer = async ({ request, set }: Pick<Exchange, "request" | "set">) => {
      sameOriginOnly(set)
      return (await load()).pages[page](request, set)
    }
    const detail = { summary: `The page at /${page}`, tags: ["page"] }
    app.get(`/${page}`, answer, { detail }).get(`/${page}/*`, answer, { detail })
  }

  if (options.console) addPage("console")
  if (options.portal) addPage("portal")
  return app.get(
    "/assets/*",
    async ({ request, set, params }) => {
      const send = (await load()).asset(params["*"])
      if (!send) throw noRoute(request, context.methods)
      sameOriginOnly(set)
      return send(request, set)
    },
    { detail: { summary: "The files that pages load", tags: ["page"] } },
  )
}
