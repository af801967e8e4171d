import { AsyncLocalStorage } from "node:async_hooks"
import { InputRejected, Unavailable } from "../apis/contract.ts"
import type { PreparedApi } from "../call/execute.ts"
import { Fault, fixedFault } from "../call/fault.ts"
import type { Gate } from "../call/gate.ts"
import type { ActiveFault } from "./faults.ts"
import { askedFor } from "./keys.ts"
import type { Stubs } from "./stubs.ts"

/** What strikes the request that is under way. The road does not know of requests, so it travels beside it. */
const current = new AsyncLocalStorage<ActiveFault>()

export function runWithFault<T>(fault: ActiveFault, work: () => T): T {
  return current.run(fault, work)
}

const callerStatuses: ReadonlySet<number> = new Set([401, 429])
const apiStatuses: ReadonlySet<number> = new Set([400, 403, 500, 503])

/**
 * The status that the service itself never gives, or not for a request of no API: whoever stands in front of the service
 * answers with it. Null when there is none.
 */
export function frontStatus({ statuses }: ActiveFault, apis: readonly string[]): number | null {
  for (const status of statuses.values()) {
    const isOnRoad = callerStatuses.has(status) || (apis.length > 0 && apiStatuses.has(status))
    if (!isOnRoad) return status
  }
  return null
}

/** The gate, refusing what a fault says it refuses. */
export function injectAtGate(gate: Gate): Gate {
  const isStruck = (status: number) => [...(current.getStore()?.statuses.values() ?? [])].includes(status)
  return {
    identify(key) {
      if (isStruck(401)) throw fixedFault("keyUnknown")
      return gate.identify(key)
    },
    requireAddress: gate.requireAddress,
    requireApi(caller, api) {
      if (statusOf(api) === 403) throw new Fault("apiForbidden", `This API key may not call '${api}'.`)
      gate.requireApi(caller, api)
    },
    requireRate(caller) {
      if (!isStruck(429)) return gate.requireRate(caller)
      const seconds = 60
      throw new Fault(
        "rateLimited",
        `The limit of calls per minute is reached; try again in ${seconds} seconds.`,
        {
          headers: { "retry-after": String(seconds) },
        },
      )
    },
  }
}

/** An API that fails where a fault says so, and gives a stub's answer where one matches. */
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
        if (status === 500) throw askedFor(new Error("a fault of the mock"))
        if (status === 503) throw askedFor(new Unavailable(`A fault of the mock makes '${id}' unavailable.`))
        return stubs.find(id, input) ?? definition.run(input, context)
      },
    },
  }
}

function statusOf(api: string): number | undefined {
  const statuses = current.getStore()?.statuses
  return statuses?.get(api) ?? statuses?.get(null)
}
