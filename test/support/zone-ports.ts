import type { Example, Ports } from "../../src/apis/contract.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { createFixedWeb } from "../../src/ports/web/fixed-web.ts"
import { createManualClock } from "./clock.ts"

/** The clock, the DNS and the replies of other hosts that an example needs. */
export const portsFor = ({ given }: Pick<Example, "given">): Ports => ({
  clock: createManualClock(given?.now),
  random: systemRandom,
  dns: createZoneDns(given?.dns ?? {}),
  web: createFixedWeb(given?.web ?? {}),
  timer: systemTimer,
})
