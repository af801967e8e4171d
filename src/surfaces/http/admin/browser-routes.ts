import { Elysia } from "elysia"
import { AdminFault } from "../../../admin/fault.ts"
import { SignInRefused } from "../../../admin/sessions/refusal.ts"
import { type HttpContext, inProgress } from "../frame.ts"
import { readJsonObject } from "../read/body.ts"
import type { Exchange, IncomingApp } from "../request.ts"
import { type createRefusals, setAdminHeaders } from "./admin-problem.ts"
import { type BrowserSessions, requireOwnPage } from "./browser-sessions.ts"
import type { RequestRate } from "./request-rate.ts"
import type { SignInFailures } from "./sign-in-failures.ts"

/** The parts that all routes for pages of the console and the portal need. */
export interface BrowserRouteParts {
  readonly base: IncomingApp
  readonly context: HttpContext
  readonly refusalsOf: ReturnType<typeof createRefusals>
  readonly browser: BrowserSessions
  readonly failures: SignInFailures
  readonly rate: RequestRate
}

interface BrowserRouteOptions {
  /** The name of the requests in the log and the metrics. */
  readonly operation: string
  readonly surface: "admin" | "portal"
  readonly bodyBytes: number
  /** The refusals of input that does not fit its schema, by the place that Elysia names. */
  readonly wrong: Readonly<Partial<Record<string, AdminFault>>>
}

/** The answer of a route, and who asked if that is known. Without a body it is empty. */
interface BrowserAnswer {
  readonly status: number
  readonly body?: unknown
  readonly actor?: { readonly id: string } | undefined
}

/** Makes an Elysia instance for routes that only pages of this service call, and what their handlers share. */
export function browserRoutes(
  { base, context, refusalsOf, failures }: BrowserRouteParts,
  { operation, surface, bodyBytes, wrong }: BrowserRouteOptions,
) {
  const record = context.observer.recorderFor(operation, surface)
  const sendRefusal = refusalsOf(record)
  const intake = context.intake.limitedTo(bodyBytes)
  const { log, scheduler } = context.pipeline
  const app = new Elysia({ name: operation, normalize: false })
    .use(base)
    .onError(({ error, code, request, set, incoming }) => {
      const thrown = code === "PARSE" ? error.cause : code === "VALIDATION" ? wrong[error.type] : error
      return sendRefusal(thrown, { request, set, incoming }, null)
    })
  return {
    app,
    /** Reads the body of a page of this service. */
    parse({ request }: Pick<Exchange, "request">) {
      requireOwnPage(request, context)
      return inProgress(context, () => readJsonObject(request, intake, () => scheduler.giveWay(operation)))
    },
    /** Works, and answers with JSON. */
    answer: (exchange: Exchange, work: (exchange: Exchange) => Promise<BrowserAnswer>) =>
      inProgress(context, async () => {
        const { status, body, actor } = await work(exchange)
        const { set, incoming } = exchange
        setAdminHeaders(set, "application/json")
        if (body === undefined) delete set.headers["content-type"]
        set.status = status
        record(incoming, { status, ...(actor && { actor: actor.id }) })
        return body === undefined ? "" : JSON.stringify(body)
      }),
    /** Slows down and logs a sign-in that is refused. */
    async refusing<T>(
      { requestId, address }: Exchange["incoming"],
      message: string,
      signIn: () => Promise<T>,
      code?: "conflict",
    ): Promise<T> {
      try {
        return await signIn()
      } catch (thrown) {
        if (!(thrown instanceof SignInRefused)) throw thrown
        const { reason, subject, isGuess, cause: why } = thrown
        const from = address()
        if (isGuess) await failures.add(from)
        log.warn(message, {
          ...{ requestId, reason },
          ...(subject && { subject }),
          ...(typeof why === "string" && { why: why.slice(0, 300) }),
          address: from,
        })
        // A link that there never was is refused alike.
        throw new AdminFault(
          code ?? (reason === "linkUsed" ? "link-over" : "unauthenticated"),
          thrown.message,
        )
      }
    },
  }
}
