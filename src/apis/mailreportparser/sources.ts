import { parseAddress, toReverseName } from "../../values/ip.ts"
import type { Dns, Timer } from "../contract.ts"
import { createLookups, type Lookups, withTimeLimit } from "../mail/look-up.ts"

const maxSources = 20
const dnsLimitMs = 5_000

/** Counts the messages that each address has sent. */
export class Sources {
  readonly #counts = new Map<string, { count: number; passed: number }>()

  add(ip: string | null, count: number, isPassed: boolean): void {
    if (ip === null) return
    const counts = this.#counts.getOrInsertComputed(ip, () => ({ count: 0, passed: 0 }))
    counts.count += count
    if (isPassed) counts.passed += count
  }

  /** The addresses that have sent most, with their names. The name is null if the DNS does not tell it within 5 s. */
  async list(dns: Dns, timer: Timer) {
    const most = [...this.#counts]
      .sort(([a, { count: countOfA }], [b, { count: countOfB }]) => countOfB - countOfA || (a < b ? -1 : 1))
      .slice(0, maxSources)
    const hosts = await withTimeLimit(timer, dnsLimitMs, (signal) => {
      const lookups = createLookups(dns, signal, maxSources)
      return Promise.all(most.map(([ip]) => findHost(ip, lookups)))
    })
    return most.map(([ip, { count, passed }], index) => ({
      ...{ ip, host: hosts[index] ?? null },
      ...{ count, passed, failed: count - passed },
    }))
  }
}

/** The first of the names of an address, so that it is the same one each time. */
async function findHost(ip: string, { ask }: Lookups): Promise<string | null> {
  const address = parseAddress(ip)
  const answer = address && (await ask(toReverseName(address), "PTR"))
  if (answer?.kind !== "records") return null
  return answer.records.map((name) => name.toLowerCase()).sort()[0] ?? null
}
