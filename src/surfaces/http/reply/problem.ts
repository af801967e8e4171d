/** The start of a problem's `type`, before the code. A URN is the same on every installation (RFC 9457 §3.1.1). */
export const problemTypeStart = "urn:penknife:problem:"

/** An error of the APIs. */
interface ApiError {
  readonly status: number
  /** The code of the fault, which does not change. */
  readonly fault: string
  /** The correction, for the reader. */
  readonly detail: string
  readonly requestId: string
}

/** An error as problem details (RFC 9457 §3). */
export function toProblem({ status, fault, detail, requestId }: ApiError) {
  return {
    type: problemTypeStart + fault,
    title: titles[status] ?? "Error",
    status,
    detail,
    request_id: requestId,
  }
}

/** The names of the statuses that errors of the APIs have (RFC 9110 §15, RFC 6585 §4). */
const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  499: "Client Closed Request",
  500: "Internal Server Error",
  503: "Service Unavailable",
}
