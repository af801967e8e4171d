import statusNames from "./status-names.json"

/** The names of the statuses that errors of the APIs have (RFC 9110 §15, RFC 6585 §4). */
const titles: Readonly<Record<string, string>> = statusNames

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
