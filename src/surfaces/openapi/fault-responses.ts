import { apiForbidden, rateLimited } from "../../call/admission.ts"
import { maxInputs } from "../../call/batch.ts"
import { Fault, fixedFault, inputFault } from "../../call/fault.ts"
import { keyInUse, keyUsedUp } from "../../call/idempotency.ts"
import { tooManyUnsent } from "../../call/unsent.ts"
import { options } from "../../config/options.ts"
import { formats } from "../../encode/formats.ts"
import { keepReplaysMs } from "../../store/store.ts"
import { tooManyCalls } from "../http/frame.ts"
import { tooSlow } from "../http/read/intake.ts"
import { toProblem } from "../http/reply/problem.ts"
import { commonHeaders, keyedHeaders, refsTo } from "./headers.ts"
import { type ApiDocInput, type JsonObject, refTo } from "./json-object.ts"
import { errorExample, restContent } from "./rest-answer.ts"

/** An example of the refusal by a limit per minute. */
export const limitOfMinute = rateLimited({ perMinute: 60, retryInMs: 1_000 })

/** Faults with one status that a path may answer with. */
export interface Refusal {
  readonly description: string
  /** By the names of their examples, with the texts that the service sends. */
  readonly faults: Readonly<Record<string, Fault>>
  readonly headers?: JsonObject
}

/** The refusals that are the same on every REST path, by the names of their components. */
export function sharedRefusals({ apis, maxBodyBytes }: Pick<ApiDocInput, "apis" | "maxBodyBytes">) {
  const api = apis[0]?.definition.id ?? "hmac"
  const maxBytes = maxBodyBytes.toLocaleString("en-US")
  const renewal = "2025-02-01T00:00:00.000Z"
  const usedUp = `The credits of this account are used up: this call costs 1 credit, and 0 are left. Credits renew at ${renewal}.`
  return {
    Unauthorized: refusal(
      "The key is missing, mistyped, unknown, expired, revoked, rotated, disabled, or one of the admin API.",
      {
        missing: fixedFault("keyMissing"),
        mistyped: fixedFault("keyMalformed"),
        "admin-key": fixedFault("adminKeySent"),
        unknown: fixedFault("keyUnknown"),
        expired: fixedFault("keyExpired"),
        revoked: fixedFault("keyRevoked"),
        rotated: fixedFault("keyRotated"),
        disabled: fixedFault("keyDisabled"),
      },
      { ...keyedHeaders, ...refsTo("WWW-Authenticate") },
    ),
    Forbidden: refusal("The key is not allowed from this address, or not for this API.", {
      address: fixedFault("addressForbidden"),
      api: apiForbidden(api),
    }),
    KeyInUse: refusal(
      "A call with the same `Idempotency-Key` is under way. Nothing was charged.",
      { "key-in-use": keyInUse },
      { ...keyedHeaders, ...refsTo("Retry-After") },
    ),
    KeyReused: refusal("The `Idempotency-Key` was used for a call with other input. Nothing was charged.", {
      "key-reused": fixedFault("idempotencyKeyReused"),
    }),
    TakesGet: wrongMethod("GET"),
    TakesPost: wrongMethod("POST"),
    BodyTooSlow: refusal("The body did not arrive in time. The connection is closed.", {
      "too-slow": tooSlow(options.bodyTimeoutSeconds.default * 1_000),
    }),
    BodyTooLarge: refusal("The body is too large.", {
      "too-large": new Fault("bodyTooLarge", `The request 'body' must have at most ${maxBytes} bytes.`),
    }),
    NotJson: refusal("The body is not declared as JSON.", { "not-json": fixedFault("mediaTypeUnsupported") }),
    LimitReached: refusal(
      "The limit per minute is reached, the credits are used up, or the `Idempotency-Key` had all its free replays; `error` says which.",
      {
        throttled: limitOfMinute,
        "credits-used-up": new Fault("creditsUsedUp", usedUp),
        "key-used-up": keyUsedUp(keepReplaysMs),
      },
      { ...keyedHeaders, ...refsTo("Retry-After") },
    ),
    InternalError: refusal("The service failed. Nothing was charged.", { internal: fixedFault("internal") }),
    Unavailable: refusal(
      "The service, or a server that it needs, is unavailable. Nothing was charged unless `error` says that it may have been.",
      {
        store: fixedFault("storeUnavailable"),
        "charge-unknown": fixedFault("chargeUnknown"),
        "too-many-calls": tooManyCalls,
        "too-many-unread-answers": tooManyUnsent,
      },
      { ...keyedHeaders, ...refsTo("Retry-After") },
    ),
  } as const satisfies Readonly<Record<string, Refusal>>
}

