import type { PreparedApi, Road } from "./execute.ts"
import { logFault } from "./execute.ts"
import { type Fault, toFault } from "./fault.ts"
import type { Caller } from "./gate.ts"
import type { RawInput } from "./input.ts"

/** What came of one of many calls in a request: what the caller may see of the data, or why there are none. */
export type Outcome =
  | { readonly data: Record<string, unknown>; readonly fault: null }
  | { readonly data: null; readonly fault: Fault }

/**
 * Runs one of the calls that a request holds several of: input → run → mask. Who calls, and what it costs, is decided
 * for the request as a whole. Never throws; a promise only where the API itself gives one.
 */
export function runOne(
  api: PreparedApi,
  input: RawInput,
  caller: Caller,
  requestId: string,
  road: Road,
): Outcome | Promise<Outcome> {
  const { premium } = caller.plan
  const succeeded = (data: Record<string, unknown>): Outcome => ({
    data: premium ? data : api.mask(data),
    fault: null,
  })
  const failed = (thrown: unknown): Outcome => {
    const fault = toFault(thrown)
    logFault(fault, requestId, road.log)
    return { data: null, fault }
  }
  try {
    const running = api.definition.run(api.readInput(input, premium), { ports: road.ports })
    return running instanceof Promise ? running.then(succeeded).catch(failed) : succeeded(running)
  } catch (thrown) {
    return failed(thrown)
  }
}
