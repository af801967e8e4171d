import { type Unsubscribes, unsubscribePath } from "../../admin/unsubscribe.ts"
import { sameOriginOnly } from "./cross-origin.ts"
import { finishBody, type HttpContext, inProgress, requireRoom, unkeyedFeature } from "./frame.ts"
import type { SiteServer } from "./page-routes.ts"
import type { Exchange, IncomingApp } from "./request.ts"
import { pathOf } from "./request.ts"

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
      await finishBody(request, set, context)
      const from = { source: incoming.address(), requestId: incoming.requestId }
      const isStopped = await unsubscribes.stop(tokenOf(request), from)
      sameOriginOnly(set)
      return pages.sendUnsubscribe(isStopped ? "done" : "refused", request, set)
    })
  }
}
