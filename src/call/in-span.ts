import type { Span, SpanAttributes } from "../ports/tracer.ts"
import { type Fault, toFault } from "./fault.ts"

/**
 * Does a step of a request, and measures it as a part of `parent`. Returns a promise only if the step does, and rethrows its
 * errors. Requests that are not recorded do their steps without it: the functions that it takes cost 2 % of a metered call.
 * @param faultOf the fault that a result tells of
 */
export function inSpan<T>(
  parent: Span,
  name: string,
  values: SpanAttributes,
  step: (span: Span) => T | Promise<T>,
  faultOf: (result: T) => Fault | null = () => null,
): T | Promise<T> {
  const span = parent.begin(name, values)
  const done = (result: T): T => {
    end(span, faultOf(result))
    return result
  }
  const failed = (thrown: unknown): never => {
    end(span, toFault(thrown))
    throw thrown
  }
  try {
    const result = step(span)
    return result instanceof Promise ? result.then(done, failed) : done(result)
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Only a fault of the service is an error, as in HTTP. */
function end(span: Span, fault: Fault | null): void {
  if (fault === null) span.end()
  else span.end({ "penknife.code": fault.code }, fault.status >= 500 ? fault.code : null)
}
