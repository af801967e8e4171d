/** Every origin may call and read the headers that tell it where it stands; none may bring credentials (Fetch §3.2). */
export const crossOriginHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": [
    "x-request-id",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-api-credits-used",
    "x-api-remaining-credits",
    "x-api-max-credits",
    "x-api-renewal",
    "x-api-current-plan",
  ].join(", "),
} as const

/** Answers a preflight, on any path and without a key; browsers may keep the answer for a day. */
export function answerPreflight(requestId: string, methods = "GET, POST, OPTIONS"): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "content-type, x-api-key, x-request-id, accept, user-agent",
      "access-control-max-age": "86400",
      "x-request-id": requestId,
    },
  })
}
