import type { Dns, Example, Web } from "../../src/apis/contract.ts"
import { createManualClock } from "./clock.ts"
import { startTestService, type TestOptions, type TestService } from "./service.ts"
import { portsFor } from "./zone-ports.ts"

/** A service for many examples: to start one for each would take longer than all their calls. */
interface ExampleService {
  readonly service: TestService
  /** Gives the service the clock, the DNS and the replies of other hosts that an example needs. They stay until the next call. */
  prepareFor(example: Pick<Example, "given">): void
}

/** Starts a service that examples share, one after the other. It stops after the file's tests. */
export async function startExampleService(flags: TestOptions["flags"] = {}): Promise<ExampleService> {
  const clock = createManualClock()
  let { dns, web } = portsFor({})
  const current: Dns = {
    resolve: (...question) => dns.resolve(...question),
    exchange: (...question) => dns.exchange(...question),
  }
  const currentWeb: Web = { get: (...request) => web.get(...request) }
  return {
    service: await startTestService({ clock, ports: { dns: current, web: currentWeb }, flags }),
    prepareFor(example) {
      const ports = portsFor(example)
      clock.set(new Date(ports.clock.now()).toISOString())
      dns = ports.dns
      web = ports.web
    },
  }
}
