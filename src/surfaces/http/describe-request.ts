import type { SpanStart } from "../../ports/tracer.ts"
import { pathOf } from "./request-url.ts"

/** The methods of RFC 9110 and RFC 5789. A span names no others, since clients can make up any number of them. */
const methodNames = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"])

/**
 * What the span of a request begins with, by the HTTP conventions of OpenTelemetry.
 * @param paths paths without parameters. Others are left out: people paste keys into the wrong places
 */
export function describeRequest(
  request: Request,
  paths: Pick<ReadonlyMap<string, unknown>, "has">,
  isSecure: boolean,
): SpanStart {
  const path = pathOf(request.url)
  const method = methodNames.has(request.method) ? request.method : "_OTHER"
  const name = method === "_OTHER" ? "HTTP" : method
  const isKnown = paths.has(path)
  return {
    name: isKnown ? `${name} ${path}` : name,
    attributes: {
      "http.request.method": method,
      "url.scheme": isSecure ? "https" : "http",
      ...(isKnown && { "http.route": path, "url.path": path }),
    },
  }
}
