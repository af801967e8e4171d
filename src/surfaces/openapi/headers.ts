import { type JsonObject, refTo } from "./json-object.ts"

const whole = { type: "integer", minimum: 0 }
const wholeOrUnlimited = { anyOf: [whole, { type: "string", const: "unlimited" }] }

function header(description: string, schema: JsonObject, required = false): JsonObject {
  return { description, ...(required && { required }), schema }
}

/** Headers of the answers, by the name that a reference uses. A required one is on every answer that refers to it. */
export const headerComponents = {
  RequestId: header("The id of this request, to be quoted in reports.", requestId(), true),
  Allow: header("The methods that the path takes.", { type: "string" }, true),
  RetryAfter: header("Seconds after which to try again.", whole),
  ETag: header("A mark of this version of the text, for `If-None-Match`.", { type: "string" }, true),
  RateLimitLimit: header(
    "Calls a minute that the account or the key may make; absent without a limit.",
    whole,
  ),
  RateLimitRemaining: header("Calls that may be made right now.", whole),
  RateLimitReset: header("Seconds until the full limit is there again.", whole),
  CreditsUsed: header("Credits used of this month's.", whole),
  RemainingCredits: header("Credits left, bonus included.", wholeOrUnlimited),
  MaxCredits: header("Credits of a month.", wholeOrUnlimited),
  Renewal: header("When the month's credits renew, in unix seconds.", whole),
  CurrentPlan: header("The plan of the account.", { type: "string" }),
} as const satisfies Readonly<Record<string, JsonObject>>

function requestId(): JsonObject {
  return { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" }
}

function references(names: Readonly<Record<string, keyof typeof headerComponents>>): JsonObject {
  return Object.fromEntries(Object.entries(names).map(([name, to]) => [name, refTo("headers", to)]))
}

/** On every answer. */
export const commonHeaders = references({ "X-Request-ID": "RequestId" })

/** Where the request names a key that is known and limited. */
export const rateHeaders = references({
  "X-RateLimit-Limit": "RateLimitLimit",
  "X-RateLimit-Remaining": "RateLimitRemaining",
  "X-RateLimit-Reset": "RateLimitReset",
})

/** On answers of REST APIs to a known key. */
export const standingHeaders = {
  ...rateHeaders,
  ...references({
    "X-API-Credits-Used": "CreditsUsed",
    "X-API-Remaining-Credits": "RemainingCredits",
    "X-API-Max-Credits": "MaxCredits",
    "X-API-Renewal": "Renewal",
    "X-API-Current-Plan": "CurrentPlan",
  }),
}

export const allowHeader = references({ Allow: "Allow" })
export const retryHeader = references({ "Retry-After": "RetryAfter" })
export const etagHeader = references({ ETag: "ETag" })
