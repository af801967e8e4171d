import { type Ports, unavailable } from "../apis/contract.ts"
import { sunsetsOf } from "../call/admission.ts"
import type { LocalCalls } from "../call/prepared-api.ts"
import type { Config } from "../config/load.ts"
import { livePorts } from "./live-ports.ts"

/** Runs APIs in this process: no server, no key, no charge, premium fields included. */
export function createLocalCalls(config: Config, ports: Ports = livePorts(config)): LocalCalls {
  // Nothing else runs in the process of a command.
  return async ({ definition, readInput }, input) => {
    const sunset = sunsetsOf([definition]).get(definition.id)
    if (sunset && ports.clock.now() >= sunset.atMs) unavailable(sunset.message, "gone")
    return definition.run(readInput(input, true), { ports, giveWay() {} })
  }
}
