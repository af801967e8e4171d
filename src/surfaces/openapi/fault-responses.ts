import { Fault, fixedFault } from "../../call/fault.ts"
import { options } from "../../config/options.ts"
import { tooSlow } from "../http/intake.ts"
import { overloaded } from "../http/refuse.ts"
import { allowHeader, commonHeaders, retryHeader, standingHeaders } from "./headers.ts"
import { type ApiDocInput, type JsonObject, refTo } from "./json-object.ts"
import { errorShown, restContent } from "./rest-answer.ts"

/** Refusals that are the same on every REST path, with the texts that the service sends. */
export function faultResponses({ apis, maxBodyBytes }: ApiDocInput): Readonly<Record<string, JsonObject>> {
  const api = apis[0]?.definition.id ?? "hmac"
  const told = {
    apiForbidden: new Fault("apiForbidden", `This API key may not call '${api}'.`),
    bodyTooLarge: new Fault(
      "bodyTooLarge",
      `The request 'body' must have at most ${maxBodyBytes.toLocaleString("en-US")} bytes.`,
    ),
    rateLimited: new Fault(
      "rateLimited",
      "The limit of 60 calls per minute is reached; try again in 1 second.",
    ),
    creditsUsedUp: new Fault(
      "creditsUsedUp",
      "The credits of this account are used up: this call needs 1 credit. Credits renew at 2025-02-01T00:00:00.000Z.",
    ),
  }
  return {
    Unauthorized: refusal("The key is missing, mistyped, unknown, expired or revoked.", known, [
      ["missing", fixedFault("keyMissing")],
      ["mistyped", fixedFault("keyMalformed")],
      ["unknown", fixedFault("keyUnknown")],
      ["expired", fixedFault("keyExpired")],
      ["revoked", fixedFault("keyRevoked")],
    ]),
    Forbidden: refusal("The key may not be used from this address, or not for this API.", known, [
      ["address", fixedFault("addressForbidden")],
      ["api", told.apiForbidden],
    ]),
    TakesGet: wrongMethod("GET"),
    TakesPost: wrongMethod("POST"),
    BodyTooSlow: refusal("The body did not arrive in time. The connection is closed.", known, [
      ["too-slow", tooSlow(options.bodyTimeoutSeconds.default * 1_000)],
    ]),
    BodyTooLarge: refusal("The body is over the limit.", known, [["too-large", told.bodyTooLarge]]),
    NotJson: refusal("The body is not declared as JSON.", known, [
      ["not-json", fixedFault("mediaTypeUnsupported")],
    ]),
    LimitReached: refusal(
      "The limit per minute is reached, or the credits are used up; `error` says which.",
      { ...known, ...retryHeader },
      [
        ["throttled", told.rateLimited],
        ["credits-used-up", told.creditsUsedUp],
      ],
    ),
    InternalError: refusal("A fault on this side. Nothing was charged.", known, [
      ["internal", fixedFault("internal")],
    ]),
    Unavailable: refusal(
      "The service, or something that it asks, does not answer just now. Nothing was charged.",
      { ...known, ...retryHeader },
      [
        ["store", fixedFault("storeUnavailable")],
        ["too-many-calls", overloaded],
      ],
    ),
  }
}

const known = { ...commonHeaders, ...standingHeaders }

/** The response of a refusal, with an example for each way to come by it. */
export function refusal(
  description: string,
  headers: JsonObject,
  faults: readonly (readonly [name: string, fault: Fault])[],
): JsonObject {
  const shown = Object.fromEntries(
    faults.map(([name, { message }]) => [name, errorShown(name.replaceAll("-", " "), message)]),
  )
  return { description, headers, content: restContent(refTo("schemas", "Refused"), shown) }
}

function wrongMethod(allow: "GET" | "POST"): JsonObject {
  const fault = new Fault("methodNotAllowed", `This path takes ${allow}, not PUT.`)
  return refusal(`The path takes ${allow} alone.`, { ...commonHeaders, ...allowHeader }, [
    ["wrong-method", fault],
  ])
}

/** The responses of a REST path to a keyed request, but for 200 and 400. */
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
