import { parseAddress, toReverseName } from "../../values/ip.ts"
import type { Dns, Timer } from "../contract.ts"
import { withTimeLimit } from "../mail/look-up.ts"

const maxSources = 20
const dnsLimitMs = 5_000

interface Counts {
  count: number
  passed: number
}

/** Counts the messages that each address has sent. */
export class Sources {
  readonly #counts = new Map<string, Counts>()

  add(ip: string | null, count: number, isPassed: boolean): void {
    if (ip === null) return
    const counts = this.#counts.get(ip) ?? { count: 0, passed: 0 }
    counts.count += count
    if (isPassed) counts.passed += count
    this.#counts.set(ip, counts)
  }

  /** The addresses that have sent most, with their names. The name is null if the DNS does not tell it within 5 s. */
  async list(dns: Dns, timer: Timer) {
    const most = [...this.#counts]
      .sort(([a, { count: countOfA }], [b, { count: countOfB }]) => countOfB - countOfA || (a < b ? -1 : 1))
      .slice(0, maxSources)
    const hosts = await withTimeLimit(timer, dnsLimitMs, (signal) =>
      Promise.all(most.map(([ip]) => findHost(ip, dns, signal))),
    )
    return most.map(([ip, { count, passed }], index) => ({
      ...{ ip, host: hosts[index] ?? null },
      ...{ count, passed, failed: count - passed },
    }))
  }
}

/** The first of the names of an address, so that it is the same one each time. */
async function findHost(ip: string, dns: Dns, signal: AbortSignal): Promise<string | null> {
  const address = parseAddress(ip)
  if (address === null) return null
  const answer = await Promise.race([dns.resolve(toReverseName(address), "PTR", signal), isOver(signal)])
  if (answer?.kind !== "records") return null
  return answer.records.map((name) => name.toLowerCase()).sort()[0] ?? null
}

/** Resolves when the time is over: in a thread, questions do not end with their signal. */
function isOver(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }))
}
