import type { Dns, DnsAnswer, DnsFailed, DnsType } from "../contract.ts"
import { isAskable } from "./domain-name.ts"
import { limits } from "./limits.ts"

/** The DNS queries of one validation: each sent once, `limits.queries` at most, and `aborted` when the signal fires. */
export class Lookups {
  readonly #dns: Dns
  readonly #signal: AbortSignal
  readonly #answers = new Map<string, Promise<DnsAnswer>>()
  readonly #aborted: Promise<DnsFailed>
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

  /** Asks for a name without a trailing dot; one that cannot be asked for is answered `nxdomain`. Never throws. */
  async ask<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
    if (!isAskable(name)) return { kind: "nxdomain" }
    const key = `${type} ${name.toLowerCase()}`
    const known = this.#answers.get(key)
    // The key contains the type, so the stored answer is of that type.
    if (known !== undefined) return known as Promise<DnsAnswer<T>>
    if (this.#signal.aborted || this.#answers.size >= limits.queries) return abortedAnswer
    const answer = Promise.race([this.#dns.resolve(name, type, this.#signal), this.#aborted])
    this.#answers.set(key, answer)
    return answer
  }

  /** Whether the signal has fired. */
  get isOver(): boolean {
    return this.#signal.aborted
  }

  /** Stops listening to the signal, which may outlive the validation. */
  close(): void {
    this.#stopListening()
  }
}

const abortedAnswer = { kind: "failure", reason: "aborted" } as const
