import { createHash, timingSafeEqual } from "node:crypto"
import type { Exposition } from "../../observe/exposition.ts"
import { type Exchange, respond } from "./respond.ts"

/**
 * The handler of `GET /metrics`. Not for browsers: no other origin may read it.
 * @param token what has to come as `Authorization: Bearer …`; null lets everyone read
 */
export function createMetricsHandler(
  read: () => Promise<Exposition>,
  token: string | null,
): (exchange: Exchange) => Promise<Response> {
  const expected = token === null ? null : digestOf(`Bearer ${token}`)

  return async (exchange) => {
    const { request, requestId } = exchange
    const given = digestOf(request.headers.get("authorization") ?? "")
    // Digests are compared, since those have one length, and in constant time, so that no one can guess octet by octet.
    if (expected && !timingSafeEqual(given, expected)) return refuse(exchange)
    const { contentType, text } = await read()
    return new Response(text, {
      headers: {
        "content-type": contentType,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestId,
      },
    })
  }
}

function refuse(exchange: Exchange): Response {
  const error = "The metrics need the token of --metrics-token: send it as 'Authorization: Bearer TOKEN'."
  return respond(
    {
      status: 401,
      envelope: { status: "error", error, data: null },
      headers: { "www-authenticate": "Bearer" },
      stable: {},
    },
    "json",
    exchange,
  )
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
