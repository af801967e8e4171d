import type { Ports } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { createSystemDns } from "../ports/dns/system-dns.ts"
import { systemRandom } from "../ports/random.ts"
import { keepAliveTimer, systemTimer } from "../ports/timer.ts"
import { webOff } from "../ports/web/fixed-web.ts"
import { createHttpsClient } from "../ports/web/https-client.ts"

/**
 * The ports of a real service: this machine's clock, randomness and timers, the DNS servers of the configuration, and HTTPS to
 * hosts that have public addresses.
 */
export function livePorts({ dnsServers, noOutbound }: Config): Ports {
  const ports = { clock: systemClock, random: systemRandom, timer: systemTimer }
  const dns = createSystemDns(dnsServers, ports)
  return { ...ports, dns, web: noOutbound ? webOff : createHttpsClient({ dns, timer: systemTimer }) }
}

/** The ports of every store. Its timers keep the process running, since their results are awaited. */
export function storePorts({ clock, random }: Ports, { dbLogin }: Config) {
  return { timer: keepAliveTimer, clock, random, login: dbLogin }
}
