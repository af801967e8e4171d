/** The meaning of a fault for an operator, and the operator's remedy. */
interface FaultAdvice {
  readonly meaning: string
  readonly advice: string
  /** Whether it is the service's own (5xx) and not the caller's. */
  readonly is_service_fault: boolean
}

const serviceFaults = [
  "planMissing",
  "internal",
  "overloaded",
  "upstreamUnavailable",
  "storeUnavailable",
  "chargeUnknown",
]

const keyAdvice = "Tell the customer, or look the key up under Keys."
const customerAdvice = "Nothing on this side: the answer tells the customer what to change."
const unknown: FaultAdvice = {
  meaning: "Requests failed for a reason that this version has no text for.",
  advice: "Look up the requests in the log by their ids.",
  is_service_fault: false,
}

const table: Readonly<Record<string, readonly [meaning: string, advice: string]>> = {
  inputRejected: ["A parameter was missing or wrong. Nothing was charged.", customerAdvice],
  keysDiffer: ["Two headers held different API keys.", customerAdvice],
  keyMissing: ["The request had no API key.", customerAdvice],
  keyMalformed: ["The API key was mistyped or cut short.", customerAdvice],
  adminKeySent: [
    "A key of the admin API was sent to an API.",
    "Find out who did it. If others may have seen the key, revoke it and make a new one.",
  ],
  keyUnknown: [
    "The API key has the right form, and does not exist here.",
    "A few are customers with an old key or one of another service. Many from one address are attempts to guess: block the address.",
  ],
  keyExpired: ["The API key was past its end.", "Give the customer a new key, or set a later end."],
  keyRevoked: ["The API key was revoked, or its account closed.", keyAdvice],
  keyRotated: [
    "The API key had been replaced by a new text, and the time for the old one was over.",
    "Tell the customer to use the new text. For the next rotation, choose a longer grace.",
  ],
  keyDisabled: ["The API key was disabled.", "Enable it under Keys when it may be used again."],
  addressForbidden: [
    "The API key may not be used from this address.",
    "If the address is the customer's, add it to the key. Behind a proxy, check --trust-proxy. Otherwise the key may have leaked: rotate it.",
  ],
  apiForbidden: ["The API key may not call this API.", "Change the key's list of APIs if it should."],
  originForbidden: [
    "A web page of another site, or a wrong host name, sent the request.",
    "If it is your own page, set --public-url to the address that clients use.",
  ],
  notFound: ["There is nothing at this path.", customerAdvice],
  methodNotAllowed: ["The path exists, and takes another HTTP method.", customerAdvice],
  idempotencyKeyInUse: [
    "A call was sent again under its Idempotency-Key before the first was answered. Nothing was charged twice.",
    customerAdvice,
  ],
  idempotencyKeyReused: ["An Idempotency-Key was sent again with other input.", customerAdvice],
  idempotencyKeyUsedUp: [
    "A call was sent again under its Idempotency-Key more often than is free.",
    "Tell the customer to send a new Idempotency-Key with each new call.",
  ],
  apiGone: ["The API is past the end of its service.", "Tell the customer which API replaces it."],
  bodyInPieces: ["A body came in too many small pieces.", customerAdvice],
  bodyTooSlow: [
    "A body did not arrive in time.",
    "Customers with slow connections may need a larger --body-timeout.",
  ],
  bodyTooLarge: ["A body was larger than allowed.", "Raise --max-body if customers need it."],
  mediaTypeUnsupported: ["A body was not marked as JSON.", customerAdvice],
  rateLimited: [
    "The account or the key had used up its calls of this minute.",
    "If it is regular use, give the account a plan with more requests per minute.",
  ],
  creditsUsedUp: [
    "The account had no credits left for the call.",
    "Grant credits, or give the account a larger plan. They renew with the next month.",
  ],
  callerLeft: [
    "The client hung up before the answer. Nothing was charged.",
    "Many of them mean that clients wait too short, or that answers take too long: look at the latency of the API.",
  ],
  planMissing: [
    "The account's plan is not in the configuration.",
    "Give the account another plan, or put the plan back into the configuration.",
  ],
  internal: [
    "A mistake in this program.",
    "Look up the request id in the log, and report it with its cause.",
  ],
  overloaded: [
    "More calls or unread answers were there at once than one process takes.",
    "Start more workers, or raise --max-calls or --max-unsent if memory allows.",
  ],
  upstreamUnavailable: [
    "A server that the API asks, such as a DNS server, did not answer.",
    "Check the network and --dns-server. If it is one domain only, its own name servers are the cause.",
  ],
  storeUnavailable: [
    "The database could not record the charge, so the call was refused. Nothing was charged.",
    "Check the disk and the database. Overview says whether it answers now.",
  ],
  chargeUnknown: [
    "The database was lost while it recorded a charge, so the call may have been charged.",
    "Check the database. Grant the credits back if a customer complains.",
  ],
  badRequest: ["A GraphQL request had a wrong form.", customerAdvice],
  fileUploadNotSupported: ["A GraphQL request uploaded a file.", customerAdvice],
  graphqlParseFailed: ["A GraphQL query could not be read.", customerAdvice],
  graphqlValidationFailed: ["A GraphQL query did not fit the schema.", customerAdvice],
  operationNotSupported: ["A GraphQL request was no query.", customerAdvice],
  queryTooComplex: ["A GraphQL query was too large, too deep or had too large an answer.", customerAdvice],
  planLimitExceeded: [
    "A GraphQL query named more APIs than the plan allows.",
    "Raise graphql_apis of the plan if customers need it.",
  ],
  graphqlNotSupported: ["GraphQL is turned off.", "Start the service without --no-graphql to offer it."],
}

export function adviceFor(fault: string): FaultAdvice {
  const known = Object.hasOwn(table, fault) ? table[fault] : undefined
  return known
    ? { meaning: known[0], advice: known[1], is_service_fault: serviceFaults.includes(fault) }
    : unknown
}
