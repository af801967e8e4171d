import { Fault, fixedFault, inputFault } from "../../call/fault.ts"
import { tooManyUnsent } from "../../call/unsent.ts"
import { options } from "../../config/options.ts"
import { formats } from "../../encode/formats.ts"
import { tooManyCalls } from "../http/context.ts"
import { tooSlow } from "../http/intake.ts"
import { toProblem } from "../http/problem.ts"
import { commonHeaders, keyedHeaders, refsTo } from "./headers.ts"
import { type ApiDocInput, type JsonObject, refTo } from "./json-object.ts"
import { errorExample, restContent } from "./rest-answer.ts"

/** The errors that are the same on every REST path, with the texts that the service sends. */
export function faultResponses({ apis, maxBodyBytes }: ApiDocInput): Readonly<Record<string, JsonObject>> {
  const api = apis[0]?.definition.id ?? "hmac"
  const maxBytes = maxBodyBytes.toLocaleString("en-US")
  const renewal = "2025-02-01T00:00:00.000Z"
  const limited = "The limit of 60 calls per minute is reached; try again in 1 second."
  const usedUp = `The credits of this account are used up: this call costs 1 credit, and 0 are left. Credits renew at ${renewal}.`
  return {
    Unauthorized: faultResponse(
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
    Forbidden: faultResponse("The key is not allowed from this address, or not for this API.", {
      address: fixedFault("addressForbidden"),
      api: new Fault("apiForbidden", `This API key may not call '${api}'.`),
    }),
    TakesGet: wrongMethod("GET"),
    TakesPost: wrongMethod("POST"),
    BodyTooSlow: faultResponse("The body did not arrive in time. The connection is closed.", {
      "too-slow": tooSlow(options.bodyTimeoutSeconds.default * 1_000),
    }),
    BodyTooLarge: faultResponse("The body is too large.", {
      "too-large": new Fault("bodyTooLarge", `The request 'body' must have at most ${maxBytes} bytes.`),
    }),
    NotJson: faultResponse("The body is not declared as JSON.", {
      "not-json": fixedFault("mediaTypeUnsupported"),
    }),
    LimitReached: faultResponse(
      "The limit per minute is reached, or the credits are used up; `error` says which.",
      { throttled: new Fault("rateLimited", limited), "credits-used-up": new Fault("creditsUsedUp", usedUp) },
      { ...keyedHeaders, ...refsTo("Retry-After") },
    ),
    InternalError: faultResponse("The service failed. Nothing was charged.", {
      internal: fixedFault("internal"),
    }),
    Unavailable: faultResponse(
      "The service, or a server that it needs, is unavailable. Nothing was charged unless `error` says that it may have been.",
      {
        store: fixedFault("storeUnavailable"),
        "charge-unknown": fixedFault("chargeUnknown"),
        "too-many-calls": tooManyCalls,
        "too-many-unread-answers": tooManyUnsent,
      },
      { ...keyedHeaders, ...refsTo("Retry-After") },
    ),
  }
}

/** A response with an example for each of some faults. */
export function faultResponse(
  description: string,
  faults: Readonly<Record<string, Fault>>,
  headers: JsonObject = keyedHeaders,
): JsonObject {
  const examples = Object.entries(faults).map(([name, { message }]) => {
    return [name, errorExample(name.replaceAll("-", " "), message)]
  })
  const content = {
    ...restContent(refTo("schemas", "Refused"), Object.fromEntries(examples)),
    "application/problem+json": { schema: refTo("schemas", "Problem"), examples: problemsOf(faults) },
  }
  return { description, headers: { ...headers, ...refsTo("X-Error-Code") }, content }
}

function problemsOf(faults: Readonly<Record<string, Fault>>): JsonObject {
  const examples = Object.entries(faults).map(([name, { message, code, status }]) => {
    const value = toProblem({ status, fault: code, detail: message, requestId: "7Hf2kQ9x" })
    return [name, { summary: name.replaceAll("-", " "), value }]
  })
  return Object.fromEntries(examples)
}

function wrongMethod(allow: "GET" | "POST"): JsonObject {
  const fault = new Fault("methodNotAllowed", `This path takes ${allow}, not PUT.`)
  const headers = { ...commonHeaders, ...refsTo("Allow") }
  return faultResponse(`The path takes only ${allow}.`, { "wrong-method": fault }, headers)
}

/** What a REST path answers for a `format` that does not exist. */
export const formatFault = inputFault("format", `must be one of ${formats.join(", ")}`)

/** The responses of a REST path that needs a key, except 200 and 400. */
export function keyedFaults(method: "GET" | "POST"): Readonly<Record<string, JsonObject>> {
  return {
    401: refTo("responses", "Unauthorized"),
    403: refTo("responses", "Forbidden"),
    405: refTo("responses", method === "GET" ? "TakesGet" : "TakesPost"),
    ...(method === "POST" && {
      408: refTo("responses", "BodyTooSlow"),
      413: refTo("responses", "BodyTooLarge"),
      415: refTo("responses", "NotJson"),
    }),
    429: refTo("responses", "LimitReached"),
    500: refTo("responses", "InternalError"),
    503: refTo("responses", "Unavailable"),
  }
}
