import type { Span, SpanAttributes } from "../ports/tracer.ts"
import { type Fault, toFault } from "./fault.ts"

/** Measures a step of a request as a part of `parent`. Returns a promise only if the step does, and rethrows its errors. */
export function inSpan<T>(parent: Span, name: string, values: SpanAttributes, step: () => T | Promise<T>) {
  const span = parent.begin(name, values)
  const done = (value: T): T => {
    span.end()
    return value
  }
  const failed = (thrown: unknown): never => {
    endWithFault(span, toFault(thrown))
    throw thrown
  }
  try {
    const result = step()
    return result instanceof Promise ? result.then(done, failed) : done(result)
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Ends the span of a step that failed. Only a fault of the service is an error, as in HTTP. */
export function endWithFault(span: Span, { code, status }: Pick<Fault, "code" | "status">): void {
  span.end({ "penknife.code": code }, status >= 500 ? code : null)
}
