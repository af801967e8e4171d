import type { Example, Ports } from "../../src/apis/contract.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { createManualClock } from "./clock.ts"

/** The clock and the DNS that an example needs. */
export function portsFor({ given }: Pick<Example, "given">): Ports {
  return {
    clock: createManualClock(given?.now),
    random: systemRandom,
    dns: createZoneDns(given?.dns ?? {}),
    timer: systemTimer,
  }
}
