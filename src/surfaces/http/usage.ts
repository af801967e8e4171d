import { Type } from "@sinclair/typebox"
import { deprecationsOf } from "../../call/deprecated-use.ts"
import { reportUsage, usageSchema } from "../../call/usage-report.ts"
import { once } from "../../values/once.ts"
import type { HttpContext } from "./frame.ts"
import { answerMetered } from "./metered.ts"
import { send } from "./reply/headers.ts"
import { querySchema, uncheckedAnswer } from "./route-schemas.ts"
import type { ServiceApp } from "./service-app.ts"

/** `GET /v1/usage`: what the caller's account has used. */
export function addUsageRoute(app: ServiceApp, context: HttpContext): void {
  const record = context.observer.recorderFor("usage", "rest")
  const deprecations = once(() => deprecationsOf(context.apis.map(({ definition }) => definition)))
  app.get(
    "/v1/usage",
    ({ request, set, incoming, call }) =>
      answerMetered(
        { request, set, incoming, call },
        context,
        (caller) => reportUsage(caller, context.pipeline, deprecations()),
        (reply, { negotiated }) => send(reply, negotiated.format, set),
      ),
    {
      metered: { method: "GET", apis: [], record },
      query: querySchema(
        () => Type.Object({}),
        () => ({}),
      ),
      response: uncheckedAnswer(() => usageSchema),
      detail: { summary: "Credits and usage of this month", tags: ["account"] },
    },
  )
}
