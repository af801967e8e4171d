import { sessionRefusals } from "../../../admin/sessions/refusal.ts"
import { signInRefusals } from "../../../admin/sign-in.ts"
import { fixedFault } from "../../../call/fault.ts"
import { type ProblemCode, problems } from "../../http/admin/admin-problem.ts"
import { problemTypeStart } from "../../http/reply/problem.ts"
import { headerComponents } from "../headers.ts"
import { type JsonObject, refTo } from "../json-object.ts"

/** Problem details (RFC 9457). */
export const problemSchema: JsonObject = {
  type: "object",
  description: "Why a request was refused or failed (RFC 9457).",
  required: ["type", "title", "status", "detail", "request_id"],
  properties: {
    type: {
      type: "string",
      enum: Object.keys(problems).map((code) => problemTypeStart + code),
      description: "The kind of problem. It does not change.",
    },
    title: { type: "string", description: "The kind of problem in words." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What to change." },
    parameter: { type: "string", description: "The parameter or header to change, or `body`." },
    mistakes: {
      type: "array",
      description: "Every mistake of a list of things, such as the accounts of an import.",
      items: {
        type: "object",
        required: ["index", "parameter", "detail"],
        properties: {
          index: { type: "integer", description: "The entry of the list, counted from 0." },
          parameter: {
            type: ["string", "null"],
            description: "Its parameter to change; null if it is about the entry.",
          },
          detail: { type: "string", description: "What to change." },
        },
      },
    },
    request_id: { type: "string", description: "The id of the request." },
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

type ProblemStatus = keyof typeof names

/** An example of the `detail` of each problem. */
const details: Readonly<Record<ProblemCode, string>> = {
  invalid: "The 'limit' parameter must be a whole number from 1 to 1000.",
  unauthenticated: signInRefusals.expired,
  "link-over": sessionRefusals.linkUsed,
  forbidden: "This needs the permission 'keys.write'.",
  "cross-site-request":
    "A page of another site sent this request with your session. Open the page of this service and try again.",
  "not-found": "There is no account 'acc_1234567890abcdef'.",
  conflict: "Choose another 'external_id': this one is taken.",
  "in-progress": "Wait for the first request's answer, then try again.",
  "version-mismatch": "Read it again: the version is 4 now, not 3.",
  "idempotency-mismatch": "Send a new Idempotency-Key: this one was used for a request with other contents.",
  "too-many-requests": "The limit of 600 requests a minute is reached; try again in 1 s.",
  internal: fixedFault("internal").message,
  unavailable: "Try again soon: the store does not answer.",
  "method-not-allowed": "This path takes GET, POST, not PUT.",
  "body-too-slow": "The request 'body' must arrive whole within 20 s.",
  "body-too-large": "The request 'body' must have at most 2,097,152 bytes.",
  "media-type-unsupported": fixedFault("mediaTypeUnsupported").message,
}

/** The responses of all problems, with an example of each. */
export function problemResponses(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(names).map(([status, name]) => [name, responseOf(Number(status))]))
}

/** References to the responses of some statuses. */
export function problemsOf(statuses: readonly ProblemStatus[]): JsonObject {
  return Object.fromEntries(statuses.map((status) => [status, refTo("responses", names[status])]))
}

function responseOf(status: number): JsonObject {
  const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === status)
  const examples = codes.map((code) => [code, { summary: problems[code].title, value: exampleOf(code) }])
  const headers = ["X-Request-ID", ...(headersOf[status] ?? [])].map((name) => [name, refTo("headers", name)])
  return {
    description: `${codes.map((code) => problems[code].title).join(", or ")}.`,
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

function exampleOf(code: ProblemCode): JsonObject {
  const { title, status } = problems[code]
  return {
    type: problemTypeStart + code,
    title,
    status,
    detail: details[code],
    ...(code === "invalid" && { parameter: "limit" }),
    request_id: "0rj2_hZ6vQm1.2s",
  }
}

const version = { type: "string", pattern: '^"[1-9][0-9]*"$' }

/** The headers of the answers by name. A required one is on every answer that refers to it. */
export const adminHeaders = {
  "X-Request-ID": headerComponents["X-Request-ID"],
  ETag: { description: "The version of what is shown, for `If-Match`.", schema: { type: "string" } },
  Location: { description: "The path of what was created.", schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "`true` when this is the answer of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": headerComponents["Retry-After"],
  "X-Accel-Buffering": {
    description: "`no`: tells proxies to pass events on at once.",
    schema: { type: "string", const: "no" },
  },
  "Content-Disposition": {
    description: "`attachment` with the name of the file.",
    schema: { type: "string" },
  },
  Allow: headerComponents.Allow,
  "WWW-Authenticate": headerComponents["WWW-Authenticate"],
} as const satisfies Readonly<Record<string, JsonObject>>

/** The request headers of changes. */
export const adminParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "A text of your choice, such as a UUID, that makes it safe to send the request again.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    example: "0f1c1f8e-7d0c-4e58-9d3b-3f2c1b7a9e01",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "The ETag of an earlier answer: the change is made only to this version. `*` is any version.",
    schema: { anyOf: [version, { type: "string", const: "*" }] },
    example: '"3"',
  },
} as const satisfies Readonly<Record<string, JsonObject>>
