import type { Dns } from "../../src/apis/contract.ts"
import { noExchange } from "./dns.ts"
import { until } from "./until.ts"

/** DNS that answers nothing until `release`, and then that no name exists. */
export function createHeldDns() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let lookups = 0
  const dns: Dns = {
    async resolve() {
      lookups++
      await released
      return { kind: "nxdomain" }
    },
    exchange: noExchange,
  }
  return {
    dns,
    release,
    lookups: () => lookups,
    /** Resolves when this many look-ups wait. */
    asked: (count = 1) => until(() => lookups >= count),
  }
}
