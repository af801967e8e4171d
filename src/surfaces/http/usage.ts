import { Elysia } from "elysia"
import { deprecationsOf } from "../../call/deprecated-use.ts"
import { answerUsage } from "../../call/usage-report.ts"
import { type HttpContext, inProgress } from "./context.ts"
import { negotiateFormat } from "./format.ts"
import type { incomingRequests } from "./incoming.ts"
import { MethodNotAllowed } from "./paths.ts"
import { parseQuery } from "./query.ts"
import { overloadOf, refuseOverload } from "./refuse.ts"
import { send } from "./reply.ts"

const path = "/v1/usage"

/** `GET /v1/usage`: what the caller's account has used. */
export function usageFeature(base: ReturnType<typeof incomingRequests>, context: HttpContext) {
  const record = context.observer.recorderFor("usage", "rest")
  const deprecations = deprecationsOf(context.apis.map(({ definition }) => definition))
  context.methods.set(path, "GET")
  return new Elysia({ name: "usage" }).use(base).get(
    path,
    ({ request, set, incoming }) => {
      if (request.method !== "GET") throw new MethodNotAllowed(request.method, "GET")
      return inProgress(context, async () => {
        const overload = overloadOf(context)
        if (overload) return refuseOverload(overload, { request, set, incoming }, record, context)
        const { format, problem, asProblem } = negotiateFormat(request, parseQuery(request.url))
        const check = () => {
          if (problem) throw problem
        }
        const reply = await answerUsage(incoming, check, context.pipeline, deprecations)
        record(incoming, reply)
        return send(reply, format, set, asProblem)
      })
    },
    { detail: { summary: "Credits and usage of this month", tags: ["account"] } },
  )
}
