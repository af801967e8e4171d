import type { Caller } from "./caller.ts"
import { logFault, type PreparedApi, type Road } from "./execute.ts"
import { type Fault, toFault } from "./fault.ts"
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
  try {
    const running = api.definition.run(api.readInput(input, caller.plan.premium), { ports: road.ports })
    if (!(running instanceof Promise)) return succeeded(running, api, caller)
    return running
      .then((data) => succeeded(data, api, caller))
      .catch((thrown) => failed(thrown, requestId, road))
  } catch (thrown) {
    return failed(thrown, requestId, road)
  }
}

function succeeded(data: Record<string, unknown>, { mask }: PreparedApi, { plan }: Caller): Outcome {
  return { data: plan.premium ? data : mask(data), fault: null }
}

function failed(thrown: unknown, requestId: string, { log }: Road): Outcome {
  const fault = toFault(thrown)
  logFault(fault, requestId, log, { message: false })
  return { data: null, fault }
}