function refusal(description: string, faults: Refusal["faults"], headers: JsonObject = keyedHeaders) {
  return { description, faults, headers }
}

const batchRefusal: Refusal = {
  description: "`inputs` as a whole was refused.",
  faults: { inputs: inputFault("inputs", `must be an array of 1 to ${maxInputs} objects`) },
}

/** The shared refusals as components of the document. */
export function faultResponses(service: ApiDocInput): Readonly<Record<string, JsonObject>> {
  const responses = Object.entries({ ...sharedRefusals(service), BatchRefused: batchRefusal })
  return Object.fromEntries(responses.map(([name, each]) => [name, faultResponse(each)]))
}

/** A response with an example for each of the faults. `contentOf` adds examples in formats other than JSON. */
export function faultResponse(
  { description, faults, headers = keyedHeaders }: Refusal,
  contentOf = restContent,
): JsonObject {
  const named = Object.entries(faults)
  const examples = named.map(([name, fault]) => {
    const example = errorExample(name.replaceAll("-", " "), fault.message)
    return [name, fault === formatFault ? { ...example, component: "FormatRefused" } : example]
  })
  const problems = named.map(([name, fault]) => {
    return [name, fault === formatFault ? refTo("examples", "FormatProblem") : problemExample(name, fault)]
  })
  const content = {
    ...contentOf(refTo("schemas", "Refused"), Object.fromEntries(examples)),
    "application/problem+json": {
      schema: refTo("schemas", "Problem"),
      examples: Object.fromEntries(problems),
    },
  }
  return { description, headers: { ...headers, ...refsTo("X-Error-Code") }, content }
}

function problemExample(name: string, { message, code, status }: Fault): JsonObject {
  const value = toProblem({ status, fault: code, detail: message, requestId: "7Hf2kQ9x" })
  return { summary: name.replaceAll("-", " "), value }
}

function wrongMethod(allow: "GET" | "POST"): Refusal {
  const fault = new Fault("methodNotAllowed", `This path takes ${allow}, not PUT.`)
  const headers = { ...commonHeaders, ...refsTo("Allow") }
  return refusal(`The path takes only ${allow}.`, { "wrong-method": fault }, headers)
}

/** The fault of a REST path for a `format` that does not exist. */
export const formatFault = inputFault("format", `must be one of ${formats.join(", ")}`)

/** The examples that the responses of every API have, as components of the document. */
export function exampleComponents(): Readonly<Record<string, JsonObject>> {
  const { summary, envelope } = errorExample("format", formatFault.message)
  return { FormatRefused: { summary, value: envelope }, FormatProblem: problemExample("format", formatFault) }
}

type RefusalNames = Readonly<Record<string, keyof ReturnType<typeof sharedRefusals>>>

/** The names of the shared refusals of a REST path that needs a key, by status. */
function keyedRefusals(method: "GET" | "POST"): RefusalNames {
  return {
    401: "Unauthorized",
    403: "Forbidden",
    405: method === "GET" ? "TakesGet" : "TakesPost",
    ...(method === "POST" && { 408: "BodyTooSlow", 413: "BodyTooLarge", 415: "NotJson" }),
    429: "LimitReached",
    500: "InternalError",
    503: "Unavailable",
  }
}

/** The same of a path that charges, which an Idempotency-Key can be sent to. */
export function chargedRefusals(method: "GET" | "POST"): RefusalNames {
  return { ...keyedRefusals(method), 409: "KeyInUse", 422: "KeyReused" }
}

/** The responses of a REST path that needs a key, except 200 and 400. */
export function keyedFaults(method: "GET" | "POST", names = keyedRefusals(method)): JsonObject {
  return Object.fromEntries(Object.entries(names).map(([status, name]) => [status, refTo("responses", name)]))
}
