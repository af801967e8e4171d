import { AsyncLocalStorage } from "node:async_hooks"
import { InputRejected, Unavailable } from "../apis/contract.ts"
import { Fault, fixedFault } from "../call/fault.ts"
import { type Gate, rateLimited } from "../call/gate.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import type { ActiveFault } from "./faults.ts"
import { withoutStack } from "./keys.ts"
import type { Stubs } from "./stubs.ts"

/** The fault of the request in progress. The pipeline has no argument for it, since only the mock has faults. */
const current = new AsyncLocalStorage<ActiveFault>()

/** Runs the work of a request under a fault, which {@link injectAtGate} and {@link injectAtApi} apply. */
export function runWithFault<T>(fault: ActiveFault, work: () => T): T {
  return current.run(fault, work)
}

const callerStatuses: ReadonlySet<number> = new Set([401, 429])
const apiStatuses: ReadonlySet<number> = new Set([400, 403, 500, 503])

/** A status that only a proxy in front of the service could answer this request with; null without one. */
export function frontStatus({ statuses }: ActiveFault, apis: readonly string[]): number | null {
  for (const status of statuses.values()) {
    const isFromService = callerStatuses.has(status) || (apis.length > 0 && apiStatuses.has(status))
    if (!isFromService) return status
  }
  return null
}

/** A gate that also refuses calls as the active fault says. */
export function injectAtGate(gate: Gate): Gate {
  const isActive = (status: number) => [...(current.getStore()?.statuses.values() ?? [])].includes(status)
  return {
    identify(key) {
      if (isActive(401)) throw fixedFault("keyUnknown")
      return gate.identify(key)
    },
    requireAddress: gate.requireAddress,
    requireApi(caller, api) {
      if (statusOf(api) === 403) throw new Fault("apiForbidden", `This API key may not call '${api}'.`)
      gate.requireApi(caller, api)
    },
    takeRate(caller) {
      if (isActive(429)) throw rateLimited({ perMinute: null, retryInMs: 60_000 })
      return gate.takeRate(caller)
    },
  }
}

/** An API that fails as the active fault says, and otherwise gives the answer of a matching stub. */
export function injectAtApi(api: PreparedApi, stubs: Stubs): PreparedApi {
  const { definition } = api
  const { id } = definition
  const [parameter = "body"] = Object.keys(definition.input.properties)
  return {
    ...api,
    definition: {
      ...definition,
      run(input, context) {
        const status = statusOf(id)
        if (status === 400) throw new InputRejected(parameter, "is refused by a fault of the mock")
        if (status === 500) throw withoutStack(new Error("a fault of the mock"))
        if (status === 503)
          throw withoutStack(new Unavailable(`A fault of the mock makes '${id}' unavailable.`))
        return stubs.find(id, input) ?? definition.run(input, context)
      },
    },
  }
}

function statusOf(api: string): number | undefined {
  const statuses = current.getStore()?.statuses
  return statuses?.get(api) ?? statuses?.get(null)
}
