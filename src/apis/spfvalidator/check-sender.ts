import type { Address } from "../../values/ip.ts"
import type { RunContext } from "../contract.ts"
import { type CheckResult, checkHost } from "./check-host.ts"
import { toIdentity } from "./identity.ts"
import { Lookups } from "./lookups.ts"
import { Policies } from "./policy.ts"

/**
 * Checks a sender alone, without a report about the record: may `ip` send mail for `domain`? Never throws. When `signal` fires,
 * names that have not answered count as temporary errors.
 * @param domain in lower case and A-labels, without a trailing dot; one that no record can have is `none`
 */
export async function checkSender(
  ip: Address,
  domain: string,
  names: { readonly sender: string; readonly helo?: string },
  { ports, giveWay }: Pick<RunContext, "ports" | "giveWay">,
  signal: AbortSignal,
): Promise<CheckResult> {
  const lookups = new Lookups(ports.dns, signal)
  try {
    const identity = await toIdentity(domain, ip, names, ports.clock)
    return await checkHost(ip, domain, { identity, lookups, policies: new Policies(lookups, giveWay) })
  } finally {
    lookups.close()
  }
}
