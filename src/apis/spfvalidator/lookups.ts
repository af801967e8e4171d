import type { Dns, DnsAnswer, DnsType } from "../contract.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"

/**
 * The DNS as one validation sees it: each question is asked once however often it comes up, in one flight; nothing is
 * asked beyond the bound of {@link limits}; and when the signal fires, what is still open answers `aborted` at once.
 */
export class Lookups {
  readonly #dns: Dns
  readonly #signal: AbortSignal
  readonly #flights = new Map<string, Promise<DnsAnswer>>()
  readonly #aborted: Promise<DnsAnswer<never>>
  #stopListening = () => {}

  constructor(dns: Dns, signal: AbortSignal) {
    this.#dns = dns
    this.#signal = signal
    this.#aborted = new Promise((resolve) => {
      const onAbort = () => resolve(abortedAnswer)
      signal.addEventListener("abort", onAbort, { once: true })
      this.#stopListening = () => signal.removeEventListener("abort", onAbort)
    })
  }

  /** Asks for a name without trailing dot. A name that cannot be asked does not exist. Never throws. */
  async ask<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
    if (!isAskable(name)) return { kind: "nxdomain" }
    const key = keyOf(name, type)
    const known = this.#flights.get(key)
    // The key holds the type, so the answer kept under it is of that type.
    if (known !== undefined) return known as Promise<DnsAnswer<T>>
    if (this.#signal.aborted || this.#flights.size >= limits.queries) return abortedAnswer
    const flight = Promise.race([this.#dns.resolve(name, type, this.#signal), this.#aborted])
    this.#flights.set(key, flight)
    return flight
  }

  /** The time is over: whatever is asked from now on is answered `aborted`. */
  get isOver(): boolean {
    return this.#signal.aborted
  }

  /** Lets go of the signal once the validation is over, since the signal outlives it. */
  close(): void {
    this.#stopListening()
  }
}

const abortedAnswer = { kind: "failure", reason: "aborted" } as const

function keyOf(name: string, type: DnsType): string {
  return `${type} ${name.toLowerCase()}`
}
