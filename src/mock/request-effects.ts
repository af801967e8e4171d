import { AsyncLocalStorage } from "node:async_hooks"
import { InputRejected, Unavailable } from "../apis/contract.ts"
import { type Admission, apiForbidden, rateLimited } from "../call/admission.ts"
import { fixedFault } from "../call/fault.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { withMember } from "../values/frozen.ts"
import { standIn } from "../values/stand-in.ts"
import type { ActiveFault } from "./faults.ts"
import { withoutStack } from "./keys.ts"
import type { MockState } from "./state.ts"
import type { Stub } from "./stubs.ts"

/** The state that answers one request, and the effects of its faults and stubs on it. */
export interface RequestEffects {
  readonly state: MockState
  /** Makes the id of the request. */
  readonly requestIdFor: (sentId: string | null, key: string | null) => string
  readonly fault: ActiveFault | null
  /** The stubs that answered; filled while the request runs. */
  readonly stubs: Stub[]
}

/** The effects of the request in progress. The pipeline has no argument for them, since only the mock has them. */
const current = new AsyncLocalStorage<RequestEffects>()

/** Runs the work of a request in its state and under effects, which {@link injectAtAdmission} and {@link injectAtApi} apply. */
export function runRequest<T>(effects: RequestEffects, work: () => T): T {
  return current.run(effects, work)
}

/** The request in progress. Without one it throws: no state may answer for another. */
export function thisRequest(): RequestEffects {
  const request = current.getStore()
  if (!request) throw new Error("a part of the test double was used outside of a request")
  return request
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

/** An admission that also refuses calls as the active fault says. */
export function injectAtAdmission(admission: Admission): Admission {
  const isActive = (status: number) => [...(activeFault()?.statuses.values() ?? [])].includes(status)
  return {
    identify(key) {
      if (isActive(401)) throw fixedFault("keyUnknown")
      return admission.identify(key)
    },
    identifyHash(hash) {
      if (isActive(401)) throw fixedFault("keyUnknown")
      return admission.identifyHash(hash)
    },
    identifyAgain: admission.identifyAgain,
    requireAddress: admission.requireAddress,
    requireApi(caller, api) {
      if (statusFor(api) === 403) throw apiForbidden(api)
      admission.requireApi(caller, api)
    },
    takeRate(caller) {
      if (isActive(429)) throw rateLimited({ perMinute: null, retryInMs: 60_000 })
      return admission.takeRate(caller)
    },
    takeGuestRate(caller, network) {
      if (isActive(429)) throw rateLimited({ perMinute: null, retryInMs: 60_000 })
      return admission.takeGuestRate(caller, network)
    },
  }
}

/** An API that fails as the active fault says, and otherwise returns the answer of a matching stub. */
export function injectAtApi(api: PreparedApi): PreparedApi {
  const { definition } = api
  const { id } = definition
  return {
    ...api,
    definition: withMember(definition, "run", (input, context) => {
      const status = activeFault()?.statusFor(id, input)
      if (status === 400) {
        const [parameter = "body"] = Object.keys(definition.input.properties)
        throw new InputRejected(parameter, "is refused by a fault of the mock")
      }
      if (status === 500) throw withoutStack(new Error("a fault of the mock"))
      if (status === 503)
        throw withoutStack(new Unavailable(`A fault of the mock makes '${id}' unavailable.`))
      const { state, stubs } = thisRequest()
      const stub = state.stubs.find(id, input)
      if (stub) stubs.push(stub)
      const isComputed = stub?.data === undefined && stub?.body === undefined
      if (!isComputed) return stub.data ?? {}
      // The questions of an API that runs in a thread arrive outside of the request.
      const inRequest = AsyncLocalStorage.snapshot()
      const ports = standIn(context.ports, (work) => inRequest(() => work(context.ports)))
      return definition.run(input, { ...context, ports })
    }),
  }
}

function activeFault(): ActiveFault | null {
  return current.getStore()?.fault ?? null
}

/** The admission step sees no input, so a rule for some inputs refuses the whole request. */
function statusFor(api: string): number | undefined {
  const statuses = activeFault()?.statuses
  return statuses?.get(api) ?? statuses?.get(null)
}
