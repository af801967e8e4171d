import { LRUCache } from "lru-cache"
import { AdminFault } from "../../../admin/fault.ts"
import type { Ports } from "../../../apis/contract.ts"
import { isIpv6, parseAddress } from "../../../values/ip.ts"
import { httpLimits } from "../read/limits.ts"

/** Slows down clients that guess keys. */
export type SignInFailures = ReturnType<typeof createSignInFailures>

export const unlimitedFailures: SignInFailures = { add: async () => {} }

interface Failures {
  count: number
  readonly endMs: number
}

const windowMs = 60_000
/** Each answer waits this much longer than the one before. */
const stepMs = 10
/** About 100 B each. */
const maxAddresses = 10_000
/** The most answers that wait at once, for all addresses: each holds a connection. */
const maxWaiting = 200

/** A valid key is never counted or refused, so that clients who share an address with an attacker are not locked out. */
export function createSignInFailures({ clock, timer }: Pick<Ports, "clock" | "timer">) {
  const byAddress = new LRUCache<string, Failures>({ max: maxAddresses })
  let waiting = 0

  function count(address: string): Failures {
    const nowMs = clock.monotonicMs()
    const network = networkOf(address)
    const known = byAddress.get(network)
    const failures = known && known.endMs > nowMs ? known : { count: 0, endMs: nowMs + windowMs }
    failures.count++
    byAddress.set(network, failures)
    return failures
  }

  return {
    /**
     * Counts a failed sign-in of a client address. Resolves when it may be answered: at once for the first ten in a minute, then
     * each 10 ms later than the one before.
     * @throws AdminFault 429 after a hundred of a minute
     */
    async add(address: string): Promise<void> {
      const { count: failed, endMs } = count(address)
      const late = failed - httpLimits.freeSignInFailures
      if (late <= 0) return
      if (failed > httpLimits.maxSignInFailures || waiting >= maxWaiting)
        throw tooManyFailures(endMs - clock.monotonicMs())
      waiting++
      await new Promise<void>((resolve) => timer.after(late * stepMs, resolve))
      waiting--
    },
  }
}

/** A client of IPv6 usually has all addresses of a /64 (RFC 6177). */
function networkOf(text: string): string {
  const address = parseAddress(text)
  if (address === null || !isIpv6(address)) return text
  return address.parts.slice(0, 4).join(":")
}

function tooManyFailures(waitMs: number): AdminFault {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new AdminFault(
    "too-many-requests",
    `Too many sign-ins failed from this address. Try again in ${retryAfterSeconds} s, with the right key.`,
    { retryAfterSeconds },
  )
}
