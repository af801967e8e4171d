import type { Ports } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { createSystemDns } from "../ports/dns/system-dns.ts"
import { systemRandom } from "../ports/random.ts"
import { keepAliveTimer, systemTimer } from "../ports/timer.ts"

/** The ports of a real service: this machine's clock, randomness and timers, and the DNS servers of the configuration. */
export function livePorts({ dnsServers }: Config): Ports {
  const ports = { clock: systemClock, random: systemRandom, timer: systemTimer }
  return { ...ports, dns: createSystemDns(dnsServers, ports) }
}

/** The ports of every store. Its timers keep the process running, since their results are awaited. */
export function storePorts({ clock, random }: Ports, { dbLogin }: Config) {
  return { timer: keepAliveTimer, clock, random, login: dbLogin }
}
