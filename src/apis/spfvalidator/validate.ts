import { type Address, parseAddress } from "../../values/ip.ts"
import { type RunContext, reject, unavailable } from "../contract.ts"
import { requireDomain } from "../mail/domain-name.ts"
import { createLookups } from "../mail/look-up.ts"
import { checkHost } from "./check-host.ts"
import { toIdentity } from "./identity.ts"
import { limits } from "./limits.ts"
import { createPolicies } from "./policy.ts"
import { toReport } from "./report.ts"
import type { SpfInput } from "./schema.ts"
import type { Session } from "./session.ts"
import { walkTree } from "./tree.ts"

/**
 * Validates a domain's SPF record and, with `ip`, checks whether that address may send. Both run at the same time and
 * share their look-ups. When `signal` fires, names that have not answered count as temporary errors.
 * @throws InputRejected for a malformed domain or ip
 * @throws Unavailable when the DNS does not answer for the domain itself and there is no `ip`
 */
export async function validate(input: SpfInput, { ports, giveWay }: RunContext, signal: AbortSignal) {
  const startedAtMs = ports.clock.monotonicMs()
  const domain = await requireDomain(input.domain)
  const ip = input.ip === undefined ? null : requireAddress(input.ip)

  const lookups = createLookups(ports.dns, signal, limits.queries)
  const identity = await toIdentity(domain, ip, input, ports.clock)
  const session: Session = { identity, lookups, policies: createPolicies(lookups, giveWay) }
  const walk = walkTree(domain, session)
  const [tree, check] = await Promise.all([walk, ip === null ? null : checkHost(ip, domain, session)])
  const policy = tree.nodes.get(domain)?.policy
  // With an address there is an answer without DNS: a receiver would get temperror (RFC 7208 §4.4).
  if (policy?.kind === "failure" && check === null)
    unavailable(`The DNS gave no answer for ${domain} (${policy.reason}). Try again later.`, policy.reason)
  return toReport(tree, check, Math.round((ports.clock.monotonicMs() - startedAtMs) * 100) / 100)
}

function requireAddress(text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  if (text.includes("/")) reject("ip", "must be a single IP address, without a prefix length")
  if (text.includes("%")) reject("ip", "must be an IP address without a zone")
  return reject("ip", "must be an IPv4 or IPv6 address")
}
