import { sessionRefusals } from "../../../admin/sessions/refusal.ts"
import { signInRefusals } from "../../../admin/sign-in.ts"
import { fixedFault } from "../../../call/fault.ts"
import { type ProblemCode, problems } from "../../http/admin/admin-problem.ts"
import { problemTypeStart } from "../../http/reply/problem.ts"
import { headerComponents } from "../headers.ts"
import { type JsonObject, refTo } from "../json-object.ts"
import components from "./components.json"

const codes = Object.keys(problems) as ProblemCode[]
const { type, ...otherFields } = components.problem.properties

/** Problem details (RFC 9457). */
export const problemSchema: JsonObject = {
  ...components.problem,
  properties: {
    type: { type: "string", enum: codes.map((code) => problemTypeStart + code), ...type },
    ...otherFields,
  },
}

/** The names of the response components by status. */
const names = {
  400: "Invalid",
  401: "Unauthenticated",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "BodyTooSlow",
  409: "Conflict",
  412: "VersionMismatch",
  413: "BodyTooLarge",
  415: "MediaTypeUnsupported",
  422: "IdempotencyMismatch",
  429: "TooManyRequests",
  500: "Internal",
  503: "Unavailable",
} as const satisfies Record<number, string>

/** An example of the `detail` of each problem that has none in the table. */
const details: Readonly<Partial<Record<ProblemCode, string>>> = {
  unauthenticated: signInRefusals.expired,
  "link-over": sessionRefusals.linkUsed,
  internal: fixedFault("internal").message,
  "media-type-unsupported": fixedFault("mediaTypeUnsupported").message,
}

/** The responses of all problems, with an example of each. */
export function problemResponses(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(names).map(([status, name]) => [name, responseOf(Number(status))]))
}

/** References to the responses of some statuses. */
export function problemsOf(statuses: readonly (keyof typeof names)[]): JsonObject {
  return Object.fromEntries(statuses.map((status) => [status, refTo("responses", names[status])]))
}

function responseOf(status: number): JsonObject {
  const found = codes.filter((code) => problems[code].status === status)
  const examples = found.map((code) => [code, { summary: problems[code].title, value: exampleOf(code) }])
  const headers = ["X-Request-ID", ...(headersOf[status] ?? [])].map((name) => [name, refTo("headers", name)])
  return {
    description: `${found.map((code) => problems[code].title).join(", or ")}.`,
    headers: Object.fromEntries(headers),
    content: {
      "application/problem+json": {
        schema: refTo("schemas", "Problem"),
        examples: Object.fromEntries(examples),
      },
    },
  }
}

const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
}

interface ProblemExample {
  readonly status: number
  readonly title: string
  readonly example?: string | undefined
}

function exampleOf(code: ProblemCode): JsonObject {
  const { title, status, example = details[code] }: ProblemExample = problems[code]
  return {
    type: problemTypeStart + code,
    title,
    status,
    detail: example,
    ...(code === "invalid" && { parameter: "limit" }),
    request_id: "0rj2_hZ6vQm1.2s",
  }
}

/** The headers of the answers by name. A required one is on every answer that refers to it. */
export const adminHeaders = {
  "X-Request-ID": headerComponents["X-Request-ID"],
  ETag: components.headers.ETag,
  Location: components.headers.Location,
  "Idempotent-Replayed": components.headers["Idempotent-Replayed"],
  "Retry-After": headerComponents["Retry-After"],
  "X-Accel-Buffering": components.headers["X-Accel-Buffering"],
  "Content-Disposition": components.headers["Content-Disposition"],
  Allow: headerComponents.Allow,
  "WWW-Authenticate": headerComponents["WWW-Authenticate"],
}
