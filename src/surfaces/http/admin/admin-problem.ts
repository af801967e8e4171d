import { AdminFault, adminFaults, type Mistake } from "../../../admin/fault.ts"
import type { Actor } from "../../../admin/operation.ts"
import allProblems from "../../../admin/problems.json"
import { type Fault, type FaultCode, retryAfterOf, toFault } from "../../../call/fault.ts"
import { logFault, type Pipeline } from "../../../call/pipeline.ts"
import type { RecordRequest } from "../../../observe/request-log.ts"
import { StoreUnavailable } from "../../../store/store.ts"
import { type HttpContext, leaveRequestBody } from "../frame.ts"
import { problemTypeStart } from "../reply/problem.ts"
import { type AnswerSettings, type Exchange, MethodNotAllowed } from "../request.ts"

/** Every problem of the admin API. The names are the ends of the problem types and do not change. */
export const problems = { ...allProblems.administration, ...allProblems.http }

/** The code of a refusal of the admin API. */
export type ProblemCode = keyof typeof problems

/** Answers with a problem for anything thrown, and records it. */
type SendRefusal = (thrown: unknown, exchange: Exchange, actor: Pick<Actor, "id"> | null) => Promise<string>

/** Returns a function that makes a route's {@link SendRefusal} from its recorder. */
export function createRefusals(context: HttpContext): (record: RecordRequest) => SendRefusal {
  return (record) =>
    async (thrown, { request, set, incoming }, actor) => {
      const refusal = toRefusal(thrown, incoming.requestId, context.pipeline.log)
      await leaveRequestBody(request, set, context)
      const { status } = problems[refusal.code]
      record(incoming, { status, fault: refusal.code, ...(actor && { actor: actor.id }) })
      return sendProblem(refusal, incoming.requestId, set)
    }
}

/** A refusal as it is answered and recorded. */
interface Refusal {
  readonly code: ProblemCode
  /** The correction, for the reader. */
  readonly detail: string
  /** The parameter, header or `body` to change. */
  readonly parameter: string | null
  /** Every mistake of a list of things. */
  readonly mistakes?: readonly Mistake[]
  readonly headers: Readonly<Record<string, string>>
}

/** Turns anything thrown into a refusal. Faults of the service are logged; their cause never reaches a client. */
function toRefusal(thrown: unknown, requestId: string, log: Pipeline["log"]): Refusal {
  if (thrown instanceof AdminFault) {
    const { code, message: detail, parameter, mistakes, retryAfterSeconds, cause } = thrown
    if (adminFaults[code].status >= 500) logFault(toFault(cause), requestId, log)
    return { code, detail, parameter, mistakes, headers: headersOf(code, retryAfterSeconds) }
  }
  const fault = toFault(thrown)
  logFault(fault, requestId, log)
  const code = codeOf(fault)
  const detail = thrown instanceof StoreUnavailable ? storeUnavailable : fault.message
  const allow = fault instanceof MethodNotAllowed && { allow: fault.allow }
  const headers = { ...headersOf(code, fault.retryAfterSeconds), ...allow }
  return { code, detail, parameter: fault.parameter, headers }
}

/** A transaction may have been committed although its answer was lost. */
const storeUnavailable =
  "The service cannot reach its accounts right now. Try again; a change that has an Idempotency-Key is not made twice."

/** Sets status and headers for a refusal and returns the body: problem details (RFC 9457). */
function sendProblem(
  { code, detail, parameter, mistakes = [], headers }: Refusal,
  requestId: string,
  set: AnswerSettings,
) {
  const { status, title } = problems[code]
  setAdminHeaders(set, "application/problem+json")
  Object.assign(set.headers, headers)
  set.status = status
  return JSON.stringify({
    type: problemTypeStart + code,
    title,
    status,
    detail,
    ...(parameter !== null && { parameter }),
    ...(mistakes.length > 0 && { mistakes }),
    request_id: requestId,
  })
}

/** Sets the headers of every answer of the admin API: no cache may keep it. */
export function setAdminHeaders(set: AnswerSettings, contentType: string): void {
  set.headers["content-type"] = contentType
  set.headers["cache-control"] = "no-store"
}

/** RFC 9110 §11.6.1: a 401 names the accepted scheme. */
function headersOf(code: ProblemCode, retryAfterSeconds: number | null): Record<string, string> {
  const { status } = problems[code]
  const seconds = retryAfterSeconds ?? retryAfterOf(status)
  return {
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    ...(seconds !== null && { "retry-after": String(seconds) }),
  }
}

const codes: Readonly<Partial<Record<FaultCode, ProblemCode>>> = {
  notFound: "not-found",
  methodNotAllowed: "method-not-allowed",
  bodyTooSlow: "body-too-slow",
  bodyTooLarge: "body-too-large",
  mediaTypeUnsupported: "media-type-unsupported",
}

function codeOf({ code, status }: Fault): ProblemCode {
  const known = codes[code]
  if (known) return known
  if (status < 500) return "invalid"
  return status === 503 ? "unavailable" : "internal"
}
