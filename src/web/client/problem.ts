/** A refusal of the service: problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem"
  readonly status: number
  /** The end of its type, such as `not-found`. */
  readonly code: string
  /** The parameter to change; null if it is not about one. */
  readonly parameter: string | null
  readonly requestId: string | null

  constructor(status: number, body: unknown) {
    const { type, title, detail, parameter, request_id } = toRecord(body)
    super(text(detail) ?? text(title) ?? `The service answered with status ${status}.`)
    this.status = status
    this.code = (text(type) ?? "").replace(/^.*[/:]/, "")
    this.parameter = text(parameter)
    this.requestId = text(request_id)
  }
}

/** No answer came: the service or the network is down. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
  constructor() {
    super("The service cannot be reached.")
  }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null
}
