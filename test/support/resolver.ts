import { afterEach } from "bun:test"
import type { DnsAnswer, DnsType, DnsZone } from "../../src/apis/contract.ts"
import { createResolver, type Resolver, type ResolverOptions, retryMs } from "../../src/ports/dns/resolver.ts"
import { parseServerAddress } from "../../src/ports/dns/server-address.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { createManualClock, type ManualClock } from "./clock.ts"
import { type DnsServerOptions, startDnsServer, type TestDnsServer } from "./dns-server.ts"
import { createManualTimer, type ManualTimer } from "./timer.ts"
import { until } from "./until.ts"

/** A resolver whose time the test moves by hand. */
interface TestResolver extends Resolver {
  readonly clock: ManualClock
  readonly timer: ManualTimer
  ask(name: string, type: DnsType): Promise<DnsAnswer>
}

/** DNS servers of `zone` on loopback, which are stopped after each test, and resolvers that ask them. */
export function useDns(zone: DnsZone) {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })

  async function serve(options: DnsServerOptions = {}, served = zone): Promise<TestDnsServer> {
    const server = await startDnsServer(served, options)
    stops.push(server.stop)
    return server
  }

  return { serve }
}

export function resolverFor(
  servers: readonly Pick<TestDnsServer, "address">[],
  options: Partial<ResolverOptions> = {},
): TestResolver {
  const clock = createManualClock()
  const timer = createManualTimer()
  const addresses = servers.map(({ address }) => parseServerAddress(address))
  const resolver = createResolver({ servers: addresses, clock, random: systemRandom, timer, ...options })
  return { ...resolver, clock, timer, ask: resolver.resolve }
}

/** Lets a resolver wait in vain for the answers to each of so many queries, one after the other. */
export async function waitInVain(timer: ManualTimer, server: TestDnsServer, queries: number): Promise<void> {
  for (let sent = 1; sent <= queries; sent++) {
    await until(() => server.queries.length >= sent)
    timer.advance(retryMs)
  }
}

/** The result of `work`, with time moving on whenever no socket has anything to read. */
export async function throughSilence<T>(work: Promise<T>, timer: ManualTimer): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  for (;;) {
    // A datagram to this process and its answer take two or three turns of the event loop.
    for (let turn = 0; turn < 10 && !isOver; turn++) await timer.turn()
    if (isOver) return over
    timer.advance(retryMs / 4)
  }
}
